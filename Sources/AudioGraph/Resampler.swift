internal import RealtimeShims

/// A converter of the sample rate of one connection.
///
/// It outlives the programs that use it, so a change of the graph is no gap in what it converts. The output is late by
/// ``delay``, and every one of its frames depends on its own position only, never on the size of blocks.
// SAFETY: the table is constant; the history belongs to the render side.
package final class Resampler: @unchecked Sendable {
    /// Number of channels.
    package let channels: Int
    /// The rate of the input, in Hz.
    package let inputRate: Double
    /// The rate of the output, in Hz.
    package let outputRate: Double

    let filter: ResampleFilter
    let history: UnsafeMutablePointer<ResampleHistory>
    private let coefficients: UnsafeMutablePointer<Float>
    private let samples: UnsafeMutablePointer<Float>

    /// The taps on each side of a frame, in frames of the lower rate.
    private static let reach = 48
    /// The greatest factor by which lower rates make the filter longer.
    private static let longest = 32.0
    /// The phases beyond which rows of the table are interpolated.
    private static let mostPhases = 512

    /// Creates a converter between two rates, in Hz.
    package init(from inputRate: Double, to outputRate: Double, channels: Int) {
        precondition(channels > 0, "a sound has a channel")
        self.channels = channels
        self.inputRate = inputRate
        self.outputRate = outputRate
        let ratio = RateRatio(inputRate, to: outputRate)
        let factor = min(max(inputRate / outputRate, 1), Self.longest)
        let half = Int((Double(Self.reach) * factor).rounded(.up))
        let phases = min(ratio.denominator, Self.mostPhases)
        coefficients = .allocate(capacity: (phases + 1) * 2 * half)
        // The slope ends at half of the lower rate.
        Self.design(coefficients, phases: phases, half: half, cutoff: 0.932 / factor, beta: 10.3)
        filter = ResampleFilter(
            ratio: ratio, taps: 2 * half, phases: phases, isExact: phases == ratio.denominator,
            coefficients: UnsafePointer(coefficients))
        samples = .allocate(capacity: channels * 2 * half)
        samples.initialize(repeating: 0, count: channels * 2 * half)
        history = .allocate(capacity: 1)
        history.initialize(to: ResampleHistory(samples: samples))
    }

    deinit {
        history.deallocate()
        samples.deallocate()
        coefficients.deallocate()
    }

    /// How late the output is, in frames of the input.
    package var delay: Int { filter.taps / 2 }

    /// Writes a sinc with a Kaiser window for each phase; each row has the sum 1.
    ///
    /// - Parameters:
    ///   - cutoff: The middle of the filter's slope, as a fraction of half the input's rate.
    ///   - beta: The window's shape: 9 for 90 dB, 10.3 for 102 dB.
    static func design(
        _ table: UnsafeMutablePointer<Float>, phases: Int, half: Int, cutoff: Double, beta: Double
    ) {
        var row = [Double](repeating: 0, count: 2 * half)
        for phase in 0...phases {
            for tap in row.indices {
                let distance = Double(tap - (half - 1)) - Double(phase) / Double(phases)
                let place = distance / Double(half)
                let window = abs(place) > 1 ? 0 : bessel(beta * (1 - place * place).squareRoot()) / bessel(beta)
                let angle = Double.pi * cutoff * distance
                row[tap] = window * (abs(angle) < 1e-9 ? 1 : rt_sine(angle) / angle)
            }
            let sum = row.reduce(0, +)
            for tap in row.indices { (table + phase * 2 * half + tap).initialize(to: Float(row[tap] / sum)) }
        }
    }

    /// The modified Bessel function of the first kind and order 0, by its series.
    static func bessel(_ value: Double) -> Double {
        var (sum, term, index) = (1.0, 1.0, 1.0)
        while term > sum * 1e-12 {
            term *= (value / (2 * index)) * (value / (2 * index))
            sum += term
            index += 1
        }
        return sum
    }
}

/// The constants of a ``Resampler``.
struct ResampleFilter {
    /// The input's rate as a fraction of the output's.
    let ratio: RateRatio
    let taps: Int
    /// The table has a row of `taps` coefficients for each phase, and one more.
    let phases: Int
    /// Whether every place between two frames has a row of its own.
    let isExact: Bool
    let coefficients: UnsafePointer<Float>
}

/// What a ``Resampler`` remembers of its input.
struct ResampleHistory {
    /// The last frames, as many as the filter has taps, channel by channel.
    let samples: UnsafeMutablePointer<Float>
    /// The position behind the last frame.
    var end = 0
    /// The number of silent frames at its end.
    var silent = 0
}
