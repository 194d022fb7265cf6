import AVFAudio
import TestSupport
import Testing

/// What all effects have in common, on rendered samples.
@Suite("AVAudioUnitEffect", .limited)
struct EffectTests {
    /// The effects, each with parameters that change the sound.
    enum Kind: CaseIterable {
        case equalizer, delay, distortion, reverb

        func make() -> AVAudioUnitEffect {
            switch self {
            case .equalizer:
                let unit = AVAudioUnitEQ(numberOfBands: 2)
                for (band, frequency) in zip(unit.bands, [300, 3000] as [Float]) {
                    (band.frequency, band.gain, band.bypass) = (frequency, 9, false)
                }
                return unit
            case .delay:
                let unit = AVAudioUnitDelay()
                unit.delayTime = 0.01
                return unit
            case .distortion:
                let unit = AVAudioUnitDistortion()
                unit.loadFactoryPreset(.multiEverythingIsBroken)
                return unit
            case .reverb:
                let unit = AVAudioUnitReverb()
                unit.loadFactoryPreset(.smallRoom)
                unit.wetDryMix = 40
                return unit
            }
        }
    }

    /// A repeatable noise.
    private static let noise: @Sendable (Int, Int) -> Float = { channel, frame in
        Float((frame &* 7919 &+ channel &* 104_729) % 2003) / 2003 - 0.5
    }

    @Test(
        "E9, E224: an effect has one input and one output, and passes its input where it is bypassed",
        arguments: Kind.allCases)
    func bypass(_ kind: Kind) throws {
        let unit = kind.make()
        #expect(unit.numberOfInputs == 1 && unit.numberOfOutputs == 1 && !unit.bypass && unit.latency == 0)
        let bench = try EngineBench([unit], channels: 2, Self.noise)
        let changed = try bench.rendered(600)
        #expect(changed[0] != (0..<600).map { Self.noise(0, $0) } && changed[0].isFinite)
        unit.bypass = true
        _ = try bench.rendered(100)
        let passed = try bench.rendered(300)
        for channel in 0..<2 { #expect(passed[channel] == (700..<1000).map { Self.noise(channel, $0) }) }
    }

    @Test("E155: all effects in a row sound the same in blocks of every size, bit for bit")
    func blocks() throws {
        func sound(_ block: Int) throws -> [[Float]] {
            try EngineBench(Kind.allCases.map { $0.make() }, channels: 2, Self.noise).rendered(3000, block: block)
        }
        let expected = try sound(3000)
        #expect(expected[0].peak > 0.1 && expected[0] != expected[1])
        for block in [1, 64, 512, 1000] { #expect(try sound(block) == expected, "blocks of \(block)") }
    }

    @Test(
        "E232: reset, and a start after stop, forget what was heard; a start after pause does not",
        arguments: Kind.allCases)
    func reset(_ kind: Kind) throws {
        func rest(_ end: (EngineBench, AVAudioUnitEffect) throws -> Void) throws -> [Float] {
            let unit = kind.make()
            // Silence behind 100 frames.
            let bench = try EngineBench([unit]) { $1 < 100 ? 0.5 : 0 }
            _ = try bench.left(120)
            try end(bench, unit)
            return try bench.left(900)
        }
        #expect(try rest { _, _ in }.peak > 1e-6)
        #expect(
            try rest { bench, _ in
                bench.engine.pause()
                try bench.engine.start()
            }.peak > 1e-6)
        #expect(try rest { $1.reset() }.peak == 0)
        #expect(
            try rest { bench, _ in
                bench.engine.stop()
                bench.engine.prepare()
                try bench.engine.start()
            }.peak == 0)
    }

