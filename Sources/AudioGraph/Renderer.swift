internal import Glibc
import Synchronization

/// The part of a ``Renderer`` that both sides reach.
struct RendererState: ~Copyable {
    /// The newest program, until the render side takes it.
    let pending = Atomic<UnsafeMutablePointer<ProgramState>?>(nil)
    /// The programs that the render side has left, linked by `nextRetired`.
    let retired = Atomic<UnsafeMutablePointer<ProgramState>?>(nil)
    /// Grows by one when a call of `render` begins, and by one when it ends: odd means that one runs.
    let calls = Atomic<Int>(0)
    /// The thread that renders; 0 between calls.
    let thread = Atomic<UInt>(0)
    let position = Atomic<Int>(0)
}

/// Runs the newest program of a graph.
///
/// Two sides share a renderer. The render side is one thread at a time: it takes a new program at the start of a call,
/// by one exchange, and neither locks, allocates nor frees. The control side, any thread, publishes programs and frees
/// those that the render side has left.
// SAFETY: `state` has atomics only; `current` belongs to the render side; the control side frees what it took by an
// exchange, which only one thread gets.
package final class Renderer: @unchecked Sendable {
    private let state: UnsafeMutablePointer<RendererState>
    private let waiters = BlockWaiters()
    private var current: UnsafeMutablePointer<ProgramState>?

    /// Creates a renderer without a program, which renders silence.
    package init() {
        state = .allocate(capacity: 1)
        state.initialize(to: RendererState())
    }

    deinit {
        current?.pointee.owner?.release()
        state.pointee.pending.exchange(nil, ordering: .acquiring)?.pointee.owner?.release()
        reclaim()
        state.deinitialize(count: 1)
        state.deallocate()
    }

    // MARK: Control side

    /// Frames rendered since the renderer was made.
    package var position: Int { state.pointee.position.load(ordering: .acquiring) }

    /// Whether the calling thread is rendering now.
    private var isRenderingHere: Bool { state.pointee.thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Makes `program` the one that the next call of `render` runs, and frees programs that were left.
    ///
    /// Freeing releases what sources have captured, an app's objects among it. Who holds a lock that these may want
    /// passes false, and calls ``reclaim()`` afterwards.
    ///
    /// A program is published once. Sources of an earlier program may still run in a call that has begun:
    /// ``settle()`` waits for its end.
    package func publish(_ program: Program, reclaims: Bool = true) {
        precondition(program.state.pointee.owner == nil, "a program is published once")
        // SAFETY: balanced by the release in `reclaim`, below, or in `deinit`.
        program.state.pointee.owner = Unmanaged.passRetained(program)
        let untaken = state.pointee.pending.exchange(program.state, ordering: .sequentiallyConsistent)
        if let untaken { retire(untaken) }
        if reclaims { reclaim() }
    }

    /// Waits until a call of `render` that runs now has ended; then sources of replaced programs run no more.
    ///
    /// Returns at once between calls, and within a call on the render side itself: a source may change the graph.
    package func settle() {
        let call = state.pointee.calls.load(ordering: .sequentiallyConsistent)
        guard call % 2 == 1, !isRenderingHere else { return }
        let hasEnded = { [state] in state.pointee.calls.load(ordering: .sequentiallyConsistent) != call }
        while !hasEnded() { waiters.wait(unless: hasEnded) }
    }

    /// Frees the programs that the render side has left.
    package func reclaim() {
        var next = state.pointee.retired.exchange(nil, ordering: .acquiring)
        while let left = next {
            next = left.pointee.nextRetired
            left.pointee.owner?.release()
        }
    }

    // MARK: Render side

    /// Writes the next `frames` frames to `channels` blocks.
    ///
    /// Calls follow each other, never overlap. Channels that the program does not have are silent.
    package func render(into output: UnsafePointer<UnsafeMutablePointer<Float>>, channels: Int, frames: Int) {
        state.pointee.thread.store(UInt(pthread_self()), ordering: .relaxed)
        _ = state.pointee.calls.wrappingAdd(1, ordering: .sequentiallyConsistent)
        takeProgram()
        var done = 0
        let first = state.pointee.position.load(ordering: .relaxed)
        while done < frames {
            let count = min(frames - done, current?.pointee.maximumFrames ?? frames)
            if let current { ProgramState.render(current, frames: count, position: first + done) }
            copy(to: output, channels: channels, offset: done, frames: count)
            done += count
        }
        state.pointee.position.store(first + frames, ordering: .releasing)
        state.pointee.thread.store(0, ordering: .relaxed)
        _ = state.pointee.calls.wrappingAdd(1, ordering: .sequentiallyConsistent)
        waiters.signal()
    }

    /// Leaves the program of the last call; until another one is published, silence is rendered.
    ///
    /// The caller sees to it that no call of `render` runs.
    package func leave() {
        guard let left = current else { return }
        current = nil
        retire(left)
    }

    private func takeProgram() {
        guard let newest = state.pointee.pending.exchange(nil, ordering: .sequentiallyConsistent) else { return }
        if let left = current { retire(left) }
        current = newest
    }

    /// Puts a program on the list of those that the control side frees.
    ///
    /// The control side only ever takes the whole list, or adds one program when it publishes: an attempt can fail only
    /// as often as that happens meanwhile.
    private func retire(_ left: UnsafeMutablePointer<ProgramState>) {
        var head = state.pointee.retired.load(ordering: .relaxed)
        while true {
            left.pointee.nextRetired = head
            let (exchanged, original) = state.pointee.retired.compareExchange(
                expected: head, desired: left, ordering: .releasing)
            if exchanged { return }
            head = original
        }
    }

    private func copy(
        to output: UnsafePointer<UnsafeMutablePointer<Float>>, channels: Int, offset: Int, frames: Int
    ) {
        for channel in 0..<channels {
            let block = output[channel] + offset
            if let samples = current?.pointee.output, channel < samples.channelCount {
                block.update(from: samples.channels[channel], count: frames)
            } else {
                block.update(repeating: 0, count: frames)
            }
        }
    }
}
