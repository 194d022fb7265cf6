import AVFAudio
import TestSupport
import Testing

/// Units that change speed and pitch, on rendered samples.
@Suite("AVAudioUnitTimeEffect", .limited)
struct TimeEffectTests {
    /// The units, both at work.
    enum Kind: CaseIterable {
        case varispeed, rate, pitch, both

        func make() -> AVAudioUnitTimeEffect {
            if self == .varispeed {
                let unit = AVAudioUnitVarispeed()
                unit.rate = 1.3
                return unit
            }
            let unit = AVAudioUnitTimePitch()
            if self != .pitch { unit.rate = 1.5 }
            if self != .rate { unit.pitch = 500 }
            return unit
        }
    }

    /// Frames of latency.
    private static func delay(_ unit: AVAudioUnit) -> Int { Int((unit.latency * 44_100).rounded()) }

    /// A repeatable noise.
    private static let noise: @Sendable (Int, Int) -> Float = { channel, frame in
        Float((frame &* 7919 &+ channel &* 104_729) % 2003) / 2003 - 0.5
    }

    /// The frequency of a tone, by its rising zero crossings.
    private static func frequency(_ sound: ArraySlice<Float>) -> Double {
        let samples = Array(sound)
        let places = samples.indices.dropFirst().compactMap { index -> Double? in
            let (before, after) = (samples[index - 1], samples[index])
            return before < 0 && after >= 0 ? Double(index - 1) + Double(before / (before - after)) : nil
        }
        guard let first = places.first, let last = places.last, places.count > 1 else { return 0 }
        return 44_100 * Double(places.count - 1) / (last - first)
    }

    @Test("E223: what is set is read, beyond the range too; rates are 1, the pitch 0 and the overlap 8 at first")
    func properties() {
        let (speed, pitch) = (AVAudioUnitVarispeed(), AVAudioUnitTimePitch())
        #expect(speed.rate == 1 && !speed.bypass && speed.numberOfInputs == 1 && speed.numberOfOutputs == 1)
        #expect(pitch.rate == 1 && pitch.pitch == 0 && pitch.overlap == 8 && !pitch.bypass)
        (speed.rate, pitch.rate, pitch.pitch, pitch.overlap) = (100, -1, 5000, 99)
        #expect(speed.rate == 100 && pitch.rate == -1 && pitch.pitch == 5000 && pitch.overlap == 99)
        (speed.rate, pitch.pitch) = (.nan, .nan)
        #expect(speed.rate == 100 && pitch.pitch == 5000)
    }

    @Test("E223: beyond its range a parameter sounds as the nearest value", arguments: [(Float(100), 4.0), (0, 0.25)])
    func ranges(_ rate: Float, _ speed: Double) throws {
        let unit = AVAudioUnitVarispeed()
        unit.rate = rate
        let sound = try EngineBench([unit]) { tone(440, $1, amplitude: 0.5) }.left(8820)
        #expect(abs(Self.frequency(sound[2000...]) - 440 * speed) < 0.5)
    }

    @Test("E228: at twice the speed 2048 frames are 1024 and the filter, an octave higher, as loud as they were")
    func twice() throws {
        let unit = AVAudioUnitVarispeed()
        unit.rate = 2
        let bench = try EngineBench([unit]) { $1 < 2048 ? tone(440, $1, amplitude: 0.5) : 0 }
        let sound = try bench.left(2000)
        let delay = Self.delay(unit)
        let middle = sound[(delay + 100)..<(delay + 900)]
        #expect(abs(Self.frequency(middle) - 880) < 2)
        #expect(abs(Array(middle).peak - 0.3536) < 0.004)
        // The delay is of the input, which is read twice as fast.
        let end = try #require(sound.lastIndex { abs($0) > 0.001 })
        #expect((1024...1024 + delay).contains(end), "\(end)")
    }

