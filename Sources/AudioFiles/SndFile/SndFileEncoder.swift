internal import CSndFile
internal import Glibc

/// Writes with libsndfile: PCM files of all kinds, FLAC, Opus and MP3.
final class SndFileEncoder: FrameEncoder {
    private(set) var framesWritten: Int64 = 0

    private let path: String
    private let container: AudioContainer
    private let encoding: AudioEncoding
    private let channels: Int
    let sink: ByteSink
    private let limits: SizeLimits
    /// The header of a WAV file of PCM, which becomes an RF64 file beyond 4 GB.
    private let growingHeader: GrowingWaveHeader?
    private var handle: OpaquePointer?
    private var converted: [Int32] = []
    private var floats: [Float] = []

    /// Throws `.unsupportedEncoding` before it touches the file, or what creating it throws.
    init(path: String, _ request: EncodingRequest) throws(AudioFileError) {
        self.path = path
        container = request.container
        encoding = request.encoding
        channels = request.channels
        var info = try Self.info(request, path: path)
        limits = request.limits
        // RF64 has no compressed sound.
        growingHeader =
            container == .wav && encoding.bitDepth >= 8
            ? GrowingWaveHeader(limits, bytesPerFrame: encoding.bitDepth / 8 * channels) : nil
        sink = try ByteSink(path: path, header: growingHeader)
        var callbacks = ByteSink.virtualIO
        // SAFETY: unretained; this object keeps the sink for longer than the handle.
        let data = Unmanaged.passUnretained(sink).toOpaque()
        let opened = SndFileOpening.open(&callbacks, SFM_WRITE, &info, data, path: path)
        guard let handle = opened.handle else {
            throw sink.lastError != 0 ? .system(sink.lastError, path: path) : opened.error
        }
        self.handle = handle
        configure(handle, request)
    }

    deinit {
        if let handle { sf_close(handle) }
    }

    func write(int16 source: UnsafePointer<Int16>, frames: Int) throws(AudioFileError) {
        if encoding == .pcm16 || encoding == .ulaw || encoding == .alaw || encoding == .imaADPCM {
            try put(frames) { sf_writef_short($0, source + $1 * channels, sf_count_t($2)) }
        } else if storesIntegers {
            try convert(frames, to: &converted, { Int32(source[$0]) << 16 }, sf_writef_int)
        } else {
            try convert(frames, to: &floats, { Float(source[$0]) * 0x1p-15 }, sf_writef_float)
        }
    }

    func write(int32 source: UnsafePointer<Int32>, frames: Int) throws(AudioFileError) {
        if storesIntegers {
            try put(frames) { sf_writef_int($0, source + $1 * channels, sf_count_t($2)) }
        } else {
            try convert(frames, to: &floats, { Float(source[$0]) * 0x1p-31 }, sf_writef_float)
        }
    }

    func write(float source: UnsafePointer<Float>, frames: Int) throws(AudioFileError) {
        guard storesIntegers else {
            try put(frames) { sf_writef_float($0, source + $1 * channels, sf_count_t($2)) }
            return
        }
        let bits = encoding.quantizedBits
        try convert(
            frames, to: &converted, { Double(source[$0]).quantized(bits: bits) << (32 - Int32(bits)) }, sf_writef_int)
    }

    func flush() throws(AudioFileError) {
        guard let handle else { throw AudioFileError(.closed, "was closed", path: path) }
        // The header is that of the last write; a file without frames gets its first one.
        if framesWritten == 0 { putFirstHeader(handle) }
        sink.synchronize()
        try check()
    }

    func finish() throws(AudioFileError) {
        guard let handle else { return }
        if framesWritten == 0 { putFirstHeader(handle) }
        self.handle = nil
        let status = sf_close(handle)
        if [.aiff, .aifc].contains(container) && channels == 1 && encoding.bitDepth == 8 { correctCount() }
        try check()
        if status != 0 {
            throw AudioFileError(.io(EIO), String(cString: sf_error_number(status)), path: path)
        }
    }

    func synchronize() throws(AudioFileError) {
        sink.synchronize()
        try check()
    }

    // MARK: Details

    /// libsndfile counts the byte that makes an odd number of bytes even as one more frame.
    private func correctCount() {
        guard framesWritten % 2 == 1 else { return }
        for (name, place, value) in [("COMM", 10, framesWritten), ("SSND", 4, framesWritten + 8)] {
            let chunk = sink.front.indices.first { sink.front[$0...].starts(with: name.utf8) }
            var bytes: [UInt8] = []
            bytes.put(value, bytes: 4)
            if let chunk { sink.write(bytes, at: Int64(chunk + place)) }
        }
    }

    private var storesIntegers: Bool { encoding.quantizedBits > 0 }

    /// Writing an Ogg header again would put it into the middle of the stream; FLAC has none to update.
    private var updatesHeader: Bool {
        switch container {
        case .aiff, .aifc: true
        case .wav, .caf, .w64, .rf64, .au: encoding.isIntegerPCM || encoding.bitDepth >= 8 && !isALAC
        default: false
        }
    }

    private var isALAC: Bool { [.alac16, .alac20, .alac24, .alac32].contains(encoding) }

