import AVFAudio
import TestSupport
import Testing

/// What mixers and sources sound like, on rendered samples.
@Suite("AVAudioMixerNode and AVAudioSourceNode", .limited)
struct EngineMixingTests {
    @Test("Inputs of another rate that come, go and are silent leave what else has that rate as it was, bit for bit")
    func sharedConversion() throws {
        func sound(company: Bool) throws -> [Float] {
            let bench = try EngineBench(rate: 48_000)
            let format = try EngineBench.format(44_100, 1)
            bench.source(format) { _, frame in tone(1000, frame, amplitude: 0.5) }
            try bench.engine.start()
            var result = try bench.left(3000)
            let silent = EngineBench.node { _, _ in 0 }
            let player = AVAudioPlayerNode()
            if company {
                for node in [silent, player] {
                    bench.engine.attach(node)
                    bench.engine.connect(node, to: bench.engine.mainMixerNode, format: format)
                }
            }
            result += try bench.left(3000)
            if company { bench.engine.disconnectNodeOutput(silent) }
            result += try bench.left(3000, block: 333)
            return result
        }
        let alone = try sound(company: false)
        // Late by 48 frames of 44.1 kHz, at −3 dB in the middle of two channels.
        let late = 48 * 48_000 / 44_100.0
        let shifted = alone.enumerated().dropFirst(200).map { frame, sample in
            abs(Double(sample) - 0.5 / 2.0.squareRoot() * sin(2 * .pi * 1000 * (Double(frame) - late) / 48_000))
        }
        #expect((shifted.max() ?? 1) < 0.0001)
        #expect(try sound(company: true) == alone)
    }

    @Test("E80, E83: the output is the sum, and goes beyond full scale")
    func sum() throws {
        let bench = try EngineBench()
        let mono = try EngineBench.format(44_100, 1)
        for frequency in [440.0, 880] { bench.source(mono) { tone(frequency, $1, amplitude: 0.3) } }
        try bench.engine.start()
        #expect(abs(try bench.left(44_100).peak - 0.3734) < 0.0001)
        bench.source(mono) { _, _ in 2 }
        #expect(try bench.left(44_100).peak > 1.7)
    }

    @Test("E81: mono loses 3 dB in stereo, and stereo nothing")
    func mono() throws {
        for (channels, expected) in [(1, Float(0.70710677)), (2, 1)] as [(UInt32, Float)] {
            let bench = try EngineBench()
            bench.source(try EngineBench.format(44_100, channels)) { _, _ in 1 }
            try bench.engine.start()
            let sound = try bench.rendered(600)
            #expect(sound.allSatisfy { $0.allSatisfy { abs($0 - expected) < 1e-6 } })
        }
    }

    @Test("E82: outputVolume holds from the first frame, and later becomes the next one within a block")
    func outputVolume() throws {
        let bench = try EngineBench()
        bench.source(try EngineBench.format(44_100, 1)) { tone(440, $1) }
        let mixer = bench.engine.mainMixerNode
        mixer.outputVolume = 0.25
        try bench.engine.start()
        let quiet = try bench.left(44_100, block: 1050)
        #expect(abs(quiet[25] - tone(440, 25) * 0.25 * 0.70710677) < 1e-6)
        #expect(abs(quiet.peak - 0.25 * 0.7071) < 0.0001)
        mixer.outputVolume = 1
        _ = try bench.left(44_100, block: 1050)
        mixer.outputVolume = 0
        #expect(abs(try bench.left(1024, block: 1024).peak - 0.6898) < 0.0001)
        #expect(try bench.left(1024, block: 1024).peak == 0)
    }

    @Test("E84: a source's gains are those of all its connections, a destination's of one until the source's is set")
    func destinations() throws {
        let bench = try EngineBench(channels: 1)
        let (engine, side) = (bench.engine, AVAudioMixerNode())
        let main = engine.mainMixerNode
        let mono = try EngineBench.format(44_100, 1)
        let source = bench.source(mono) { _, _ in 1 }
        source.volume = 0.5
        engine.attach(side)
        let points = [AVAudioConnectionPoint(node: main, bus: 0), AVAudioConnectionPoint(node: side, bus: 0)]
        engine.connect(source, to: points, fromBus: 0, format: mono)
        engine.connect(side, to: main, fromBus: 0, toBus: 1, format: mono)
        try engine.start()
        #expect(try bench.left(4) == [1, 1, 1, 1])
        let destination = try #require(source.destination(forMixer: side, bus: 0))
        #expect(destination.volume == 0.5 && destination.connectionPoint.node === side)
        #expect(source.destination(forMixer: side, bus: 1) == nil && side.destination(forMixer: side, bus: 0) == nil)
        destination.volume = 0.25
        _ = try bench.left(64)
        #expect(try bench.left(2) == [0.75, 0.75])
        #expect(source.volume == 0.5)
        source.volume = 2
        _ = try bench.left(64)
        #expect(try bench.left(2) == [4, 4])
        #expect(destination.volume == 2)
    }

