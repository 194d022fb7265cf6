import AVFAudio
import Foundation
import Locks
import TestSupport
import Testing

/// What becomes of players in the realtime mode, whose blocks leave work to others.
@Suite("AVAudioEngine, players in realtime mode", .limited)
struct EngineRealtimeTests {
    @Test("E35, E108: the engine may be stopped by a function that it calls, and its players' handlers are called")
    func stopsInside() async throws {
        let lab = try RealtimeBench()
        let (engine, handled) = (lab.engine, lab.handled)
        let source = AVAudioSourceNode { [weak engine] _, _, _, _ in
            engine?.stop()
            return -1
        }
        engine.connect(source, to: engine.mainMixerNode, format: lab.format)
        lab.player.scheduleBuffer(try lab.buffer(1, 640)) { handled.note("dropped") }
        lab.player.play()
        #expect(lab.block(64) == values(1, 64))
        #expect(try await handled.first(1) == ["dropped"])
        #expect(!engine.isRunning && !lab.player.isPlaying)
    }

    @Test("E110: stop calls the handler of a sound that was rendered a moment ago and waits to be heard")
    func unheard() async throws {
        let lab = try RealtimeBench()
        let handled = lab.handled
        lab.player.scheduleBuffer(try lab.buffer(1, 64), completionCallbackType: .dataPlayedBack) { _ in
            handled.note("unheard")
        }
        lab.player.play()
        #expect(lab.block(64) == values(1, 64))
        lab.player.stop()
        #expect(try await handled.first(1) == ["unheard"])
    }

    @Test("a sound that was rendered a moment ago does not begin again when the player is connected anew")
    func connectedAnew() async throws {
        let lab = try RealtimeBench()
        let (engine, handled) = (lab.engine, lab.handled)
        lab.player.scheduleBuffer(try lab.buffer(1, 64)) { handled.note("played") }
        lab.player.play()
        #expect(lab.block(64) == values(1, 64))
        engine.connect(lab.player, to: engine.mainMixerNode, format: try EngineBench.format(44_100, 2))
        lab.player.play()
        #expect(lab.block(64) == zeros(64))
        #expect(try await handled.first(1) == ["played"])
    }

    @Test("stopped sounds do not come back when the player is connected anew")
    func stoppedAndConnected() async throws {
        let lab = try PlayerBench()
        let (engine, player) = (lab.bench.engine, lab.player)
        let stereo = try EngineBench.format(44_100, 2)
        let isDone = Guarded(false)
        // Called in the middle of a block, when no player can carry out a command.
        let source = AVAudioSourceNode { [weak engine] _, _, _, _ in
            guard let engine, !isDone.withLock({ $0 }) else { return -1 }
            isDone.withLock { $0 = true }
            player.stop()
            engine.connect(player, to: engine.mainMixerNode, format: stereo)
            player.play()
            return -1
        }
        engine.connect(source, to: engine.mainMixerNode, format: lab.format)
        player.scheduleBuffer(try lab.buffer(1, 640), completionHandler: lab.note("dropped"))
        player.play()
        _ = try lab.rendered(64)
        #expect(try lab.rendered(64) == zeros(64))
        #expect(try await lab.handled.first(1) == ["dropped"])
    }

    @Test("a buffer's memory may reset the engine when it is given back, also by stop")
    func resetByMemory() async throws {
        let lab = try PlayerBench()
        let (player, handled) = (lab.player, lab.handled)
        try Self.schedule(in: lab)
        player.play()
        Thread.detachNewThread {
            player.stop()
            handled.note("stopped")
        }
        #expect(Set(try await handled.first(2)) == ["given back", "stopped"])
        #expect(lab.bench.engine.isRunning)
    }

    /// Schedules a buffer that only the player has then.
    private static func schedule(in lab: PlayerBench) throws {
        let list = AudioBufferList.allocate(maximumBuffers: 1)
        let samples = UnsafeMutablePointer<Float>.allocate(capacity: 64)
        samples.initialize(repeating: 1, count: 64)
        list[0] = AudioBuffer(mNumberChannels: 1, mDataByteSize: 256, mData: samples)
        let (engine, handled) = (lab.bench.engine, lab.handled)
        let buffer = AVAudioPCMBuffer(
            pcmFormat: lab.format, bufferListNoCopy: list.unsafePointer,
            deallocator: { [weak engine] given in
                engine?.reset()
                free(given.pointee.mBuffers.mData)
                handled.note("given back")
            })
        free(list.unsafeMutablePointer)
        lab.player.scheduleBuffer(try #require(buffer))
    }

    @Test("E148: the memory that a list got from the engine stays the engine's after a reset")
    func memory() throws {
        let lab = try RealtimeBench()
        _ = lab.block(64)
        let before = lab.memory
        lab.engine.reset()
        _ = lab.block(64)
        #expect(before != nil && lab.memory == before)
    }
}

/// A player node in the realtime mode, in mono.
final class RealtimeBench {
    let engine = AVAudioEngine()
    let player = AVAudioPlayerNode()
    let format: AVAudioFormat
    let handled = Handled()
    private let list = AudioBufferList.allocate(maximumBuffers: 1)

    init() throws {
        format = try EngineBench.format(44_100, 1)
        try engine.enableManualRenderingMode(.realtime, format: format, maximumFrameCount: 512)
        engine.connect(player, to: engine.mainMixerNode, format: format)
        try engine.start()
    }

    deinit { free(list.unsafeMutablePointer) }

    /// The memory of the newest block.
    var memory: UnsafeMutableRawPointer? { list[0].mData }

    func buffer(_ value: Float, _ frames: Int) throws -> AVAudioPCMBuffer { try buffer(values(value, frames)) }

    func buffer(_ samples: [Float]) throws -> AVAudioPCMBuffer {
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: UInt32(samples.count)))
        buffer.fill(samples)
        return buffer
    }

    /// The next block, which is asked for until no other thread changes the engine.
    func block(_ frames: Int) -> [Float] {
        let render = engine.manualRenderingBlock
        var status = AVAudioEngineManualRenderingStatus.cannotDoInCurrentContext
        while status == .cannotDoInCurrentContext {
            list[0].mData = nil
            status = render(AVAudioFrameCount(frames), list.unsafeMutablePointer, nil)
        }
        #expect(status == .success)
        return Array(UnsafeMutableBufferPointer<Float>(list[0]))
    }
}
