import AVFAudio
import Locks
import TestSupport
import Testing

/// Taps of nodes, on what they hand over in offline rendering.
@Suite("AVAudioNode, taps", .limited)
struct TapTests {
    private func bench() throws -> (EngineBench, AVAudioSourceNode) {
        let bench = try EngineBench(channels: 1)
        let source = bench.source(try EngineBench.format(44_100, 1)) { Float($1 % 10_000 + $0) / 10_000 }
        try bench.engine.start()
        return (bench, source)
    }

    private func saw(_ range: Range<Int>) -> [Float] { range.map { Float($0 % 10_000) / 10_000 } }

    @Test("E67, E69, E71: buffers have the size that was asked for, come in order, and their times follow each other")
    func sizes() async throws {
        for (size, block) in [(1000, 512), (64, 4096), (4096, 777)] as [(UInt32, Int)] {
            let (bench, source) = try bench()
            _ = try bench.left(100)
            let heard = Heard()
            source.installTap(onBus: 0, bufferSize: size, format: nil) { heard.note($0, $1) }
            _ = try bench.left(9000, block: block)
            let count = 9000 / Int(size)
            let buffers = try await heard.first(count)
            #expect(buffers.map(\.time) == (0..<count).map { 100 + $0 * Int(size) })
            #expect(buffers.allSatisfy { $0.samples.count == Int(size) && $0.rate == 44_100 && !$0.hasHostTime })
            #expect(buffers.flatMap(\.samples) == saw(100..<100 + count * Int(size)))
            #expect(buffers.allSatisfy { !$0.wasMain })
        }
    }

    @Test("E67: a buffer is at most 0.4 s long, and a tenth of a second without a wish")
    func limits() async throws {
        for (wish, frames) in [(UInt32.max, 17_640), (0, 4410)] as [(UInt32, Int)] {
            let (bench, source) = try bench()
            let heard = Heard()
            source.installTap(onBus: 0, bufferSize: wish, format: nil) { heard.note($0, $1) }
            _ = try bench.left(20_000, block: 4096)
            #expect(try await heard.first(1)[0].samples.count == frames)
        }
    }

    @Test("E65: a bus has one tap, a removed one makes room, and removing none does nothing")
    func one() throws {
        let (bench, source) = try bench()
        source.removeTap(onBus: 0)
        source.removeTap(onBus: 3)
        source.installTap(onBus: 0, bufferSize: 100, format: nil) { _, _ in }
        func code(_ node: AVAudioNode, _ bus: Int = 0, _ format: AVAudioFormat? = nil) -> Int? {
            EngineBench.code { try node.installAudioTap(onBus: bus, bufferSize: 1, format: format) { _, _ in } }
        }
        #expect(code(source) == -10849 && code(source, 1) == -10877 && code(bench.engine.outputNode) == -10877)
        let nothing = AVAudioEngine().manualRenderingFormat
        #expect(code(bench.engine.mainMixerNode, 0, nothing) == -10868)
        source.removeTap(onBus: 0)
        #expect(code(source) == 0 && code(bench.engine.mainMixerNode) == 0)
    }

    @Test("E66, E76: taps come and go while the engine runs, and are not called once they were removed")
    func removal() async throws {
        let (bench, source) = try bench()
        let heard = Heard()
        for _ in 1...20 {
            let before = heard.count
            source.installTap(onBus: 0, bufferSize: 10, format: nil) { heard.note($0, $1) }
            _ = try bench.left(100)
            _ = try await heard.first(before + 1)
            source.removeTap(onBus: 0)
            let count = heard.count
            _ = try bench.left(100)
            #expect(heard.count == count)
        }
        let removed = Handled()
        source.installTap(onBus: 0, bufferSize: 10, format: nil) { _, _ in
            source.removeTap(onBus: 0)
            removed.note("removed")
        }
        _ = try bench.left(100)
        #expect(try await removed.first(1).count == 1)
        _ = try bench.left(100)
        source.installTap(onBus: 0, bufferSize: 10, format: nil) { _, _ in removed.note("again") }
        _ = try bench.left(10)
        #expect(try await removed.first(2) == ["removed", "again"])
    }

