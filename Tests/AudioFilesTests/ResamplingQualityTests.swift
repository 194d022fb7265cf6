import Foundation
import TestSupport
import Testing

@testable import AudioFiles

/// What is left of a converted sine when the sine is taken away: distortion, noise, images and aliases.
@Suite(.limited) struct ResamplingQualityTests {
    private let folder = TemporaryFolder()

    /// One second of a sine at −1 dBFS, converted.
    private func converted(_ frequency: Double, from input: Double, to output: Double) throws -> ArraySlice<Double> {
        let amplitude = pow(10, -1.0 / 20)
        let samples = (0..<Int(input)).map { frame -> Float in
            let angle = 2 * Double.pi * frequency * Double(frame) / input
            return Float(amplitude * sin(angle))
        }
        let path = folder.file("a.wav")
        try Kind(container: .wav, encoding: .float32, rate: input).write(samples, channels: 1, to: path)
        let reader = try ResamplingReader(try AudioFileReader(path: path), sampleRate: output)
        // Beginning and ending are wide-band.
        return try reader.readAll().map { Double($0) }[4000..<40_000]
    }

    /// The energy beside the sine of that frequency that fits best, and the sine's, in dB of full scale squared.
    private func split(_ sound: ArraySlice<Double>, _ frequency: Double, rate: Double) -> (rest: Double, sine: Double) {
        var (ss, cc, sc, ys, yc) = (0.0, 0.0, 0.0, 0.0, 0.0)
        let waves = sound.indices.map { index -> (Double, Double) in
            let angle = 2 * Double.pi * frequency * Double(index) / rate
            return (sin(angle), cos(angle))
        }
        for (value, (s, c)) in zip(sound, waves) {
            ss += s * s
            cc += c * c
            sc += s * c
            ys += value * s
            yc += value * c
        }
        let determinant = ss * cc - sc * sc
        let (a, b) = ((ys * cc - yc * sc) / determinant, (yc * ss - ys * sc) / determinant)
        var rest = 0.0
        for (value, (s, c)) in zip(sound, waves) {
            let error = value - a * s - b * c
            rest += error * error
        }
        return (10 * log10(rest / Double(sound.count)), 10 * log10((a * a + b * b) / 2))
    }

    @Test(
        "Distortion, noise and images stay 100 dB below the tone",
        arguments: [(44100.0, 48000.0), (48000, 44100)], [20, 440, 997, 5003, 10_007, 15_013, 19_001])
    func purity(rates: (input: Double, output: Double), frequency: Double) throws {
        let sound = try converted(frequency, from: rates.input, to: rates.output)
        let (rest, sine) = split(sound, frequency, rate: rates.output)
        #expect(rest - sine < -100, "\(rest - sine) dB")
        #expect(abs(sine - -4.01) < 0.05, "neither louder nor quieter: \(sine) dB")
    }

    @Test(
        "What the lower rate cannot hold does not come back as something else",
        arguments: [22_100, 22_500, 23_000, 23_900])
    func aliasing(frequency: Double) throws {
        let sound = try converted(frequency, from: 48_000, to: 44_100)
        let energy = sound.reduce(0.0) { $0 + $1 * $1 } / Double(sound.count)
        #expect(10 * log10(energy) - -4.01 < -100, "\(10 * log10(energy)) dB")
    }
}
