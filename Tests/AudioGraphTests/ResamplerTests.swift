import AudioGraph
import Foundation
import TestSupport
import Testing

@Suite(.limited) struct ResamplerTests {
    /// A source of another rate that leads to a renderer through a resampler.
    private func converted(
        from input: Double, to output: Double, frames: Int, block: Int, _ sample: @escaping @Sendable (Int) -> Float
    ) -> (sound: [Float], delay: Int) {
        let resampler = Resampler(from: input, to: output, channels: 1)
        var builder = ProgramBuilder(maximumFrames: 4096, rate: output)
        let source = builder.addSource(channels: 1, rate: input, block: generated { sample($1) })
        let bus = builder.addConversion(source, by: resampler)
        let renderer = Renderer()
        renderer.publish(builder.finish(output: bus))
        return (renderer.rendered(frames, block: block, channels: 1)[0], resampler.delay)
    }

    /// A sine tone's sample, at a time in seconds.
    private func wave(_ frequency: Double, _ time: Double) -> Float { Float(sin(2 * .pi * frequency * time)) }

    @Test(
        arguments: [
            (44_100, 48_000), (48_000, 44_100), (22_050, 48_000), (96_000, 44_100), (8000, 44_100), (44_100, 48_001),
            (47_999.5, 44_100),
        ] as [(Double, Double)])
    func E18_aToneKeepsItsShapeAndIsLateByTheDelay(from input: Double, to output: Double) {
        let (sound, delay) = converted(from: input, to: output, frames: 6000, block: 500) {
            wave(1000, Double($0) / input)
        }
        let errors = sound.enumerated().map {
            abs($0.element - wave(1000, Double($0.offset) / output - Double(delay) / input))
        }
        // The beginning of the tone is a step, which the filter blurs.
        #expect((errors[1000...].max() ?? 1) < 0.0001)
        #expect(delay == Int((48 * max(input / output, 1)).rounded(.up)))
    }

    @Test func tonesBeyondTheOutputsRateAreNotHeard() {
        let (sound, _) = converted(from: 96_000, to: 44_100, frames: 6000, block: 500) {
            wave(25_000, Double($0) / 96_000)
        }
        #expect(Array(sound[1000...]).peak < 0.0001)
        let (images, delay) = converted(from: 22_050, to: 48_000, frames: 6000, block: 500) {
            wave(9000, Double($0) / 22_050)
        }
        let errors = images.enumerated().map {
            abs($0.element - wave(9000, Double($0.offset) / 48_000 - Double(delay) / 22_050))
        }
        #expect((errors[1000...].max() ?? 1) < 0.0001)
    }

    @Test(
        "Images and aliases are 100 dB below a tone of full level",
        arguments: [
            (44_100, 48_000, 20_500, 23_600), (44_100, 48_000, 21_800, 22_300), (48_000, 44_100, 22_100, 22_000),
        ] as [(Double, Double, Double, Double)])
    func images(from input: Double, to output: Double, tone: Double, image: Double) {
        let (sound, _) = converted(from: input, to: output, frames: 9600, block: 500) {
            wave(tone, Double($0) / input)
        }
        let part = Array(sound[1600...])
        var (real, imaginary, weight) = (0.0, 0.0, 0.0)
        for (index, sample) in part.enumerated() {
            let window = pow(sin(.pi * (Double(index) + 0.5) / Double(part.count)), 4)
            let angle = 2 * .pi * image / output * Double(index)
            real += Double(sample) * cos(angle) * window
            imaginary += Double(sample) * sin(angle) * window
            weight += window / 2
        }
        #expect(20 * log10(hypot(real, imaginary) / weight) < -100)
    }

    @Test("Sources that say that they are silent sound as those that write zeros", arguments: [64, 512, 1000])
    func silence(block: Int) {
        func sound(says: Bool) -> [Float] {
            let resampler = Resampler(from: 44_100, to: 48_000, channels: 1)
            var builder = ProgramBuilder(maximumFrames: 1000, rate: 48_000)
            let sources = [(44_100.0, 3000), (48_000.0, 2000)].map { rate, length in
                builder.addSource(channels: 1, rate: rate) { samples, frames, position in
                    let isSilent = position / length % 2 == 1 && (position + frames - 1) / length % 2 == 1
                    if isSilent && says { return false }
                    for frame in 0..<frames {
                        let place = position + frame
                        samples.channels[0][frame] = place / length % 2 == 1 ? 0 : Float(place % 97) / 97 - 0.5
                    }
                    return true
                }
            }
            let converted = builder.addConversion(sources[0], by: resampler)
            let bus = builder.addMixer(
                channels: 2, inputs: [.init(converted, MixerInput()), .init(sources[1], MixerInput())],
                output: MixerOutput())
            let renderer = Renderer()
            renderer.publish(builder.finish(output: bus))
            // The first source falls silent in a short block: what is behind that is not converted later.
            return renderer.rendered(3000, block: block)[0] + renderer.rendered(600, block: 30)[0]
                + renderer.rendered(9000, block: block)[0]
        }
        let expected = sound(says: false)
        #expect(expected.peak > 0.3 && expected.contains(0))
        #expect(sound(says: true) == expected)
    }

    @Test(arguments: [(44_100, 48_000), (48_000, 11_025), (44_100, 48_001)] as [(Double, Double)])
    func E155_blockSizesDoNotChangeConvertedSound(from input: Double, to output: Double) {
        func sound(_ block: Int) -> [Float] {
            converted(from: input, to: output, frames: 3000, block: block) { Float(($0 &* 7919) % 1000) / 1000 }.sound
        }
        let expected = sound(3000)
        #expect(expected.peak > 0.5)
        for block in [1, 64, 512, 1000] { #expect(sound(block) == expected, "blocks of \(block)") }
    }

    @Test func sourcesOfALowRateAreNotCalledForBlocksWithoutAFrame() {
        let calls = Counter()
        let resampler = Resampler(from: 8000, to: 48_000, channels: 1)
        var builder = ProgramBuilder(maximumFrames: 64, rate: 48_000)
        let source = builder.addSource(channels: 1, rate: 8000) { _, frames, position in
            #expect(frames == 1 && position == calls.value)
            calls.add()
            return false
        }
        let bus = builder.addConversion(source, by: resampler)
        let renderer = Renderer()
        renderer.publish(builder.finish(output: bus))
        _ = renderer.rendered(48, block: 1, channels: 1)
        #expect(calls.value == 8)
    }

    @Test func aReplacedProgramConvertsOnWithoutAGap() {
        let resampler = Resampler(from: 44_100, to: 48_000, channels: 1)
        let renderer = Renderer()
        func publish() {
            var builder = ProgramBuilder(maximumFrames: 512, rate: 48_000)
            let source = builder.addSource(
                channels: 1, rate: 44_100, block: generated { wave(1000, Double($1) / 44_100) })
            let bus = builder.addConversion(source, by: resampler)
            renderer.publish(builder.finish(output: bus))
        }
        publish()
        var sound = renderer.rendered(1001, block: 100, channels: 1)[0]
        publish()
        sound += renderer.rendered(1000, block: 100, channels: 1)[0]
        let (whole, _) = converted(from: 44_100, to: 48_000, frames: 2001, block: 512) {
            wave(1000, Double($0) / 44_100)
        }
        #expect(sound == whole)
    }
}
