// The arithmetic of a reverb. All of it runs on the render side, through `rt_call`.

/// Renders one block.
@_noLocks
func renderReverb(
    _ state: UnsafeMutablePointer<ReverbState>, _ input: Samples, _ output: Samples, _ frames: Int, isFresh: Bool
) {
    let turn = state.pointee.turn
    let isLeaving = turn.current != turn.wanted
    let presence = Ramp(from: turn.presence, to: isLeaving ? 0 : 1, frames: frames, isFresh: isFresh && !isLeaving)
    let mix = Ramp(from: state.pointee.mix, to: state.pointee.nextMix, frames: frames, isFresh: isFresh)
    for frame in 0..<frames {
        let wet = mix[frame] * presence[frame]
        let dry = 1 - mix[frame]
        for channel in 0..<output.channelCount {
            let sample = input.channels[channel][frame]
            state.pointee.before.channels[channel][state.pointee.place] = sample
            let early = reflections(state, channel)
            output.channels[channel][frame] = Float(Double(sample) * dry + early * wet)
        }
        advance(state, output, frame, wet * state.pointee.numbers.gain)
    }
    state.pointee.mix = state.pointee.nextMix
    state.pointee.turn.presence = isLeaving ? 0 : 1
    if isLeaving {
        clearReverb(state)
        state.pointee.turn.current = turn.wanted
    }
}

/// Forgets what sounds in the room.
@_noLocks
func clearReverb(_ state: UnsafeMutablePointer<ReverbState>) {
    state.pointee.before.clear(frames: state.pointee.length)
    state.pointee.network.clear(frames: state.pointee.length)
    for line in 0..<ReverbState.lines { state.pointee.lines[line].filter = 0 }
}

/// The sum of a channel's early reflections.
@_noLocks
private func reflections(_ state: UnsafeMutablePointer<ReverbState>, _ channel: Int) -> Double {
    let early = state.pointee.numbers.early
    let line = state.pointee.before.channels[channel]
    let (place, length) = (state.pointee.place, state.pointee.length)
    return Double(line[back(place, early.0.0, length)]) * early.0.1
        + Double(line[back(place, early.1.0, length)]) * early.1.1
        + Double(line[back(place, early.2.0, length)]) * early.2.1
        + Double(line[back(place, early.3.0, length)]) * early.3.1
}

/// Moves the network on by a frame, and adds its sound to a frame of the output.
///
/// Line and channel are those with the same number, modulo the smaller count; the output of a channel is a sum of all lines
/// with signs of its own, so that the channels differ.
@_noLocks
private func advance(
    _ state: UnsafeMutablePointer<ReverbState>, _ output: Samples, _ frame: Int, _ gain: Double
) {
    let (place, length) = (state.pointee.place, state.pointee.length)
    let inputs = min(state.pointee.before.channelCount, ReverbState.lines)
    let delayed = back(place, state.pointee.numbers.before, length)
    // What leaves the lines stands at their new place until it is mixed.
    for line in 0..<ReverbState.lines {
        let values = state.pointee.network.channels[line]
        let voice = state.pointee.lines + line
        let value = Double(values[back(place, voice.pointee.frames, length)])
        voice.pointee.filter += (value - voice.pointee.filter) * (1 - state.pointee.numbers.damping)
        values[place] = Float(voice.pointee.filter * voice.pointee.gain)
        for channel in 0..<output.channelCount {
            let isTurned = (line & channel).nonzeroBitCount & 1 == 1
            output.channels[channel][frame] += Float(isTurned ? -value * gain : value * gain)
        }
    }
    mix(state.pointee.network, place)
    for line in 0..<ReverbState.lines {
        state.pointee.network.channels[line][place] += state.pointee.before.channels[line % inputs][delayed]
    }
    state.pointee.place = place &+ 1 == length ? 0 : place &+ 1
}

/// Mixes the lines with each other by a Hadamard matrix, which keeps their energy.
@_noLocks
private func mix(_ network: Samples, _ place: Int) {
    var width = 1
    while width < ReverbState.lines {
        var start = 0
        while start < ReverbState.lines {
            for line in start..<start &+ width {
                let (one, two) = (network.channels[line][place], network.channels[line &+ width][place])
                network.channels[line][place] = (one + two) * 0.707_106_77
                network.channels[line &+ width][place] = (one - two) * 0.707_106_77
            }
            start &+= 2 &* width
        }
        width &*= 2
    }
}
