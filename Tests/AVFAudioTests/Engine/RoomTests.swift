import AVFAudio
import TestSupport
import Testing

/// Delays, reverbs and distortions on rendered samples.
@Suite("AVAudioUnitDelay, AVAudioUnitReverb and AVAudioUnitDistortion", .limited)
struct RoomTests {
    /// The tone of the measured numbers, for 1024 frames.
    private static let short: @Sendable (Int, Int) -> Float = { $1 < 1024 ? halfTone($0, $1) : 0 }

    // MARK: Delay

    @Test("E226: a delay has the values that were read, and gives the samples that were measured")
    func delay() throws {
        let new = AVAudioUnitDelay()
        #expect(new.delayTime == 1 && new.feedback == 50 && new.lowPassCutoff == 15_000 && new.wetDryMix == 50)
        let expected: [(time: Double, feedback: Float, mix: Float, peaks: [Float])] = [
            (0, 0, 50, [0.4935, 0.4935, 0.2402, 0]),
            (0, 0, 0, [0.3536, 0.3536, 0]),
            (0, 0, 100, [0.3534, 0.3534]),
            (0.011610, 0, 50, [0.2500, 0.4650, 0.2499, 0.2402, 0, 0]),
            (0.011610, 0.5, 50, [0.2500, 0.4650, 0.2508, 0.2408, 0.0012, 0]),
            (0.011610, 0.9, 50, [0.2500, 0.4650, 0.2516, 0.2414, 0.0022]),
            (0.023220, 0.5, 50, [0.2500, 0.2500, 0.2499, 0.2499, 0.2402, 0.0012]),
            (0.011610, 0, 100, [0, 0.3534]),
        ]
        for (time, feedback, mix, peaks) in expected {
            let unit = AVAudioUnitDelay()
            (unit.delayTime, unit.feedback, unit.wetDryMix) = (time, feedback, mix)
            let measured = try EngineBench([unit], Self.short).peaks(peaks.count)
            #expect(measured.isAlmost(peaks), "\(time) s, \(feedback) %, \(mix) %: \(measured)")
        }
    }

    @Test("E223: a delay keeps what is set, and sounds as the nearest of the range")
    func delayRanges() throws {
        func sound(_ set: (AVAudioUnitDelay) -> Void) throws -> [Float] {
            let unit = AVAudioUnitDelay()
            unit.delayTime = 0.005
            set(unit)
            return try EngineBench([unit], impulse).left(700)
        }
        let unit = AVAudioUnitDelay()
        (unit.delayTime, unit.feedback, unit.lowPassCutoff, unit.wetDryMix) = (10, 300, 1e6, -5)
        (unit.delayTime, unit.feedback, unit.lowPassCutoff, unit.wetDryMix) = (.nan, .nan, .nan, .nan)
        #expect(unit.delayTime == 10 && unit.feedback == 300 && unit.lowPassCutoff == 1e6 && unit.wetDryMix == -5)
        #expect(try sound { $0.feedback = 300 } == sound { $0.feedback = 100 })
        #expect(try sound { $0.wetDryMix = 300 } == sound { $0.wetDryMix = 100 })
        #expect(try sound { $0.lowPassCutoff = 0 } == sound { $0.lowPassCutoff = 10 })
        #expect(try sound { $0.delayTime = -1 } == sound { $0.delayTime = 0 })
        let long = AVAudioUnitDelay()
        (long.delayTime, long.wetDryMix, long.feedback) = (10, 100, 0)
        let echo = try EngineBench([long], outputs: 1) { $1 == 0 ? 1 : 0 }.left(88_300, block: 4096)
        #expect(echo[..<88_200].peak == 0 && echo[88_200] > 0.5)
    }

    @Test("E231: another delay time, feedback or mix is reached without a click")
    func delayChanges() throws {
        let unit = AVAudioUnitDelay()
        unit.delayTime = 0.01
        let bench = try EngineBench([unit], outputs: 1, halfTone)
        _ = try bench.left(4096)
        var sound: [Float] = []
        // Half a period later and earlier, at any phase.
        let times = (0..<6).map { round in { unit.delayTime = round % 2 == 0 ? 0.01114 : 0.01 } }
        for change in times + [{ unit.wetDryMix = 100 }, { unit.feedback = -50 }] {
            change()
            sound += try bench.left(512)
        }
        // A tone of 1 at 440 Hz has steps of 0.063.
        #expect(sound.greatestStep < 0.075 && sound.peak > 0.1)
    }

    // MARK: Reverb

    @Test("E227: the dry part is linear, 0.5 % is almost dry, and presets leave the mix alone")
    func dry() throws {
        let unit = AVAudioUnitReverb()
        #expect(unit.wetDryMix == 0.5)
        #expect(try EngineBench([unit], halfTone).peaks(1).isAlmost([0.3518]))
        let half = AVAudioUnitReverb()
        half.wetDryMix = 50
        half.loadFactoryPreset(.cathedral)
        #expect(half.wetDryMix == 50)
        #expect(try EngineBench([half], halfTone).peaks(2).isAlmost([0.1768, 0.1768]))
    }

    @Test("E227: a cathedral is silent for more than 23 ms, and a small room is not")
    func beginnings() throws {
        for (preset, isLate) in [(.smallRoom, false), (.cathedral, true)] as [(AVAudioUnitReverbPreset, Bool)] {
            let unit = AVAudioUnitReverb()
            unit.loadFactoryPreset(preset)
            unit.wetDryMix = 100
            let peaks = try EngineBench([unit], halfTone).peaks(3)
            #expect((peaks[0] == 0) == isLate && (peaks[1] == 0) == isLate)
            #expect(peaks[2] > 0.02 && peaks[2] < 1)
        }
    }

