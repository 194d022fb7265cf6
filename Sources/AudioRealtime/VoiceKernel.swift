import Synchronization

// The part of the render function that concerns one voice. All of it runs on the sound thread.

typealias VoicePointer = UnsafeMutablePointer<VoiceState>

/// Reads up to `frames` frames of the voice and adds them to `output`, which has `state.outputs` interleaved channels.
@_noLocks
func mixVoice(_ state: VoicePointer, into output: UnsafeMutablePointer<Float>, frames: Int) {
    takeCommands(state)
    let isMetering = state.pointee.isMetering.load(ordering: .relaxed)
    if isMetering { state.pointee.levels.begin() }

    var done = 0
    while done < frames {
        let count = state.pointee.ring.contiguousFrames(limit: frames &- done)
        if count == 0 { break }
        let source = state.pointee.ring.readPointer().assumingMemoryBound(to: Float.self)
        if isMetering { state.pointee.levels.measure(source, frames: count, gain: state.pointee.gain) }
        mixSegment(state, source, frames: count, into: output + done &* state.pointee.outputs)
        _ = state.pointee.ring.skip(frames: count)
        done &+= count
    }

    if done < frames && !state.pointee.isEnded.load(ordering: .acquiring) {
        _ = state.pointee.framesStarved.wrappingAdd(frames &- done, ordering: .relaxed)
    }
    if isMetering && done > 0 {
        state.pointee.levels.publish(end: state.pointee.ring.framesRead(), frames: done)
    }
    state.pointee.currentGain.store(state.pointee.gain.value.bitPattern, ordering: .releasing)
}

/// Starts what other threads have asked for since the last call.
@_noLocks
func takeCommands(_ state: VoicePointer) {
    if state.pointee.pendingGain.load(ordering: .relaxed) != VoiceState.none {
        let command = state.pointee.pendingGain.exchange(VoiceState.none, ordering: .acquiring)
        let target = Float(bitPattern: UInt32(truncatingIfNeeded: command &>> 32))
        state.pointee.gain.move(to: target, frames: Int(UInt32(truncatingIfNeeded: command)))
        state.pointee.currentGain.store(state.pointee.gain.value.bitPattern, ordering: .releasing)
    }
    if state.pointee.pendingPan.load(ordering: .relaxed) != VoiceState.none {
        let command = state.pointee.pendingPan.exchange(VoiceState.none, ordering: .acquiring)
        // Nothing was heard yet: nothing can click.
        let frames = state.pointee.ring.framesRead() == 0 ? 0 : VoiceState.panRampFrames
        state.pointee.left.move(to: Float(bitPattern: UInt32(truncatingIfNeeded: command &>> 32)), frames: frames)
        state.pointee.right.move(to: Float(bitPattern: UInt32(truncatingIfNeeded: command)), frames: frames)
    }
}

/// Jumps to the end of all ramps.
@_noLocks
func finishRamps(_ state: VoicePointer) {
    state.pointee.gain.move(to: state.pointee.gain.target, frames: 0)
    state.pointee.left.move(to: state.pointee.left.target, frames: 0)
    state.pointee.right.move(to: state.pointee.right.target, frames: 0)
    state.pointee.currentGain.store(state.pointee.gain.value.bitPattern, ordering: .releasing)
}

/// Moves all ramps on, or back if `frames` is negative.
@_noLocks
func advanceRamps(_ state: VoicePointer, frames: Int) {
    state.pointee.gain.advance(frames: frames)
    state.pointee.left.advance(frames: frames)
    state.pointee.right.advance(frames: frames)
}

/// Adds frames that lie in one piece: first the part where gain or pan still move, then the steady rest.
@_noLocks
private func mixSegment(
    _ state: VoicePointer, _ source: UnsafePointer<Float>, frames: Int, into output: UnsafeMutablePointer<Float>
) {
    // In pairs: `max` of three would put its arguments into an array.
    let longest = max(state.pointee.gain.remaining, max(state.pointee.left.remaining, state.pointee.right.remaining))
    let moving = min(longest, frames)
    if moving > 0 { mixMoving(state, source, frames: moving, into: output) }
    if moving < frames {
        mixSteady(
            state, source + moving &* state.pointee.channels, frames: frames &- moving,
            into: output + moving &* state.pointee.outputs)
    }
}

@_noLocks
private func mixMoving(
    _ state: VoicePointer, _ source: UnsafePointer<Float>, frames: Int, into output: UnsafeMutablePointer<Float>
) {
    let channels = state.pointee.channels
    let outputs = state.pointee.outputs
    let coefficients = state.pointee.coefficients
    for frame in 0..<frames {
        let gain = state.pointee.gain.next()
        _ = state.pointee.left.next()
        _ = state.pointee.right.next()
        for channel in 0..<outputs {
            var sum: Float = 0
            for input in 0..<channels {
                sum += source[frame &* channels &+ input] * coefficients[channel &* channels &+ input]
            }
            output[frame &* outputs &+ channel] += sum * (gain * state.pointee.panGain(channel))
        }
    }
}

@_noLocks
private func mixSteady(
    _ state: VoicePointer, _ source: UnsafePointer<Float>, frames: Int, into output: UnsafeMutablePointer<Float>
) {
    let channels = state.pointee.channels
    let outputs = state.pointee.outputs
    let gain = state.pointee.gain.value
    let centred = state.pointee.left.value == 1 && state.pointee.right.value == 1
    advanceRamps(state, frames: frames)
    if state.pointee.isIdentity && gain == 1 && centred {
        for index in 0..<frames &* channels { output[index] += source[index] }
        return
    }
    for channel in 0..<outputs {
        let outputGain = gain * state.pointee.panGain(channel)
        for input in 0..<channels {
            let coefficient = state.pointee.coefficients[channel &* channels &+ input] * outputGain
            if coefficient == 0 { continue }
            for frame in 0..<frames {
                output[frame &* outputs &+ channel] += source[frame &* channels &+ input] * coefficient
            }
        }
    }
}
