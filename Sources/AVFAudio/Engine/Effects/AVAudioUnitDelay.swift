internal import AudioGraph

/// An echo: a delay whose output goes back to its input, through a low-pass.
///
/// Apple: `AVAudioUnitDelay`
// SAFETY: the parameters have atomics only.
nonisolated open class AVAudioUnitDelay: AVAudioUnitEffect, @unchecked Sendable {
    private let parameters = Parameters([1, 50, 15_000, 50])

    /// A delay of a second.
    ///
    /// Apple: `AVAudioUnitDelay.init()`
    public override init() { super.init() }

    override func makeEffect(channels: Int, rate: Double) -> Effect {
        .delay(channels: channels, rate: rate, parameters, switches)
    }

    /// Seconds from the sound to its echo, from 0 to 2; 1 at first.
    ///
    /// A change is a fade from one echo to the other, without a change of pitch.
    ///
    /// Apple: `AVAudioUnitDelay.delayTime`
    public var delayTime: TimeInterval {
        get { parameters[DelayParameter.time] }
        set { parameters[DelayParameter.time] = newValue }
    }

    /// Per cent of the echo that is heard in the next one, from −100 to 100; 50 at first.
    ///
    /// Apple: `AVAudioUnitDelay.feedback`
    public var feedback: Float {
        get { Float(parameters[DelayParameter.feedback]) }
        set { parameters[DelayParameter.feedback] = Double(newValue) }
    }

    /// The low-pass's frequency in Hz, from 10 to half the sample rate; 15 000 at first.
    ///
    /// Apple: `AVAudioUnitDelay.lowPassCutoff`
    public var lowPassCutoff: Float {
        get { Float(parameters[DelayParameter.cutoff]) }
        set { parameters[DelayParameter.cutoff] = Double(newValue) }
    }

    /// Per cent of the echo in the output, from 0 to 100; 50 at first, where both are 3 dB softer than alone.
    ///
    /// Apple: `AVAudioUnitDelay.wetDryMix`
    public var wetDryMix: Float {
        get { Float(parameters[DelayParameter.mix]) }
        set { parameters[DelayParameter.mix] = Double(newValue) }
    }
}
