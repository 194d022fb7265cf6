internal import CSndFile

/// Reads the frames of a sound file: WAV, AIFF, CAF, FLAC, Ogg Vorbis, Opus, MP3, W64, RF64 and AU.
// SAFETY: one thread at a time uses a reader; its owner sees to that.
package final class AudioFileReader: @unchecked Sendable {
    /// What the file contains; `frames` is what reading to the end gives.
    package let format: AudioFileFormat
    /// The file's path, nil for bytes in memory.
    package let path: String?
    /// The frame that the next read starts with.
    package private(set) var position: Int64 = 0

    private let source: ByteSource
    private let handle: OpaquePointer
    /// Where libsndfile's seeking of Ogg Vorbis becomes wrong; see `OggTail`.
    private let exactSeekEnd: Int64
    /// An error that came with frames, kept for the next call.
    private var pendingError: AudioFileError?

    /// Opens a file for reading.
    ///
    /// Throws `.notFound`, `.permission`, `.isDirectory`, `.notAFile`, `.unknownType`, `.malformed`,
    /// `.unsupportedEncoding` or `.io`. Does not wait, not even for a FIFO.
    package convenience init(path: String) throws(AudioFileError) {
        try self.init(source: ByteSource(path: path), path: path)
    }

    /// Opens a file that is in memory; throws `.unknownType`, `.malformed` or `.unsupportedEncoding`.
    package convenience init(bytes: [UInt8]) throws(AudioFileError) {
        try self.init(source: ByteSource(bytes: bytes), path: nil)
    }

    private init(source: ByteSource, path: String?) throws(AudioFileError) {
        guard let type = FileSignature(source) else {
            let message = source.size == 0 ? "is empty" : "is not a sound file of a known type"
            throw AudioFileError(.unknownType, message, path: path)
        }
        if type == .mpeg { MPEGStream.repair(source) }
        if type == .wave { WaveRepair.repair(source) }

        let opened = try Self.open(source, path: path)
        guard let encoding = AudioEncoding(formatBits: opened.info.format),
            let container = AudioContainer(formatBits: opened.info.format, encoding: encoding),
            (1...256).contains(opened.info.channels), opened.info.samplerate > 0
        else {
            sf_close(opened.handle)
            throw AudioFileError(.unsupportedEncoding, "holds an encoding that is not supported", path: path)
        }
        let channels = Int(opened.info.channels)
        var frames = max(opened.info.frames, 0)
        if frames > source.size * 100_000 {
            // No length, as in a FLAC stream that was never finished, or an absurd one: count.
            frames = Self.count(opened.handle, channels: channels)
        }
        let endianness = Int(opened.info.format) & SF_FORMAT_ENDMASK
        let isBigByDefault = container == .aiff || container == .aifc || container == .caf || container == .au
        format = AudioFileFormat(
            container: container, encoding: encoding,
            isBigEndian: endianness == SF_ENDIAN_BIG
                || endianness != SF_ENDIAN_LITTLE && isBigByDefault && encoding.bitDepth > 8,
            sampleRate: Double(opened.info.samplerate), channels: channels, frames: frames,
            channelLayout: ChannelLayout.read(opened.handle, channels: channels, encoding: encoding))
        exactSeekEnd = encoding == .vorbis ? OggTail.exactSeekEnd(source) : .max
        self.source = source
        self.path = path
        handle = opened.handle
    }

    deinit { sf_close(handle) }

    /// Reads up to `frames` interleaved frames, full scale ±1, and returns how many; 0 at the end.
    ///
    /// Throws `.malformed` where the file ends before its header says, or cannot be decoded, but only after all frames
    /// before that place were delivered, and `.io`.
    package func read(into destination: UnsafeMutablePointer<Float>, frames: Int) throws(AudioFileError) -> Int {
        if let error = pendingError {
            pendingError = nil
            throw error
        }
        let wanted = min(frames, Int(clamping: format.frames - position))
        guard wanted > 0 else { return 0 }
        let count = max(0, Int(sf_readf_float(handle, destination, sf_count_t(wanted))))
        position += Int64(count)
        if count < wanted, let error = failure() {
            if count == 0 { throw error }
            pendingError = error
        }
        return count
    }

    /// Moves to a frame, exactly; `format.frames` is the end.
    ///
    /// Throws `.outOfRange` and `.malformed`.
    package func seek(toFrame frame: Int64) throws(AudioFileError) {
        guard (0...format.frames).contains(frame) else {
            throw AudioFileError(.outOfRange, "has no frame \(frame)", path: path)
        }
        pendingError = nil
        guard frame != position else { return }
        if frame < format.frames {
            let start = max(0, seekStart(for: frame))
            // Forward seeks that leave a half decoded Vorbis page give garbled blocks; from the first frame they do not.
            if format.encoding == .vorbis, sf_seek(handle, 0, SEEK_SET) != 0 { throw .library(handle, path: path) }
            guard sf_seek(handle, start, SEEK_SET) == start else { throw .library(handle, path: path) }
            try discard(frame - start)
        }
        position = frame
    }

    // MARK: Details

    /// A frame at or before `frame` from which decoding gives the exact samples of `frame`.
    private func seekStart(for frame: Int64) -> Int64 {
        // A layer III frame may use up to 511 bytes of the frames before it, which the decoder does not read again.
        // Short frames of a low bitrate make that many frames.
        if format.encoding.isMPEG { return frame - 32 * 1152 }
        return min(frame, exactSeekEnd)
    }

    private func discard(_ count: Int64) throws(AudioFileError) {
        var buffer = [Float](repeating: 0, count: 4096 * format.channels)
        var rest = count
        while rest > 0 {
            let done = sf_readf_float(handle, &buffer, min(rest, 4096))
            guard done > 0 else { throw failure() ?? AudioFileError(.malformed, "cannot be decoded", path: path) }
            rest -= done
        }
    }

    /// Why fewer frames came than the header promised; nil where that is no reason to complain.
    private func failure() -> AudioFileError? {
        if source.lastError != 0 { return .system(source.lastError, path: path) }
        if sf_error(handle) != 0 { return AudioFileError(.malformed, String(cString: sf_strerror(handle)), path: path) }
        // Streams in broadcast style are cut anywhere, and nobody calls what is left damaged.
        if format.encoding.isMPEG || format.container == .ogg { return nil }
        return AudioFileError(.malformed, "ends before its header says", path: path)
    }

    private static func open(
        _ source: ByteSource, path: String?
    ) throws(AudioFileError) -> (handle: OpaquePointer, info: SF_INFO) {
        var info = SF_INFO()
        var callbacks = ByteSource.virtualIO
        // SAFETY: unretained; the reader keeps the source for longer than the handle.
        let data = Unmanaged.passUnretained(source).toOpaque()
        guard let handle = sf_open_virtual(&callbacks, Int32(SFM_READ), &info, data) else {
            if source.lastError != 0 { throw .system(source.lastError, path: path) }
            let error = AudioFileError.library(nil, path: path)
            // Its signature is known: what libsndfile does not recognise in it is damage.
            throw error.kind == .unknownType ? AudioFileError(.malformed, error.message, path: path) : error
        }
        return (handle, info)
    }

    /// Counts by decoding, then goes back to the start.
    private static func count(_ handle: OpaquePointer, channels: Int) -> Int64 {
        var buffer = [Float](repeating: 0, count: 4096 * channels)
        var total: Int64 = 0
        while true {
            let done = sf_readf_float(handle, &buffer, 4096)
            guard done > 0 else { break }
            total += done
        }
        return sf_seek(handle, 0, SEEK_SET) == 0 ? total : 0
    }
}

private let SEEK_SET: Int32 = 0
