import AVFAudio
import Foundation
import Locks
import TestSupport
import Testing

/// One graph of nodes of every kind, at four rates.
@Suite("AVAudioEngine, every kind of node", .limited)
struct EveryNodeTests {
    /// What was heard of a graph: at its output, by its sink and by its tap.
    private struct Sound: Equatable {
        var output: [[Float]] = []
        var sink: [Float] = []
        var tap: [Float] = []
    }

    private static let frames = 20_000

    /// An input node's function: a tone, frame after frame.
    private func feed(_ engine: AVAudioEngine, _ format: AVAudioFormat) throws {
        let buffer = UncheckedBox(try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 4096)))
        let position = Guarded(0)
        #expect(
            engine.inputNode.setManualRenderingInputPCMFormat(format) { frames in
                let start = position.withLock { position in
                    defer { position += Int(frames) }
                    return position
                }
                buffer.value.frameLength = frames
                buffer.value.fill((0..<Int(frames)).map { tone(300, start + $0, amplitude: 0.2) })
                return buffer.value.audioBufferList
            })
    }

    /// The units of a chain, each with parameters that are heard.
    private func units() -> [AVAudioUnit] {
        let equalizer = AVAudioUnitEQ(numberOfBands: 1)
        (equalizer.bands[0].frequency, equalizer.bands[0].gain, equalizer.bands[0].bypass) = (700, 9, false)
        let (delay, reverb, distortion) = (AVAudioUnitDelay(), AVAudioUnitReverb(), AVAudioUnitDistortion())
        delay.delayTime = 0.02
        reverb.wetDryMix = 30
        distortion.loadFactoryPreset(.multiDistortedCubed)
        return [equalizer, delay, reverb, distortion]
    }

    private func sound(block: Int) async throws -> Sound {
        let bench = try EngineBench(rate: 44_100, channels: 2)
        let (engine, mixer, player) = (bench.engine, AVAudioMixerNode(), AVAudioPlayerNode())
        let mono = try EngineBench.format(44_100, 1)
        try feed(engine, mono)
        let varispeed = AVAudioUnitVarispeed()
        varispeed.rate = 1.3
        engine.connect(engine.inputNode, to: mixer, format: mono)
        engine.connect(player, to: varispeed, format: try EngineBench.format(48_000, 1))
        engine.connect(varispeed, to: mixer, format: try EngineBench.format(32_000, 1))
        let source = EngineBench.node { tone(500 + 100 * Double($0), $1, amplitude: 0.2, rate: 22_050) }
        let pitch = AVAudioUnitTimePitch()
        (pitch.rate, pitch.pitch) = (0.9, 300)
        engine.connect(source, to: pitch, format: try EngineBench.format(22_050, 2))
        engine.connect(pitch, to: mixer, format: try EngineBench.format(22_050, 2))
        (source.pan, player.volume, mixer.outputVolume) = (0.5, 0.5, 0.8)
        let chain = [mixer] + units() + [engine.mainMixerNode]
        for (node, next) in zip(chain, chain.dropFirst()) {
            engine.connect(node, to: next, format: try EngineBench.format(44_100, 2))
        }
        let (taken, tapped) = (Guarded<[Float]>([]), Guarded<[Float]>([]))
        let sink = AVAudioSinkNode { _, frames, list in
            let samples = UnsafeMutableAudioBufferListPointer(UnsafeMutablePointer(mutating: list))
            taken.withLock { $0 += UnsafeMutableBufferPointer<Float>(samples[0]).prefix(Int(frames)) }
            return noErr
        }
        let (both, next) = (AVAudioConnectionPoint(node: sink, bus: 0), AVAudioConnectionPoint(node: chain[1], bus: 0))
        engine.attach(sink)
        engine.connect(mixer, to: [both, next], fromBus: 0, format: nil)
        player.installTap(onBus: 0, bufferSize: 1000, format: nil) { buffer, _ in
            tapped.withLock { $0 += buffer.frames(Float.self) }
        }
        try engine.start()
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: player.outputFormat(forBus: 0), frameCapacity: 5000))
        buffer.fill((0..<5000).map { tone(400, $0, amplitude: 0.5, rate: 48_000) })
        player.scheduleBuffer(buffer, at: nil, options: .loops)
        player.play()
        let output = try bench.rendered(Self.frames, block: block)
        // 20 000 frames are 28 300 of the player.
        try await waitUntil("all of the tap") { tapped.withLock { $0.count } >= 28_000 }
        return Sound(output: output, sink: taken.withLock { $0 }, tap: Array(tapped.withLock { $0 }.prefix(28_000)))
    }

    @Test("E155: a graph of nodes of every kind sounds the same in blocks of every size, bit for bit")
    func blocks() async throws {
        let expected = try await sound(block: 4096)
        #expect(expected.output[0].peak > 0.1 && expected.output[0] != expected.output[1])
        #expect(expected.sink.count == Self.frames && expected.sink.peak > 0.1 && expected.tap.peak > 0.4)
        for block in [1, 64, 512, 1000] {
            let sound = try await sound(block: block)
            #expect(sound.output == expected.output, "blocks of \(block)")
            #expect(sound.sink == expected.sink, "blocks of \(block), the sink")
            #expect(sound.tap == expected.tap, "blocks of \(block), the tap")
        }
    }
}
