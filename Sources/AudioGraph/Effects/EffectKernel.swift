import Synchronization

// What all effects do on the render side, through `rt_call`.

/// Renders one block of an effect, or passes it on.
///
/// Where the effect is bypassed, or no more, the block is a fade from one to the other. A bypassed effect hears nothing,
/// and begins anew.
@_noLocks
func effectKernel(_ context: UnsafeMutableRawPointer) {
    let step = context.assumingMemoryBound(to: EffectStep.self)
    let (state, input, output) = (step.pointee.state, step.pointee.input, step.pointee.output)
    let frames = step.pointee.clock.pointee.frames
    output.becomeSound()
    let isBypassed = state.pointee.switches.pointee.isBypassed.load(ordering: .relaxed)
    let wasBypassed = state.pointee.isFresh ? isBypassed : state.pointee.isBypassed
    if isBypassed && wasBypassed {
        for channel in 0..<output.channelCount {
            copyFrames(input.channels[channel], to: output.channels[channel], frames)
        }
    } else {
        let isFresh = state.pointee.isFresh || wasBypassed
        switch state.pointee.kind {
        case .equalizer(let equalizer): renderEqualizer(equalizer, input, output, frames, isFresh: isFresh)
        case .delay(let delay): renderDelay(delay, input, output, frames, isFresh: isFresh)
        case .distortion(let distortion): renderDistortion(distortion, input, output, frames, isFresh: isFresh)
        case .reverb(let reverb): renderReverb(reverb, input, output, frames, isFresh: isFresh)
        }
        if isBypassed != wasBypassed { fade(input, output, frames, toInput: isBypassed) }
        if isBypassed { clearEffect(state) }
    }
    state.pointee.isBypassed = isBypassed
    state.pointee.isFresh = false
}

/// Forgets what an effect has heard.
@_noLocks
func clearEffect(_ state: UnsafeMutablePointer<EffectState>) {
    switch state.pointee.kind {
    case .equalizer(let equalizer): clearEqualizer(equalizer)
    case .delay(let delay): clearDelay(delay)
    case .distortion(let distortion): clearDistortion(distortion)
    case .reverb(let reverb): clearReverb(reverb)
    }
}

/// Fades between an effect's sound, which is in the output, and its input.
@_noLocks
private func fade(_ input: Samples, _ output: Samples, _ frames: Int, toInput: Bool) {
    for channel in 0..<output.channelCount {
        let (dry, block) = (input.channels[channel], output.channels[channel])
        for frame in 0..<frames {
            let part = Float(frame) / Float(frames)
            let amount = toInput ? part : 1 - part
            block[frame] += (dry[frame] - block[frame]) * amount
        }
    }
}

/// A number that moves from one value to another one within a block.
struct Ramp {
    let start: Double
    let step: Double

    /// A ramp whose first frame still has the old value; without frames to move in, it is at the new one.
    @_noLocks
    init(from old: Double, to new: Double, frames: Int, isFresh: Bool) {
        start = isFresh ? new : old
        step = isFresh || frames == 0 ? 0 : (new - old) / Double(frames)
    }

    subscript(frame: Int) -> Double {
        @_noLocks get { start + step * Double(frame) }
    }
}
