/// Writes interleaved frames to a sound file.
///
/// A recording survives its program: PCM files keep their header true after every write; Ogg pages and FLAC frames are
/// short; AAC, Apple Lossless and IMA4 go out in pieces of a quarter of a second, in a form that players open.
// One thread at a time uses a writer; its owner sees to that.
package final class AudioFileWriter {
    /// The file's path.
    package let path: String
    /// How samples are stored.
    package let encoding: AudioEncoding
    /// Interleaved channels of a frame.
    package let channels: Int

    private let encoder: any FrameEncoder

    /// Frames that the encoder has taken.
    package var framesWritten: Int64 { encoder.framesWritten }

    /// Creates the file, or empties it, and writes its header.
    ///
    /// - Parameters:
    ///   - path: Where to; a regular file or a device such as `/dev/null`.
    ///   - container: The kind of file.
    ///   - encoding: How samples are stored; FLAC takes `.pcm16` or `.pcm24`, Ogg `.vorbis` or `.opus`, MPEG-4 `.aac`,
    ///     `.alac16` or `.alac24`, ADTS `.aac`; CAF also takes these three and `.imaADPCM`.
    ///   - sampleRate: Frames a second, in Hz; Opus knows 8, 12, 16, 24 and 48 kHz only, AAC those from 7350 to 96000.
    ///   - channels: Interleaved channels of a frame.
    ///   - bigEndian: Byte order of PCM; nil for the container's own.
    ///   - quality: For Vorbis, Opus, MP3 and AAC from 0 (small) to 1 (good); nil for the encoder's own choice.
    ///   - bitRate: For AAC, Vorbis and Opus, bits a second of all channels; nil leaves it to `quality`.
    ///   - strategy: For AAC, Vorbis and Opus; `.variable` follows `quality`, all others the bit rate.
    ///   - conversion: From which rate to convert, and how well; nil if frames come at `sampleRate`.
    ///   - limits: Where 32-bit sizes end; for tests.
    ///
    /// Throws `.unsupportedEncoding` or `.missingLibrary` before it touches the file, or `.notFound`, `.permission`,
    /// `.isDirectory`, `.notAFile`, `.diskFull` or `.io`.
    package init(
        path: String, container: AudioContainer, encoding: AudioEncoding, sampleRate: Double, channels: Int,
        bigEndian: Bool? = nil, quality: Double? = nil, bitRate: Int? = nil, strategy: BitRateStrategy? = nil,
        conversion: SampleRateConversion? = nil, limits: SizeLimits = SizeLimits()
    ) throws(AudioFileError) {
        self.path = path
        self.encoding = encoding
        self.channels = channels
        let request = EncodingRequest(
            container: container, encoding: encoding, sampleRate: sampleRate, channels: channels,
            isBigEndian: bigEndian, quality: quality, bitRate: bitRate, strategy: strategy, limits: limits)
        if let conversion, conversion.inputRate != sampleRate {
            encoder = try ConvertingEncoder(conversion, request, path: path) { () throws(AudioFileError) in
                try Self.encoder(path, request)
            }
        } else {
            encoder = try Self.encoder(path, request)
        }
    }

    private static func encoder(
        _ path: String, _ request: EncodingRequest
    ) throws(AudioFileError) -> any FrameEncoder {
        if request.encoding == .vorbis && request.container == .ogg { return try VorbisEncoder(path: path, request) }
        guard request.isForFFmpeg else { return try SndFileEncoder(path: path, request) }
        #if FFmpeg
            do throws(AudioFileError) {
                return try FFmpegEncoder(path: path, request)
            } catch {
                // libsndfile's Apple Lossless holds nothing before it is closed; but it is better than none.
                guard error.kind == .missingLibrary, request.encoding == .alac16, request.container == .caf else {
                    throw error
                }
            }
        #else
            guard request.encoding == .alac16, request.container == .caf else { throw .withoutFFmpeg(path: path) }
        #endif
        return try SndFileEncoder(path: path, request)
    }

    /// Writes interleaved 16-bit frames; exact for 16-bit and wider encodings.
    ///
    /// Throws `.diskFull`, `.io` or `.closed`. What was written before stays in the file.
    package func write(int16 source: UnsafePointer<Int16>, frames: Int) throws(AudioFileError) {
        try encoder.write(int16: source, frames: frames)
    }

    /// Writes interleaved 32-bit full-scale frames; narrower encodings take the upper bits.
    ///
    /// Throws as ``write(int16:frames:)``.
    package func write(int32 source: UnsafePointer<Int32>, frames: Int) throws(AudioFileError) {
        try encoder.write(int32: source, frames: frames)
    }

    /// Writes interleaved floating-point frames, full scale ±1.
    ///
    /// Integer encodings of n bits round `sample · 2^(n−1)` to the nearest integer and clamp, so that what was read
    /// from such a file is written back unchanged; libsndfile itself scales by 2^(n−1) − 1. Throws as
    /// ``write(int16:frames:)``.
    package func write(float source: UnsafePointer<Float>, frames: Int) throws(AudioFileError) {
        try encoder.write(float: source, frames: frames)
    }

    /// Makes what was written so far readable and waits for the disk.
    ///
    /// Compressed encoders keep their last block. Throws `.diskFull`, `.io` or `.closed`, or `.notFound` if the file
    /// has been removed.
    package func flush() throws(AudioFileError) {
        try encoder.flush()
        try checkName()
    }

    /// Makes the file whole, for whoever opens it; ``close()`` is still to come, and may be called on another thread.
    ///
    /// Throws `.diskFull` or `.io`, or `.notFound` if the file has been removed; from now on that is its owner's
    /// affair.
    package func finish() throws(AudioFileError) {
        try encoder.finish()
        try checkName()
    }

    private func checkName() throws(AudioFileError) {
        guard encoder.sink.isRemoved else { return }
        throw AudioFileError(.notFound, "was removed while it was written", path: path)
    }

    /// Finishes the file, and waits until it is on the disk; closing twice is no error.
    ///
    /// Throws `.diskFull` or `.io`.
    package func close() throws(AudioFileError) {
        do throws(AudioFileError) { try encoder.finish() } catch {
            // What there is counts all the more.
            try? encoder.synchronize()
            throw error
        }
        try encoder.synchronize()
    }
}

extension EncodingRequest {
    fileprivate var isForFFmpeg: Bool {
        switch encoding {
        case .aac: true
        case .alac16, .alac24: container == .caf || container == .mpeg4
        case .imaADPCM: container == .caf
        default: container == .mpeg4 || container == .adts
        }
    }
}
