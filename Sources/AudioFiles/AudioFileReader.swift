/// Reads the frames of a sound file.
///
/// libsndfile reads WAV, AIFF, CAF, FLAC, Ogg Vorbis, Opus, W64, RF64, AU and rare types (``AudioContainer/rare``),
/// libmpg123 MP3. FFmpeg, loaded with the first file that needs it, reads AAC and Apple Lossless in MPEG-4, ADTS, AC-3,
/// AMR, WMA, Matroska, and codecs that libsndfile lacks in its own containers.
// One thread at a time uses a reader; its owner sees to that.
package final class AudioFileReader {
    /// The file's format; `frames` is the number of frames that reading to the end gives.
    package let format: AudioFileFormat
    /// The file's path, nil for bytes in memory.
    package let path: String?
    /// The frame that the next read starts with.
    package private(set) var position: Int64 = 0

    /// Sound that is missing although the file was read to its end: damaged parts that were replaced by silence or left
    /// out, or frames that an index promises and the file does not have.
    ///
    /// Known when ``read(into:frames:)`` has returned 0.
    package private(set) var loss: AudioFileError?

    /// Frames that may be missing without being reported: an index that counts its own frame promises one MPEG frame
    /// too many, and a stream that was cut at any byte lacks a part of another.
    static let usualLoss: Int64 = 2 * 1152

    private let decoder: any FrameDecoder
    /// An error that came with frames, kept for the next call.
    private var pendingError: AudioFileError?
    /// Whether the decoder's position is undefined: a seek has failed since it was at ``position``.
    private var isAstray = false

    /// Opens a file for reading.
    ///
    /// The first bytes decide its type, tags and zero bytes aside (``LeadingTags``); `hint` counts only where they do
    /// not, as in a stream that begins anywhere.
    /// Throws `.notFound`, `.permission`, `.isDirectory`, `.notAFile`, `.unknownType`, `.malformed`,
    /// `.unsupportedEncoding`, `.missingLibrary` or `.io`. Does not wait, not even for a FIFO.
    package convenience init(path: String, hint: AudioContainer? = nil) throws(AudioFileError) {
        try self.init(source: ByteSource(path: path), path: path, hint: hint)
    }

    /// Opens a file that is in memory.
    ///
    /// Throws `.unknownType`, `.malformed`, `.unsupportedEncoding` or `.missingLibrary`.
    package convenience init(bytes: [UInt8], hint: AudioContainer? = nil) throws(AudioFileError) {
        try self.init(source: ByteSource(bytes: bytes), path: nil, hint: hint)
    }

    /// `cache` holds the scan results of another reader of the same bytes.
    init(
        source: ByteSource, path: String?, hint: AudioContainer?, cache: ScanCache = ScanCache()
    ) throws(AudioFileError) {
        var signature = FileSignature(source)
        if signature == nil, let length = LeadingTags.length(source) {
            source.replaceFront(length, with: [])
            signature = FileSignature(source)
        }
        guard let type = signature ?? hint.flatMap({ FileSignature(hint: $0, source) }) else {
            let message = source.size == 0 ? "is empty" : "is not a sound file of a known type"
            throw AudioFileError(.unknownType, message, path: path)
        }
        decoder = try Self.decoder(source, type, cache, path: path)
        format = decoder.format
        self.path = path
    }

    /// Scan results of this reader and of those before it.
    var cache: ScanCache { decoder.cache }

    /// libmpg123 for MPEG audio, else libsndfile where it can; FFmpeg is heavier.
    private static func decoder(
        _ source: ByteSource, _ type: FileSignature, _ cache: ScanCache, path: String?
    ) throws(AudioFileError) -> any FrameDecoder {
        if type == .mpeg { return try MPEGDecoder(source, cache, in: .mpeg, path: path) }
        guard type.isForSndFile else { return try ffmpegDecoder(source, type, cache, path: path) }
        if type == .wave { WaveDataSizeFix.apply(to: source) }
        if type == .wave || type == .otherRIFF, let data = WaveChunks(source).mp3 {
            source.cut(to: data.start + data.size)
            source.replaceFront(data.start, with: [])
            return try MPEGDecoder(source, cache, in: .wav, path: path)
        }
        // FFmpeg reads zeros as empty chunks, for minutes if there are gigabytes of them.
        if type == .caf, let hole = CAFChunks(source).hole { source.cut(to: hole) }
        // "Up to the end of the file" is no length to libsndfile, and a file that was cut off no sound.
        switch type {
        case .otherRIFF: RF64DataSizeFix.apply(to: source)
        case .aiff: AIFFDataSizeFix.apply(to: source)
        case .caf: CAFDataSizeFix.apply(to: source)
        default: break
        }
        if type.isBetterWithFFmpeg(source) {
            if type == .caf, let format = AudioFileFormat(soundlessCAF: source) { return SoundlessDecoder(format) }
            if type == .wave, let data = WaveChunks(source).data, data.size > 0 {
                source.cut(to: data.start + data.size)
            }
            do throws(AudioFileError) {
                return try ffmpegDecoder(source, type, cache, path: path)
            } catch {
                // What libsndfile makes of them is better than nothing.
                guard error.kind == .missingLibrary, let decoder = try? SndFileDecoder(source, cache, path: path)
                else {
                    throw error
                }
                return decoder
            }
        }
        return try sndFileDecoder(source, type, cache, path: path)
    }

    /// libsndfile's, or FFmpeg's for what only that knows.
    private static func sndFileDecoder(
        _ source: ByteSource, _ type: FileSignature, _ cache: ScanCache, path: String?
    ) throws(AudioFileError) -> any FrameDecoder {
        // Programs that know only MP3 put their tags in front of it.
        if type == .flac { source.replaceFront(MPEGStream.tagLength(source), with: []) }
        do throws(AudioFileError) {
            if type == .ogg {
                let chain = try OggChainDecoder(source, cache, path: path) { part, cache throws(AudioFileError) in
                    try SndFileDecoder(part, cache, path: path)
                }
                if let chain { return chain }
            }
            return try SndFileDecoder(source, cache, path: path)
        } catch {
            if type == .ogg, error.kind == .malformed, let format = AudioFileFormat(soundlessOgg: source) {
                return SoundlessDecoder(format)
            }
            guard error.kind == .unsupportedEncoding, type.demuxer != nil else { throw error }
            do throws(AudioFileError) {
                return try ffmpegDecoder(source, type, cache, path: path)
            } catch let second {
                throw second.kind == .missingLibrary ? second : error
            }
        }
    }

    private static func ffmpegDecoder(
        _ source: ByteSource, _ type: FileSignature, _ cache: ScanCache, path: String?
    ) throws(AudioFileError) -> any FrameDecoder {
        #if FFmpeg
            // Radio that was recorded begins in the midst of a frame, where bytes may look like a header.
            if let start = type.firstFrame(source) { source.replaceFront(start, with: []) }
            if let format = try FFmpegDecoder.soundless(source, type, path: path) { return SoundlessDecoder(format) }
            if type == .ogg {
                let chain = try OggChainDecoder(source, cache, path: path) { part, cache throws(AudioFileError) in
                    try FFmpegDecoder(part, type, cache, path: path)
                }
                if let chain { return chain }
            }
            let decoder = try FFmpegDecoder(source, type, cache, path: path)
            return decoder.segments.isEmpty ? decoder : EditedDecoder(decoder, decoder.segments)
        #else
            throw .withoutFFmpeg(path: path)
        #endif
    }

    /// Reads up to `frames` interleaved frames, full scale ±1, and returns how many; 0 at the end.
    ///
    /// Throws `.malformed` where the file ends before its header says, or cannot be decoded, but only after all frames
    /// before that place were delivered, and `.io`. Damage that can be passed over is no error: see ``loss``. Samples
    /// that are no numbers are silence.
    package func read(into destination: UnsafeMutablePointer<Float>, frames: Int) throws(AudioFileError) -> Int {
        try read(frames) { wanted in
            let count = decoder.decode(into: destination, frames: wanted)
            NonFiniteSamples.silence(destination, count: count * format.channels)
            return count
        }
    }

    /// Reads as ``read(into:frames:)`` does, to full-scale 32-bit integers; PCM of any width is exact.
    package func read(int32 destination: UnsafeMutablePointer<Int32>, frames: Int) throws(AudioFileError) -> Int {
        try read(frames) { decoder.decode(int32: destination, frames: $0) }
    }

    /// Reads as ``read(into:frames:)`` does, to 64-bit floating point; PCM of any width is exact.
    package func read(double destination: UnsafeMutablePointer<Double>, frames: Int) throws(AudioFileError) -> Int {
        try read(frames) { wanted in
            let count = decoder.decode(double: destination, frames: wanted)
            NonFiniteSamples.silence(destination, count: count * format.channels)
            return count
        }
    }

    private func read(_ frames: Int, _ decode: (Int) -> Int) throws(AudioFileError) -> Int {
        if let error = pendingError {
            pendingError = nil
            throw error
        }
        let wanted = min(frames, Int(clamping: format.frames - position))
        guard wanted > 0 else {
            if frames > 0 { loss = loss ?? decoder.loss }
            return 0
        }
        if isAstray { try moveDecoder(to: position) }
        let count = decode(wanted)
        position += Int64(count)
        if count < wanted, let error = decoder.failure() {
            if count == 0 { throw error }
            pendingError = error
        } else if count == 0 {
            loss = loss ?? decoder.loss ?? shortage
        }
        return count
    }

    /// The error for frames missing at the end of a stream whose length only an index in front says.
    private var shortage: AudioFileError? {
        let missing = format.frames - position
        guard missing > Self.usualLoss else { return nil }
        let seconds = (Double(missing) / format.sampleRate * 100).rounded() / 100
        return AudioFileError(.malformed, "lacks \(seconds) s of its sound", path: path)
    }

    /// Moves to a frame, exactly; `format.frames` is the end.
    ///
    /// Throws `.outOfRange` and `.malformed`, and ``position`` stays then.
    package func seek(toFrame frame: Int64) throws(AudioFileError) {
        guard (0...format.frames).contains(frame) else {
            throw AudioFileError(.outOfRange, "has no frame \(frame)", path: path)
        }
        pendingError = nil
        guard frame != position || isAstray else { return }
        if frame < format.frames { try moveDecoder(to: frame) }
        position = frame
    }

    private func moveDecoder(to frame: Int64) throws(AudioFileError) {
        isAstray = true
        try decoder.seek(toFrame: frame)
        isAstray = false
    }
}
