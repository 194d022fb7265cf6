internal import RealtimeShims

/// The forms of an equalizer's band, with Apple's numbers.
package enum FilterForm: Int, Sendable {
    case parametric, lowPass, highPass, resonantLowPass, resonantHighPass, bandPass, bandStop, lowShelf, highShelf
    case resonantLowShelf, resonantHighShelf
}

/// The parameters of an equalizer.
package enum EqualizerParameter {
    /// The gain of the whole, in dB, −96 to 24.
    package static let globalGain = 0
    /// The parameters before those of the first band.
    static let before = 1

    /// A parameter of a band, among those of all.
    package static func of(_ parameter: Band, band: Int) -> Int {
        before + band * Band.allCases.count + parameter.rawValue
    }

    /// The parameters of one band.
    package enum Band: Int, CaseIterable {
        /// The raw value of a ``FilterForm``.
        case form
        /// Hz, 20 to half the rate.
        case frequency
        /// Octaves, 0.05 to 5.
        case bandwidth
        /// dB, −96 to 24.
        case gain
        /// Other than 0 for a band that does nothing.
        case bypass
    }
}

extension Effect {
    /// Creates an equalizer: one filter for each band, one after another.
    ///
    /// - Parameters:
    ///   - bands: Number of bands, to which the parameters belong.
    ///   - parameters: As ``EqualizerParameter`` numbers them.
    package static func equalizer(
        channels: Int, rate: Double, bands: Int, _ parameters: Parameters, _ switches: EffectSwitches
    ) -> Effect {
        let memory = ProgramMemory()
        let list = memory.allocate(EqualizerBand.self, count: bands)
        list.initialize(repeating: EqualizerBand(), count: bands)
        let filters = memory.allocate(BiquadMemory.self, count: bands * channels)
        filters.initialize(repeating: BiquadMemory(), count: bands * channels)
        let state = memory.allocate(EqualizerState.self, count: 1)
        state.initialize(
            to: EqualizerState(
                parameters: parameters.list, rate: rate, channels: channels, bands: list, bandCount: bands,
                filters: filters))
        return Effect(channels: channels, rate: rate, parameters, switches, memory: memory, .equalizer(state))
    }
}

/// An equalizer, as its kernel uses it.
struct EqualizerState {
    let parameters: ParameterList
    let rate: Double
    let channels: Int
    let bands: UnsafeMutablePointer<EqualizerBand>
    let bandCount: Int
    /// The memories of each band's filters, channel by channel.
    let filters: UnsafeMutablePointer<BiquadMemory>
    /// The linear gain at the end of the last block, and that which is set.
    var gain = 1.0
    var nextGain = 1.0

    /// Reads the parameters, and computes the filters that have changed.
    mutating func prepare() {
        let decibels = parameters.value(EqualizerParameter.globalGain, -96, 24)
        nextGain = rt_exponential(decibels * Logarithm.ofTen / 20)
        for index in 0..<bandCount {
            let first = EqualizerParameter.before + index &* 5
            let wish = BandWish(
                form: parameters[first], frequency: parameters[first &+ 1], bandwidth: parameters[first &+ 2],
                gain: parameters[first &+ 3], bypass: parameters[first &+ 4])
            guard wish != bands[index].wish else { continue }
            bands[index].wish = wish
            bands[index].next = wish.isWire ? nil : Biquad(wish, rate: rate)
            bands[index].isChanged = true
        }
    }
}

/// The parameters of a band as they were read last.
struct BandWish {
    var form = 0.0
    var frequency = 0.0
    var bandwidth = 0.0
    var gain = 0.0
    var bypass = 1.0

    var isWire: Bool { bypass != 0 }

    static func != (one: BandWish, other: BandWish) -> Bool {
        one.form != other.form || one.frequency != other.frequency || one.bandwidth != other.bandwidth
            || one.gain != other.gain || one.bypass != other.bypass
    }
}

/// One band of an equalizer.
struct EqualizerBand {
    var wish = BandWish()
    /// The filter of the last block; nil for a wire.
    var filter: Biquad?
    /// The filter that is wanted.
    var next: Biquad?
    var isChanged = false
}

