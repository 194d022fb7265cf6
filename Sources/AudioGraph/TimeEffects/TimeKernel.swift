// What time effects do on the render side, through `rt_call`.

/// Adds a block of the inner program to the input.
@_noLocks
func takeInput(_ context: UnsafeMutableRawPointer) {
    let step = context.assumingMemoryBound(to: TimeStep.self)
    let (state, frames) = (step.pointee.state, step.pointee.frames)
    if state.pointee.pulled &- state.pointee.inputStart &+ frames > state.pointee.capacity {
        let start = state.pointee.whole &- state.pointee.kept
        let unneeded = start &- state.pointee.inputStart
        moveFrames(state.pointee.input, from: unneeded, state.pointee.pulled &- start)
        state.pointee.inputStart = start
    }
    let place = state.pointee.pulled &- state.pointee.inputStart
    let sound = step.pointee.inner.pointee.output
    for channel in 0..<state.pointee.input.channelCount {
        copyFrames(sound.channels[channel], to: state.pointee.input.channels[channel] + place, frames)
    }
    state.pointee.pulled &+= frames
}

/// Moves frames to the beginning of their memory.
@_noLocks
func moveFrames(_ samples: Samples, from first: Int, _ count: Int) {
    for channel in 0..<samples.channelCount {
        let start = UnsafeMutableRawPointer(samples.channels[channel])
        start.copyMemory(
            from: start + first &* MemoryLayout<Float>.stride, byteCount: count &* MemoryLayout<Float>.stride)
    }
}

/// Renders the next chunk of output frames.
@_noLocks
func timeKernel(_ context: UnsafeMutableRawPointer) {
    let step = context.assumingMemoryBound(to: TimeStep.self)
    let state = step.pointee.state
    if state.pointee.isFresh {
        state.pointee.isFresh = false
        state.pointee.plain = state.pointee.wantsPlain ? state.pointee.fade : 0
        if !state.pointee.wantsPlain { beginStretch(state) }
    }
    var frame = 0
    while frame < step.pointee.frames {
        if state.pointee.plain == state.pointee.fade {
            if state.pointee.wantsPlain { return copyPlain(step, from: frame) }
            beginStretch(state)
        }
        renderFrame(step, step.pointee.offset &+ frame)
        state.pointee.plain = max(0, state.pointee.plain &+ (state.pointee.wantsPlain ? 1 : -1))
        frame &+= 1
    }
}

/// Copies the delayed input to the rest of the chunk.
@_noLocks
private func copyPlain(_ step: UnsafeMutablePointer<TimeStep>, from frame: Int) {
    let state = step.pointee.state
    let count = step.pointee.frames &- frame
    let first = state.pointee.whole &- state.pointee.delay &- state.pointee.inputStart
    for channel in 0..<step.pointee.output.channelCount {
        copyFrames(
            state.pointee.input.channels[channel] + first,
            to: step.pointee.output.channels[channel] + step.pointee.offset + frame, count)
    }
    state.pointee.advance(count)
}

/// Gives one frame of changed sound, or of a fade.
@_noLocks
private func renderFrame(_ step: UnsafeMutablePointer<TimeStep>, _ place: Int) {
    let state = step.pointee.state
    let stretch = state.pointee.stretch
    if let stretch {
        while stretch.pointee.end <= stretch.pointee.whole { makePiece(stretch, state) }
    }
    let now = state.pointee.whole &- state.pointee.delay &- state.pointee.inputStart
    let unchanged = Float(state.pointee.plain) / Float(state.pointee.fade)
    for channel in 0..<step.pointee.output.channelCount {
        let input = state.pointee.input.channels[channel] + now
        var value: Float
        if let stretch {
            let middle = stretch.pointee.whole &- InterpolatorTable.delay &- stretch.pointee.start
            value = state.pointee.interpolator.value(
                at: stretch.pointee.sound.channels[channel] + middle, fraction: stretch.pointee.fraction)
        } else {
            value = state.pointee.interpolator.value(at: input, fraction: state.pointee.fraction)
        }
        if state.pointee.plain > 0 { value += (input.pointee - value) * unchanged }
        step.pointee.output.channels[channel][place] = value
    }
    stretch?.pointee.advance()
    state.pointee.advance(1)
}

/// Begins a stretch at the place of the unchanged sound.
@_noLocks
private func beginStretch(_ state: UnsafeMutablePointer<TimeState>) {
    guard let stretch = state.pointee.stretch else { return }
    let before = 2 &* InterpolatorTable.delay
    let first = state.pointee.whole &- stretch.pointee.lengths.delay &- before &- state.pointee.inputStart
    for channel in 0..<stretch.pointee.sound.channelCount {
        copyFrames(state.pointee.input.channels[channel] + first, to: stretch.pointee.sound.channels[channel], before)
    }
    (stretch.pointee.start, stretch.pointee.end) = (0, before)
    (stretch.pointee.whole, stretch.pointee.fraction) = (before, 0)
    stretch.pointee.hasTail = false
}
