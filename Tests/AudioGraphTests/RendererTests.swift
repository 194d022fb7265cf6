import AudioGraph
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite(.limited) struct RendererTests {
    /// Ten thousand changes with AVFAUDIO_LONG_TESTS, a fifth of them otherwise.
    private static let changes = ProcessInfo.processInfo.environment["AVFAUDIO_LONG_TESTS"] == nil ? 2000 : 10_000

    @Test func changesFromFourThreadsLeaveNoGlitchInWhatStays() async throws {
        let alive = Counter()
        let threads = 4
        do {
            let renderer = Renderer()
            let stays = MixerInput()
            let output = MixerOutput()
            renderer.publish(program(stays, output, extra: 0, alive: alive))
            let rendering = Rendering(renderer)
            DispatchQueue.concurrentPerform(iterations: threads) { thread in
                var random = SeededGenerator(seed: UInt64(thread))
                for _ in 0..<Self.changes / threads {
                    let extra = Int.random(in: 0...3, using: &random)
                    renderer.publish(program(stays, output, extra: extra, alive: alive))
                    if extra == 0 { renderer.settle() }
                }
            }
            #expect(rendering.stop() == 0)
        }
        // The thread that rendered lets go of the renderer after its last call.
        try await waitUntil("all programs are freed") { alive.value == 0 }
    }

    @Test func programsAreFreedByTheControlSideAndNotByTheRenderSide() {
        let alive = Counter()
        let renderer = Renderer()
        renderer.publish(program(MixerInput(), MixerOutput(), extra: 0, alive: alive))
        _ = renderer.rendered(64, block: 64)
        // Nobody took the second one, so the third one's publication frees it.
        renderer.publish(program(MixerInput(), MixerOutput(), extra: 0, alive: alive))
        #expect(alive.value == 2)
        renderer.publish(program(MixerInput(), MixerOutput(), extra: 0, alive: alive))
        #expect(alive.value == 2)
        _ = renderer.rendered(64, block: 64)
        #expect(alive.value == 2, "freed on the render side")
        renderer.reclaim()
        #expect(alive.value == 1)
    }

    @Test func E136_aSourceIsNotCalledAfterTheGraphHasSettledWithoutIt() async throws {
        let renderer = Renderer()
        let rendering = Rendering(renderer)
        for _ in 0..<200 {
            let calls = Counter()
            renderer.publish(
                single { _, _, _ in
                    for _ in 0..<500 { _ = calls.value }
                    calls.add()
                    return false
                })
            try await waitUntil("the source is called") { calls.value > 0 }
            renderer.publish(single { _, _, _ in false })
            renderer.settle()
            let last = calls.value
            let position = renderer.position
            try await waitUntil("the sound goes on") { renderer.position > position + 256 }
            #expect(calls.value == last)
        }
        _ = rendering.stop()
    }

    @Test func aSourceMayChangeTheGraphItself() {
        let renderer = Renderer()
        renderer.publish(
            single { [weak renderer] _, _, _ in
                renderer?.publish(single(constant(0.5)))
                renderer?.settle()
                return false
            })
        #expect(renderer.rendered(8, block: 4, channels: 1) == [[0, 0, 0, 0, 0.5, 0.5, 0.5, 0.5]])
    }
}

/// A program of one mono source, not mixed.
private func single(_ block: @escaping SourceBlock) -> Program {
    var builder = ProgramBuilder(maximumFrames: 256)
    let bus = builder.addSource(channels: 1, block: block)
    return builder.finish(output: bus)
}

/// A saw in the left channel, which stays the same in all programs, and `extra` sources in the right one.
private func program(_ stays: MixerInput, _ output: MixerOutput, extra: Int, alive: Counter) -> Program {
    let token = Token(alive)
    var builder = ProgramBuilder(maximumFrames: 256)
    let saw = generated { channel, frame in
        withExtendedLifetime(token) { channel == 0 ? Rendering.saw(frame) : 0 }
    }
    var inputs = [ProgramBuilder.Connection(builder.addSource(channels: 2, block: saw), stays)]
    for _ in 0..<extra {
        let noise = builder.addSource(channels: 2, block: generated { channel, frame in Float(channel * frame % 7) })
        inputs.append(.init(noise, MixerInput()))
    }
    let bus = builder.addMixer(channels: 2, inputs: inputs, output: output)
    return builder.finish(output: bus)
}

/// A thread that renders without end, and compares the left channel with the saw.
private final class Rendering: Sendable {
    private let errors = Counter()
    private let isStopped = Atomic<Bool>(false)
    private let ended = DispatchSemaphore(value: 0)

    init(_ renderer: Renderer) {
        Thread.detachNewThread { [self] in
            while !isStopped.load(ordering: .acquiring) {
                let first = renderer.position
                let left = renderer.rendered(256, block: 256)[0]
                for (frame, sample) in left.enumerated() where sample != Self.saw(first + frame) { errors.add() }
            }
            ended.signal()
        }
    }

    static func saw(_ frame: Int) -> Float { Float(frame % 1000) / 1000 }

    /// Ends the thread, and returns the number of frames that were not the saw's.
    func stop() -> Int {
        isStopped.store(true, ordering: .releasing)
        ended.wait()
        return errors.value
    }
}
