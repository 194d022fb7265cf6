internal import CSoxr

/// Converts the rate of frames that come bit by bit, through libsoxr's high quality (20 bit) converter.
// SAFETY: one thread at a time uses a converter; its owner sees to that.
package final class RateConverter: @unchecked Sendable {
    private let converter: soxr_t
    private let channels: Int
    private var output: [Float]

    private static let piece = 4096

    /// A converter between two rates, in Hz; nil for rates that cannot be converted.
    package init?(from inputRate: Double, to outputRate: Double, channels: Int) {
        var error: soxr_error_t?
        var types = soxr_io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I)
        var quality = soxr_quality_spec(UInt(SOXR_HQ), 0)
        guard inputRate >= 1, outputRate >= 1, channels > 0,
            let converter = soxr_create(inputRate, outputRate, UInt32(channels), &error, &types, &quality, nil)
        else { return nil }
        self.converter = converter
        self.channels = channels
        output = [Float](repeating: 0, count: Self.piece * channels)
    }

    deinit { soxr_delete(converter) }

    /// Takes interleaved frames and gives those that are ready; some stay in the filter.
    package func convert(_ input: [Float]) -> [Float] {
        // No input at all would be its end.
        guard !input.isEmpty else { return [] }
        var result: [Float] = []
        var done = 0
        let frames = input.count / channels
        while true {
            var (used, made) = (0, 0)
            let status = input.withUnsafeBufferPointer {
                soxr_process(
                    converter, $0.baseAddress.map { $0 + done * channels }, frames - done, &used, &output, Self.piece,
                    &made)
            }
            guard status == nil else { return result }
            done += used
            result.append(contentsOf: output[..<(made * channels)])
            if done == frames && made < Self.piece { return result }
        }
    }

    /// Gives what the filter still holds; nothing may be converted after it.
    package func finish() -> [Float] {
        var result: [Float] = []
        while true {
            var made = 0
            guard soxr_process(converter, nil, 0, nil, &output, Self.piece, &made) == nil, made > 0 else {
                return result
            }
            result.append(contentsOf: output[..<(made * channels)])
        }
    }
}