    @Test("E227: a tail sounds on after its source, as long as its room is large")
    func tails() throws {
        // Blocks of 512 frames until the tail is 40 dB softer than at its beginning.
        func blocks(_ preset: AVAudioUnitReverbPreset) throws -> Int {
            let unit = AVAudioUnitReverb()
            unit.loadFactoryPreset(preset)
            unit.wetDryMix = 100
            let bench = try EngineBench([unit], rate: 8000) { $1 < 400 ? Float(($1 &* 7919) % 2003) / 2003 - 0.5 : 0 }
            let levels = try bench.peaks(60)
            let start = try #require(levels.prefix(3).max())
            return levels.lastIndex { $0 > start / 100 } ?? 0
        }
        let (small, medium, large) = (try blocks(.smallRoom), try blocks(.mediumHall), try blocks(.cathedral))
        #expect(
            small >= 2 && small < 10 && 2 * medium > 3 * small && large > 3 * small && large > medium,
            "\(small), \(medium), \(large)")
    }

    @Test("E227, E231: another room fades in, and the sides of a stereo sound differ")
    func rooms() throws {
        let unit = AVAudioUnitReverb()
        unit.wetDryMix = 100
        let bench = try EngineBench([unit], channels: 2) { tone(440, $1, amplitude: $0 == 0 ? 0.5 : 0.4) }
        let before = try bench.rendered(4096)
        #expect(before[0] != before[1] && before[1].peak > 0.01)
        unit.loadFactoryPreset(.plate)
        let after = try bench.rendered(4096)
        #expect(after[0].greatestStep < 0.1)
        #expect(abs(after[0][511]) < 0.01 && after[0][2048...].peak > 0.01)
    }

    // MARK: Distortion

    @Test("E234: each preset changes the sound, stays in bounds, and makes none of silence")
    func presets() throws {
        for raw in 0..<22 {
            let unit = AVAudioUnitDistortion()
            unit.loadFactoryPreset(try #require(AVAudioUnitDistortionPreset(rawValue: raw)))
            unit.preGain = 20
            unit.wetDryMix = 100
            let bench = try EngineBench([unit], outputs: 1) { $1 < 600 ? 0 : tone(440, $1, amplitude: 0.9) }
            let sound = try bench.left(1800)
            #expect(sound[..<600].allSatisfy { $0 == 0 }, "preset \(raw)")
            #expect(sound.isFinite && sound.peak > 0.05 && sound.peak <= 2, "preset \(raw): \(sound.peak)")
            let differs = (600..<1800).contains { abs(sound[$0] - tone(440, $0, amplitude: 9)) > 0.01 }
            #expect(differs, "preset \(raw)")
        }
    }

    @Test("E234: pre-gain comes before the distortion, and the mix after it, linear")
    func gains() throws {
        let new = AVAudioUnitDistortion()
        #expect(new.preGain == -6 && new.wetDryMix == 50)
        func sample(_ gain: Float, _ mix: Float) throws -> Float {
            let unit = AVAudioUnitDistortion()
            unit.loadFactoryPreset(.multiDistortedCubed)
            (unit.preGain, unit.wetDryMix) = (gain, mix)
            return try EngineBench([unit], outputs: 1) { _, _ in 0.5 }.left(1)[0]
        }
        #expect(try sample(0, 0) == 0.5 && sample(20, -9) == 0.5)
        #expect(try abs(sample(0, 100) - 0.125) < 1e-6 && abs(sample(0, 50) - 0.3125) < 1e-6)
        #expect(try abs(sample(-6.0206, 100) - 0.015625) < 1e-6 && abs(sample(90, 100) - 1) < 1e-6)
    }

    @Test("E234: each of the six families does what its name says")
    func families() throws {
        func sound(_ preset: AVAudioUnitDistortionPreset, _ sample: @escaping @Sendable (Int, Int) -> Float) throws
            -> [Float]
        {
            let unit = AVAudioUnitDistortion()
            unit.loadFactoryPreset(preset)
            (unit.preGain, unit.wetDryMix) = (0, 100)
            return try EngineBench([unit], outputs: 1, sample).left(4410)
        }
        // Five bits: steps of 1/16.
        #expect(try sound(.drumsBitBrush, halfTone).allSatisfy { ($0 * 16).rounded() == $0 * 16 })
        // A sixth of the samples.
        let held = try sound(.multiDecimated3) { Float($1) / 10_000 }
        #expect((790...810).contains(Set(held).count))
        // An echo after 0.05 s.
        let echo = try sound(.multiEchoTight2, impulse)
        #expect(echo[0] == 1 && abs(echo[2205] - 0.7) < 1e-6 && echo[1..<2205].allSatisfy { $0 == 0 })
        // A tone of 1000 Hz becomes two, at 700 and 1300.
        let ring = try sound(.speechAlienChatter) { tone(1000, $1, amplitude: 0.5) }
        #expect(ring.gain(1000) < ring.gain(700) - 40 && abs(ring.gain(700) - ring.gain(1300)) < 0.1)
        // Twice the frequency, and no offset.
        let squared = try sound(.multiDistortedSquared) { tone(1000, $1, amplitude: 0.5) }
        #expect(squared.gain(2000) > squared.gain(1000) + 30)
        let offset: Float = squared[2205...].reduce(0, +) / 2205
        #expect(abs(offset) < 0.02)
        // Three times the frequency.
        let cubed = try sound(.multiDistortedCubed) { tone(1000, $1, amplitude: 0.5) }
        #expect(abs(cubed.gain(3000) - cubed.gain(1000) + 9.54) < 0.2)
    }
}

extension ArraySlice<Float> {
    fileprivate var peak: Float { map(abs).max() ?? 0 }
}
