import TestSupport
import Testing

@testable import AudioRealtime

@Suite(.limited) struct GainRampTests {
    @Test func aRampFollowsItsFormulaAndEndsExactly() {
        var ramp = GainRamp(0.1)
        ramp.move(to: 0.7, frames: 1000)
        let step = (Float(0.7) - 0.1) / 1000
        for frame in 1...1000 { #expect(ramp.next() == 0.7 - step * Float(1000 - frame)) }
        #expect(ramp.value == 0.7 && ramp.remaining == 0)
        #expect(ramp.next() == 0.7)
    }

    @Test func aLaterRampStartsWhereTheFirstOneIs() {
        var ramp = GainRamp(0)
        ramp.move(to: 1, frames: 4)
        _ = ramp.next()
        _ = ramp.next()
        ramp.move(to: 0, frames: 2)
        #expect(ramp.next() == 0.25)
        #expect(ramp.next() == 0)
        ramp.move(to: 0.3, frames: 0)
        #expect(ramp.value == 0.3 && ramp.remaining == 0)
        ramp.move(to: 0.3, frames: 100)
        #expect(ramp.remaining == 0)
    }

    @Test func aRampFromAnotherGainGetsThereFirst() {
        var ramp = GainRamp(1)
        ramp.move(from: 0, leadFrames: 2, to: 1, frames: 4)
        let gains: [Float] = [0.5, 0, 0.25, 0.5, 0.75, 1, 1]
        #expect(gains.map { _ in ramp.next() } == gains && ramp.remaining == 0)
        ramp.advance(frames: -9)
        #expect(ramp.value == 1 && ramp.remaining == 8)
        #expect((0..<9).map { _ in ramp.next() } == [1, 1] + gains)
        // Where nothing has to be passed, there is no lead; and what stays at the other gain gets there by the lead.
        ramp.move(from: 1, leadFrames: 2, to: 0, frames: 2)
        #expect(ramp.next() == 0.5 && ramp.next() == 0)
        ramp.move(from: 1, leadFrames: 2, to: 1, frames: 9)
        #expect(ramp.next() == 0.5 && ramp.next() == 1 && ramp.remaining == 0)
    }

    @Test(arguments: [1, 3, 4, 7]) func aRampGoesBack(frames: Int) {
        var ramp = GainRamp(0)
        ramp.move(to: 1, frames: 4)
        let first = (0..<8).map { _ in ramp.next() }
        ramp.advance(frames: -frames)
        #expect((0..<frames).map { _ in ramp.next() } == Array(first.suffix(frames)))
        // Before its start a ramp stands at its first gain.
        ramp.advance(frames: -100)
        #expect(ramp.value == 0 && ramp.remaining > 4)
        #expect((0..<100).map { _ in ramp.next() }.suffix(8) == first[...])
        ramp.move(to: 0.5, frames: 0)
        ramp.advance(frames: -100)
        #expect(ramp.value == 0.5 && ramp.remaining == 0)
    }
}

@Suite(.limited) struct MixerTests {
    @Test(arguments: [1, 64, 1000]) func oneVoiceAtGainOneIsBitExact(maximumFrames: Int) {
        let feed = Noise.samples(2 * 3000)
        let mixer = stereoMixer(Voice(feed: feed), maximumFrames: maximumFrames)
        #expect(mixer.rendered(3000) == feed)
    }

    @Test func voicesAreAdded() {
        let first = Noise.samples(200, seed: 1)
        let second = Noise.samples(100, seed: 2)
        let mixer = stereoMixer(Voice(feed: first), Voice(1, feed: second))
        let expected: [Float] = (0..<200).map { (index: Int) -> Float in first[index] + second[index / 2] }
        #expect(mixer.rendered(100) == expected)
    }

    @Test func aRemovedVoiceIsSilentAndKeepsItsPosition() {
        let voice = Voice(feed: Noise.samples(200))
        let mixer = stereoMixer(voice)
        _ = mixer.rendered(10)
        mixer.remove(voice)
        #expect(mixer.voices.isEmpty)
        #expect(mixer.rendered(10) == [Float](repeating: 0, count: 20))
        #expect(voice.framesRendered == 10)
    }

