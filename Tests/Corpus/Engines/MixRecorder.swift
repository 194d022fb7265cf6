import AVFoundation

// A recorder of what the app itself plays: a tap on the main mixer writes to a file.
final class MixRecorder {
    private let engine = AVAudioEngine()
    private let player = AVAudioPlayerNode()
    private var output: AVAudioFile?

    init(_ url: URL) throws {
        let file = try AVAudioFile(forReading: url)
        engine.attach(player)
        engine.connect(player, to: engine.mainMixerNode, format: file.processingFormat)
        player.scheduleFile(file, at: nil)
    }

    func record(to url: URL) throws {
        let mixer = engine.mainMixerNode
        let format = mixer.outputFormat(forBus: 0)
        output = try AVAudioFile(forWriting: url, settings: format.settings)
        mixer.installTap(onBus: 0, bufferSize: 4096, format: format) { [output] buffer, when in
            guard when.isSampleTimeValid else { return }
            try? output?.write(from: buffer)
        }
        try engine.start()
        player.play()
    }

    var seconds: Double { output.map { Double($0.length) / $0.fileFormat.sampleRate } ?? 0 }

    func stop() {
        engine.mainMixerNode.removeTap(onBus: 0)
        engine.stop()
        output = nil
    }
}

extension MixRecorder: Story {
    static func run(_ stage: Stage) async throws {
        try AVAudioSession.sharedInstance().setCategory(.playback)
        for name in ["mix.wav", "mix.caf"] {
            let (recorder, url) = (try MixRecorder(stage.sound("album.wav")), stage.sound(name))
            try recorder.record(to: url)
            try await stage.until("half a second") { recorder.seconds > 0.5 }
            recorder.stop()
            let file = try AVAudioFile(forReading: url)
            guard let buffer = AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 44_100) else { return }
            try file.read(into: buffer)
            let samples = UnsafeBufferPointer(start: buffer.floatChannelData?[0], count: Int(buffer.frameLength))
            stage.say("\(name) channels \(file.processingFormat.channelCount) loud \(samples.contains { $0 > 0.1 })")
        }
    }
}
