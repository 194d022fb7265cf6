import AVFAudio
import Locks
import TestSupport
import Testing

/// The input node in manual rendering, and the realtime mode.
@Suite("AVAudioEngine, manual input and realtime mode", .limited)
struct EngineInputTests {
    /// An input of a saw, in Int16, which has frames up to a position.
    private final class Input: Sendable {
        let asked = Guarded<[Int]>([])
        private let list: UInt
        private let frames: Int

        init(frames: Int) {
            self.frames = frames
            let list = AudioBufferList.allocate(maximumBuffers: 1)
            let memory = UnsafeMutablePointer<Int16>.allocate(capacity: 4096)
            list[0] = AudioBuffer(mNumberChannels: 1, mDataByteSize: 0, mData: memory)
            self.list = UInt(bitPattern: list.unsafeMutablePointer)
        }

        deinit {
            guard let list = UnsafeMutablePointer<AudioBufferList>(bitPattern: list) else { return }
            free(list.pointee.mBuffers.mData)
            free(list)
        }

        func next(_ wanted: Int) -> UnsafePointer<AudioBufferList>? {
            let start = asked.withLock { asked in
                defer { asked.append(wanted) }
                return asked.reduce(0, +)
            }
            guard start < frames, let list = UnsafeMutablePointer<AudioBufferList>(bitPattern: list) else { return nil }
            let count = min(wanted, frames - start)
            list.pointee.mBuffers.mDataByteSize = UInt32(2 * count)
            let samples = list.pointee.mBuffers.mData?.assumingMemoryBound(to: Int16.self)
            for frame in 0..<count { samples?[frame] = Int16(start + frame) }
            return UnsafePointer(list)
        }
    }

    private func int16() throws -> AVAudioFormat {
        try #require(AVAudioFormat(commonFormat: .pcmFormatInt16, sampleRate: 44_100, channels: 1, interleaved: true))
    }