    @Test("E84, E87: pan belongs to the mixer's input; what is no number is ignored, and what is beyond is kept")
    func pan() throws {
        let bench = try EngineBench()
        let source = bench.source(try EngineBench.format(44_100, 1)) { _, _ in 1 }
        source.pan = 1
        try bench.engine.start()
        let sound = try bench.rendered(8)
        #expect(sound[0].peak < 1e-6 && abs(sound[1][0] - 1) < 1e-6)
        source.pan = .nan
        source.volume = .nan
        bench.engine.mainMixerNode.outputVolume = .nan
        #expect(source.pan == 1 && source.volume == 1 && bench.engine.mainMixerNode.outputVolume == 1)
        source.pan = 3
        source.volume = 2
        _ = try bench.rendered(64)
        let right = try bench.rendered(8)[1]
        #expect(source.pan == 3 && abs(right[0] - 2) < 1e-6)
    }

    @Test("E25: a mixer without inputs is silent, and is heard as soon as it has one")
    func empty() throws {
        let bench = try EngineBench(channels: 1)
        let (engine, mixer) = (bench.engine, AVAudioMixerNode())
        let mono = try EngineBench.format(44_100, 1)
        engine.attach(mixer)
        engine.connect(mixer, to: engine.mainMixerNode, format: mono)
        engine.prepare()
        try engine.start()
        #expect(try bench.left(100).peak == 0)
        engine.connect(EngineBench.node { _, _ in 0.5 }, to: mixer, format: mono)
        #expect(try bench.left(2) == [0.5, 0.5])
    }

    @Test("E22: any change is allowed while the engine runs, and is heard in the next block")
    func changes() throws {
        let bench = try EngineBench(channels: 1)
        let engine = bench.engine
        let source = bench.source(try EngineBench.format(44_100, 1)) { _, _ in 0.5 }
        try engine.start()
        #expect(try bench.left(1) == [0.5])
        engine.disconnectNodeInput(engine.outputNode)
        #expect(try bench.left(1) == [0])
        engine.connect(source, to: engine.outputNode, format: nil)
        #expect(try bench.left(1) == [0.5])
        engine.detach(source)
        #expect(try bench.left(1) == [0])
    }

    @Test("E22: without its output node a running engine is silent, and calls no source")
    func noOutput() throws {
        let bench = try EngineBench(channels: 1)
        let (engine, calls) = (bench.engine, Calls())
        bench.source(try EngineBench.format(44_100, 1)) { _, frame in
            calls.note(frame, 1)
            return 0.5
        }
        try engine.start()
        #expect(try bench.left(1) == [0.5])
        engine.detach(engine.outputNode)
        #expect(try bench.left(4) == [0, 0, 0, 0])
        #expect(calls.all == [[0, 1]])
        engine.connect(engine.mainMixerNode, to: engine.outputNode, format: nil)
        #expect(try bench.left(1) == [0.5])
    }

    @Test("E35: a stopped engine holds no function of a node that was detached")
    func released() throws {
        let bench = try EngineBench(channels: 1)
        weak var held: Calls?
        do {
            let calls = Calls()
            held = calls
            let node = bench.source(try EngineBench.format(44_100, 1)) { _, frame in
                calls.note(frame, 1)
                return 0.5
            }
            try bench.engine.start()
            _ = try bench.left(1)
            bench.engine.stop()
            bench.engine.detach(node)
            #expect(held?.all.count == 1)
        }
        #expect(held == nil)
    }

    @Test("E132: a source that takes buffers out of its list is silent for the block")
    func shortList() throws {
        let bench = try EngineBench()
        let node = AVAudioSourceNode { _, stamp, _, data in
            let list = UnsafeMutableAudioBufferListPointer(data)
            #expect(list.count == 2)
            for buffer in list { UnsafeMutableBufferPointer<Float>(buffer).update(repeating: 1) }
            if stamp.pointee.mSampleTime < 4 { list.count = 1 }
            return noErr
        }
        bench.engine.connect(node, to: bench.engine.mainMixerNode, format: try EngineBench.format())
        try bench.engine.start()
        #expect(try bench.rendered(8, block: 4) == [[Float]](repeating: [0, 0, 0, 0, 1, 1, 1, 1], count: 2))
    }