    @Test func aStarvedVoiceGivesSilenceAndKeepsItsPosition() {
        let feed = Noise.samples(200)
        let voice = Voice(feed: Array(feed[..<100]))
        let mixer = stereoMixer(voice)
        #expect(mixer.rendered(70) == Array(feed[..<100]) + [Float](repeating: 0, count: 40))
        #expect(voice.framesStarved == 20 && voice.framesRendered == 50 && !voice.isFinished)
        _ = voice.write(Array(feed[100...]), frames: 50)
        #expect(mixer.rendered(50) == Array(feed[100...]))
        voice.setEnded(true)
        #expect(voice.isFinished)
        _ = mixer.rendered(10)
        #expect(voice.framesStarved == 20)
    }

    @Test func rewoundFramesSoundAgainWithTheNewGain() {
        let feed = Noise.samples(2000)
        let voice = Voice(feed: feed)
        let mixer = stereoMixer(voice)
        _ = mixer.rendered(600)
        voice.setEnded(true)
        voice.setGain(0.5, rampFrames: 0)
        #expect(voice.rewind(frames: 400) == 400)
        #expect(mixer.rendered(800) == feed[400...].map { $0 * 0.5 })
        #expect(voice.isFinished)
        #expect(voice.rewind(frames: 5000) == 1000 && !voice.isFinished)
    }

    @Test func gainRampsFollowTheFormulaAcrossRenderCalls() {
        let voice = Voice(1, feed: [Float](repeating: 1, count: 1000))
        let mixer = stereoMixer(voice)
        voice.setGain(0, rampFrames: 500)
        let sound = left(mixer.rendered(123)) + left(mixer.rendered(477))
        let step = Float(-1) / 500
        let expected: [Float] = (1...600).map { (frame: Int) -> Float in
            frame >= 500 ? 0 : 0 - step * Float(500 - frame)
        }
        #expect(sound == expected)
        #expect(voice.currentGain == 0)
    }

    @Test func aGainThatJumpsIsSeenAtOnceAndARampIsNot() {
        let voice = Voice()
        voice.setGain(0.25, rampFrames: 0)
        #expect(voice.currentGain == 0.25)
        _ = stereoMixer(voice).rendered(1)
        #expect(voice.currentGain == 0.25)
        voice.setGain(1, rampFrames: 100)
        #expect(voice.currentGain == 0.25)
        voice.reset()
        #expect(voice.currentGain == 1)
    }

