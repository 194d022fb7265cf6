import AVFoundation

// Sound of the microphone block by block, by a sink below the input; no output is needed.
final class SinkListener {
    private let engine = AVAudioEngine()
    private let counter = Counter()
    private let sink: AVAudioSinkNode

    init() {
        let counter = self.counter
        sink = AVAudioSinkNode { _, frameCount, audioBufferList in
            let buffer = audioBufferList.pointee.mBuffers
            guard let samples = buffer.mData?.assumingMemoryBound(to: Float.self) else { return noErr }
            counter.add(Int(frameCount), (0..<Int(frameCount)).contains { abs(samples[$0]) > 0.1 })
            return noErr
        }
    }

    func start() throws {
        try AVAudioSession.sharedInstance().setCategory(.playAndRecord)
        try AVAudioSession.sharedInstance().setActive(true)
        engine.attach(sink)
        engine.connect(engine.inputNode, to: sink, format: engine.inputNode.outputFormat(forBus: 0))
        try engine.start()
    }

    // SAFETY: the lock protects the values.
    private final class Counter: @unchecked Sendable {
        private let lock = NSLock()
        private var frames = 0
        private var wasLoud = false

        func add(_ count: Int, _ isLoud: Bool) {
            lock.withLock {
                frames += count
                wasLoud = wasLoud || isLoud
            }
        }

        var hasHeard: Bool { lock.withLock { frames > 22_050 && wasLoud } }
    }
}

extension SinkListener: Story {
    static func run(_ stage: Stage) async throws {
        let listener = SinkListener()
        try listener.start()
        let sound = try AVAudioPlayer(contentsOf: stage.sound("album.wav"))
        sound.play()
        try await stage.until("sound") { listener.counter.hasHeard }
        listener.engine.stop()
        stage.say("running \(listener.engine.isRunning)")
    }
}
