import Synchronization

// The render function's part for one voice. All of it runs on the sound thread.

typealias VoicePointer = UnsafeMutablePointer<VoiceState>

/// Reads up to `frames` frames of the voice and adds them to `output`, which has `state.outputs` interleaved channels.
@_noLocks
func mixVoice(_ state: VoicePointer, into output: UnsafeMutablePointer<Float>, frames: Int) {
    let ramps = state.pointee.ramps
    takeCommands(state)
    let isMetering = state.pointee.isMetering.load(ordering: .relaxed)
    if isMetering { state.pointee.levels.begin() }

    var done = 0
    while done < frames {
        let count = state.pointee.ring.contiguousFrames(limit: frames &- done)
        if count == 0 { break }
        let source = state.pointee.ring.readPointer().assumingMemoryBound(to: Float.self)
        if isMetering { state.pointee.levels.measure(source, frames: count, gain: ramps.pointee.gain) }
        mixSegment(state, source, frames: count, into: output + done &* state.pointee.places.pointee.outputs)
        _ = state.pointee.ring.skip(frames: count)
        done &+= count
    }

    if done < frames && !state.pointee.isEnded.load(ordering: .acquiring) {
        _ = state.pointee.framesStarved.wrappingAdd(frames &- done, ordering: .relaxed)
    }
    if isMetering && done > 0 {
        state.pointee.levels.publish(end: state.pointee.ring.framesRead(), frames: done)
    }
    state.pointee.currentGain.store(ramps.pointee.gain.value.bitPattern, ordering: .releasing)
}

/// Applies the commands of other threads since the last call.
@_noLocks
func takeCommands(_ state: VoicePointer) {
    let ramps = state.pointee.ramps
    if state.pointee.pendingGain.load(ordering: .relaxed) != VoiceState.none {
        let command = state.pointee.pendingGain.exchange(VoiceState.none, ordering: .acquiring)
        let start = state.pointee.pendingStart.exchange(VoiceState.none, ordering: .relaxed)
        let target = Float(bitPattern: UInt32(truncatingIfNeeded: command &>> 32))
        let frames = Int(UInt32(truncatingIfNeeded: command))
        if start == VoiceState.none {
            ramps.pointee.gain.move(to: target, frames: frames)
        } else {
            // Nothing was heard yet, so nothing can click.
            let lead = state.pointee.ring.framesRead() == 0 ? 0 : Int(UInt32(truncatingIfNeeded: start))
            ramps.pointee.gain.move(
                from: Float(bitPattern: UInt32(truncatingIfNeeded: start &>> 32)), leadFrames: lead, to: target,
                frames: frames)
        }
        state.pointee.currentGain.store(ramps.pointee.gain.value.bitPattern, ordering: .releasing)
    }
    if state.pointee.pendingPan.load(ordering: .relaxed) != VoiceState.none {
        let command = state.pointee.pendingPan.exchange(VoiceState.none, ordering: .acquiring)
        // Nothing was heard yet, so nothing can click.
        let frames = state.pointee.ring.framesRead() == 0 ? 0 : VoiceState.panRampFrames
        ramps.pointee.left.move(to: Float(bitPattern: UInt32(truncatingIfNeeded: command &>> 32)), frames: frames)
        ramps.pointee.right.move(to: Float(bitPattern: UInt32(truncatingIfNeeded: command)), frames: frames)
    }
}

/// Jumps to the end of all ramps.
@_noLocks
func finishRamps(_ state: VoicePointer) {
    let ramps = state.pointee.ramps
    ramps.pointee.gain.move(to: ramps.pointee.gain.target, frames: 0)
    ramps.pointee.left.move(to: ramps.pointee.left.target, frames: 0)
    ramps.pointee.right.move(to: ramps.pointee.right.target, frames: 0)
    state.pointee.currentGain.store(ramps.pointee.gain.value.bitPattern, ordering: .releasing)
}

/// Advances all ramps, or rewinds them if `frames` is negative.
@_noLocks
func advanceRamps(_ state: VoicePointer, frames: Int) {
    let ramps = state.pointee.ramps
    ramps.pointee.gain.advance(frames: frames)
    ramps.pointee.left.advance(frames: frames)
    ramps.pointee.right.advance(frames: frames)
}

/// Adds contiguous frames: first those in which gain or pan still move, then the rest.
@_noLocks
private func mixSegment(
    _ state: VoicePointer, _ source: UnsafePointer<Float>, frames: Int, into output: UnsafeMutablePointer<Float>
) {
    let ramps = state.pointee.ramps
    // In pairs: `max` of three values would allocate an array.
    let longest = max(ramps.pointee.gain.remaining, max(ramps.pointee.left.remaining, ramps.pointee.right.remaining))
    let moving = min(longest, frames)
    if moving > 0 { mixMoving(state, source, frames: moving, into: output) }
    if moving < frames {
        mixSteady(
            state, source + moving &* state.pointee.channels, frames: frames &- moving,
            into: output + moving &* state.pointee.places.pointee.outputs)
    }
}

@_noLocks
private func mixMoving(
    _ state: VoicePointer, _ source: UnsafePointer<Float>, frames: Int, into output: UnsafeMutablePointer<Float>
) {
    let ramps = state.pointee.ramps
    let channels = state.pointee.channels
    let outputs = state.pointee.places.pointee.outputs
    let coefficients = state.pointee.places.pointee.coefficients
    for frame in 0..<frames {
        let gain = ramps.pointee.gain.next()
        _ = ramps.pointee.left.next()
        _ = ramps.pointee.right.next()
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
    let ramps = state.pointee.ramps
    let channels = state.pointee.channels
    let outputs = state.pointee.places.pointee.outputs
    let gain = ramps.pointee.gain.value
    let centred = ramps.pointee.left.value == 1 && ramps.pointee.right.value == 1
    advanceRamps(state, frames: frames)
    if state.pointee.places.pointee.isIdentity && gain == 1 && centred {
        for index in 0..<frames &* channels { output[index] += source[index] }
        return
    }
    for channel in 0..<outputs {
        let outputGain = gain * state.pointee.panGain(channel)
        for input in 0..<channels {
            let coefficient = state.pointee.places.pointee.coefficients[channel &* channels &+ input] * outputGain
            if coefficient == 0 { continue }
            for frame in 0..<frames {
                output[frame &* outputs &+ channel] += source[frame &* channels &+ input] * coefficient
            }
        }
    }
}
