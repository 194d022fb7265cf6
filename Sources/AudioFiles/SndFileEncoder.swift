internal import CSndFile
internal import Glibc

/// Writes interleaved frames to a sound file.
///
/// PCM files other than Ogg and FLAC keep their header true after every write, so that a recording survives its program.
// SAFETY: one thread at a time uses a writer; its owner sees to that.
package final class AudioFileWriter: @unchecked Sendable {
    /// The file's path.
    package let path: String
    /// How samples are stored.
    package let encoding: AudioEncoding
    /// Interleaved channels of a frame.
    package let channels: Int
    /// Frames that the encoder has taken.
    package private(set) var framesWritten: Int64 = 0

    private let container: AudioContainer
    private let sink: ByteSink
    private var handle: OpaquePointer?
    private var converted: [Int32] = []
    private var floats: [Float] = []

    /// Creates the file, or empties it, and writes its header.
    ///
    /// - Parameters:
    ///   - path: Where to; a regular file or a device such as `/dev/null`.
    ///   - container: The kind of file.
    ///   - encoding: How samples are stored; FLAC takes `.pcm16` or `.pcm24`, Ogg `.vorbis` or `.opus`, ALAC has 16 bits.
    ///   - sampleRate: Frames a second, in Hz; Opus knows 8, 12, 16, 24 and 48 kHz only.
    ///   - channels: Interleaved channels of a frame.
    ///   - bigEndian: Byte order of PCM; nil for the container's own.
    ///   - quality: For Vorbis, Opus and MP3 from 0 (small) to 1 (good); nil for the encoder's own choice.
    ///
    /// Throws `.unsupportedEncoding` before it touches the file, or `.notFound`, `.permission`, `.isDirectory`,
    /// `.notAFile`, `.diskFull` or `.io`.
    package init(
        path: String, container: AudioContainer, encoding: AudioEncoding, sampleRate: Double, channels: Int,
        bigEndian: Bool? = nil, quality: Double? = nil
    ) throws(AudioFileError) {
        self.path = path
        self.container = container
        self.encoding = encoding
        self.channels = channels
        var info = try Self.info(container, encoding, sampleRate, channels, bigEndian, path: path)
        sink = try ByteSink(path: path)
        var callbacks = ByteSink.virtualIO
        // SAFETY: unretained; this object keeps the sink for longer than the handle.
        let data = Unmanaged.passUnretained(sink).toOpaque()
        guard let handle = sf_open_virtual(&callbacks, Int32(SFM_WRITE), &info, data) else {
            if sink.lastError != 0 { throw .system(sink.lastError, path: path) }
            throw .library(nil, path: path)
        }
        self.handle = handle
        configure(handle, quality: quality)
    }

    deinit {
        if let handle { sf_close(handle) }
    }

    /// Writes interleaved 16-bit frames; exact for 16-bit and wider encodings.
    ///
    /// Throws `.diskFull`, `.io` or `.closed`. What was written before stays in the file.
    package func write(int16 source: UnsafePointer<Int16>, frames: Int) throws(AudioFileError) {
        if encoding == .pcm16 || encoding == .ulaw || encoding == .alaw || encoding == .imaADPCM {
            try put(frames) { sf_writef_short($0, source + $1 * channels, sf_count_t($2)) }
        } else if storesIntegers {
            try convert(frames, to: &converted, { Int32(source[$0]) << 16 }, sf_writef_int)
        } else {
            try convert(frames, to: &floats, { Float(source[$0]) * 0x1p-15 }, sf_writef_float)
        }
    }

    /// Writes interleaved 32-bit full-scale frames; narrower encodings take the upper bits.
    ///
    /// Throws as ``write(int16:frames:)``.
    package func write(int32 source: UnsafePointer<Int32>, frames: Int) throws(AudioFileError) {
        if storesIntegers {
            try put(frames) { sf_writef_int($0, source + $1 * channels, sf_count_t($2)) }
        } else {
            try convert(frames, to: &floats, { Float(source[$0]) * 0x1p-31 }, sf_writef_float)
        }
    }

    /// Writes interleaved floating-point frames, full scale ±1.
    ///
    /// Integer encodings of n bits round `sample · 2^(n−1)` to the nearest integer and clamp, so that what was read from
    /// such a file is written back unchanged; libsndfile itself scales by 2^(n−1) − 1. Throws as ``write(int16:frames:)``.
    package func write(float source: UnsafePointer<Float>, frames: Int) throws(AudioFileError) {
        guard storesIntegers else {
            try put(frames) { sf_writef_float($0, source + $1 * channels, sf_count_t($2)) }
            return
        }
        let bits = encoding.quantizedBits
        let scale = Double(Int64(1) << (bits - 1))
        let convert: (Int) -> Int32 = { index in
            let sample = Double(source[index])
            guard !sample.isNaN else { return 0 }
            return Int32(min(max((sample * scale).rounded(.toNearestOrEven), -scale), scale - 1)) << (32 - bits)
        }
        try self.convert(frames, to: &converted, convert, sf_writef_int)
    }

    /// Makes what was written so far readable and waits for the disk.
    ///
    /// Compressed encoders keep their last block. Throws `.diskFull`, `.io` or `.closed`.
    package func flush() throws(AudioFileError) {
        guard let handle else { throw AudioFileError(.closed, "was closed", path: path) }
        if updatesHeader { _ = sf_command(handle, Int32(SFC_UPDATE_HEADER_NOW), nil, 0) }
        sink.synchronize()
        try check()
    }

    /// Finishes the file; closing twice is no error.
    ///
    /// Throws `.diskFull` or `.io`.
    package func close() throws(AudioFileError) {
        guard let handle else { return }
        self.handle = nil
        let status = sf_close(handle)
        try check()
        if status != 0 {
            throw AudioFileError(.io(EIO), String(cString: sf_error_number(status)), path: path)
        }
    }

    // MARK: Details

    private var storesIntegers: Bool { encoding.quantizedBits > 0 }

    /// Writing an Ogg header again would put it into the middle of the stream; FLAC has none to update.
    private var updatesHeader: Bool {
        switch container {
        case .wav, .aiff, .aifc, .caf, .w64, .rf64, .au: encoding.isIntegerPCM || encoding.bitDepth >= 8 && !isALAC
        default: false
        }
    }

    private var isALAC: Bool { [.alac16, .alac20, .alac24, .alac32].contains(encoding) }

    private func configure(_ handle: OpaquePointer, quality: Double?) {
        // The PEAK chunk holds the time of day, and would be the only thing that differs between two equal files. AIFF files
        // have it in their first header already: taken out now, it leaves frames behind that nobody wrote.
        if container != .aiff && container != .aifc { _ = sf_command(handle, Int32(SFC_SET_ADD_PEAK_CHUNK), nil, 0) }
        if updatesHeader { _ = sf_command(handle, Int32(SFC_SET_UPDATE_HEADER_AUTO), nil, 1) }
        // Floating-point samples beyond full scale are clamped where libsndfile turns them into integers.
        _ = sf_command(handle, Int32(SFC_SET_CLIPPING), nil, 1)
        if container == .wav && channels > 2 { ChannelLayout.writeStandard(handle, channels: channels) }
        if encoding == .opus {
            // A page of the default length loses its whole second when the program dies.
            var milliseconds = 250.0
            _ = sf_command(handle, Int32(SFC_SET_OGG_PAGE_LATENCY_MS), &milliseconds, Int32(MemoryLayout<Double>.size))
        }
        if let quality, [.vorbis, .opus, .mp3].contains(encoding) {
            var value = min(max(quality, 0), 1)
            _ = sf_command(handle, Int32(SFC_SET_VBR_ENCODING_QUALITY), &value, Int32(MemoryLayout<Double>.size))
        }
    }

    private static func info(
        _ container: AudioContainer, _ encoding: AudioEncoding, _ sampleRate: Double, _ channels: Int,
        _ bigEndian: Bool?,
        path: String
    ) throws(AudioFileError) -> SF_INFO {
        var info = SF_INFO()
        info.samplerate = Int32(exactly: sampleRate) ?? 0
        info.channels = Int32(clamping: channels)
        info.format = container.formatBits | encoding.formatBits
        // Plain WAV is for one or two channels; the extensible header says where more of them stand.
        if container == .wav && channels > 2 { info.format = Int32(SF_FORMAT_WAVEX) | encoding.formatBits }
        if let bigEndian { info.format |= Int32(bigEndian ? SF_ENDIAN_BIG : SF_ENDIAN_LITTLE) }
        // Found by test: libsndfile 1.2.0 stores noise wrongly as ALAC of more than 16 bits.
        let isSound = ![.alac20, .alac24, .alac32].contains(encoding)
        let isRateKnown = encoding != .opus || [8000, 12000, 16000, 24000, 48000].contains(sampleRate)
        guard info.samplerate > 0, info.channels > 0, encoding.formatBits != 0, isRateKnown, isSound,
            sf_format_check(&info) != 0
        else {
            let what = "\(encoding.rawValue) in \(container.rawValue) at \(sampleRate) Hz with \(channels) channels"
            throw AudioFileError(.unsupportedEncoding, "cannot be written as \(what)", path: path)
        }
        return info
    }

    /// Writes in pieces; `write` gets the handle, the first frame and the number of frames.
    private func put(_ frames: Int, _ write: (OpaquePointer, Int, Int) -> sf_count_t) throws(AudioFileError) {
        guard let handle else { throw AudioFileError(.closed, "was closed", path: path) }
        var done = 0
        while done < frames {
            let count = min(frames - done, 8192)
            let written = Int(write(handle, done, count))
            framesWritten += Int64(max(written, 0))
            try check()
            guard written == count else {
                throw AudioFileError(.io(EIO), String(cString: sf_strerror(handle)), path: path)
            }
            done += count
        }
    }

    private func convert<Sample>(
        _ frames: Int, to buffer: inout [Sample], _ sample: (Int) -> Sample,
        _ write: (OpaquePointer?, UnsafePointer<Sample>?, sf_count_t) -> sf_count_t
    ) throws(AudioFileError) {
        var done = 0
        while done < frames {
            let count = min(frames - done, 8192)
            let start = done * channels
            buffer.removeAll(keepingCapacity: true)
            for index in start..<start + count * channels { buffer.append(sample(index)) }
            try put(count) { handle, _, _ in write(handle, buffer, sf_count_t(count)) }
            done += count
        }
    }

    private func check() throws(AudioFileError) {
        if sink.lastError != 0 { throw .system(sink.lastError, path: path) }
    }
}