    @Test(
        "E228: what is above half the rate after a change of the speed is not heard", arguments: [Float(1.2), 1.9, 4])
    func aliases(_ rate: Float) throws {
        let unit = AVAudioUnitVarispeed()
        unit.rate = rate
        // It would be heard at 44.1 kHz less 1.05 times half of that.
        let frequency = 22_050 * 1.15 / Double(rate)
        let sound = try EngineBench([unit]) { tone(frequency, $1, amplitude: 0.5) }.left(8820)
        #expect(Array(sound[1000...]).peak < 0.02, "\(Array(sound[1000...]).peak)")
    }

    @Test("E229: at the rate 1 and the pitch 0 the sound is late by the latency, and else the same bit for bit")
    func unchanged() throws {
        for unit in [AVAudioUnitVarispeed(), AVAudioUnitTimePitch()] {
            let delay = Self.delay(unit)
            let bench = try EngineBench([unit], channels: 2, Self.noise)
            let sound = try bench.rendered(delay + 3000)
            for channel in 0..<2 {
                #expect(sound[channel] == zeros(delay) + (0..<3000).map { Self.noise(channel, $0) })
            }
            #expect(unit.latency < 0.08 && bench.engine.inputConnectionPoint(for: unit, inputBus: 0) != nil)
        }
    }

    @Test("E229: back at the rate 1 the sound is exact again, with the same latency; so it is while bypassed")
    func exactAgain() throws {
        for isBypass in [false, true] {
            let unit = AVAudioUnitTimePitch()
            let read = Counter()
            let bench = try EngineBench([unit], channels: 2) { channel, frame in
                read.frames = max(read.frames, frame + 1)
                return Self.noise(channel, frame)
            }
            (unit.rate, unit.pitch) = (1.37, 300)
            _ = try bench.left(7001, block: 333)
            if isBypass { unit.bypass = true } else { (unit.rate, unit.pitch) = (1, 0) }
            // The fade.
            _ = try bench.left(441)
            let start = read.frames
            let sound = try bench.left(3000)
            let first = start - Self.delay(unit)
            #expect(sound == (0..<3000).map { Self.noise(0, first + $0) } || isShifted(sound, near: first))
        }
        /// The due frame is the newest one or the one behind it.
        func isShifted(_ sound: [Float], near first: Int) -> Bool {
            [-1, 1].contains { shift in sound == (0..<3000).map { Self.noise(0, first + shift + $0) } }
        }
    }

    @Test(
        "E229: the rate changes the length and keeps the pitch; the pitch changes the tone and keeps the length",
        arguments: [(Float(1.5), Float(0)), (0.5, 0), (1, 1200), (1, -700), (2, 1200), (0.25, -2400)])
    func timeAndPitch(_ rate: Float, _ pitch: Float) throws {
        let unit = AVAudioUnitTimePitch()
        (unit.rate, unit.pitch) = (rate, pitch)
        let read = Counter()
        let bench = try EngineBench([unit]) { _, frame in
            read.frames = max(read.frames, frame + 1)
            return tone(440, frame, amplitude: 0.5)
        }
        let sound = try bench.left(44_100)
        let steady = sound[22_050...]
        let expected = 440 * exp2(Double(pitch) / 1200)
        #expect(abs(Self.frequency(steady) - expected) < expected * 0.005, "\(Self.frequency(steady))")
        var energy = 0.0
        for sample in steady { energy += Double(sample * sample) }
        let level = 10 * log10(energy / 22_050 / (0.3536 * 0.3536 / 2))
        #expect(abs(level) < 1, "\(level) dB")
        #expect(read.frames == Int((44_099 * Double(rate)).rounded(.down)) + 1)
    }

