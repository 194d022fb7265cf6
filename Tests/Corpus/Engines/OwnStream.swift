import AVFoundation

// An engine that a sound thread of the app's own renders, as programs with a library for their devices have one.
final class OwnStream {
    private let engine = AVAudioEngine()
    private let player = AVAudioPlayerNode()
    private let render: AVAudioEngineManualRenderingBlock

    init(_ format: AVAudioFormat) throws {
        try engine.enableManualRenderingMode(.realtime, format: format, maximumFrameCount: 4096)
        engine.attach(player)
        engine.connect(player, to: engine.mainMixerNode, format: format)
        render = engine.manualRenderingBlock
        try engine.start()
    }

    // The callback of the device: interleaved stereo. It neither waits nor allocates.
    func fill(_ samples: UnsafeMutableBufferPointer<Float>) {
        var list = AudioBufferList(mNumberBuffers: 1, mBuffers: AudioBuffer(samples, numberOfChannels: 2))
        let status = render(AVAudioFrameCount(samples.count / 2), &list, nil)
        if status != .success { samples.update(repeating: 0) }
    }

    func play(_ sound: AVAudioPCMBuffer, then done: @escaping @Sendable () -> Void) {
        player.scheduleBuffer(sound, completionHandler: done)
        player.play()
    }

    func stop() { engine.stop() }
}

// The peak of a mixer, by a tap that a class of the main actor installs.
@MainActor
final class LevelTap {
    private(set) var peak: Float = 0

    func install(on mixer: AVAudioMixerNode) {
        mixer.installTap(onBus: 0, bufferSize: 1024, format: nil) { [weak self] buffer, _ in
            guard let samples = buffer.floatChannelData?[0] else { return }
            let loudest = (0..<Int(buffer.frameLength)).reduce(Float(0)) { max($0, abs(samples[$1])) }
            DispatchQueue.main.async { [weak self] in self?.heard(loudest) }
        }
    }

    private func heard(_ loudest: Float) { peak = max(peak, loudest) }
}

extension OwnStream: Story {
    static func run(_ stage: Stage) async throws {
        guard
            let format = AVAudioFormat(
                commonFormat: .pcmFormatFloat32, sampleRate: 48_000, channels: 2, interleaved: true),
            let sound = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 4800)
        else { throw CocoaError(.featureUnsupported) }
        sound.frameLength = 4800
        UnsafeMutableBufferPointer<Float>(sound.mutableAudioBufferList.pointee.mBuffers).update(repeating: 0.25)
        let (stream, meter, played) = (try OwnStream(format), LevelTap(), Played())
        meter.install(on: stream.engine.mainMixerNode)
        stream.play(sound) { played.isOver = true }
        var loudest: Float = 0
        let samples = UnsafeMutableBufferPointer<Float>.allocate(capacity: 960)
        defer { samples.deallocate() }
        try await stage.until("the end of the sound") {
            stream.fill(samples)
            loudest = max(loudest, samples.max() ?? 0)
            return played.isOver && meter.peak > 0
        }
        stream.stop()
        stage.say("rendered \(loudest) heard \(meter.peak)")
    }

    // What a completion handler says to the main thread.
    // SAFETY: the lock protects the value.
    private final class Played: @unchecked Sendable {
        private let lock = NSLock()
        private var value = false

        var isOver: Bool {
            get { lock.withLock { value } }
            set { lock.withLock { value = newValue } }
        }
    }
}
