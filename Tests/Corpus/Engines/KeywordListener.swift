import AVFoundation

// A listener that asks the tap itself for 16 kHz, starts again after changes of the microphone, and hands buffers on as
// an asynchronous sequence.
@MainActor
final class KeywordListener {
    private let engine = AVAudioEngine()
    private var observer: NSObjectProtocol?

    func buffers() throws -> AsyncStream<Int> {
        try AVAudioSession.sharedInstance().setCategory(.playAndRecord)
        try AVAudioSession.sharedInstance().setActive(true)
        observer = NotificationCenter.default.addObserver(
            forName: .AVAudioEngineConfigurationChange, object: engine, queue: .main
        ) { [weak self] _ in
            MainActor.assumeIsolated { try? self?.engine.start() }
        }
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        let format = AVAudioFormat(commonFormat: .pcmFormatFloat32, sampleRate: 16_000, channels: 1, interleaved: false)
        engine.inputNode.installTap(onBus: 0, bufferSize: 1600, format: format) { buffer, _ in
            continuation.yield(Int(buffer.frameLength))
        }
        try engine.start()
        return stream
    }

    func stop() {
        engine.inputNode.removeTap(onBus: 0)
        engine.stop()
        if let observer = observer { NotificationCenter.default.removeObserver(observer) }
    }
}

extension KeywordListener: Story {
    static func run(_ stage: Stage) async throws {
        let listener = KeywordListener()
        var sizes: [Int] = []
        for await size in try listener.buffers() {
            sizes.append(size)
            if sizes.count == 10 { break }
        }
        listener.stop()
        stage.say("all alike \(Set(sizes) == [1600])")
    }
}
