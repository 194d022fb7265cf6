import AVFoundation

// A synthesizer of one voice: a source node fills sines, and the screen sets its pitch without a lock.
final class ToneGenerator {
    // What the render block reads.
    private struct Voice {
        var frequency: Float = 440
        var amplitude: Float = 0
        var phase: Float = 0
    }

    private let engine = AVAudioEngine()
    private let voice = UnsafeMutablePointer<Voice>.allocate(capacity: 1)

    init() throws {
        voice.initialize(to: Voice())
        let output = engine.outputNode
        let rate = output.inputFormat(forBus: 0).sampleRate
        guard let format = AVAudioFormat(standardFormatWithSampleRate: rate, channels: 1) else { return }
        let source = Self.source(voice, rate: Float(rate), format)
        engine.attach(source)
        engine.connect(source, to: engine.mainMixerNode, format: format)
        engine.connect(engine.mainMixerNode, to: output, format: nil)
        try engine.start()
    }

    deinit {
        engine.stop()
        voice.deallocate()
    }

    private static func source(
        _ voice: UnsafeMutablePointer<Voice>, rate: Float, _ format: AVAudioFormat
    ) -> AVAudioSourceNode {
        // SAFETY: single words, which the screen writes and the block reads; the phase is the block's.
        nonisolated(unsafe) let voice = voice
        return AVAudioSourceNode(format: format) { isSilence, _, frameCount, audioBufferList in
            isSilence.pointee = ObjCBool(voice.pointee.amplitude == 0)
            let step = 2 * Float.pi * voice.pointee.frequency / rate
            for frame in 0..<Int(frameCount) {
                let value = sin(voice.pointee.phase) * voice.pointee.amplitude
                voice.pointee.phase += step
                if voice.pointee.phase >= 2 * .pi { voice.pointee.phase -= 2 * .pi }
                for buffer in UnsafeMutableAudioBufferListPointer(audioBufferList) {
                    let samples: UnsafeMutableBufferPointer<Float> = UnsafeMutableBufferPointer(buffer)
                    samples[frame] = value
                }
            }
            return noErr
        }
    }

    func press(_ frequency: Float) {
        voice.pointee.frequency = frequency
        voice.pointee.amplitude = 0.3
    }

    var seconds: Double { engine.outputNode.lastRenderTime.map { Double($0.sampleTime) / $0.sampleRate } ?? 0 }

    func release() { voice.pointee.amplitude = 0 }
}

extension ToneGenerator: Story {
    static func run(_ stage: Stage) async throws {
        try AVAudioSession.sharedInstance().setCategory(.playback)
        let tone = try ToneGenerator()
        for frequency: Float in [440, 880] {
            tone.press(frequency)
            let start = tone.seconds
            try await stage.until("a note") { tone.seconds > start + 0.3 }
        }
        tone.release()
        stage.say("played")
    }
}
