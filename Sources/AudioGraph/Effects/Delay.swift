internal import RealtimeShims

/// The parameters of a delay.
package enum DelayParameter {
    /// Seconds, 0 to 2.
    package static let time = 0
    /// Per cent of the delayed sound that goes back to the line, −100 to 100.
    package static let feedback = 1
    /// Hz, 10 to half the rate.
    package static let cutoff = 2
    /// Per cent of the delayed sound in the output, 0 to 100, at constant power.
    package static let mix = 3
}

extension Effect {
    /// Creates a delay: a line with a low-pass in its loop.
    ///
    /// - Parameter parameters: As ``DelayParameter`` numbers them.
    package static func delay(
        channels: Int, rate: Double, _ parameters: Parameters, _ switches: EffectSwitches
    ) -> Effect {
        let memory = ProgramMemory()
        let length = Int((DelayState.longest * rate).rounded(.up)) + 2
        let filters = memory.allocate(Double.self, count: channels)
        filters.initialize(repeating: 0, count: channels)
        let state = memory.allocate(DelayState.self, count: 1)
        state.initialize(
            to: DelayState(
                parameters: parameters.list, rate: rate, lines: memory.samples(channels: channels, frames: length),
                length: length, filters: filters))
        return Effect(channels: channels, rate: rate, parameters, switches, memory: memory, .delay(state))
    }
}

/// A delay, as its kernel uses it.
struct DelayState {
    /// The longest delay in seconds.
    static let longest = 2.0

    let parameters: ParameterList
    let rate: Double
    /// The last frames of each channel, in a circle.
    let lines: Samples
    let length: Int
    /// The last value of each channel's low-pass.
    let filters: UnsafeMutablePointer<Double>
    /// The frame of the circle that is written next.
    var place = 0
    var current = DelayNumbers()
    var next = DelayNumbers()

    /// Reads the parameters.
    ///
    /// These numbers give Apple's samples to four places.
    mutating func prepare() {
        let time = max(parameters.value(DelayParameter.time, 0, Self.longest), 0.0001)
        next.frames = min(Int((time * rate).rounded(.up)), length - 1)
        next.feedback = parameters.value(DelayParameter.feedback, -100, 100) / 100
        let cutoff = parameters.value(DelayParameter.cutoff, 10, rate / 2)
        next.pole = rt_exponential(-2 * Double.pi * cutoff / rate)
        let mix = parameters.value(DelayParameter.mix, 0, 100) / 100
        (next.dry, next.wet) = ((1 - mix).squareRoot(), mix.squareRoot())
    }
}

/// The parameters of a delay in the units of its kernel.
struct DelayNumbers {
    var frames = 1
    var feedback = 0.0
    var pole = 0.0
    var dry = 1.0
    var wet = 0.0
}