    @Test("E229, E230: over ten minutes not one frame too many or too few is taken, at any rate and size of blocks")
    func exactLength() throws {
        let unit = AVAudioUnitTimePitch()
        let read = Counter()
        let node = AVAudioSourceNode { isSilence, _, frames, data in
            read.frames += Int(frames)
            return noErr
        }
        let bench = try EngineBench(channels: 1)
        for each in [node, unit] as [AVAudioNode] { bench.engine.attach(each) }
        bench.engine.connect(node, to: unit, format: try EngineBench.format(8000, 1))
        bench.engine.connect(unit, to: bench.engine.mainMixerNode, format: try EngineBench.format(8000, 1))
        unit.rate = 1.1
        try bench.engine.start()
        // Rendered at the unit's rate, so that the test is short.
        let frames = 60 * 44_100
        _ = try bench.left(frames, block: 4001)
        let given = Double(frames) * 8000 / 44_100
        #expect(abs(Double(read.frames) - given * Double(Float(1.1))) <= 2, "\(read.frames)")
    }

    @Test("E155: the size of blocks changes no sample", arguments: Kind.allCases)
    func blocks(_ kind: Kind) throws {
        func sound(_ block: Int) throws -> [[Float]] {
            try EngineBench([kind.make()], channels: 2, Self.noise).rendered(9000, block: block)
        }
        let expected = try sound(4096)
        #expect(expected[0].peak > 0.1)
        for block in [1, 64, 512, 1000] { #expect(try sound(block) == expected, "blocks of \(block)") }
    }

    @Test("E231: a parameter counts from the next block on, without a click", arguments: [true, false])
    func changes(_ isVarispeed: Bool) throws {
        let (speed, pitch) = (AVAudioUnitVarispeed(), AVAudioUnitTimePitch())
        let bench = try EngineBench([isVarispeed ? speed : pitch]) { tone(200, $1, amplitude: 0.5) }
        var sound = try bench.left(9000)
        for rate in [1.5, 0.7, 1, 3, 1] as [Float] {
            (speed.rate, pitch.rate, pitch.pitch) = (rate, rate, (rate - 1) * 400)
            sound += try bench.left(9000)
        }
        // At three times the speed the tone itself rises by so much.
        #expect(sound.greatestStep < 0.3536 * 2 * .pi * 200 * 3.2 / 44_100, "\(sound.greatestStep)")
        #expect(abs(Self.frequency(sound[(5 * 9000 + 5000)...]) - 200) < 0.5)
    }

    @Test("E232: reset forgets the sound, and what comes later is late by the latency again", arguments: Kind.allCases)
    func reset(_ kind: Kind) throws {
        let unit = kind.make()
        let bench = try EngineBench([unit]) { $1 < 5000 ? 0.5 : 0 }
        #expect(try bench.left(4500).peak > 0.2)
        unit.reset()
        let rest = try bench.left(9000)
        #expect(Array(rest[..<100]).peak < 0.001)
        #expect(Array(rest[8000...]).peak == 0)
    }

    @Test("E16: ways that lead through a unit and past it are refused, and the graph stays as it was")
    func splits() throws {
        let bench = try EngineBench()
        let (engine, unit, mixer) = (bench.engine, AVAudioUnitTimePitch(), AVAudioMixerNode())
        let source = EngineBench.node { _, _ in 0.25 }
        for node in [source, unit, mixer] { engine.attach(node) }
        let format = try EngineBench.format()
        engine.connect(source, to: mixer, format: format)
        engine.connect(mixer, to: unit, format: format)
        engine.connect(unit, to: engine.mainMixerNode, format: format)
        let both = [
            AVAudioConnectionPoint(node: unit, bus: 0), AVAudioConnectionPoint(node: engine.mainMixerNode, bus: 1),
        ]
        for node in [mixer, source] {
            let points = node === mixer ? both : [both[1], AVAudioConnectionPoint(node: mixer, bus: 0)]
            #expect(
                EngineBench.code { try engine.connectNode(node, to: points, fromBus: 0, format: format) } == -10876)
        }
        #expect(engine.outputConnectionPoints(for: mixer, outputBus: 0).map(\.node) == [unit])
        // A split below the unit is none.
        let points = [0, 1].map { bus in AVAudioConnectionPoint(node: engine.mainMixerNode, bus: bus) }
        try engine.connectNode(unit, to: points, fromBus: 0, format: format)
        try engine.start()
        #expect(try bench.left(5000).last == 0.5)
    }

