internal import RealtimeShims

/// The parameters of a distortion.
package enum DistortionParameter {
    /// The index of a ``DistortionShape``.
    package static let shape = 0
    /// dB, −80 to 20.
    package static let gain = 1
    /// Per cent of the distorted sound in the output, 0 to 100; linear.
    package static let mix = 2
}

/// What a distortion does: echoes, a ring modulator, sample-and-hold, rounding, and a polynomial, in this order.
package struct DistortionShape: Sendable {
    let echo: Echo
    let ring: Ring
    let hold: Hold
    let curve: Curve

    /// Creates a shape; each stage that has no argument passes the sound on unchanged.
    package init(echo: Echo = Echo(), ring: Ring = Ring(), hold: Hold = Hold(), curve: Curve = Curve()) {
        self.echo = echo
        self.ring = ring
        self.hold = hold
        self.curve = curve
    }

    /// Repetitions in a line of at most half a second.
    package struct Echo: Sendable {
        let (seconds, decay, mix): (Double, Double, Double)

        /// Creates echoes: the time between two, the linear gain from one to the next, and the gain of the first.
        package init(seconds: Double = 0, decay: Double = 0, mix: Double = 0) {
            (self.seconds, self.decay, self.mix) = (seconds, decay, mix)
        }
    }

    /// A product with a tone.
    package struct Ring: Sendable {
        let (frequency, mix): (Double, Double)

        /// Creates a ring modulator: the tone's frequency in Hz, and the product's share from 0 to 1.
        package init(frequency: Double = 0, mix: Double = 0) { (self.frequency, self.mix) = (frequency, mix) }
    }

    /// A lower rate and fewer bits.
    package struct Hold: Sendable {
        let (rate, bits): (Double, Double)

        /// Creates a crusher: the samples a second in Hz, 0 for all of them, and the bits of a sample, 0 for all.
        package init(rate: Double = 0, bits: Double = 0) { (self.rate, self.bits) = (rate, bits) }
    }

    /// A polynomial of a sample that is limited to ±1.
    package struct Curve: Sendable {
        let (linear, squared, cubic): (Double, Double, Double)

        /// Creates a polynomial from the factors of its terms.
        package init(linear: Double = 1, squared: Double = 0, cubic: Double = 0) {
            (self.linear, self.squared, self.cubic) = (linear, squared, cubic)
        }
    }
}

extension Effect {
    /// Creates a distortion.
    ///
    /// - Parameters:
    ///   - shapes: One for each value of ``DistortionParameter/shape``, at least one.
    ///   - parameters: As ``DistortionParameter`` numbers them.
    package static func distortion(
        channels: Int, rate: Double, _ shapes: [DistortionShape], _ parameters: Parameters, _ switches: EffectSwitches
    ) -> Effect {
        let memory = ProgramMemory()
        let list = memory.allocate(DistortionShape.self, count: shapes.count)
        for (index, shape) in shapes.enumerated() { (list + index).initialize(to: shape) }
        let voices = memory.allocate(DistortionVoice.self, count: channels)
        voices.initialize(repeating: DistortionVoice(), count: channels)
        let length = Int((DistortionState.longest * rate).rounded(.up)) + 2
        let state = memory.allocate(DistortionState.self, count: 1)
        state.initialize(
            to: DistortionState(
                parameters: parameters.list, rate: rate, shapes: list, shapeCount: shapes.count,
                lines: memory.samples(channels: channels, frames: length), length: length, voices: voices))
        return Effect(channels: channels, rate: rate, parameters, switches, memory: memory, .distortion(state))
    }
}

/// A distortion, as its kernel uses it.
struct DistortionState {
    /// The longest time between two echoes, in seconds.
    static let longest = 0.5

    let parameters: ParameterList
    let rate: Double
    let shapes: UnsafeMutablePointer<DistortionShape>
    let shapeCount: Int
    /// The last frames of each channel, in a circle.
    let lines: Samples
    let length: Int
    let voices: UnsafeMutablePointer<DistortionVoice>
    /// The frame of the circle that is written next.
    var place = 0
    var turn = ShapeTurn()
    /// The share of the distorted sound, and the gain before it, at the end of the last block and as they are set.
    var mix = 0.0
    var nextMix = 0.0
    var gain = 1.0
    var nextGain = 1.0
    var numbers = DistortionNumbers()

    /// Reads the parameters.
    mutating func prepare(isFresh: Bool) {
        turn.wanted = min(max(Int(parameters.value(DistortionParameter.shape, 0, 1000)), 0), shapeCount - 1)
        if isFresh { turn.begin() }
        nextMix = parameters.value(DistortionParameter.mix, 0, 100) / 100
        nextGain = rt_exponential(parameters.value(DistortionParameter.gain, -80, 20) * Logarithm.ofTen / 20)
        let shape = shapes[turn.current]
        let angle = 2 * Double.pi * min(shape.ring.frequency, rate / 2) / rate
        numbers.ring = (rt_cosine(angle), rt_sine(angle))
        numbers.levels = shape.hold.bits == 0 ? 0 : rt_exponential((shape.hold.bits - 1) * Logarithm.ofTwo)
        numbers.hold = shape.hold.rate == 0 ? 1 : max(shape.hold.rate / rate, 1e-6)
        numbers.echo = min(max(Int((shape.echo.seconds * rate).rounded()), 1), length - 1)
        // What the squared term adds to silence is followed with 10 Hz, and taken away.
        numbers.offset = 1 - rt_exponential(-2 * Double.pi * 10 / rate)
    }
}

/// A shape in the units of the kernel.
struct DistortionNumbers {
    /// The turn of the ring modulator's tone from one frame to the next.
    var ring = (cosine: 1.0, sine: 0.0)
    /// Steps of the rounding between 0 and 1; 0 for none.
    var levels = 0.0
    /// The part of a new sample that is due in each frame.
    var hold = 1.0
    /// Frames between two echoes.
    var echo = 1
    var offset = 0.0
}

/// What a distortion remembers of a channel.
struct DistortionVoice {
    /// The ring modulator's tone.
    var cosine = 1.0
    var sine = 0.0
    /// The sample that is held, and the part of the next one that has passed.
    var held = 0.0
    var passed = 1.0
    /// The mean of the squared term.
    var offset = 0.0

    @_noLocks
    init() {}
}

/// The change from one preset to another: the old one fades out within a block, the new one begins with the next.
struct ShapeTurn {
    var current = 0
    var wanted = 0
    /// The presence of the current one at the end of the last block: 0 or 1.
    var presence = 1.0

    /// Begins with what is wanted.
    mutating func begin() {
        current = wanted
        presence = 1
    }
}
