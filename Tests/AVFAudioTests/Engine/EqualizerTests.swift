import AVFAudio
import TestSupport
import Testing

/// Equalizers on rendered samples.
@Suite("AVAudioUnitEQ", .limited)
struct EqualizerTests {
    private func band(
        _ type: AVAudioUnitEQFilterType, _ frequency: Float, gain: Float = 0, bandwidth: Float = 0.5
    ) -> AVAudioUnitEQ {
        let unit = AVAudioUnitEQ(numberOfBands: 1)
        let band = unit.bands[0]
        (band.filterType, band.frequency, band.gain, band.bandwidth) = (type, frequency, gain, bandwidth)
        band.bypass = false
        return unit
    }

    @Test("E225: a new equalizer has bypassed bands, and is a wire")
    func wire() throws {
        let unit = AVAudioUnitEQ(numberOfBands: 3)
        #expect(unit.bands.count == 3 && AVAudioUnitEQ().bands.count == 16 && unit.globalGain == 0)
        #expect(AVAudioUnitEQ(numberOfBands: -1).bands.isEmpty)
        let band = unit.bands[0]
        #expect(band.bypass && band.filterType == .parametric && band.gain == 0)
        #expect(band.frequency == 40 && band.bandwidth == 0.5)
        for unit in [unit, self.band(.parametric, 440)] {
            let bench = try EngineBench([unit], outputs: 1, halfTone)
            #expect(try bench.left(1000) == (0..<1000).map { halfTone(0, $0) })
        }
    }

    @Test("E225: a peak of 12 dB and a low-pass give the samples that were measured")
    func measured() throws {
        let peak = try EngineBench([band(.parametric, 440, gain: 12)], halfTone)
        #expect(try peak.peaks(3).isAlmost([1.3298, 1.4025, 1.4070]))
        let low = try EngineBench([band(.lowPass, 200)], halfTone)
        #expect(try low.peaks(3).isAlmost([0.1345, 0.0715, 0.0715]))
        let loud = AVAudioUnitEQ(numberOfBands: 2)
        loud.globalGain = 6
        let bench = try EngineBench([loud], halfTone)
        #expect(abs(try bench.left(512).peak / 0.35355 - 1.9953) < 0.0005)
    }

    @Test("E225: each form of filter has the gains of its name")
    func forms() throws {
        // Decibels at 100, 1000 and 10 000 Hz, of a filter at 1000 Hz with a gain of 6 dB and a bandwidth of an octave.
        let expected: [(AVAudioUnitEQFilterType, [ClosedRange<Double>])] = [
            (.parametric, [-0.2...0.2, 5.99...6.01, -0.2...0.2]),
            (.lowPass, [-0.01...0.01, -3.02...(-3), -90...(-40)]),
            (.highPass, [-41...(-39), -3.02...(-3), -0.01...0.01]),
            (.resonantLowPass, [-0.1...0.2, 2.5...3.5, -90...(-40)]),
            (.resonantHighPass, [-41...(-39), 2.5...3.5, -0.1...0.2]),
            (.bandPass, [-25...(-20), -0.01...0.01, -30...(-18)]),
            (.bandStop, [-0.1...0.1, -300...(-60), -0.1...0.1]),
            (.lowShelf, [5.9...6.1, 2.99...3.01, -0.1...0.1]),
            (.highShelf, [-0.1...0.1, 2.99...3.01, 5.9...6.1]),
            (.resonantLowShelf, [5.9...6.2, 2.99...3.01, -0.2...0.1]),
            (.resonantHighShelf, [-0.2...0.1, 2.99...3.01, 5.9...6.2]),
        ]
        for (type, ranges) in expected {
            let bench = try EngineBench([band(type, 1000, gain: 6, bandwidth: 1)], outputs: 1, impulse)
            let response = try bench.left(2500)
            for (frequency, range) in zip([100.0, 1000, 10_000], ranges) {
                let gain = response.gain(frequency)
                #expect(range.contains(gain), "filter \(type.rawValue) at \(frequency) Hz: \(gain) dB")
            }
        }
    }

    @Test("E223: parameters are kept as they are set, and sound as the nearest of their range")
    func ranges() throws {
        func sound(_ set: (AVAudioUnitEQ) -> Void) throws -> [Float] {
            let unit = band(.parametric, 1000, gain: 6)
            set(unit)
            return try EngineBench([unit], impulse).left(600)
        }
        let pairs: [(WritableKeyPath<AVAudioUnitEQFilterParameters, Float>, set: Float, range: Float)] = [
            (\.gain, 100, 24), (\.gain, -200, -96), (\.bandwidth, 0, 0.05), (\.bandwidth, 90, 5), (\.frequency, -3, 20),
        ]
        for (path, set, range) in pairs {
            func changed(_ value: Float) throws -> [Float] {
                try sound {
                    var band = $0.bands[0]
                    band[keyPath: path] = value
                    #expect(band[keyPath: path] == value)
                    band[keyPath: path] = .nan
                    #expect(band[keyPath: path] == value)
                }
            }
            // The range's end is a Double, and the property a Float.
            let (one, other) = (try changed(set), try changed(range))
            #expect(zip(one, other).allSatisfy { abs($0 - $1) < 1e-6 } && one.peak > 0.00001, "\(set)")
        }
        #expect(try sound { $0.globalGain = 60 } == sound { $0.globalGain = 24 })
        for frequency: Float in [22_050, 1e9, .infinity] {
            #expect(try sound { $0.bands[0].frequency = frequency }.isFinite)
        }
    }

    @Test("E224: bypass of the unit wins over its bands, and passes the input bit for bit")
    func bypass() throws {
        let unit = band(.parametric, 440, gain: 12)
        unit.bypass = true
        #expect(unit.bypass)
        let bench = try EngineBench([unit], outputs: 1, halfTone)
        #expect(try bench.left(1000) == (0..<1000).map { halfTone(0, $0) })
        unit.bypass = false
        #expect(try bench.left(4000).peak > 1.9)
        unit.bypass = true
        let fading = try bench.left(512)
        #expect(abs(fading[0]) > 0 && fading.greatestStep < 0.2)
        #expect(try bench.left(1000) == (5512..<6512).map { halfTone(0, $0) })
    }

    @Test("E231: parameters that change while sound runs are heard in the next block, without a click")
    func changes() throws {
        let unit = band(.parametric, 440, gain: 0)
        let bench = try EngineBench([unit], outputs: 1, halfTone)
        var sound = try bench.left(1024)
        let changes: [() -> Void] = [
            { unit.bands[0].gain = 12 }, { unit.globalGain = -12 }, { unit.bands[0].frequency = 4000 },
            { unit.bands[0].filterType = .bandStop }, { unit.bands[0].bypass = true }, { unit.globalGain = 12 },
            { unit.bands[0].filterType = .highPass }, { unit.bands[0].bypass = false }, { unit.bypass = true },
        ]
        for change in changes {
            change()
            let block = try bench.left(512)
            #expect(block.peak > 0.01)
            sound += block
        }
        let rest = try bench.left(64)
        #expect(rest == (sound.count..<sound.count + 64).map { halfTone(0, $0) })
        // A tone of 2 at 440 Hz has steps of 0.13.
        #expect((sound + rest).greatestStep < 0.15)
    }
}