    @Test("E233: an effect takes the output's rate and channels, to which its input is converted")
    func formats() throws {
        let unit = AVAudioUnitDelay()
        unit.wetDryMix = 0
        let bench = try EngineBench(rate: 48_000, channels: 2)
        let engine = bench.engine
        let source = EngineBench.node { channel, _ in channel == 0 ? 0.5 : 0.25 }
        for node in [source, unit] { engine.attach(node) }
        engine.connect(source, to: unit, format: try EngineBench.format(22_050, 1))
        #expect(unit.outputFormat(forBus: 0) == unit.inputFormat(forBus: 0))
        engine.connect(unit, to: engine.mainMixerNode, format: try EngineBench.format(48_000, 2))
        #expect(unit.inputFormat(forBus: 0).sampleRate == 22_050 && unit.outputFormat(forBus: 0).channelCount == 2)
        try engine.start()
        let sound = try bench.rendered(600)
        for channel in sound { #expect(channel[300...].allSatisfy { abs($0 - 0.5) < 0.001 }) }
        engine.disconnectNodeInput(unit)
        #expect(try bench.left(600)[300...].allSatisfy { $0 == 0 })
    }

    @Test("E232: a change of the graph is no gap in a tail")
    func goesOn() throws {
        func sound(_ change: (AVAudioEngine) -> Void) throws -> [Float] {
            let bench = try EngineBench(Kind.allCases.map { $0.make() }) { $1 < 100 ? 0.5 : 0 }
            var sound = try bench.left(300, block: 300)
            change(bench.engine)
            sound += try bench.left(2000)
            return sound
        }
        let expected = try sound { _ in }
        #expect(expected[1000...].contains { abs($0) > 0.001 })
        #expect(try sound { $0.connect(EngineBench.node { _, _ in 0 }, to: $0.mainMixerNode, format: nil) } == expected)
    }

    @Test("E23: where an effect is detached, its neighbours are joined")
    func detached() throws {
        let unit = AVAudioUnitEQ(numberOfBands: 0)
        unit.globalGain = 6
        let bench = try EngineBench([unit], outputs: 1) { _, _ in 0.25 }
        let engine = bench.engine
        #expect(abs(try bench.left(10)[9] - 0.25 * 1.9953) < 0.0001)
        engine.detach(unit)
        #expect(try bench.left(2) == [0.25, 0.25])
        #expect(engine.inputConnectionPoint(for: engine.mainMixerNode, inputBus: 0)?.node is AVAudioSourceNode)
        let lonely = AVAudioUnitEQ()
        engine.attach(lonely)
        engine.connect(lonely, to: engine.mainMixerNode, format: try EngineBench.format(44_100, 1))
        engine.detach(lonely)
        #expect(try bench.left(2) == [0.25, 0.25])
    }

    @Test("E85: the volume of a source belongs to a mixer's input, so it is not heard behind an effect")
    func volume() throws {
        let unit = AVAudioUnitEQ(numberOfBands: 1)
        let bench = try EngineBench([unit], outputs: 1) { _, _ in 0.5 }
        let source = bench.engine.inputConnectionPoint(for: unit, inputBus: 0)?.node as? AVAudioSourceNode
        try #require(source).volume = 0
        #expect(try bench.left(2) == [0.5, 0.5])
        // The connection is made with the volume, too.
        bench.engine.disconnectNodeInput(unit)
        bench.engine.connect(try #require(source), to: unit, format: try EngineBench.format(44_100, 1))
        #expect(try bench.left(2) == [0.5, 0.5])
    }

    @Test("E231: any thread may change parameters while another one renders")
    func threads() throws {
        let units = Kind.allCases.map { $0.make() }
        let bench = try EngineBench(units, channels: 2, Self.noise)
        DispatchQueue.concurrentPerform(iterations: units.count + 1) { index in
            guard index < units.count else {
                let sound = try? bench.rendered(8192, block: 64)
                #expect(sound?.allSatisfy { $0.isFinite && $0.peak < 1000 } == true)
                return
            }
            for round in 1...500 { Self.change(units[index], round) }
        }
    }

    private static func change(_ unit: AVAudioUnitEffect, _ round: Int) {
        unit.bypass = round % 7 == 0
        if round % 11 == 0 { unit.reset() }
        switch unit {
        case let unit as AVAudioUnitEQ:
            unit.bands[0].frequency = Float(20 + round % 1000)
            unit.bands[1].filterType = AVAudioUnitEQFilterType(rawValue: round % 11) ?? .parametric
        case let unit as AVAudioUnitDelay:
            unit.delayTime = Double(round % 100) / 1000
            unit.feedback = Float(round % 90)
        case let unit as AVAudioUnitDistortion:
            unit.loadFactoryPreset(AVAudioUnitDistortionPreset(rawValue: round % 22) ?? .drumsLoFi)
        case let unit as AVAudioUnitReverb:
            unit.loadFactoryPreset(AVAudioUnitReverbPreset(rawValue: round % 13) ?? .plate)
        default: break
        }
    }
}
