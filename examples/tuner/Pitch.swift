import Foundation

/// The level and the pitch of a piece of sound.
struct Pitch: Sendable {
    /// The RMS level in dBFS, and the peak.
    let level: Float
    let peak: Float
    /// The frequency in Hz; nil for sound without a pitch, or too quiet.
    let frequency: Double?

    private static let names = ["C", "C♯", "D", "D♯", "E", "F", "F♯", "G", "G♯", "A", "A♯", "B"]

    /// The nearest note of the scale with A4 at 440 Hz, and how far it is, in cents.
    var note: (name: String, cents: Int)? {
        guard let frequency else { return nil }
        let place = 69 + 12 * log2(frequency / 440)
        let note = Int(place.rounded())
        return (
            Self.names[(note % 12 + 12) % 12] + String(note / 12 - 1), Int(((place - Double(note)) * 100).rounded())
        )
    }

    /// Analyses samples at a rate in Hz.
    ///
    /// The pitch is the first lag from which the sound is nearly as it was: where the difference to itself, divided by
    /// its mean over all shorter lags, is small (the method of de Cheveigné and Kawahara, 2002).
    init(_ samples: [Float], rate: Double) {
        let energy = samples.reduce(0) { $0 + $1 * $1 } / Float(max(samples.count, 1))
        level = 10 * log10(max(energy, 1e-12))
        peak = 20 * log10(max(samples.map(abs).max() ?? 0, 1e-6))
        guard level > -60 else {
            frequency = nil
            return
        }
        let window = samples.count / 2
        var (differences, sum) = ([Float](repeating: 1, count: window), Float(0))
        for lag in 1..<max(window, 1) {
            var difference: Float = 0
            for frame in 0..<window {
                let step = samples[frame] - samples[frame + lag]
                difference += step * step
            }
            sum += difference
            differences[lag] = sum > 0 ? difference * Float(lag) / sum : 1
        }
        guard var lag = differences.firstIndex(where: { $0 < 0.15 }) else {
            frequency = nil
            return
        }
        while lag + 1 < window, differences[lag + 1] < differences[lag] { lag += 1 }
        guard lag > 1, lag + 1 < window else {
            frequency = nil
            return
        }
        // The lowest point of the parabola through three lags.
        let (left, middle, right) = (differences[lag - 1], differences[lag], differences[lag + 1])
        let bend = left + right - 2 * middle
        let shift = bend > 0 ? (left - right) / (2 * bend) : 0
        frequency = rate / (Double(lag) + Double(shift))
    }
}
