/// A streaming sample rate converter, by default libsoxr's high quality (20 bit) one.
// One thread at a time uses a converter; its owner sees to that.
package final class RateConverter {
    private let converter: SoxrConverter
    private let channels: Int
    private var output: [Float]

    private static let piece = 4096

    /// A converter between two rates, in Hz; throws `.unsupportedEncoding` for rates that cannot be converted, and
    /// `.missingLibrary`.
    package convenience init(from inputRate: Double, to outputRate: Double, channels: Int) throws(AudioFileError) {
        try self.init(SampleRateConversion(inputRate: inputRate), to: outputRate, channels: channels)
    }

    /// A converter to a rate in Hz, of a given quality; throws as ``init(from:to:channels:)``.
    package init(_ conversion: SampleRateConversion, to outputRate: Double, channels: Int) throws(AudioFileError) {
        converter = try SoxrConverter(
            from: conversion.inputRate, to: outputRate, channels: channels, recipe: conversion.recipe)
        self.channels = channels
        output = [Float](repeating: 0, count: Self.piece * channels)
    }

    /// Takes interleaved frames and gives those that are ready; some stay in the filter.
    package func convert(_ input: [Float]) -> [Float] {
        // No input at all would be its end.
        guard !input.isEmpty else { return [] }
        var result: [Float] = []
        var done = 0
        let frames = input.count / channels
        while true {
            let progress = input.withUnsafeBufferPointer {
                converter.process(
                    $0.baseAddress.map { $0 + done * channels }, frames: frames - done, into: &output, room: Self.piece)
            }
            guard progress.failure == nil else { return result }
            done += progress.used
            result.append(contentsOf: output[..<(progress.made * channels)])
            if done == frames && progress.made < Self.piece { return result }
        }
    }

    /// Gives what the filter still holds; nothing may be converted after it.
    package func finish() -> [Float] {
        var result: [Float] = []
        while true {
            let progress = converter.process(nil, frames: 0, into: &output, room: Self.piece)
            guard progress.failure == nil, progress.made > 0 else { return result }
            result.append(contentsOf: output[..<(progress.made * channels)])
        }
    }
}
