internal import CSndFile

/// Decodes with libsndfile: PCM files of all kinds, FLAC, Ogg Vorbis and Opus.
final class SndFileDecoder: FrameDecoder {
    let format: AudioFileFormat
    let cache: ScanCache
    /// What libsndfile passes over is missing at the end, where the reader sees it.
    var loss: AudioFileError? { nil }

    private let source: ByteSource
    private let path: String?
    private var handle: OpaquePointer
    /// Where libsndfile's seeking of Ogg Vorbis becomes wrong; see `VorbisSeekLimit`.
    private let exactSeekEnd: Int64
    /// Whether libsndfile can seek: it cannot in GSM 6.10.
    private let isSeekable: Bool
    /// The frames that were decoded since the handle was opened or moved, where it cannot seek.
    private var decoded: Int64 = 0

    /// Throws `.malformed`, `.unsupportedEncoding` or `.io`; the source's type is one that libsndfile knows.
    ///
    /// `cache` holds the scan results of another decoder of the same bytes.
    init(_ source: ByteSource, _ cache: ScanCache, path: String?) throws(AudioFileError) {
        var cache = cache
        let opened = try Self.open(source, path: path)
        guard let encoding = AudioEncoding(formatBits: opened.info.format),
            let container = AudioContainer(formatBits: opened.info.format, encoding: encoding),
            // Which writes to the app's stderr here, and ends at what is no frame: `MPEGDecoder` is for it.
            ![.mp3, .mpegLayer1, .mpegLayer2].contains(encoding),
            (1...256).contains(opened.info.channels), opened.info.samplerate > 0
        else {
            sf_close(opened.handle)
            throw AudioFileError(.unsupportedEncoding, "holds an encoding that is not supported", path: path)
        }
        let channels = Int(opened.info.channels)
        var frames = max(opened.info.frames, 0)
        if frames / 100_000 > source.size {
            // No length, as in a FLAC stream that was never finished, or an absurd one: count.
            frames = cache.frames ?? Self.count(opened.handle, channels: channels)
            cache.frames = frames
        }
        self.cache = cache
        if container == .caf, encoding.formatBits != 0, let valid = MediaTiming(caf: source)?.valid {
            // It takes the last packet of Apple Lossless for a full one.
            frames = min(frames, valid)
        }
        let endianness = Int(opened.info.format) & SF_FORMAT_ENDMASK
        let isBigByDefault = [
            SF_FORMAT_AIFF, SF_FORMAT_CAF, SF_FORMAT_AU, SF_FORMAT_SVX, SF_FORMAT_AVR, SF_FORMAT_PVF,
        ].contains(Int(opened.info.format) & SF_FORMAT_TYPEMASK)
        format = AudioFileFormat(
            container: container, encoding: encoding,
            isBigEndian: endianness == SF_ENDIAN_BIG
                || endianness != SF_ENDIAN_LITTLE && isBigByDefault && encoding.bitDepth > 8,
            sampleRate: Double(opened.info.samplerate), channels: channels, frames: frames,
            channelLayout: ChannelLayout.read(opened.handle, channels: channels, encoding: encoding))
        exactSeekEnd = encoding == .vorbis ? VorbisSeekLimit.exactSeekEnd(source) : .max
        isSeekable = opened.info.seekable != 0
        self.source = source
        self.path = path
        handle = opened.handle
    }

    deinit { sf_close(handle) }

    func decode(into destination: UnsafeMutablePointer<Float>, frames: Int) -> Int {
        let count = max(0, Int(sf_readf_float(handle, destination, sf_count_t(frames))))
        decoded += Int64(count)
        return count
    }

    func decode(int32 destination: UnsafeMutablePointer<Int32>, frames: Int) -> Int {
        // Of floating point libsndfile would take the integer part only.
        guard format.encoding == .pcm32 || format.encoding == .alac32 else {
            return decodeByFloat(int32: destination, frames: frames)
        }
        return max(0, Int(sf_readf_int(handle, destination, sf_count_t(frames))))
    }

    func decode(double destination: UnsafeMutablePointer<Double>, frames: Int) -> Int {
        max(0, Int(sf_readf_double(handle, destination, sf_count_t(frames))))
    }

    func seek(toFrame frame: Int64) throws(AudioFileError) {
        if !isSeekable {
            if frame < decoded { reopen() }
            return try discard(frame - decoded)
        }
        // Where the sound could not be decoded, libFLAC goes nowhere any more.
        do throws(AudioFileError) { return try move(to: frame) } catch { reopen() }
        do throws(AudioFileError) { try move(to: frame) } catch {
            reopen()
            throw error
        }
    }

    func failure() -> AudioFileError? {
        if source.lastError != 0 { return .system(source.lastError, path: path) }
        if sf_error(handle) != 0 { return AudioFileError(.malformed, String(cString: sf_strerror(handle)), path: path) }
        // Streams in broadcast style are cut anywhere, and nobody calls what is left damaged.
        if format.container == .ogg { return nil }
        return AudioFileError(.malformed, "ends before its header says", path: path)
    }

    // MARK: Details

    private func move(to frame: Int64) throws(AudioFileError) {
        let start = min(frame, exactSeekEnd)
        // Forward seeks that leave a half decoded Vorbis page give garbled blocks; from the first frame they do not.
        if format.encoding == .vorbis, sf_seek(handle, 0, SEEK_SET) != 0 { throw .library(handle, path: path) }
        guard sf_seek(handle, start, SEEK_SET) == start else { throw .library(handle, path: path) }
        try discard(frame - start)
    }

    /// Makes a new handle: with libFLAC, every seek after one that failed fails too.
    private func reopen() {
        _ = source.seek(0, SEEK_SET)
        guard let opened = try? Self.open(source, path: path) else { return }
        sf_close(handle)
        handle = opened.handle
        decoded = 0
    }

    private func discard(_ count: Int64) throws(AudioFileError) {
        var buffer = [Float](repeating: 0, count: 4096 * format.channels)
        var rest = count
        while rest > 0 {
            let done = sf_readf_float(handle, &buffer, min(rest, 4096))
            guard done > 0 else { throw failure() ?? AudioFileError(.malformed, "cannot be decoded", path: path) }
            rest -= done
            decoded += done
        }
    }

    private static func open(
        _ source: ByteSource, path: String?
    ) throws(AudioFileError) -> (handle: OpaquePointer, info: SF_INFO) {
        var info = SF_INFO()
        var callbacks = ByteSource.virtualIO
        // SAFETY: unretained; the decoder keeps the source for longer than the handle.
        let data = Unmanaged.passUnretained(source).toOpaque()
        let opened = SndFileOpening.open(&callbacks, SFM_READ, &info, data, path: path)
        guard let handle = opened.handle else {
            if source.lastError != 0 { throw .system(source.lastError, path: path) }
            let error = opened.error
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
