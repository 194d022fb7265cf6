internal import AudioGraph

/// The form of an equalizer's band.
///
/// Apple: `AVAudioUnitEQFilterType`
public enum AVAudioUnitEQFilterType: Int, Sendable {
    /// A peak or a notch: centre frequency, bandwidth and gain.
    case parametric = 0
    /// A Butterworth low-pass of the second order, −3 dB at its frequency.
    case lowPass = 1
    /// A Butterworth high-pass of the second order, −3 dB at its frequency.
    case highPass = 2
    /// A low-pass whose resonance is set by the bandwidth.
    case resonantLowPass = 3
    /// A high-pass whose resonance is set by the bandwidth.
    case resonantHighPass = 4
    /// A band-pass: centre frequency, at 0 dB, and bandwidth.
    case bandPass = 5
    /// A notch: centre frequency and bandwidth.
    case bandStop = 6
    /// A low shelf: the middle of its slope, and gain.
    case lowShelf = 7
    /// A high shelf: the middle of its slope, and gain.
    case highShelf = 8
    /// A low shelf whose resonance is set by the bandwidth.
    case resonantLowShelf = 9
    /// A high shelf whose resonance is set by the bandwidth.
    case resonantHighShelf = 10
}

/// One band of an equalizer.
///
/// Any thread sets it, and the next block has it; from one filter to the other is a fade over that block. What is set is
/// kept, and sounds as the nearest value of the range; NaN is ignored.
///
/// Apple: `AVAudioUnitEQFilterParameters`
// SAFETY: constants, and parameters that have atomics only.
nonisolated open class AVAudioUnitEQFilterParameters: NSObject, @unchecked Sendable {
    private let parameters: Parameters
    private let band: Int

    init(_ parameters: Parameters, band: Int) {
        self.parameters = parameters
        self.band = band
        super.init()
    }

    private subscript(parameter: EqualizerParameter.Band) -> Double {
        get { parameters[EqualizerParameter.of(parameter, band: band)] }
        set { parameters[EqualizerParameter.of(parameter, band: band)] = newValue }
    }

    /// The form; `parametric` at first.
    ///
    /// Apple: `AVAudioUnitEQFilterParameters.filterType`
    public var filterType: AVAudioUnitEQFilterType {
        get { AVAudioUnitEQFilterType(rawValue: Int(self[.form])) ?? .parametric }
        set { self[.form] = Double(newValue.rawValue) }
    }

    /// Hz, from 20 to half the sample rate; 40 at first.
    ///
    /// Apple: `AVAudioUnitEQFilterParameters.frequency`
    public var frequency: Float {
        get { Float(self[.frequency]) }
        set { self[.frequency] = Double(newValue) }
    }

    /// Octaves, from 0.05 to 5; 0.5 at first.
    ///
    /// Apple: `AVAudioUnitEQFilterParameters.bandwidth`
    public var bandwidth: Float {
        get { Float(self[.bandwidth]) }
        set { self[.bandwidth] = Double(newValue) }
    }

    /// Decibels, from −96 to 24; 0 at first.
    ///
    /// Apple: `AVAudioUnitEQFilterParameters.gain`
    public var gain: Float {
        get { Float(self[.gain]) }
        set { self[.gain] = Double(newValue) }
    }

    /// Whether the band is bypassed, and passes the sound on unchanged; true at first.
    ///
    /// Apple: `AVAudioUnitEQFilterParameters.bypass`
    public var bypass: Bool {
        get { self[.bypass] != 0 }
        set { self[.bypass] = newValue ? 1 : 0 }
    }
}

/// An equalizer: bands of filters, one after another.
///
/// Its filters are those of Bristow-Johnson's cookbook, which give the samples that were measured of Apple's.
///
/// Apple: `AVAudioUnitEQ`
// SAFETY: constants, and parameters that have atomics only.
nonisolated open class AVAudioUnitEQ: AVAudioUnitEffect, @unchecked Sendable {
    /// The greatest number of bands.
    private static let most = 1024

    private let parameters: Parameters

    /// The bands, in the order in which the sound passes them.
    ///
    /// Apple: `AVAudioUnitEQ.bands`
    public let bands: [AVAudioUnitEQFilterParameters]

    /// An equalizer whose bands are all bypassed.
    ///
    /// - Parameter numberOfBands: 0 to 1024; other numbers count as the nearest of these.
    ///
    /// Apple: `AVAudioUnitEQ.init(numberOfBands:)`
    public init(numberOfBands: Int) {
        (parameters, bands) = Self.bypassed(numberOfBands)
        super.init()
    }

    /// An equalizer with 16 bands, all bypassed.
    ///
    /// Apple: `AVAudioUnitEQ.init()`
    public override init() {
        (parameters, bands) = Self.bypassed(16)
        super.init()
    }

    /// Bands that are bypassed, and the parameters that they change.
    private static func bypassed(_ number: Int) -> (Parameters, [AVAudioUnitEQFilterParameters]) {
        let count = min(max(number, 0), most)
        let band: [Double] = EqualizerParameter.Band.allCases.map {
            switch $0 {
            case .form, .gain: 0
            case .frequency: 40
            case .bandwidth: 0.5
            case .bypass: 1
            }
        }
        let parameters = Parameters([0] + Array(repeatElement(band, count: count).joined()))
        return (parameters, (0..<count).map { AVAudioUnitEQFilterParameters(parameters, band: $0) })
    }

    override func makeEffect(channels: Int, rate: Double) -> Effect {
        .equalizer(channels: channels, rate: rate, bands: bands.count, parameters, switches)
    }

    /// The gain of the whole in decibels, from −96 to 24; 0 at first.
    ///
    /// Apple: `AVAudioUnitEQ.globalGain`
    public var globalGain: Float {
        get { Float(parameters[EqualizerParameter.globalGain]) }
        set { parameters[EqualizerParameter.globalGain] = Double(newValue) }
    }
}
