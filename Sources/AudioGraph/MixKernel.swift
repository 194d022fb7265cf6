import Synchronization

// The arithmetic of a mixer. All of it runs on the render side, through `rt_call`.

/// How the pan of an input acts.
enum PanLaw {
    /// The output is not stereo: pan does nothing.
    case none
    /// One channel that goes to left and right.
    case constantPower
    /// An input that has sides itself.
    case balance
}

/// One input of a mixer, as the kernel reads it.
struct MixInput {
    let samples: Samples
    let state: UnsafeMutablePointer<InputState>
    /// Gains: a row for each output channel, with a value for each input channel.
    let coefficients: UnsafeMutablePointer<Float>
    let law: PanLaw
    /// The index of the left output, −1 without one.
    let leftOutput: Int
    /// The index of the right output, −1 without one.
    let rightOutput: Int

    /// The gain from the input to an output channel, without the coefficient.
    @_noLocks
    func gain(_ gains: InputGains, output: Int) -> Float {
        let sides: Sides
        switch law {
        case .none: return gains.volume
        case .constantPower: sides = gains.power
        case .balance: sides = gains.balance
        }
        if output == leftOutput { return gains.volume * sides.left }
        if output == rightOutput { return gains.volume * sides.right }
        return gains.volume
    }
}

/// One mixer, as the kernel reads it.
struct MixStep {
    let inputs: UnsafeMutablePointer<MixInput>
    let inputCount: Int
    let samples: Samples
    let state: UnsafeMutablePointer<OutputState>
    /// The frames to render; written before each call of the kernel.
    var frames = 0
}

/// Renders one block of a mixer: the sum of its inputs, then the volume of its output.
@_noLocks
func mixKernel(_ context: UnsafeMutableRawPointer) {
    let step = context.assumingMemoryBound(to: MixStep.self)
    let (frames, samples) = (step.pointee.frames, step.pointee.samples)
    var hasSound = false
    for index in 0..<step.pointee.inputCount {
        let input = step.pointee.inputs + index
        if !hasSound && !input.pointee.samples.isSilent {
            hasSound = true
            samples.clear(frames: frames)
        }
        add(input, to: samples, frames)
    }
    if hasSound { samples.becomeSound() } else { samples.becomeSilent(frames: frames) }
    applyVolume(step.pointee.state, samples, frames: frames)
}

@_noLocks
private func add(_ input: UnsafeMutablePointer<MixInput>, to output: Samples, _ frames: Int) {
    let state = input.pointee.state
    let gains = state.pointee.gains()
    let isFresh = state.pointee.isFresh.exchange(false, ordering: .relaxed)
    let before = isFresh ? gains : state.pointee.last.pointee
    state.pointee.last.pointee = gains
    if input.pointee.samples.isSilent { return }
    let inputs = input.pointee.samples.channelCount
    for channel in 0..<output.channelCount {
        let start = input.pointee.gain(before, output: channel)
        let end = input.pointee.gain(gains, output: channel)
        for source in 0..<inputs {
            let coefficient = input.pointee.coefficients[channel &* inputs &+ source]
            if coefficient == 0 { continue }
            addChannel(
                input.pointee.samples.channels[source], to: output.channels[channel], from: start * coefficient,
                to: end * coefficient, frames: frames)
        }
    }
}

/// Adds one channel, at a gain that moves linearly; the first frame has the gain `start`.
@_noLocks
private func addChannel(
    _ source: UnsafeMutablePointer<Float>, to output: UnsafeMutablePointer<Float>, from start: Float, to end: Float,
    frames: Int
) {
    if start == end {
        if end == 0 { return }
        for frame in 0..<frames { output[frame] += source[frame] * end }
    } else {
        let step = (end - start) / Float(frames)
        for frame in 0..<frames { output[frame] += source[frame] * (start + step * Float(frame)) }
    }
}

@_noLocks
private func applyVolume(_ state: UnsafeMutablePointer<OutputState>, _ samples: Samples, frames: Int) {
    let end = Float(bitPattern: state.pointee.volume.load(ordering: .relaxed))
    let isFresh = state.pointee.isFresh.exchange(false, ordering: .relaxed)
    let start = isFresh ? end : state.pointee.last.pointee
    state.pointee.last.pointee = end
    if samples.isSilent || start == end && end == 1 { return }
    let step = (end - start) / Float(frames)
    for channel in 0..<samples.channelCount {
        let block = samples.channels[channel]
        for frame in 0..<frames { block[frame] *= start + step * Float(frame) }
    }
}
