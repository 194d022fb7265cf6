import AudioGraph
import TestSupport
import Testing

@Suite(.limited) struct MixerTests {
    @Test func E80_outputIsTheSumOfInputsTimesVolumeThenOutputVolumeWithoutALimiter() {
        let mix = Mix(constant(0.75), constant(-0.5), sourceChannels: 2)
        mix.inputs[0].volume = 4
        mix.inputs[1].volume = 0.5
        mix.output.volume = 2
        let sound = mix.renderer.rendered(100, block: 64)
        #expect(sound.allSatisfy { $0.allSatisfy { $0 == (0.75 * 4 - 0.5 * 0.5) * 2 } })
    }

    @Test func E81_monoIntoStereoLosesThreeDecibelsAndStereoNothing() {
        let mono = Mix(constant(1)).renderer.rendered(8, block: 8)
        #expect(mono.allSatisfy { $0.allSatisfy { abs($0 - 0.7071) < 0.00005 } })
        #expect(mono[0] == mono[1])
        let stereo = Mix(constant(1), sourceChannels: 2).renderer.rendered(8, block: 8)
        #expect(stereo.allSatisfy { $0.allSatisfy { $0 == 1 } })
    }

    @Test(arguments: [1, 2]) func panAtTheEndsIsHeardOnOneSideOnly(sourceChannels: Int) {
        let mix = Mix(constant(1), sourceChannels: sourceChannels)
        for (pan, loud) in [(Float(-1), 0), (1, 1), (7, 1)] {
            mix.inputs[0].pan = pan
            mix.inputs[0].restart()
            let sound = mix.renderer.rendered(8, block: 8)
            #expect(abs(sound[loud].peak - 1) < 1e-6 && sound[1 - loud].peak < 1e-6)
        }
    }

    @Test func E82_outputVolumeIsLinearAndHoldsFromTheFirstFrame() {
        let mix = Mix(constant(0.8), sourceChannels: 2)
        mix.output.volume = 0.25
        #expect(mix.renderer.rendered(8, block: 8)[0].allSatisfy { $0 == 0.8 * 0.25 })
    }

    @Test func E82_aChangedVolumeIsRampedOverOneBlockFromTheOldGain() {
        // The number is that of a tone whose phase is 0 where the ramp begins, as it is after a second.
        let mix = Mix(tone(440))
        _ = mix.renderer.rendered(44_100, block: 1024)
        mix.output.volume = 0
        let sound = mix.renderer.rendered(1024, block: 1024)
        #expect(abs(sound[0].peak - 0.6898) < 0.0001)
        #expect(mix.renderer.rendered(1024, block: 1024)[0].peak == 0)
    }

    @Test func aChangedInputIsRampedAsTheOutputIs() {
        let mix = Mix(constant(1), sourceChannels: 2)
        _ = mix.renderer.rendered(4, block: 4)
        mix.inputs[0].volume = 0
        #expect(mix.renderer.rendered(4, block: 4)[0] == [1, 0.75, 0.5, 0.25])
        mix.inputs[0].volume = 1
        mix.inputs[0].pan = -1
        let panned = mix.renderer.rendered(4, block: 4)
        #expect(panned[0] == [0, 0.25, 0.5, 0.75] && panned[1] == [0, 0, 0, 0])
    }

    @Test func E83_twoTonesGiveTheirTrueSum() {
        let mix = Mix(tone(440, amplitude: 0.3), tone(880, amplitude: 0.3))
        #expect(abs(mix.renderer.rendered(44_100, block: 512)[0].peak - 0.3734) < 0.00005)
    }

    @Test func E87_valuesBeyondTheRangeAreKeptAndNaNIsIgnored() {
        let mix = Mix(constant(0.25), sourceChannels: 2)
        mix.inputs[0].volume = 2
        mix.inputs[0].volume = .nan
        mix.inputs[0].pan = .nan
        mix.output.volume = .nan
        #expect(mix.inputs[0].volume == 2 && mix.inputs[0].pan == 0 && mix.output.volume == 1)
        #expect(mix.renderer.rendered(8, block: 8)[1].allSatisfy { $0 == 0.5 })
    }

    @Test func E88_stereoIntoMonoIsHalfOfBothSides() {
        let sides = generated { channel, _ in channel == 0 ? 0.5 : 0.25 }
        let sound = Mix(sides, sourceChannels: 2, channels: 1).renderer.rendered(8, block: 8, channels: 1)
        #expect(sound[0].allSatisfy { $0 == 0.375 })
    }
}
