internal import AudioGraph

/// A node that changes the sound of its input.
///
/// Input and output have one rate and one number of channels: where connections say otherwise, the input is converted
/// to the output's format. As long as no connection has set that, it is the input's.
///
/// Apple: `AVAudioUnit`, without what concerns loadable audio units
// SAFETY: see `AVAudioNode`; the switches have atomics only.
nonisolated open class AVAudioUnit: AVAudioNode, @unchecked Sendable {
    /// Bypass and reset, read by the render side.
    let switches = EffectSwitches()

    override var inputLimit: Int? { 1 }
    override var defaultOutputFormat: AVAudioFormat { facts.inputs[0] ?? super.defaultOutputFormat }

    /// Forgets what the unit has heard: delays, tails, and what filters remember.
    ///
    /// It counts from the next block on. A start of the engine after ``AVAudioEngine/stop()`` does the same.
    ///
    /// Apple: `AVAudioNode.reset()`
    open override func reset() { switches.reset() }
}

/// A unit that gives as many frames as it takes.
///
/// A parameter that any thread sets is reached within the next block, without a click. Parameters are kept as they are
/// set, and sound as the nearest value of their range; NaN is ignored.
///
/// Apple: `AVAudioUnitEffect`
// SAFETY: `GraphLock` protects the effect; the rest is as in `AVAudioUnit`.
nonisolated open class AVAudioUnitEffect: AVAudioUnit, @unchecked Sendable {
    /// The effect in the format of the newest program.
    private var effect: Effect?

    override init() { super.init() }

    /// Makes the effect for a number of channels and a rate; called with ``GraphLock`` held.
    func makeEffect(channels: Int, rate: Double) -> Effect {
        preconditionFailure("\(type(of: self)) has no effect")
    }

    override func addOperations(to compiler: inout GraphCompiler) -> ProgramBuilder.Bus {
        let format = outputFormat
        let (channels, rate) = (Int(format.channelCount), format.sampleRate)
        let input = compiler.input(of: self, format)
        if let effect, effect.channels == channels, effect.rate == rate {
            return compiler.builder.addEffect(input, effect)
        }
        let made = makeEffect(channels: channels, rate: rate)
        effect = made
        return compiler.builder.addEffect(input, made)
    }

    /// Whether the unit passes its input on, bit for bit; false at first.
    ///
    /// A change is a fade over one block. A bypassed unit hears nothing: its tail does not come back.
    ///
    /// Apple: `AVAudioUnitEffect.bypass`
    public var bypass: Bool {
        get { switches.isBypassed }
        set { switches.isBypassed = newValue }
    }
}
