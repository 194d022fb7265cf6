// The arithmetic of a distortion. All of it runs on the render side, through `rt_call`.

/// Renders one block.
@_noLocks
func renderDistortion(
    _ state: UnsafeMutablePointer<DistortionState>, _ input: Samples, _ output: Samples, _ frames: Int, isFresh: Bool
) {
    let turn = state.pointee.turn
    let isLeaving = turn.current != turn.wanted
    let presence = Ramp(from: turn.presence, to: isLeaving ? 0 : 1, frames: frames, isFresh: isFresh && !isLeaving)
    let mix = Ramp(from: state.pointee.mix, to: state.pointee.nextMix, frames: frames, isFresh: isFresh)
    let gain = Ramp(from: state.pointee.gain, to: state.pointee.nextGain, frames: frames, isFresh: isFresh)
    let shape = state.pointee.shapes[turn.current]
    for channel in 0..<output.channelCount {
        let (source, block) = (input.channels[channel], output.channels[channel])
        let line = state.pointee.lines.channels[channel]
        var voice = state.pointee.voices[channel]
        var place = state.pointee.place
        for frame in 0..<frames {
            let sample = Double(source[frame])
            let delayed = Double(line[back(place, state.pointee.numbers.echo, state.pointee.length)])
            var result = sample * gain[frame]
            line[place] = Float(result + shape.echo.decay * delayed)
            result += shape.echo.mix * delayed
            result = distorted(result, shape, state.pointee.numbers, &voice)
            let share = mix[frame]
            block[frame] = Float(sample * (1 - share) + result * share * presence[frame])
            place &+= 1
            if place == state.pointee.length { place = 0 }
        }
        state.pointee.voices[channel] = voice
    }
    state.pointee.place = (state.pointee.place &+ frames) % state.pointee.length
    (state.pointee.mix, state.pointee.gain) = (state.pointee.nextMix, state.pointee.nextGain)
    state.pointee.turn.presence = isLeaving ? 0 : 1
    if isLeaving {
        clearDistortion(state)
        state.pointee.turn.current = turn.wanted
    }
}

/// Forgets what the distortion has heard.
@_noLocks
func clearDistortion(_ state: UnsafeMutablePointer<DistortionState>) {
    state.pointee.lines.clear(frames: state.pointee.length)
    for channel in 0..<state.pointee.lines.channelCount { state.pointee.voices[channel] = DistortionVoice() }
}

/// The sample behind the echoes.
@_noLocks
private func distorted(
    _ sample: Double, _ shape: DistortionShape, _ numbers: DistortionNumbers, _ voice: inout DistortionVoice
) -> Double {
    var result = sample
    if shape.ring.mix > 0 {
        result *= 1 - shape.ring.mix + shape.ring.mix * voice.sine
        let cosine = voice.cosine * numbers.ring.cosine - voice.sine * numbers.ring.sine
        let sine = voice.sine * numbers.ring.cosine + voice.cosine * numbers.ring.sine
        // Errors of rounding would let the tone grow or fade in the long run.
        let correction = 1.5 - 0.5 * (cosine * cosine + sine * sine)
        (voice.cosine, voice.sine) = (cosine * correction, sine * correction)
    }
    if voice.passed >= 1 {
        voice.held = result
        voice.passed -= 1
    }
    voice.passed += numbers.hold
    result = voice.held
    // A sum with 1.5 · 2^52 has no room for a fraction.
    if numbers.levels > 0 { result = (result * numbers.levels + 0x1.8p52 - 0x1.8p52) / numbers.levels }
    result = min(max(result, -1), 1)
    let square = result * result
    voice.offset += (square - voice.offset) * numbers.offset
    return shape.curve.linear * result + shape.curve.squared * (square - voice.offset)
        + shape.curve.cubic * square * result
}
