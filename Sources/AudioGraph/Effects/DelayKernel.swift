// The arithmetic of a delay. All of it runs on the render side, through `rt_call`.

/// Renders one block; a changed time is a fade from one place of the line to the other.
@_noLocks
func renderDelay(
    _ state: UnsafeMutablePointer<DelayState>, _ input: Samples, _ output: Samples, _ frames: Int, isFresh: Bool
) {
    let next = state.pointee.next
    let current = isFresh ? next : state.pointee.current
    let feedback = Ramp(from: current.feedback, to: next.feedback, frames: frames, isFresh: isFresh)
    let dry = Ramp(from: current.dry, to: next.dry, frames: frames, isFresh: isFresh)
    let wet = Ramp(from: current.wet, to: next.wet, frames: frames, isFresh: isFresh)
    let length = state.pointee.length
    for channel in 0..<output.channelCount {
        let (line, source) = (state.pointee.lines.channels[channel], input.channels[channel])
        let block = output.channels[channel]
        var filter = state.pointee.filters[channel]
        var place = state.pointee.place
        for frame in 0..<frames {
            var delayed = Double(line[back(place, current.frames, length)])
            if next.frames != current.frames {
                let other = Double(line[back(place, next.frames, length)])
                delayed += (other - delayed) * Double(frame) / Double(frames)
            }
            filter += (1 - next.pole) * (delayed - filter)
            let sample = Double(source[frame])
            line[place] = Float(sample + feedback[frame] * filter)
            block[frame] = Float(dry[frame] * sample + wet[frame] * filter)
            place &+= 1
            if place == length { place = 0 }
        }
        state.pointee.filters[channel] = filter
    }
    state.pointee.place = (state.pointee.place &+ frames) % length
    state.pointee.current = next
}

/// Forgets what is in the lines.
@_noLocks
func clearDelay(_ state: UnsafeMutablePointer<DelayState>) {
    state.pointee.lines.clear(frames: state.pointee.length)
    for channel in 0..<state.pointee.lines.channelCount { state.pointee.filters[channel] = 0 }
}

/// The place of a circle so many frames before another one.
@_noLocks
func back(_ place: Int, _ frames: Int, _ length: Int) -> Int {
    place >= frames ? place &- frames : place &- frames &+ length
}
