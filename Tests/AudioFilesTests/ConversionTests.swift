import Foundation
import TestSupport
import Testing

@testable import AudioFiles

@Suite("Writers that convert the rate", .limited) struct ConversionTests {
    private let folder = TemporaryFolder()

    private func sine(_ frequency: Double, rate: Double, frames: Int) -> [Float] {
        (0..<frames).map { Float(0.5 * sin(2 * .pi * frequency * Double($0) / rate)) }
    }

    /// Power of what differs from the sine that fits best, and of that sine.
    private func noise(_ samples: [Float], _ frequency: Double, rate: Double) -> Double {
        let middle = samples.dropFirst(samples.count / 4).dropLast(samples.count / 4)
        var (cosine, sine) = (0.0, 0.0)
        for (index, sample) in zip(middle.indices, middle) {
            let phase = 2 * .pi * frequency * Double(index) / rate
            cosine += Double(sample) * cos(phase) * 2 / Double(middle.count)
            sine += Double(sample) * sin(phase) * 2 / Double(middle.count)
        }
        var rest = 0.0
        for (index, sample) in zip(middle.indices, middle) {
            let phase = 2 * .pi * frequency * Double(index) / rate
            let error = Double(sample) - cosine * cos(phase) - Foundation.sin(phase) * sine
            rest += error * error
        }
        return 10 * log10(rest / Double(middle.count) / ((cosine * cosine + sine * sine) / 2))
    }

    private func written(_ samples: [Float], to rate: Double, _ conversion: SampleRateConversion) throws -> [Float] {
        let path = folder.file("a.wav")
        let writer = try AudioFileWriter(
            path: path, container: .wav, encoding: .float32, sampleRate: rate, channels: 1, conversion: conversion)
        var done = 0
        while done < samples.count {
            let count = min(999, samples.count - done)
            try samples.withUnsafeBufferPointer { try writer.write(float: $0.baseAddress! + done, frames: count) }
            done += count
        }
        try writer.close()
        try writer.close()
        let reader = try AudioFileReader(path: path)
        #expect(reader.format.sampleRate == rate)
        return try reader.readAll()
    }

    @Test(arguments: [(48000.0, 44100.0), (44100, 48000), (96000, 8000), (8000, 192_000), (48000, 48000)])
    func theLengthIsExact(input: Double, output: Double) throws {
        for frames in [1, 4800, 50_001] {
            let read = try written(sine(440, rate: input, frames: frames), to: output, .init(inputRate: input))
            #expect(read.count == Int((Double(frames) * output / input).rounded()))
        }
    }

    @Test func betterIsBetter() throws {
        let samples = sine(5000, rate: 48000, frames: 48000)
        var last = 0.0
        for quality in SampleRateConversion.Quality.allCases {
            let read = try written(samples, to: 44100, .init(inputRate: 48000, quality: quality))
            let level = noise(read, 5000, rate: 44100)
            #expect(level < last + 3, "\(quality): \(level) dB")
            last = min(last, level)
        }
        #expect(last < -120)
    }

    @Test func minimumPhaseRingsBehindOnly() throws {
        var click = [Float](repeating: 0, count: 9600)
        click[4800] = 0.9
        func early(_ isMinimumPhase: Bool) throws -> Float {
            let read = try written(click, to: 44100, .init(inputRate: 48000, isMinimumPhase: isMinimumPhase))
            let peak = read.indices.max { abs(read[$0]) < abs(read[$1]) } ?? 0
            return read[max(0, peak - 200)..<max(0, peak - 5)].reduce(0) { max($0, abs($1)) }
        }
        #expect(try early(true) < 0.2 * early(false))
    }

    @Test func integersAreConvertedToo() throws {
        let path = folder.file("a.wav")
        let writer = try AudioFileWriter(
            path: path, container: .wav, encoding: .pcm16, sampleRate: 8000, channels: 2,
            conversion: .init(inputRate: 16000))
        try writer.write(int16: [Int16](repeating: 8192, count: 32_000), frames: 16_000)
        try writer.write(int32: [Int32](repeating: 1 << 29, count: 32_000), frames: 16_000)
        try writer.close()
        let read = try AudioFileReader(path: path).readAll()
        #expect(read.count == 32_000)
        #expect(read[1000..<31_000].allSatisfy { abs($0 - 0.25) < 1e-4 })
    }

    @Test func whatCannotBeConvertedLeavesNoFile() {
        for rate in [0, -1, .nan, .infinity] as [Double] {
            let kind = failure {
                try AudioFileWriter(
                    path: folder.file("none"), container: .wav, encoding: .pcm16, sampleRate: 8000, channels: 2,
                    conversion: .init(inputRate: rate))
            }
            #expect(kind == .unsupportedEncoding)
        }
        #expect(!FileManager.default.fileExists(atPath: folder.file("none")))
    }
}
