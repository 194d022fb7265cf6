import AudioGraph
import TestSupport
import Testing

@Suite(.limited) struct ProgramTests {
    @Test func E155_blockSizesDoNotChangeTheSamples() {
        let expected = nestedMixers().rendered(10_000, block: 10_000)
        #expect(expected[0] != expected[1] && expected[0].peak > 0.1)
        for block in [1, 64, 512, 1000, 4096] {
            #expect(nestedMixers().rendered(10_000, block: block) == expected, "blocks of \(block)")
        }
    }

    @Test func aBusThatIsReadTwiceIsRenderedOnce() {
        let calls = Counter()
        var builder = ProgramBuilder(maximumFrames: 64)
        let source = builder.addSource(channels: 1) { samples, frames, _ in
            calls.add()
            samples.channels[0].update(repeating: 0.25, count: frames)
            return true
        }
        let halves = [MixerInput(), MixerInput()].map { ProgramBuilder.Connection(source, $0) }
        let mixer = builder.addMixer(channels: 1, inputs: halves, output: MixerOutput())
        let renderer = Renderer()
        renderer.publish(builder.finish(output: mixer))
        #expect(renderer.rendered(128, block: 64, channels: 1)[0].allSatisfy { $0 == 0.5 })
        #expect(calls.value == 2)
    }

    @Test func aSourceThatGivesNothingIsSilent() {
        let mix = Mix({ samples, frames, position in
            samples.channels[0].update(repeating: 1, count: frames)
            return position < 64
        })
        let sound = mix.renderer.rendered(128, block: 64)[0]
        #expect(sound[..<64].allSatisfy { $0 > 0.7 } && sound[64...].allSatisfy { $0 == 0 })
    }

    @Test func anEmptyMixerAndARendererWithoutAProgramAreSilent() {
        var builder = ProgramBuilder(maximumFrames: 64)
        let mixer = builder.addMixer(channels: 1, inputs: [], output: MixerOutput())
        let renderer = Renderer()
        #expect(renderer.rendered(100, block: 64).allSatisfy { $0.allSatisfy { $0 == 0 } })
        renderer.publish(builder.finish(output: mixer))
        // The second channel is one that the program does not have.
        #expect(renderer.rendered(100, block: 64).allSatisfy { $0.allSatisfy { $0 == 0 } })
        #expect(renderer.position == 200)
    }

    /// A mono tone and a stereo one in a mixer of their own, and another tone beside it, in pieces of 512 frames.
    private func nestedMixers() -> Renderer {
        var builder = ProgramBuilder(maximumFrames: 512)
        let inputs = (0..<4).map { _ in MixerInput() }
        inputs[0].pan = 0.3
        inputs[1].volume = 0.7
        inputs[1].pan = -0.4
        inputs[3].volume = 0.9
        let inner = builder.addMixer(
            channels: 2,
            inputs: [
                .init(builder.addSource(channels: 1, block: tone(440, amplitude: 0.3)), inputs[0]),
                .init(builder.addSource(channels: 2, block: tone(1000, amplitude: 0.2)), inputs[1]),
            ], output: MixerOutput())
        let volume = MixerOutput()
        volume.volume = 0.8
        let other = builder.addSource(channels: 6, block: tone(70, amplitude: 0.1))
        let outer = builder.addMixer(
            channels: 2, inputs: [.init(inner, inputs[2]), .init(other, inputs[3])], output: volume)
        let renderer = Renderer()
        renderer.publish(builder.finish(output: outer))
        return renderer
    }
}