    @Test("E146, E147: the block is called once a rendering, and too few frames are told while all else is rendered")
    func input() throws {
        let bench = try EngineBench(channels: 1)
        let (engine, input) = (bench.engine, Input(frames: 250))
        let node = engine.inputNode
        #expect(node.setManualRenderingInputPCMFormat(try int16()) { input.next(Int($0)) })
        #expect(node.inputFormat(forBus: 0) == (try int16()) && node.outputFormat(forBus: 0).isStandard)
        bench.source(try EngineBench.format(44_100, 1)) { _, _ in 1 }
        try engine.start()
        #expect(try bench.left(100) == values(1, 100))
        #expect(input.asked.withLock { $0.isEmpty })
        engine.connect(node, to: engine.mainMixerNode, format: nil)
        let first = try bench.left(200, block: 100)
        let expected = (0..<200).map { (frame: Int) -> Float in Float(frame) / 32_768 + 1 }
        #expect(first == expected)
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: engine.manualRenderingFormat, frameCapacity: 100))
        for _ in 0..<2 {
            #expect(try engine.renderOffline(100, to: buffer) == .insufficientDataFromInputNode)
            #expect(buffer.frames(Float.self) == values(1, 100))
        }
        #expect(input.asked.withLock { $0 } == [100, 100, 100, 100])
        #expect(!node.setManualRenderingInputPCMFormat(try int16()) { _ in nil })
        engine.disconnectNodeOutput(node)
        #expect(try engine.renderOffline(100, to: buffer) == .success)
    }

    @Test("E147: the input is forgotten with the mode, and needs the mode, a stopped engine and a common format")
    func forgotten() throws {
        let bench = try EngineBench(channels: 1)
        let (engine, input) = (bench.engine, Input(frames: 1000))
        let node = engine.inputNode
        #expect(!AVAudioEngine().inputNode.setManualRenderingInputPCMFormat(try int16()) { _ in nil })
        #expect(!node.setManualRenderingInputPCMFormat(AVAudioEngine().manualRenderingFormat) { _ in nil })
        #expect(node.setManualRenderingInputPCMFormat(try int16()) { input.next(Int($0)) })
        engine.connect(node, to: engine.mainMixerNode, format: try EngineBench.format(44_100, 1))
        node.installTap(onBus: 0, bufferSize: 10, format: nil) { _, _ in }
        engine.disableManualRenderingMode()
        try engine.enableManualRenderingMode(
            .offline, format: try EngineBench.format(44_100, 1), maximumFrameCount: 100)
        try engine.start()
        #expect(try bench.left(100) == zeros(100))
        #expect(input.asked.withLock { $0.isEmpty })
        // E78: its tap has gone too.
        try node.installAudioTap(onBus: 0, bufferSize: 10, format: nil) { _, _ in }
    }

    @Test("E148: the block renders into the app's memory or the engine's, and tells its errors by code")
    func block() throws {
        for mode in [AVAudioEngineManualRenderingMode.offline, .realtime] {
            let engine = AVAudioEngine()
            let block = engine.manualRenderingBlock
            let list = AudioBufferList.allocate(maximumBuffers: 2)
            defer { free(list.unsafeMutablePointer) }
            func render(_ frames: UInt32) -> (AVAudioEngineManualRenderingStatus, OSStatus) {
                var error: OSStatus = 1
                let status = block(frames, list.unsafeMutablePointer, &error)
                return (status, error)
            }
            #expect(render(10) == (.error, -80800))
            try engine.enableManualRenderingMode(mode, format: try EngineBench.format(), maximumFrameCount: 5000)
            engine.connect(
                EngineBench.node { Float($1) + Float($0) / 2 }, to: engine.mainMixerNode,
                format: try EngineBench.format())
            #expect(render(10) == (.error, -80802))
            try engine.start()
            #expect(render(5001) == (.error, -50))
            #expect(render(5000) == (.success, 0))
            #expect(list[0].mDataByteSize == 20_000 && list[1].mNumberChannels == 1)
            let right = UnsafeMutableBufferPointer<Float>(list[1])
            #expect(right.count == 5000 && right[4999] == 4999.5)
            // The memory of the last call has room for as many frames, and no more.
            list[0].mDataByteSize = 39
            #expect(render(10) == (.error, -50))
            list[0].mDataByteSize = 40
            #expect(render(10) == (.success, 0))
            #expect(UnsafeMutableBufferPointer<Float>(list[0])[9] == 5009 && engine.manualRenderingSampleTime == 5010)
        }
    }

    @Test("E144, E148: in realtime mode renderOffline throws, and a block inside of a block does nothing")
    func realtimeOnly() throws {
        let engine = AVAudioEngine()
        try engine.enableManualRenderingMode(.realtime, format: try EngineBench.format(), maximumFrameCount: 64)
        let block = engine.manualRenderingBlock
        let (statuses, list) = (Guarded<[Int]>([]), AudioBufferList.allocate(maximumBuffers: 2))
        defer { free(list.unsafeMutablePointer) }
        let source = AVAudioSourceNode { [weak engine] _, _, _, data in
            let status = engine?.manualRenderingBlock(4, data, nil)
            statuses.withLock { $0.append(status?.rawValue ?? 99) }
            return noErr
        }
        engine.connect(source, to: engine.mainMixerNode, format: try EngineBench.format())
        try engine.start()
        let buffer = try #require(
            AVAudioPCMBuffer(pcmFormat: engine.manualRenderingFormat, frameCapacity: 64))
        #expect(EngineBench.code { _ = try engine.renderOffline(64, to: buffer) } == -80800)
        #expect(block(64, list.unsafeMutablePointer, nil) == .success)
        #expect(statuses.withLock { $0 } == [2])
        engine.stop()
    }

    @Test("E151: in realtime mode players, files and taps work beside the blocks, and completions come")
    func realtime() async throws {
        let engine = AVAudioEngine()
        let mono = try EngineBench.format(44_100, 1)
        try engine.enableManualRenderingMode(.realtime, format: mono, maximumFrameCount: 512)
        let (player, handled, tapped) = (AVAudioPlayerNode(), Handled(), Handled())
        engine.connect(player, to: engine.mainMixerNode, format: mono)
        player.installTap(onBus: 0, bufferSize: 512, format: nil) { _, _ in tapped.note("tap") }
        let lab = try PlayerBench(starts: false)
        let folder = try FileFolder()
        let sound = (0..<200_000).map { Float($0 % 1001 + 1) / 2000 }
        let file = try AVAudioFile(forReading: try lab.file(folder, sound))
        try engine.start()
        player.scheduleFile(file, at: nil) { handled.note("file") }
        player.scheduleBuffer(try lab.buffer(0.5, 100)) { handled.note("buffer") }
        player.play()
        let (block, list) = (engine.manualRenderingBlock, AudioBufferList.allocate(maximumBuffers: 1))
        defer { free(list.unsafeMutablePointer) }
        var rendered: [Float] = []
        while rendered.count < 200_704 {
            list[0].mData = nil
            guard block(512, list.unsafeMutablePointer, nil) == .success else { continue }
            rendered += UnsafeMutableBufferPointer<Float>(list[0])
            // Reading ahead goes by real time, and this loop is faster.
            let taps = rendered.count / 512
            guard taps % 32 == 0 else { continue }
            try await waitUntil("the tap has kept up") { tapped.all.count >= taps }
        }
        #expect(rendered == sound + values(0.5, 100) + zeros(604))
        #expect(try await handled.first(2) == ["file", "buffer"])
        player.scheduleBuffer(try lab.buffer(0.5, 100)) { handled.note("stopped") }
        player.stop()
        #expect(try await handled.first(3).last == "stopped")
        engine.stop()
    }
}
