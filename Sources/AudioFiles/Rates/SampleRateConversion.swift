internal import CSoxr
internal import Glibc

/// A sample rate conversion: the input's rate, and the converter's quality.
package struct SampleRateConversion: Sendable, Hashable {
    /// The converter's precision.
    package enum Quality: Sendable, CaseIterable {
        /// Cubic interpolation.
        case quick
        /// 16 bits, with a low cut-off.
        case low
        /// 16 bits.
        case medium
        /// 20 bits.
        case high
        /// 28 bits.
        case veryHigh
    }

    /// Frames a second of the input, in Hz.
    package let inputRate: Double
    /// The converter's precision.
    package let quality: Quality
    /// Whether echoes of sharp sounds come after them only.
    package let isMinimumPhase: Bool

    /// A conversion from this rate, in Hz.
    package init(inputRate: Double, quality: Quality = .high, isMinimumPhase: Bool = false) {
        self.inputRate = inputRate
        self.quality = quality
        self.isMinimumPhase = isMinimumPhase
    }

    var recipe: UInt {
        let base: Int32 =
            switch quality {
            case .quick: SOXR_QQ
            case .low: SOXR_LQ
            case .medium: SOXR_MQ
            case .high: SOXR_20_BITQ
            case .veryHigh: SOXR_28_BITQ
            }
        // Interpolation has no phase to choose.
        return UInt(base | (isMinimumPhase && quality != .quick ? SOXR_MINIMUM_PHASE : 0))
    }
}

/// Converts the rate in front of another encoder.
///
/// The file has exactly as many frames as the input, times the ratio of the rates, rounded.
final class ConvertingEncoder: FloatEncoder {
    private let encoder: any FrameEncoder
    private let converter: SoxrConverter
    private let channels: Int
    /// Output frames for each input frame.
    private let ratio: Double
    private let path: String
    private var input: [Float] = []
    private var output: [Float]
    private var taken: Int64 = 0
    private var isClosed = false

    private static let piece = 4096

    var framesWritten: Int64 { encoder.framesWritten }

    /// Throws `.unsupportedEncoding` for rates that cannot be converted, `.missingLibrary`, and what `makeEncoder`
    /// throws.
    init(
        _ conversion: SampleRateConversion, _ request: EncodingRequest, path: String,
        _ makeEncoder: () throws(AudioFileError) -> any FrameEncoder
    ) throws(AudioFileError) {
        converter = try SoxrConverter(
            from: conversion.inputRate, to: request.sampleRate, channels: request.channels, recipe: conversion.recipe,
            path: path)
        encoder = try makeEncoder()
        self.path = path
        channels = request.channels
        ratio = request.sampleRate / conversion.inputRate
        output = [Float](repeating: 0, count: Self.piece * request.channels)
    }

    func flush() throws(AudioFileError) { try encoder.flush() }

    func finish() throws(AudioFileError) {
        guard !isClosed else { return }
        isClosed = true
        var problem: AudioFileError?
        do throws(AudioFileError) { try drain() } catch { problem = error }
        try encoder.finish()
        if let problem { throw problem }
    }

    func synchronize() throws(AudioFileError) { try encoder.synchronize() }

    var sink: ByteSink { encoder.sink }

    func put(_ frames: Int, _ sample: (Int) -> Float) throws(AudioFileError) {
        guard !isClosed else { throw AudioFileError(.closed, "was closed", path: path) }
        var done = 0
        while done < frames {
            let count = min(frames - done, Self.piece)
            input.removeAll(keepingCapacity: true)
            for index in done * channels..<(done + count) * channels { input.append(sample(index)) }
            try convert(count)
            taken += Int64(count)
            done += count
        }
    }

    // MARK: Details

    /// Converts what is in `input`.
    private func convert(_ frames: Int) throws(AudioFileError) {
        var done = 0
        while true {
            let progress = input.withUnsafeBufferPointer {
                converter.process(
                    $0.baseAddress.map { $0 + done * channels }, frames: frames - done, into: &output, room: Self.piece)
            }
            if let failure = progress.failure { throw AudioFileError(.io(EIO), failure, path: path) }
            done += progress.used
            try encoder.write(float: output, frames: progress.made)
            if done == frames && progress.made < Self.piece { return }
        }
    }

    /// Writes what the filter still holds; its end may round one frame away, but the length is a promise.
    private func drain() throws(AudioFileError) {
        var missing = Int64((Double(taken) * ratio).rounded()) - encoder.framesWritten
        while missing > 0 {
            let progress = converter.process(nil, frames: 0, into: &output, room: Int(min(missing, Int64(Self.piece))))
            if let failure = progress.failure { throw AudioFileError(.io(EIO), failure, path: path) }
            var made = progress.made
            if made == 0 {
                made = Int(min(missing, Int64(Self.piece)))
                output.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
            }
            try encoder.write(float: output, frames: made)
            missing -= Int64(made)
        }
    }
}
