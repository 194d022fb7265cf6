internal import CSoxr

/// A converter of libsoxr for interleaved samples, full scale ±1.
///
/// The library is loaded by the first one that is made, and never before: most sounds have the rate that they are
/// played at.
// One thread at a time uses a converter; its owner sees to that.
final class SoxrConverter {
    /// The frames that one call consumed and produced, and its error.
    struct Progress {
        var used = 0
        var made = 0
        var failure: String?
    }

    private let library: UnsafePointer<soxr_library>
    private let handle: soxr_t

    /// A converter between two rates, in Hz, as exact as a recipe of soxr.h says (20 bit); throws `.missingLibrary`, or
    /// `.unsupportedEncoding` for what cannot be converted.
    init(
        from inputRate: Double, to outputRate: Double, channels: Int, recipe: UInt = UInt(SOXR_HQ), path: String? = nil
    ) throws(AudioFileError) {
        guard let library = soxr_library_load() else { throw .missingConverter(path: path) }
        guard inputRate.isFinite, outputRate.isFinite, inputRate >= 1, outputRate >= 1, channels > 0 else {
            throw AudioFileError(.unsupportedEncoding, "cannot be converted to \(outputRate) Hz", path: path)
        }
        var error: soxr_error_t?
        var types = library.pointee.io_spec(SOXR_FLOAT32_I, SOXR_FLOAT32_I)
        var quality = library.pointee.quality_spec(recipe, 0)
        guard
            let handle = library.pointee.create(
                inputRate, outputRate, UInt32(channels), &error, &types, &quality, nil)
        else {
            let message = error.map { String(cString: $0) } ?? "cannot be converted to \(outputRate) Hz"
            throw AudioFileError(.unsupportedEncoding, message, path: path)
        }
        self.library = library
        self.handle = handle
    }

    deinit { library.pointee.delete(handle) }

    /// Converts frames; no input at all is its end, and gives what the filter still holds.
    func process(
        _ input: UnsafePointer<Float>?, frames: Int, into output: UnsafeMutablePointer<Float>, room: Int
    ) -> Progress {
        var progress = Progress()
        let failure = library.pointee.process(handle, input, frames, &progress.used, output, room, &progress.made)
        progress.failure = failure.map { String(cString: $0) }
        return progress
    }

    /// Begins again, as if nothing had been converted.
    func clear() { _ = library.pointee.clear(handle) }
}

extension AudioFileError {
    /// What every conversion meets where libsoxr is not installed.
    static func missingConverter(path: String?) -> AudioFileError {
        let message = "needs libsoxr.so.0 to be played or written at another rate: install the package libsoxr0"
        return AudioFileError(.missingLibrary, message, path: path)
    }
}
