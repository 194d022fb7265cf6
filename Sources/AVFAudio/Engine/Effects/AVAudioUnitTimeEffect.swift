internal import AudioGraph

/// A unit that takes more or fewer frames than it gives.
///
/// The nodes above it run as much faster or slower, and their times with them. All ways from a node above lead through
/// the unit: a connection that would pass it by is refused with −10876. The output is late by ``AVAudioNode/latency``
/// seconds of the input, at every speed: half of that is heard at the rate 2. Parameters are kept as they are set, and sound as the nearest value of their range; NaN is
/// ignored. Any thread sets them, and they count from the next block on. The render path does not wait or allocate.
///
/// Apple: `AVAudioUnitTimeEffect`
// SAFETY: `GraphLock` protects the effect; the parameters have atomics only.
nonisolated open class AVAudioUnitTimeEffect: AVAudioUnit, @unchecked Sendable {
    private let kind: TimeEffect.Kind
    /// Rate and pitch, as ``TimeParameter`` counts them.
    let parameters = Parameters([1, 0])
    /// The effect in the format of the newest program.
    private var effect: TimeEffect?

    init(_ kind: TimeEffect.Kind) {
        self.kind = kind
        super.init()
    }

    override var delay: TimeInterval {
        let rate = outputFormat.sampleRate
        return Double(kind.delay(atRate: rate)) / rate
    }

    override func addOperations(to compiler: inout GraphCompiler) -> ProgramBuilder.Bus {
        let format = outputFormat
        let (channels, rate) = (Int(format.channelCount), format.sampleRate)
        if let effect, effect.channels == channels, effect.rate == rate {
            return compiler.timed(self, by: effect, format)
        }
        let made = TimeEffect(kind, channels: channels, rate: rate, parameters, switches)
        effect = made
        return compiler.timed(self, by: made, format)
    }

    /// Whether the unit passes its input on, late by ``latency`` and otherwise bit for bit; false at first.
    ///
    /// A change is a fade of 10 ms.
    ///
    /// Apple: `AVAudioUnitTimeEffect.bypass`
    public var bypass: Bool {
        get { switches.isBypassed }
        set { switches.isBypassed = newValue }
    }
}

/// A change of the speed that changes the pitch as well, as a tape does.
///
/// At the rate 1 the output is the input, bit for bit, 128 frames late.
///
/// Apple: `AVAudioUnitVarispeed`
// SAFETY: as in `AVAudioUnitTimeEffect`.
nonisolated open class AVAudioUnitVarispeed: AVAudioUnitTimeEffect, @unchecked Sendable {
    /// A unit that changes nothing yet.
    ///
    /// Apple: `AVAudioUnitVarispeed.init()`
    public init() { super.init(.varispeed) }

    /// Seconds of input for each second of output, from 0.25 to 4; 1 at first.
    ///
    /// Pitch rises by 1200 · log2(rate) cents.
    ///
    /// Apple: `AVAudioUnitVarispeed.rate`
    public var rate: Float {
        get { Float(parameters[TimeParameter.rate]) }
        set { parameters[TimeParameter.rate] = Double(newValue) }
    }
}

/// A change of the speed, of the pitch, or of both, each for itself.
///
/// Sound is overlapped with pieces of itself, 50 ms long, so a tone keeps its frequency. At the rate 1 and the pitch 0
/// the output is the input, bit for bit, some 73 ms late; a change to that and back is a fade of 10 ms.
///
/// Apple: `AVAudioUnitTimePitch`
// SAFETY: as in `AVAudioUnitTimeEffect`.
nonisolated open class AVAudioUnitTimePitch: AVAudioUnitTimeEffect, @unchecked Sendable {
    private let kept = Parameters([8])

    /// A unit that changes nothing yet.
    ///
    /// Apple: `AVAudioUnitTimePitch.init()`
    public init() { super.init(.timePitch) }

    /// Seconds of input for each second of output, from 1/32 to 32; 1 at first.
    ///
    /// Apple: `AVAudioUnitTimePitch.rate`
    public var rate: Float {
        get { Float(parameters[TimeParameter.rate]) }
        set { parameters[TimeParameter.rate] = Double(newValue) }
    }

    /// The change of the pitch in cents, from −2400 to 2400; 0 at first.
    ///
    /// Apple: `AVAudioUnitTimePitch.pitch`
    public var pitch: Float {
        get { Float(parameters[TimeParameter.pitch]) }
        set { parameters[TimeParameter.pitch] = Double(newValue) }
    }

    /// A number that is kept, 8 at first, and has no effect: the length of the pieces is fixed.
    ///
    /// Apple: `AVAudioUnitTimePitch.overlap`
    public var overlap: Float {
        get { Float(kept[0]) }
        set { kept[0] = Double(newValue) }
    }
}