    private func configure(_ handle: OpaquePointer, _ request: EncodingRequest) {
        // The PEAK chunk holds the time of day, and would be the only thing that differs between two equal files. AIFF
        // files have it in their first header already: taken out now, it leaves frames behind that nobody wrote.
        if container != .aiff && container != .aifc { _ = sf_command(handle, Int32(SFC_SET_ADD_PEAK_CHUNK), nil, 0) }
        // Floating-point samples beyond full scale are clamped where libsndfile turns them into integers.
        _ = sf_command(handle, Int32(SFC_SET_CLIPPING), nil, 1)
        if container == .wav && channels > 2 { ChannelLayout.writeStandard(handle, channels: channels) }
        if encoding == .opus {
            // A page of the default length loses its whole second when the program dies.
            set(handle, SFC_SET_OGG_PAGE_LATENCY_MS, 250)
            if request.strategy == .constant {
                var mode = Int32(SF_BITRATE_MODE_CONSTANT)
                _ = sf_command(handle, Int32(SFC_SET_BITRATE_MODE), &mode, Int32(MemoryLayout<Int32>.size))
            }
        }
        if let quality = quality(request) { set(handle, SFC_SET_VBR_ENCODING_QUALITY, quality) }
    }

    private func set(_ handle: OpaquePointer, _ command: Int, _ value: Double) {
        var value = value
        _ = sf_command(handle, Int32(command), &value, Int32(MemoryLayout<Double>.size))
    }

    /// From 0 to 1, if the encoder is to know.
    private func quality(_ request: EncodingRequest) -> Double? {
        guard encoding == .opus || encoding == .mp3 else { return nil }
        if encoding == .opus, request.strategy != .variable, let bitRate = request.bitRate {
            // libsndfile spreads 6 to 256 kbit/s for a channel evenly over its scale.
            return min(max((Double(bitRate) / Double(channels) - 6000) / 250_000, 0), 1)
        }
        return request.quality.map { min(max($0, 0), 1) }
    }

    private static func info(_ request: EncodingRequest, path: String) throws(AudioFileError) -> SF_INFO {
        let encoding = request.encoding
        var info = SF_INFO()
        info.samplerate = Int32(exactly: request.sampleRate) ?? 0
        info.channels = Int32(clamping: request.channels)
        info.format = request.container.formatBits | encoding.formatBits
        // Plain WAV is for one or two channels; the extensible header says where more of them stand.
        if request.container == .wav && request.channels > 2 {
            info.format = Int32(SF_FORMAT_WAVEX) | encoding.formatBits
        }
        if let isBig = request.isBigEndian { info.format |= Int32(isBig ? SF_ENDIAN_BIG : SF_ENDIAN_LITTLE) }
        // Found by test: libsndfile 1.2.0 stores noise wrongly as ALAC of more than 16 bits.
        let isSound = ![.alac20, .alac24, .alac32].contains(encoding)
        let isRateKnown =
            switch request.container {
            case .ogg: encoding != .opus || [8000, 12000, 16000, 24000, 48000].contains(request.sampleRate)
            // A frame's header has 16 bits for Hz or tens of them; libFLAC says so with the first sound only.
            case .flac: info.samplerate < 65536 || info.samplerate % 10 == 0
            default: true
            }
        guard info.samplerate > 0, info.channels > 0, encoding.formatBits != 0, isRateKnown, isSound,
            sf_format_check(&info) != 0
        else { throw request.unsupported(path) }
        return info
    }

    /// Writes in pieces; `write` gets the handle, the first frame and the number of frames.
    private func put(_ frames: Int, _ write: (OpaquePointer, Int, Int) -> sf_count_t) throws(AudioFileError) {
        guard let handle else { throw AudioFileError(.closed, "was closed", path: path) }
        var done = 0
        while done < frames {
            let count = min(frames - done, 32_768)
            try makeRoom(handle, for: count)
            let written = Int(write(handle, done, count))
            framesWritten += Int64(max(written, 0))
            if let header = growingHeader?.update(frames: framesWritten) { sink.write(header, at: 0) }
            try check()
            guard written == count else {
                throw AudioFileError(.io(EIO), String(cString: sf_strerror(handle)), path: path)
            }
            done += count
        }
        updateHeader(handle)
    }

    /// Writes the header again, once what it tells of has been written.
    ///
    /// libsndfile does so by itself if it is asked to, but with each of its writes.
    private func updateHeader(_ handle: OpaquePointer) {
        guard updatesHeader, growingHeader?.isRF64 != true else { return }
        _ = sf_command(handle, Int32(SFC_UPDATE_HEADER_NOW), nil, 0)
    }

    /// Writes the header of a file that has no frame yet.
    ///
    /// Those of FLAC and Opus would come with the first frame, and that of FLAC not at all without one.
    private func putFirstHeader(_ handle: OpaquePointer) {
        guard container == .flac || encoding == .opus else { return updateHeader(handle) }
        _ = sf_command(handle, Int32(SFC_UPDATE_HEADER_NOW), nil, 0)
    }

    /// Sees to it that so many frames more can be in the file.
    private func makeRoom(_ handle: OpaquePointer, for frames: Int) throws(AudioFileError) {
        let bytes = frames * bytesPerFrame
        if let growingHeader {
            guard growingHeader.needsRF64(size: sink.size, adding: bytes) else { return }
            if let header = growingHeader.grow(frames: framesWritten) { sink.write(header, at: 0) }
        } else if [.wav, .aiff, .aifc, .au].contains(container), sink.size + Int64(bytes) > limits.bytes {
            let message = "is full: such files of type \(container.rawValue) end at 4 GB; CAF, W64 and RF64 do not"
            throw AudioFileError(.diskFull(EFBIG), message, path: path)
        }
    }

    private var bytesPerFrame: Int { max(1, encoding.bitDepth * channels / 8) }

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
