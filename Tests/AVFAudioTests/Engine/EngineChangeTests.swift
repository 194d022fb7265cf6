import AVFAudio
import Foundation
import Locks
import TestSupport
import Testing

/// Changes of a graph by several threads, while it is rendered.
@Suite("AVAudioEngine, changes while it renders", .limited)
struct EngineChangeTests {
    /// Ten thousand changes with AVFAUDIO_LONG_TESTS, a tenth of them otherwise.
    private static let changes = ProcessInfo.processInfo.environment["AVFAUDIO_LONG_TESTS"] == nil ? 1000 : 10_000

    @Test("E22, E108: random changes from four threads leave no glitch in what stays, and nothing behind")
    func changes() async throws {
        weak var gone: AVAudioEngine?
        do {
            let bench = try EngineBench()
            gone = bench.engine
            // All else is silent.
            let stays = bench.source(try EngineBench.format()) { channel, frame in
                channel == 0 ? Float(frame % 1000) / 1000 : 0
            }
            try bench.engine.start()
            let (errors, ended) = (Guarded(0), Guarded(false))
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                while !ended.withLock({ $0 }) {
                    let first = Int(bench.engine.manualRenderingSampleTime)
                    guard let left = try? bench.left(256, block: 256) else { continue }
                    let wrong = left.enumerated().count { $0.element != Float((first + $0.offset) % 1000) / 1000 }
                    errors.withLock { $0 += wrong }
                }
                done.signal()
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for thread in 0..<4 {
                    group.addTask { try Self.change(bench.engine, seed: UInt64(thread), Self.changes / 4) }
                }
                try await group.waitForAll()
            }
            ended.withLock { $0 = true }
            done.wait()
            #expect(errors.withLock { $0 } == 0)
            #expect(stays.engine === bench.engine)
        }
        try await waitUntil("the engine is freed") { gone == nil }
    }

    /// Changes what the thread itself has made.
    private static func change(_ engine: AVAudioEngine, seed: UInt64, _ count: Int) throws {
        var random = SeededGenerator(seed: seed)
        let (mixer, player, main) = (AVAudioMixerNode(), AVAudioPlayerNode(), engine.mainMixerNode)
        let formats = try [
            EngineBench.format(44_100, 2), EngineBench.format(22_050, 1), EngineBench.format(48_000, 2),
        ]
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: formats[1], frameCapacity: 64))
        buffer.frameLength = 64
        for node in [mixer, player] { engine.attach(node) }
        for _ in 0..<count {
            let format = formats[Int.random(in: 0..<3, using: &random)]
            switch Int.random(in: 0..<11, using: &random) {
            case 0: engine.connect(player, to: mixer, format: format)
            case 1: engine.connect(mixer, to: main, format: format)
            case 2: engine.disconnectNodeOutput(mixer)
            case 3:
                engine.detach(player)
                engine.attach(player)
            case 4: player.scheduleBuffer(buffer, at: nil, options: .loops)
            case 5: player.scheduleBuffer(buffer) { player.stop() }
            case 6: player.play()
            case 7: player.stop()
            case 8: try? mixer.installAudioTap(onBus: 0, bufferSize: 100, format: formats[1]) { _, _ in }
            case 9: mixer.removeTap(onBus: 0)
            default: player.pan = Float.random(in: -1...1, using: &random)
            }
        }
        for node in [mixer, player] { engine.detach(node) }
    }

    @Test("E8: an engine may go while another thread asks its node for it")
    func goesWhileAsked() async throws {
        let (node, ended, asked) = (AVAudioMixerNode(), Guarded(false), Guarded(false))
        Thread.detachNewThread {
            while !ended.withLock({ $0 }) { _ = node.numberOfInputs }
            asked.withLock { $0 = true }
        }
        Thread.detachNewThread {
            for _ in 0..<2000 { AVAudioEngine().attach(node) }
            ended.withLock { $0 = true }
        }
        try await waitUntil("both threads are done", timeout: hangLimit) { asked.withLock { $0 } }
        #expect(node.engine == nil)
    }

    @Test("E108: stop may be called by every handler and tap, while another thread renders")
    func stopsEverywhere() async throws {
        let lab = try PlayerBench()
        let (player, handled, ended) = (lab.player, Handled(), Guarded(false))
        player.installTap(onBus: 0, bufferSize: 64, format: nil) { _, _ in player.stop() }
        let bench = lab.bench
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            while !ended.withLock({ $0 }) { _ = try? bench.left(64) }
            done.signal()
        }
        let rounds = Self.changes / 5
        for _ in 0..<rounds {
            player.scheduleBuffer(try lab.buffer(1, 64)) {
                player.stop()
                handled.note("stopped")
            }
            player.play()
        }
        _ = try await handled.first(rounds)
        ended.withLock { $0 = true }
        done.wait()
        bench.engine.stop()
    }
}