    @Test("E131, E132: a source's list is the output's format's, and may be given memory of the app's own")
    func lists() throws {
        for interleaved in [false, true] {
            let bench = try EngineBench()
            let format = try #require(
                AVAudioFormat(commonFormat: .pcmFormatInt16, sampleRate: 44_100, channels: 2, interleaved: interleaved))
            let memory = UnsafeMutablePointer<Int16>.allocate(capacity: 2 * 4096)
            defer { memory.deallocate() }
            for index in 0..<2 * 4096 { memory[index] = interleaved && index % 2 == 1 ? -0x2000 : 0x4000 }
            let address = UInt(bitPattern: memory)
            let node = AVAudioSourceNode { _, _, frames, data in
                let list = UnsafeMutableAudioBufferListPointer(data)
                #expect(list.count == (interleaved ? 1 : 2) && list[0].mNumberChannels == (interleaved ? 2 : 1))
                #expect(list[0].mDataByteSize == frames * (interleaved ? 4 : 2))
                list[0].mData = UnsafeMutableRawPointer(bitPattern: address)
                return noErr
            }
            bench.engine.attach(node)
            bench.engine.connect(node, to: bench.engine.mainMixerNode, format: format)
            try bench.engine.start()
            let sound = try bench.rendered(300)
            #expect(Set(sound[0]) == [0.5] && Set(sound[1]) == [interleaved ? -0.25 : 0])
        }
    }

    @Test("E131: a format of the source's own stays, and the node converts")
    func ownFormat() throws {
        let bench = try EngineBench()
        let own = try #require(
            AVAudioFormat(commonFormat: .pcmFormatInt32, sampleRate: 44_100, channels: 1, interleaved: true))
        let node = AVAudioSourceNode(format: own) { _, _, frames, data in
            let samples = UnsafeMutableBufferPointer<Int32>(UnsafeMutableAudioBufferListPointer(data)[0])
            for index in 0..<Int(frames) { samples[index] = 0x4000_0000 }
            return noErr
        }
        bench.engine.attach(node)
        bench.engine.connect(node, to: bench.engine.mainMixerNode, format: try EngineBench.format())
        try bench.engine.start()
        #expect(try bench.rendered(16) == [[Float]](repeating: [Float](repeating: 0.5, count: 16), count: 2))
    }

    @Test("E133: a result other than noErr makes the block silent")
    func failing() throws {
        let bench = try EngineBench(channels: 1)
        let node = AVAudioSourceNode { _, stamp, _, data in
            let buffer = UnsafeMutableBufferPointer<Float>(UnsafeMutableAudioBufferListPointer(data)[0])
            buffer.update(repeating: 1)
            return stamp.pointee.mSampleTime < 100 ? noErr : -1
        }
        bench.engine.attach(node)
        bench.engine.connect(node, to: bench.engine.mainMixerNode, format: try EngineBench.format(44_100, 1))
        try bench.engine.start()
        #expect(
            try bench.left(200, block: 100) == [Float](repeating: 1, count: 100) + [Float](repeating: 0, count: 100))
    }

    @Test("E134, E135: sample time grows by frames from 0, and no call has more than 4096")
    func times() throws {
        let bench = try EngineBench(channels: 1, maximum: 20_000)
        let calls = Calls()
        let node = AVAudioSourceNode { _, stamp, frames, _ in
            #expect(stamp.pointee.mFlags == .sampleTimeValid)
            calls.note(Int(stamp.pointee.mSampleTime), Int(frames))
            return noErr
        }
        bench.engine.attach(node)
        #expect(calls.all.isEmpty)
        bench.engine.connect(node, to: bench.engine.mainMixerNode, format: try EngineBench.format(44_100, 1))
        try bench.engine.start()
        _ = try bench.left(10_300, block: 10_000)
        #expect(calls.all == [[0, 4096], [4096, 4096], [8192, 1808], [10_000, 300]])
    }

    @Test("E136: a source is called on the thread that renders, and not where it leads nowhere")
    func calls() throws {
        let bench = try EngineBench(channels: 1)
        let (thread, calls) = (Thread.current, Calls())
        let node = AVAudioSourceNode { _, _, frames, _ in
            #expect(Thread.current === thread)
            calls.note(0, Int(frames))
            return noErr
        }
        let side = AVAudioMixerNode()
        bench.engine.attach(side)
        bench.engine.connect(node, to: side, format: try EngineBench.format(44_100, 1))
        _ = bench.engine.mainMixerNode
        try bench.engine.start()
        _ = try bench.left(10)
        #expect(calls.all.isEmpty)
        bench.engine.connect(side, to: bench.engine.mainMixerNode, format: nil)
        _ = try bench.left(10)
        #expect(calls.all.count == 1)
    }
}

/// The calls of a function, which any thread notes.
// SAFETY: the lock protects the list.
private final class Calls: @unchecked Sendable {
    private let lock = NSLock()
    private var noted: [[Int]] = []

    var all: [[Int]] { lock.withLock { noted } }

    func note(_ start: Int, _ frames: Int) { lock.withLock { noted.append([start, frames]) } }
}
