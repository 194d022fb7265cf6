internal import AudioGraph

/// The kinds of distortion.
///
/// Apple: `AVAudioUnitDistortionPreset`
public enum AVAudioUnitDistortionPreset: Int, Sendable {
    /// Fewer bits.
    case drumsBitBrush = 0
    /// Short echoes of few bits.
    case drumsBufferBeats = 1
    /// A low rate and few bits.
    case drumsLoFi = 2
    /// Hard cubic distortion at a low rate.
    case multiBrokenSpeaker = 3
    /// A low rate, with a short echo.
    case multiCellphoneConcert = 4
    /// 20 000 samples a second.
    case multiDecimated1 = 5
    /// 12 000 samples a second.
    case multiDecimated2 = 6
    /// 8000 samples a second.
    case multiDecimated3 = 7
    /// A reduction of the sample rate to 5000 Hz.
    case multiDecimated4 = 8
    /// Cubic distortion and a slow tremolo.
    case multiDistortedFunk = 9
    /// Cubic distortion.
    case multiDistortedCubed = 10
    /// Squared distortion.
    case multiDistortedSquared = 11
    /// Echoes of 0.35 s.
    case multiEcho1 = 12
    /// Echoes of 0.25 s, more of them.
    case multiEcho2 = 13
    /// Echoes of 0.09 s.
    case multiEchoTight1 = 14
    /// Echoes of 0.05 s, more of them.
    case multiEchoTight2 = 15
    /// All of it.
    case multiEverythingIsBroken = 16
    /// A product with a tone of 300 Hz.
    case speechAlienChatter = 17
    /// A product with a tone of 1200 Hz.
    case speechCosmicInterference = 18
    /// A product with a tone of 314 Hz, and squared distortion.
    case speechGoldenPi = 19
    /// A low rate, few bits and cubic distortion.
    case speechRadioTower = 20
    /// A product with a slow wave.
    case speechWaves = 21
}

/// Distortion: echoes, ring modulation, lower rates, fewer bits, and curves.
///
/// What Apple's presets hold is not published: those here are named after it, and sound otherwise
/// (docs/decisions/0152).
///
/// Apple: `AVAudioUnitDistortion`
// SAFETY: the parameters have atomics only.
nonisolated open class AVAudioUnitDistortion: AVAudioUnitEffect, @unchecked Sendable {
    private let parameters = Parameters([Double(AVAudioUnitDistortionPreset.drumsBitBrush.rawValue), -6, 50])

    /// What the presets do, in their order.
    private static let shapes: [DistortionShape] = [
        .init(hold: .init(bits: 5)),
        .init(echo: .init(seconds: 0.125, decay: 0.4, mix: 0.6), hold: .init(bits: 8)),
        .init(hold: .init(rate: 11_000, bits: 7)),
        .init(hold: .init(rate: 14_000), curve: .init(linear: 0.4, cubic: 0.6)),
        .init(echo: .init(seconds: 0.06, decay: 0.3, mix: 0.4), hold: .init(rate: 8000, bits: 9)),
        .init(hold: .init(rate: 20_000)),
        .init(hold: .init(rate: 12_000)),
        .init(hold: .init(rate: 8000)),
        .init(hold: .init(rate: 5000)),
        .init(ring: .init(frequency: 4, mix: 0.5), curve: .init(linear: 0.6, cubic: 0.4)),
        .init(curve: .init(linear: 0, cubic: 1)),
        .init(curve: .init(linear: 0, squared: 1)),
        .init(echo: .init(seconds: 0.35, decay: 0.4, mix: 0.6)),
        .init(echo: .init(seconds: 0.25, decay: 0.6, mix: 0.7)),
        .init(echo: .init(seconds: 0.09, decay: 0.4, mix: 0.6)),
        .init(echo: .init(seconds: 0.05, decay: 0.6, mix: 0.7)),
        .init(
            echo: .init(seconds: 0.11, decay: 0.5, mix: 0.5), ring: .init(frequency: 90, mix: 0.4),
            hold: .init(rate: 9000, bits: 6), curve: .init(linear: 0.4, squared: 0.3, cubic: 0.5)),
        .init(ring: .init(frequency: 300, mix: 1)),
        .init(ring: .init(frequency: 1200, mix: 0.8)),
        .init(ring: .init(frequency: 314, mix: 0.7), curve: .init(linear: 0.7, squared: 0.5)),
        .init(hold: .init(rate: 10_000, bits: 8), curve: .init(linear: 0.6, cubic: 0.4)),
        .init(ring: .init(frequency: 0.7, mix: 0.8)),
    ]

    /// A distortion with the preset `drumsBitBrush`.
    ///
    /// Apple: `AVAudioUnitDistortion.init()`
    public override init() { super.init() }

    override func makeEffect(channels: Int, rate: Double) -> Effect {
        .distortion(channels: channels, rate: rate, Self.shapes, parameters, switches)
    }

    /// Changes the kind of distortion, and leaves `preGain` and `wetDryMix` as they are.
    ///
    /// While sound runs, the old kind fades out within a block, and the new one begins with the next.
    ///
    /// Apple: `AVAudioUnitDistortion.loadFactoryPreset(_:)`
    public func loadFactoryPreset(_ preset: AVAudioUnitDistortionPreset) {
        parameters[DistortionParameter.shape] = Double(preset.rawValue)
    }

    /// Decibels before the distortion, from −80 to 20; −6 at first.
    ///
    /// Apple: `AVAudioUnitDistortion.preGain`
    public var preGain: Float {
        get { Float(parameters[DistortionParameter.gain]) }
        set { parameters[DistortionParameter.gain] = Double(newValue) }
    }

    /// Per cent of the distorted sound in the output, from 0 to 100; 50 at first.
    ///
    /// Apple: `AVAudioUnitDistortion.wetDryMix`
    public var wetDryMix: Float {
        get { Float(parameters[DistortionParameter.mix]) }
        set { parameters[DistortionParameter.mix] = Double(newValue) }
    }
}
