import AVFoundation

// Sound for a recognition of speech: 16 kHz, mono, Int16, by a converter in the tap.
final class SpeechTap {
    private let engine = AVAudioEngine()
    private let pieces = Pieces()

    func start() throws {
        try AVAudioSession.sharedInstance().setCategory(.playAndRecord, mode: .measurement, options: .duckOthers)
        try AVAudioSession.sharedInstance().setActive(true, options: .notifyOthersOnDeactivation)
        let input = engine.inputNode
        let hardware = input.inputFormat(forBus: 0)
        guard
            let wanted = AVAudioFormat(
                commonFormat: .pcmFormatInt16, sampleRate: 16_000, channels: 1, interleaved: true),
            let converter = AVAudioConverter(from: hardware, to: wanted)
        else { throw CocoaError(.featureUnsupported) }
        let pieces = self.pieces
        input.installTap(onBus: 0, bufferSize: 4096, format: hardware) { buffer, _ in
            let ratio = wanted.sampleRate / buffer.format.sampleRate
            let room = AVAudioFrameCount(Double(buffer.frameLength) * ratio) + 16
            guard let output = AVAudioPCMBuffer(pcmFormat: wanted, frameCapacity: room) else { return }
            var isGiven = false
            var error: NSError?
            converter.convert(to: output, error: &error) { _, status in
                status.pointee = isGiven ? .noDataNow : .haveData
                defer { isGiven = true }
                return isGiven ? nil : buffer
            }
            guard error == nil, let samples = output.int16ChannelData?[0] else { return }
            pieces.add(Array(UnsafeBufferPointer(start: samples, count: Int(output.frameLength))))
        }
        engine.prepare()
        try engine.start()
    }

    func stop() {
        engine.stop()
        engine.inputNode.removeTap(onBus: 0)
    }

    // What a tap hands to another thread.
    // SAFETY: the lock protects the samples.
    private final class Pieces: @unchecked Sendable {
        private let lock = NSLock()
        private var samples: [Int16] = []

        func add(_ more: [Int16]) { lock.withLock { samples += more } }
        var all: [Int16] { lock.withLock { samples } }
    }
}

extension SpeechTap: Story {
    static func run(_ stage: Stage) async throws {
        let app = SpeechTap()
        try app.start()
        let sound = try AVAudioPlayer(contentsOf: stage.sound("album.wav"))
        sound.play()
        try await stage.until("a second") { app.pieces.all.suffix(1600).contains { $0 > 3000 } }
        try await stage.until("a second") { app.pieces.all.count > 16_000 }
        app.stop()
        stage.say("heard \(app.pieces.all.contains { $0 > 3000 })")
    }
}
