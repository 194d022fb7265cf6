import AVFAudio
import Foundation
import Locks
import TestSupport
import Testing

/// Sinks, whose functions take what is rendered.
@Suite("AVAudioSinkNode", .limited)
struct SinkTests {
    /// What a sink was given, as interleaved samples.
    private final class Taken: Sendable {
        let samples = Guarded<[Float]>([])
        let times = Guarded<[Double]>([])

        /// A sink that notes what it is given.
        func sink<Sample: BinaryInteger & SendableMetatype>(_: Sample.Type) -> AVAudioSinkNode {
            sink { (sample: Sample) in Float(sample) }
        }

        func sink<Sample: SendableMetatype>(_ value: @escaping @Sendable (Sample) -> Float) -> AVAudioSinkNode {
            AVAudioSinkNode { [self] stamp, frames, list in
                let buffers = UnsafeMutableAudioBufferListPointer(UnsafeMutablePointer(mutating: list))
                times.withLock { $0.append(stamp.pointee.mSampleTime) }
                let blocks = buffers.map { UnsafeMutableBufferPointer<Sample>($0).map(value) }
                samples.withLock { samples in
                    let perFrame = (blocks.first?.count ?? 0) / Int(frames)
                    for frame in 0..<Int(frames) {
                        for block in blocks { samples += block[frame * perFrame..<(frame + 1) * perFrame] }
                    }
                }
                return noErr
            }
        }
    }

    @Test("E9, E137, E138: a sink below the input node is a whole graph, and gets each frame once, with its time")
    func input() throws {
        let engine = AVAudioEngine()
        let format = try EngineBench.format(44_100, 2)
        try engine.enableManualRenderingMode(.offline, format: format, maximumFrameCount: 4096)
        let source = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 4096))
        let sent = UncheckedBox(source)
        #expect(
            engine.inputNode.setManualRenderingInputPCMFormat(format) { frames in
                sent.value.frameLength = frames
                sent.value.fill((0..<2 * Int(frames)).map { Float($0) / 1000 })
                return sent.value.audioBufferList
            })
        let taken = Taken()
        let sink = taken.sink { (sample: Float) in sample }
        engine.attach(sink)
        engine.connect(engine.inputNode, to: sink, format: format)
        #expect(sink.numberOfInputs == 1 && sink.numberOfOutputs == 0)
        let tapped = EngineBench.code { try sink.installAudioTap(onBus: 0, bufferSize: 1, format: nil) { _, _ in } }
        #expect(tapped == -10877)
        try engine.start()
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 4096))
        for frames in [100, 300] as [UInt32] { #expect(try engine.renderOffline(frames, to: buffer) == .success) }
        let expected = [200, 600].flatMap { (count: Int) -> [Float] in (0..<count).map { Float($0) / 1000 } }
        #expect(taken.samples.withLock { $0 } == expected)
        #expect(taken.times.withLock { $0 } == [0, 100])
        #expect(sink.lastRenderTime?.sampleTime == 100)
        engine.detach(sink)
        #expect(try engine.renderOffline(10, to: buffer) == .success)
        #expect(taken.times.withLock { $0.count } == 2)
    }

    @Test("a sink gets the format of its connection, and its node is heard as well")
    func format() throws {
        let bench = try EngineBench(channels: 1)
        let engine = bench.engine
        let int16 = try #require(
            AVAudioFormat(commonFormat: .pcmFormatInt16, sampleRate: 44_100, channels: 2, interleaved: true))
        let mixer = AVAudioMixerNode()
        let taken = Taken()
        let sink = taken.sink(Int16.self)
        for node in [mixer, sink] as [AVAudioNode] { engine.attach(node) }
        let source = EngineBench.node { channel, _ in channel == 0 ? 0.25 : -0.5 }
        engine.attach(source)
        engine.connect(source, to: mixer, format: try EngineBench.format(44_100, 2))
        let points = [(engine.mainMixerNode, 0), (sink, 0)] as [(AVAudioNode, Int)]
        engine.connect(
            mixer, to: points.map { AVAudioConnectionPoint(node: $0.0, bus: $0.1) }, fromBus: 0, format: int16)
        try engine.start()
        #expect(try bench.left(50).allSatisfy { $0 != 0 })
        #expect(taken.samples.withLock { $0 } == (0..<100).map { $0 % 2 == 0 ? 8192 : -16_384 })
    }
}