    @Test func panHasConstantPowerAndAnExactCentre() {
        for pan: Float in [-1, -0.5, -0.1, 0, 0.25, 0.9, 1] {
            let voice = Voice(1, feed: [Float](repeating: 1, count: 10))
            voice.setPan(pan)
            let sound = stereoMixer(voice).rendered(1)
            #expect(abs(sound[0] * sound[0] + sound[1] * sound[1] - 2) < 1e-6)
            if pan == 0 { #expect(sound == [1, 1]) }
            if pan == -1 { #expect(sound == [Float(2).squareRoot(), 0]) }
            if pan == 1 { #expect(sound == [0, Float(2).squareRoot()]) }
            // √2 · sin(5π/16)
            if pan == 0.25 { #expect(abs(sound[1] - 1.175_875_6) < 1e-6) }
        }
    }

    @Test func panMovesWithoutAJumpWhileSoundRuns() {
        let voice = Voice(1, feed: [Float](repeating: 1, count: 1000))
        let mixer = stereoMixer(voice)
        _ = mixer.rendered(1)
        voice.setPan(1)
        let sound = mixer.rendered(300)
        #expect(zip(left(sound), left(sound).dropFirst()).allSatisfy { abs($0 - $1) < 0.005 })
        #expect(sound[2 * 256 - 2] == 0 && right(sound)[299] == Float(2).squareRoot())
    }

    @Test func panLeavesAMonoMixAlone() {
        let voice = Voice(1, to: 1, feed: [0.5, 0.5])
        voice.setPan(1)
        let mixer = Mixer(channels: 1, maximumVoices: 1, maximumFrames: 16)
        mixer.add(voice)
        #expect(mixer.rendered(2) == [0.5, 0.5])
    }

    @Test(arguments: [1, 100, 400, 700]) func framesInARampSoundAgainAsTheyDid(frames: Int) {
        let feed = Noise.samples(2000)
        let voice = Voice(feed: feed)
        let mixer = stereoMixer(voice, maximumFrames: 64)
        _ = mixer.rendered(100)
        voice.setGain(0.1, rampFrames: 300)
        voice.setPan(0.7)
        mixer.setMasterGain(0.5, rampFrames: 200)
        let first = mixer.rendered(700)
        #expect(voice.rewind(frames: frames) == frames)
        mixer.rewindMasterGain(frames: frames)
        #expect(mixer.rendered(frames) == Array(first.suffix(2 * frames)))
    }

    @Test func masterGainRampsTheWholeMix() {
        let mixer = stereoMixer(Voice(1, feed: [Float](repeating: 1, count: 1000)))
        mixer.setMasterGain(0.2, rampFrames: 100)
        let sound = left(mixer.rendered(200))
        let step = (Float(0.2) - 1) / 100
        let expected: [Float] = (1...200).map { (frame: Int) -> Float in
            frame >= 100 ? 0.2 : 0.2 - step * Float(100 - frame)
        }
        #expect(sound == expected)
        #expect(mixer.masterGain == 0.2)
    }
}

@Suite(.limited) struct LevelTests {
    @Test func decibelsHaveAFloor() {
        #expect(decibels(1) == 0)
        #expect(abs(decibels(0.1) + 20) < 1e-5)
        #expect(decibels(0) == -160 && decibels(-1) == -160 && decibels(.nan) == -160 && decibels(1e-30) == -160)
    }

    @Test func levelsBelongToTheFrameThatIsHeard() throws {
        // 100 blocks of 10 frames; block n has the level n/100 on the left and a quarter of it on the right.
        let feed = (0..<1000).flatMap { (frame: Int) -> [Float] in
            let level = Float(frame / 10) / 100
            return [level, -level / 4]
        }
        let voice = Voice(feed: feed)
        let mixer = stereoMixer(voice, maximumFrames: 10)
        #expect(voice.levels(atFrame: 0, window: 100) == nil)
        voice.isMetering = true
        _ = mixer.rendered(1000)
        let levels = try #require(voice.levels(atFrame: 500, window: 10))
        #expect(levels.peak == [0.49, 0.1225])
        #expect(abs(levels.average[0] - 0.49) < 1e-6)
        #expect(voice.levels(atFrame: 500, window: 100)?.peak[0] == 0.49)
        #expect(voice.levels(atFrame: 2000, window: 100) == nil)
        voice.isMetering = false
    }

    @Test func levelsFollowTheGainAndForgetWhatWasRewound() throws {
        let voice = Voice(1, feed: [Float](repeating: 0.8, count: 1000))
        let mixer = stereoMixer(voice, maximumFrames: 100)
        voice.isMetering = true
        _ = mixer.rendered(500)
        #expect(voice.levels(atFrame: 500, window: 100)?.peak == [0.8])
        #expect(voice.rewind(frames: 200) == 200)
        #expect(voice.levels(atFrame: 500, window: 100) == nil)
        voice.setGain(0.5, rampFrames: 0)
        _ = mixer.rendered(200)
        #expect(voice.levels(atFrame: 500, window: 100)?.peak == [0.4])
        #expect(voice.levels(atFrame: 300, window: 100)?.peak == [0.8])
    }

    @Test func whatIsRenderedTimeAndAgainPushesNothingOut() {
        let voice = Voice(1, feed: [Float](repeating: 0.8, count: 2000))
        let mixer = stereoMixer(voice, maximumFrames: 10)
        voice.isMetering = true
        _ = mixer.rendered(1000)
        for _ in 1...20 {
            #expect(voice.rewind(frames: 800) == 800)
            _ = mixer.rendered(800)
        }
        #expect(voice.levels(atFrame: 150, window: 10)?.peak == [0.8])
    }

    @Test func oldBlocksAreReplaced() {
        let voice = Voice(1, feed: [Float](repeating: 0.8, count: 3000))
        let mixer = stereoMixer(voice, maximumFrames: 10)
        voice.isMetering = true
        _ = mixer.rendered(3000)
        #expect(voice.levels(atFrame: 100, window: 50) == nil)
        #expect(voice.levels(atFrame: 3000, window: 2000) != nil)
    }

    @Test func aMeterForCapturedBuffersKnowsEverySampleType() throws {
        let meter = LevelMeter(channels: 2)
        #expect(meter.take() == nil)
        meter.measure(int16: [16384, -32768, -16384, 0], frames: 2)
        #expect(meter.take() == Levels(peak: [0.5, 1], average: [0.5, Float(0.5).squareRoot()]))
        meter.measure(int32: [1 << 30, 0], frames: 1)
        meter.measure(float: [0.25, -0.125], frames: 1)
        #expect(try #require(meter.take()).peak == [0.5, 0.125])
        #expect(meter.take() == nil)
    }
}