    @Test("E68: a tap of another format gets converted buffers, of the rate, the channels and the encoding")
    func converted() async throws {
        let bench = try EngineBench()
        let source = bench.source(try EngineBench.format()) { channel, frame in
            channel == 0 ? tone(441, frame) : 0
        }
        let heard = Heard()
        let speech = try #require(
            AVAudioFormat(commonFormat: .pcmFormatInt16, sampleRate: 16_000, channels: 1, interleaved: true))
        source.installTap(onBus: 0, bufferSize: 1600, format: speech) { buffer, when in
            #expect(buffer.format == speech && buffer.frameLength == 1600 && when.sampleRate == 16_000)
            heard.note(buffer, when)
        }
        #expect(source.outputFormat(forBus: 0).channelCount == 2)
        try bench.engine.start()
        _ = try bench.rendered(44_100, block: 1000)
        let buffers = try await heard.first(9)
        #expect(buffers.map(\.time).prefix(9) == [0, 1600, 3200, 4800, 6400, 8000, 9600, 11_200, 12_800])
        let samples = buffers.flatMap(\.samples)
        let errors = (200..<14_000).map { abs(samples[$0] - tone(441, $0, amplitude: 0.5, rate: 16_000)) }
        #expect((errors.max() ?? 1) < 0.001)
    }

    @Test("E68: the format of a tap is that of an output that is not connected")
    func unconnected() throws {
        let mixer = AVAudioMixerNode()
        let mono = try EngineBench.format(22_050, 1)
        mixer.installTap(onBus: 0, bufferSize: 100, format: mono) { _, _ in }
        #expect(mixer.outputFormat(forBus: 0) == mono)
    }

    @Test("E28: after a connection in another format a tap of its own format keeps it, and one without follows")
    func otherConnection() async throws {
        let (bench, source) = try bench()
        let (own, following) = (Heard(), Heard())
        let (mono, stereo) = (try EngineBench.format(44_100, 1), try EngineBench.format(22_050, 2))
        let mixer = bench.engine.mainMixerNode
        source.installTap(onBus: 0, bufferSize: 100, format: mono) { own.note($0, $1) }
        let other = bench.source(mono) { _, _ in 0.5 }
        other.installTap(onBus: 0, bufferSize: 100, format: nil) { following.note($0, $1) }
        for node in [source, other] { bench.engine.connect(node, to: mixer, format: stereo) }
        _ = try bench.left(44_100, block: 4096)
        let (first, second) = (try await own.first(50)[9], try await following.first(50)[9])
        #expect(first.rate == 44_100 && first.channels == 1 && second.rate == 22_050 && second.channels == 2)
    }

    @Test("E70: buffers are the app's to keep")
    func kept() async throws {
        let (bench, source) = try bench()
        let kept = Guarded<[AVReadOnlyAudioPCMBuffer]>([])
        try source.installAudioTap(onBus: 0, bufferSize: 500, format: nil) { buffer, _ in
            kept.withLock { $0.append(buffer) }
        }
        _ = try bench.left(5000)
        try await waitUntil("ten buffers are there") { kept.withLock { $0.count } == 10 }
        let samples = kept.withLock { $0 }.flatMap { buffer in
            buffer.withUnsafeAudioBufferList { list in
                Array(UnsafeBufferPointer<Float>(list.pointee.mBuffers)).prefix(buffer.frameLength)
            }
        }
        #expect(samples == saw(0..<5000))
    }

    @Test("E73: a tap hears nothing of a node that leads nowhere, and begins a new buffer when it does")
    func nowhere() async throws {
        let (bench, source) = try bench()
        let heard = Heard()
        source.installTap(onBus: 0, bufferSize: 100, format: nil) { heard.note($0, $1) }
        _ = try bench.left(150)
        bench.engine.disconnectNodeOutput(source)
        _ = try bench.left(1000)
        bench.engine.connect(source, to: bench.engine.mainMixerNode, format: nil)
        _ = try bench.left(100)
        let buffers = try await heard.first(2)
        #expect(buffers.map(\.time) == [0, 1150] && buffers[1].samples == saw(1150..<1250))
    }

    @Test("E74: a tap hears a node before the mixer's input, and the main mixer after its volume")
    func places() async throws {
        let (bench, source) = try bench()
        let (before, after) = (Heard(), Heard())
        source.volume = 0.5
        bench.engine.mainMixerNode.outputVolume = 0.5
        // The changes are ramps over one block.
        _ = try bench.left(100)
        source.installTap(onBus: 0, bufferSize: 100, format: nil) { before.note($0, $1) }
        bench.engine.mainMixerNode.installTap(onBus: 0, bufferSize: 100, format: nil) { after.note($0, $1) }
        _ = try bench.left(100)
        #expect(try await before.first(1)[0].samples == saw(100..<200))
        #expect(try await after.first(1)[0].samples == saw(100..<200).map { $0 * 0.5 * 0.5 })
    }

    @Test("E69: a tap that a MainActor class installs is called on the tap's queue, and does not end the program")
    @MainActor func isolation() async throws {
        let meter = try Meter()
        try meter.run()
        #expect(try await meter.heard.first(1).first?.wasMain == false)
    }
}

/// A class as apps have them, whose closures stand in methods of the main actor.
@MainActor
private final class Meter {
    let heard = Heard()
    private let bench: EngineBench

    init() throws { bench = try EngineBench(channels: 1) }

    func run() throws {
        let (heard, mono) = (heard, try EngineBench.format(44_100, 1))
        let source = AVAudioSourceNode { _, _, _, _ in noErr }
        bench.engine.attach(source)
        bench.engine.connect(source, to: bench.engine.mainMixerNode, format: mono)
        bench.engine.mainMixerNode.installTap(onBus: 0, bufferSize: 100, format: nil) { buffer, when in
            heard.note(buffer, when)
        }
        try bench.engine.start()
        _ = try bench.left(100)
    }
}

/// What a tap has handed over.
private final class Heard: Sendable {
    struct Buffer {
        let time: Int
        let rate: Double
        let channels: Int
        let hasHostTime: Bool
        let samples: [Float]
        let wasMain: Bool
    }

    private let noted = Guarded<[Buffer]>([])

    var count: Int { noted.withLock { $0.count } }

    func note(_ buffer: AVAudioPCMBuffer, _ when: AVAudioTime) {
        let samples =
            buffer.format.commonFormat == .pcmFormatInt16
            ? buffer.frames(Int16.self).map { Float($0) / 32_768 } : buffer.frames(Float.self)
        let new = Buffer(
            time: Int(when.sampleTime), rate: when.sampleRate, channels: Int(buffer.format.channelCount),
            hasHostTime: when.isHostTimeValid, samples: samples, wasMain: Thread.isMainThread)
        noted.withLock { $0.append(new) }
    }

    /// Waits for so many buffers, and returns all.
    func first(_ count: Int) async throws -> [Buffer] {
        try await waitUntil("\(count) buffers were handed over") { self.count >= count }
        return noted.withLock { $0 }
    }
}
