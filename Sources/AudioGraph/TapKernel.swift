import Synchronization

// What a tap does on the render side, through `rt_call`.

/// One tap, as the kernel reads it.
struct TapStep {
    let state: UnsafeMutablePointer<TapState>
    let samples: Samples
    let clock: UnsafeMutablePointer<RenderClock>
}

/// Writes one block, if there is room for all of it.
///
/// After a gap nothing is written until all that waits was read, so that what waits has no gap.
@_noLocks
func tapKernel(_ context: UnsafeMutableRawPointer) {
    let step = context.assumingMemoryBound(to: TapStep.self)
    let state = step.pointee.state
    let frames = step.pointee.clock.pointee.frames
    let written = state.pointee.written.load(ordering: .relaxed)
    let waiting = written &- state.pointee.read.load(ordering: .acquiring)
    let offset = step.pointee.clock.pointee.position &- written
    if offset != state.pointee.offset.load(ordering: .relaxed) {
        guard waiting == 0 else { return }
        state.pointee.offset.store(offset, ordering: .relaxed)
    }
    guard waiting &+ frames <= state.pointee.capacity else { return }
    let start = written % state.pointee.capacity
    let first = min(frames, state.pointee.capacity &- start)
    for channel in 0..<min(state.pointee.channels, step.pointee.samples.channelCount) {
        let target = state.pointee.samples + channel &* state.pointee.capacity
        let source = step.pointee.samples.channels[channel]
        copyFrames(source, to: target + start, first)
        copyFrames(source + first, to: target, frames &- first)
    }
    state.pointee.written.store(written &+ frames, ordering: .releasing)
}
