import Foundation
import TestSupport
import Testing

@testable import AudioFiles

@Suite(.limited) struct ResamplingTests {
    private let folder = TemporaryFolder()

    private func reader(_ samples: [Float], channels: Int, rate: Double) throws -> AudioFileReader {
        let path = folder.file("a.wav")
        try Kind(container: .wav, encoding: .float32, rate: rate).write(samples, channels: channels, to: path)
        return try AudioFileReader(path: path)
    }

    @Test(arguments: [
        (44100.0, 48000.0), (48000, 44100), (8000, 48000), (96000, 44100), (44100, 44101), (48000, 22050.5),
    ])
    func theLengthIsRounded(input: Double, output: Double) throws {
        for frames in [1, 2, 100, 1001, 44_100, 50_003] {
            let source = try reader(sweep(frames: frames, channels: 1, rate: input), channels: 1, rate: input)
            let resampled = try ResamplingReader(source, sampleRate: output)
            #expect(resampled.frames == Int64((Double(frames) * output / input).rounded()))
            #expect(try resampled.readAll().count == Int(resampled.frames))
        }
    }

    @Test func equalRatesPassThrough() throws {
        let samples = sweep(frames: 5000, channels: 2)
        let resampled = try ResamplingReader(try reader(samples, channels: 2, rate: 44100), sampleRate: 44100)
        #expect(try resampled.readAll() == samples)
        try resampled.seek(toFrame: 100)
        #expect(try resampled.readAll() == Array(samples[200...]))
    }

    @Test(arguments: [(44100.0, 48000.0), (48000, 44100)]) func aToneStaysPure(input: Double, output: Double) throws {
        let amplitude = pow(10, -1.0 / 20)
        let samples = (0..<Int(input)).map { Float(amplitude * sin(2 * .pi * 1000 * Double($0) / input)) }
        let resampled = try ResamplingReader(try reader(samples, channels: 1, rate: input), sampleRate: output)
        let sound = try resampled.readAll()[4000..<40_000].map { (sample: Float) -> Double in Double(sample) }
        // Least squares: what is left when the best sine of this frequency is taken away is distortion and noise.
        let angle = { (frame: Int) -> Double in 2 * Double.pi * 1000 * Double(frame) / output }
        var (ss, cc, sc, ys, yc) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for (index, value) in sound.enumerated() {
            let (s, c) = (sin(angle(index)), cos(angle(index)))
            ss += s * s
            cc += c * c
            sc += s * c
            ys += value * s
            yc += value * c
        }
        let determinant = ss * cc - sc * sc
        let a = (ys * cc - yc * sc) / determinant
        let b = (yc * ss - ys * sc) / determinant
        var rest = 0.0
        for (index, value) in sound.enumerated() {
            let error = value - a * sin(angle(index)) - b * cos(angle(index))
            rest += error * error
        }
        let signal = (a * a + b * b) / 2 * Double(sound.count)
        #expect(10 * log10(rest / signal) < -100)
        // Neither louder nor later.
        #expect(abs(a - amplitude * cos(angle(4000))) < 1e-4)
        #expect(abs(b - amplitude * sin(angle(4000))) < 1e-4)
    }

    @Test(arguments: [(44100.0, 48000.0), (48000, 44100), (8000, 48000)]) func seekingIsExact(
        input: Double, output: Double
    ) throws {
        let source = try reader(sweep(frames: 100_000, channels: 2, rate: input), channels: 2, rate: input)
        let resampled = try ResamplingReader(source, sampleRate: output)
        let whole = try resampled.readAll()
        for place in [0, 1, 777, 50_000, 80_123, Int(resampled.frames) - 3, Int(resampled.frames)] {
            try resampled.seek(toFrame: Int64(place))
            #expect(resampled.position == Int64(place))
            #expect(difference(try resampled.readAll(), whole[(2 * place)...]) < 1e-6)
        }
        #expect(failure { try resampled.seek(toFrame: resampled.frames + 1) } == .outOfRange)
    }

    @Test func ratesThatMakeNoSenseAreRefused() throws {
        let source = try reader([0, 0], channels: 1, rate: 44100)
        for rate in [0, -1, .nan, .infinity] {
            #expect(failure { try ResamplingReader(source, sampleRate: rate) } == .unsupportedEncoding)
        }
    }
}