/// The coefficients of a filter of the second order, divided by the one of the output.
struct Biquad {
    let (b0, b1, b2, a1, a2): (Double, Double, Double, Double, Double)

    /// The filter of a band, by the Audio EQ Cookbook of Robert Bristow-Johnson.
    ///
    /// Its peaking filter and its low-pass give Apple's samples to four places.
    init(_ wish: BandWish, rate: Double) {
        let frequency = min(max(wish.frequency, 20), rate * 0.4995)
        let angle = 2 * Double.pi * frequency / rate
        let (sine, cosine) = (rt_sine(angle), rt_cosine(angle))
        let octaves = min(max(wish.bandwidth, 0.05), 5)
        let exponent = min(Logarithm.ofTwo / 2 * octaves * angle / sine, 40)
        let wide = sine * (rt_exponential(exponent) - rt_exponential(-exponent)) / 2
        // Q is 1/√2, and a shelf's slope 1.
        let flat = sine / 2.0.squareRoot()
        let amplitude = rt_exponential(min(max(wish.gain, -96), 24) * Logarithm.ofTen / 40)
        switch FilterForm(rawValue: Int(wish.form)) ?? .parametric {
        case .parametric: self = .peak(cosine, wide, amplitude)
        case .lowPass: self = .pass(cosine, flat, isLow: true)
        case .highPass: self = .pass(cosine, flat, isLow: false)
        case .resonantLowPass: self = .pass(cosine, wide, isLow: true)
        case .resonantHighPass: self = .pass(cosine, wide, isLow: false)
        case .bandPass: self.init(wide, 0, -wide, 1 + wide, -2 * cosine, 1 - wide)
        case .bandStop: self.init(1, -2 * cosine, 1, 1 + wide, -2 * cosine, 1 - wide)
        case .lowShelf: self = .shelf(cosine, flat, amplitude, isLow: true)
        case .highShelf: self = .shelf(cosine, flat, amplitude, isLow: false)
        case .resonantLowShelf: self = .shelf(cosine, wide, amplitude, isLow: true)
        case .resonantHighShelf: self = .shelf(cosine, wide, amplitude, isLow: false)
        }
    }

    private init(_ b0: Double, _ b1: Double, _ b2: Double, _ a0: Double, _ a1: Double, _ a2: Double) {
        (self.b0, self.b1, self.b2, self.a1, self.a2) = (b0 / a0, b1 / a0, b2 / a0, a1 / a0, a2 / a0)
    }

    private static func peak(_ cosine: Double, _ alpha: Double, _ amplitude: Double) -> Biquad {
        let (wide, narrow) = (alpha * amplitude, alpha / amplitude)
        return Biquad(1 + wide, -2 * cosine, 1 - wide, 1 + narrow, -2 * cosine, 1 - narrow)
    }

    private static func pass(_ cosine: Double, _ alpha: Double, isLow: Bool) -> Biquad {
        let middle = isLow ? 1 - cosine : -(1 + cosine)
        let side = abs(middle) / 2
        return Biquad(side, middle, side, 1 + alpha, -2 * cosine, 1 - alpha)
    }

    private static func shelf(_ cosine: Double, _ alpha: Double, _ amplitude: Double, isLow: Bool) -> Biquad {
        // A high shelf is a low one with the cosine's sign turned around, and so are its odd coefficients.
        let turn = isLow ? 1.0 : -1
        let (more, less, bend) = (amplitude + 1, amplitude - 1, 2 * amplitude.squareRoot() * alpha)
        let place = turn * cosine
        return Biquad(
            amplitude * (more - less * place + bend), turn * 2 * amplitude * (less - more * place),
            amplitude * (more - less * place - bend), more + less * place + bend, turn * -2 * (less + more * place),
            more + less * place - bend)
    }
}

/// What a filter remembers.
struct BiquadMemory {
    var first = 0.0
    var second = 0.0

    @_noLocks
    init() {}
}
