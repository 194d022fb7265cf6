import AVFoundation

// A recorder of the usual kind with an engine: a tap writes the microphone's buffers to a file.
final class TapRecorder {
    private let engine = AVAudioEngine()
    private var file: AVAudioFile?

    func start(to url: URL) throws {
        let session = AVAudioSession.sharedInstance()
        try session.setCategory(.playAndRecord, mode: .default)
        try session.setActive(true)
        let input = engine.inputNode
        let format = input.outputFormat(forBus: 0)
        let file = try AVAudioFile(forWriting: url, settings: format.settings)
        self.file = file
        input.installTap(onBus: 0, bufferSize: 1024, format: format) { buffer, _ in
            do { try file.write(from: buffer) } catch { print("write: \(error)") }
        }
        engine.prepare()
        try engine.start()
    }

    func stop() {
        engine.inputNode.removeTap(onBus: 0)
        engine.stop()
        file = nil
    }

    var length: AVAudioFramePosition { file?.length ?? 0 }
}

extension TapRecorder: Story {
    static func run(_ stage: Stage) async throws {
        let (recorder, url) = (TapRecorder(), stage.sound("tapped.wav"))
        try recorder.start(to: url)
        let sound = try AVAudioPlayer(contentsOf: stage.sound("album.wav"))
        sound.play()
        try await stage.until("a second") { recorder.length > 48_000 }
        recorder.stop()
        sound.stop()
        let file = try AVAudioFile(forReading: url)
        guard let buffer = AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 96_000) else { return }
        try file.read(into: buffer)
        let samples = UnsafeBufferPointer(start: buffer.floatChannelData?[0], count: Int(buffer.frameLength))
        stage.say("recorded \(buffer.frameLength > 48_000) loud \(samples.contains { $0 > 0.1 })")
    }
}