    @Test("E10, E11, E125, E193: above a unit times run at its speed, and players count the frames that they play")
    func times() throws {
        let bench = try PlayerBench()
        let unit = AVAudioUnitVarispeed()
        unit.rate = 2
        bench.bench.engine.attach(unit)
        bench.bench.engine.connect(bench.player, to: unit, format: bench.format)
        bench.bench.engine.connect(unit, to: bench.bench.engine.mainMixerNode, format: bench.format)
        bench.player.scheduleBuffer(try bench.buffer(0.5, 20_000))
        bench.player.play()
        _ = try bench.rendered(4410, block: 441)
        let time = try #require(bench.player.lastRenderTime)
        #expect(time.sampleTime == 2 * 3969)
        let played = try #require(bench.player.playerTime(forNodeTime: time))
        #expect(played.sampleTime == 7938, "\(played.sampleTime)")
        #expect(unit.lastRenderTime?.sampleTime == 3969)
        #expect(bench.player.outputPresentationLatency == unit.latency && unit.outputPresentationLatency == 0)
        // It follows the graph, and an echo is none.
        let echo = AVAudioUnitDelay()
        bench.bench.engine.attach(echo)
        bench.bench.engine.connect(bench.player, to: echo, format: bench.format)
        bench.bench.engine.connect(echo, to: bench.bench.engine.mainMixerNode, format: bench.format)
        #expect(bench.player.outputPresentationLatency == 0 && echo.latency == 0)
    }

    @Test(
        "E101, E230: a file plays through a fast unit whole, and its handler is called",
        arguments: [32, 0.031_25] as [Float])
    func files(_ rate: Float) async throws {
        let folder = try FileFolder()
        let bench = try PlayerBench()
        let unit = AVAudioUnitTimePitch()
        unit.rate = rate
        bench.bench.engine.attach(unit)
        bench.bench.engine.connect(bench.player, to: unit, format: bench.format)
        bench.bench.engine.connect(unit, to: bench.bench.engine.mainMixerNode, format: bench.format)
        let frames = rate > 1 ? 400_000 : 14_000
        let url = try bench.file(folder, values(0.5, frames))
        bench.player.scheduleFile(try AVAudioFile(forReading: url), at: nil, completionHandler: bench.note("end"))
        bench.player.play()
        let given = Int(Double(frames) / Double(rate))
        // The delay is of the input.
        let delay = Int(Double(Self.delay(unit)) / Double(rate))
        let sound = try bench.rendered(given + delay + 4000, block: 4096)
        #expect(try await bench.handled.first(1) == ["end"])
        // The middle of the sound is not silent, as it would be where the disk is not read in time.
        let middle = sound[(delay + given / 4)..<(delay + given * 3 / 4)]
        #expect(middle.allSatisfy { abs($0 - 0.5) < 0.01 }, "\(middle.min() ?? 0) to \(middle.max() ?? 0)")
    }

    @Test("E231: parameters are set from other threads while sound runs")
    func threads() async throws {
        let (speed, pitch) = (AVAudioUnitVarispeed(), AVAudioUnitTimePitch())
        let bench = try EngineBench([speed, pitch]) { tone(200, $1, amplitude: 0.5) }
        await withTaskGroup(of: Void.self) { group in
            for seed in 0..<3 {
                group.addTask {
                    for step in 0..<2000 {
                        let value = Float((step * 7919 + seed) % 400) / 100
                        (speed.rate, pitch.rate, pitch.pitch) = (value, value * 2, value * 600)
                        if step % 50 == 0 { pitch.bypass.toggle() }
                        if step % 100 == 0 { speed.reset() }
                    }
                }
            }
            group.addTask {
                let sound = try? bench.left(60_000, block: 333)
                #expect(sound?.isFinite == true && sound?.peak ?? 2 < 1)
            }
        }
    }
}

/// The frames that a source was asked for; used by the thread that renders.
// SAFETY: the tests render on their own thread, and read it between two blocks.
private final class Counter: @unchecked Sendable {
    var frames = 0
}
