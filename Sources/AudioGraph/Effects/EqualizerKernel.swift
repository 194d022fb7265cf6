// The arithmetic of an equalizer. All of it runs on the render side, through `rt_call`.

/// Renders one block: each band in turn, then the gain.
@_noLocks
func renderEqualizer(
    _ state: UnsafeMutablePointer<EqualizerState>, _ input: Samples, _ output: Samples, _ frames: Int, isFresh: Bool
) {
    for channel in 0..<output.channelCount { copyFrames(input.channels[channel], to: output.channels[channel], frames) }
    for index in 0..<state.pointee.bandCount {
        let band = state.pointee.bands + index
        let filters = state.pointee.filters + index &* state.pointee.channels
        if band.pointee.isChanged && !isFresh {
            for channel in 0..<output.channelCount { change(band, filters + channel, output.channels[channel], frames) }
        } else if let filter = band.pointee.next {
            for channel in 0..<output.channelCount {
                apply(filter, filters + channel, output.channels[channel], frames)
            }
        }
        band.pointee.filter = band.pointee.next
        band.pointee.isChanged = false
    }
    applyGain(state, output, frames, isFresh: isFresh)
}

/// Forgets what the filters have heard.
@_noLocks
func clearEqualizer(_ state: UnsafeMutablePointer<EqualizerState>) {
    for index in 0..<state.pointee.bandCount &* state.pointee.channels {
        state.pointee.filters[index] = BiquadMemory()
    }
}

@_noLocks
private func applyGain(
    _ state: UnsafeMutablePointer<EqualizerState>, _ output: Samples, _ frames: Int, isFresh: Bool
) {
    let gain = Ramp(from: state.pointee.gain, to: state.pointee.nextGain, frames: frames, isFresh: isFresh)
    state.pointee.gain = state.pointee.nextGain
    if gain.start == 1 && gain.step == 0 { return }
    for channel in 0..<output.channelCount {
        let block = output.channels[channel]
        for frame in 0..<frames { block[frame] *= Float(gain[frame]) }
    }
}

/// One step of a filter, in the transposed direct form II.
@_noLocks
private func filtered(_ sample: Double, _ filter: Biquad, _ memory: inout BiquadMemory) -> Double {
    let result = filter.b0 * sample + memory.first
    memory.first = filter.b1 * sample - filter.a1 * result + memory.second
    memory.second = filter.b2 * sample - filter.a2 * result
    return result
}

@_noLocks
private func apply(
    _ filter: Biquad, _ place: UnsafeMutablePointer<BiquadMemory>, _ block: UnsafeMutablePointer<Float>, _ frames: Int
) {
    var memory = place.pointee
    for frame in 0..<frames { block[frame] = Float(filtered(Double(block[frame]), filter, &memory)) }
    place.pointee = memory
}

/// Filters a block in the old way and in the new one, and fades between them.
@_noLocks
private func change(
    _ band: UnsafeMutablePointer<EqualizerBand>, _ place: UnsafeMutablePointer<BiquadMemory>,
    _ block: UnsafeMutablePointer<Float>, _ frames: Int
) {
    let (old, new) = (band.pointee.filter, band.pointee.next)
    var before = place.pointee
    var after = old == nil ? BiquadMemory() : before
    for frame in 0..<frames {
        let sample = Double(block[frame])
        var (start, end) = (sample, sample)
        if let old { start = filtered(sample, old, &before) }
        if let new { end = filtered(sample, new, &after) }
        block[frame] = Float(start + (end - start) * Double(frame) / Double(frames))
    }
    place.pointee = new == nil ? BiquadMemory() : after
}
