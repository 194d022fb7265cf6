internal import CVorbis
internal import Glibc

/// Writes Ogg Vorbis with libvorbis itself.
///
/// libsndfile could, but leaves a page in memory until 4 KiB are full: seconds of quiet sound, lost with the program.
/// Here no page holds more than a quarter of a second.
final class VorbisEncoder: FloatEncoder {
    private(set) var framesWritten: Int64 = 0

    private let path: String
    private let channels: Int
    let sink: ByteSink
    private let state: VorbisState
    /// Frames of a page at most.
    private let pageFrames: Int64
    /// Where the last page ended, in frames.
    private var pageEnd: Int64 = 0
    private var position: Int64 = 0
    private var isClosed = false

    /// Throws `.unsupportedEncoding` before it touches the file, or what creating it throws.
    init(path: String, _ request: EncodingRequest) throws(AudioFileError) {
        guard let state = VorbisState(request) else { throw request.unsupported(path) }
        self.state = state
        self.path = path
        channels = request.channels
        pageFrames = Int64(request.sampleRate / 4)
        sink = try ByteSink(path: path)
        state.putHeaders()
        writePages(flushing: true)
        try check()
    }

    deinit { if !isClosed { try? finish() } }

    func flush() throws(AudioFileError) {
        guard !isClosed else { throw AudioFileError(.closed, "was closed", path: path) }
        writePages(flushing: true)
        sink.synchronize()
        try check()
    }

    func finish() throws(AudioFileError) {
        guard !isClosed else { return }
        isClosed = true
        state.wrote(0)
        encode()
        writePages(flushing: true)
        try check()
    }

    func synchronize() throws(AudioFileError) {
        sink.synchronize()
        try check()
    }

    func put(_ frames: Int, _ sample: (Int) -> Float) throws(AudioFileError) {
        guard !isClosed else { throw AudioFileError(.closed, "was closed", path: path) }
        var done = 0
        while done < frames {
            let count = min(frames - done, 4096)
            guard let planes = state.buffer(frames: count) else {
                throw AudioFileError(.io(ENOMEM), "out of memory", path: path)
            }
            for channel in 0..<channels {
                guard let plane = planes[channel] else { continue }
                for index in 0..<count { plane[index] = sample((done + index) * channels + channel) }
            }
            state.wrote(count)
            encode()
            done += count
            framesWritten += Int64(count)
            try check()
        }
    }

    // MARK: Details

    private func encode() {
        while let end = state.nextPacket() {
            writePages(flushing: false)
            if end - pageEnd >= pageFrames {
                writePages(flushing: true)
                pageEnd = end
            }
        }
    }

    private func writePages(flushing: Bool) {
        while let page = state.nextPage(flushing: flushing) {
            // A page that went out in part would be followed by a hole.
            guard sink.lastError == 0 else { return }
            sink.write(page, at: position)
            position += Int64(page.count)
        }
    }

    private func check() throws(AudioFileError) {
        if sink.lastError != 0 { throw .system(sink.lastError, path: path) }
    }
}

/// libvorbis's encoder and libogg's stream, at addresses that stay.
private final class VorbisState {
    private let info = UnsafeMutablePointer<vorbis_info>.allocate(capacity: 1)
    private let comment = UnsafeMutablePointer<vorbis_comment>.allocate(capacity: 1)
    private let dsp = UnsafeMutablePointer<vorbis_dsp_state>.allocate(capacity: 1)
    private let block = UnsafeMutablePointer<vorbis_block>.allocate(capacity: 1)
    private let stream = UnsafeMutablePointer<ogg_stream_state>.allocate(capacity: 1)
    private var isStarted = false

    /// Nil if the encoder cannot do what is asked.
    init?(_ request: EncodingRequest) {
        vorbis_info_init(info)
        vorbis_comment_init(comment)
        guard let rate = Int(exactly: request.sampleRate), rate > 0, rate <= 200_000,
            (1...255).contains(request.channels),
            Self.configure(info, request, rate: rate) == 0, vorbis_analysis_init(dsp, info) == 0
        else { return nil }
        vorbis_block_init(dsp, block)
        ogg_stream_init(stream, Int32.random(in: 0 ... .max))
        isStarted = true
    }

    deinit {
        if isStarted {
            ogg_stream_clear(stream)
            vorbis_block_clear(block)
            vorbis_dsp_clear(dsp)
        }
        vorbis_comment_clear(comment)
        vorbis_info_clear(info)
        stream.deallocate()
        block.deallocate()
        dsp.deallocate()
        comment.deallocate()
        info.deallocate()
    }

    private static func configure(
        _ info: UnsafeMutablePointer<vorbis_info>, _ request: EncodingRequest, rate: Int
    ) -> Int32 {
        let channels = request.channels
        guard request.strategy != .variable, let bitRate = request.bitRate else {
            let quality = min(max(request.quality ?? 0.4, 0), 1)
            return vorbis_encode_init_vbr(info, channels, rate, Float(quality))
        }
        // What the encoder knows reaches from about half a bit to six bits a sample.
        let least = 0.55 * Double(rate * channels)
        let wanted = Int(min(max(Double(bitRate), least), 5 * Double(rate * channels)))
        let bound = request.strategy == .constant ? wanted : -1
        if vorbis_encode_init(info, channels, rate, bound, wanted, bound) == 0 { return 0 }
        // Nearly all of that range: the rest is the nearest that the quality scale has.
        vorbis_info_clear(info)
        vorbis_info_init(info)
        return vorbis_encode_init_vbr(info, channels, rate, Double(wanted) > 2 * Double(rate * channels) ? 1 : 0)
    }

    func putHeaders() {
        var head = ogg_packet()
        var comments = ogg_packet()
        var books = ogg_packet()
        guard vorbis_analysis_headerout(dsp, comment, &head, &comments, &books) == 0 else { return }
        ogg_stream_packetin(stream, &head)
        ogg_stream_packetin(stream, &comments)
        ogg_stream_packetin(stream, &books)
    }

    /// Where to put so many frames, one plane a channel.
    func buffer(frames: Int) -> UnsafeMutablePointer<UnsafeMutablePointer<Float>?>? {
        vorbis_analysis_buffer(dsp, Int32(frames))
    }

    /// Says how many frames were put there; 0 ends the stream.
    func wrote(_ frames: Int) { vorbis_analysis_wrote(dsp, Int32(frames)) }

    /// Puts the next packet into the stream and says with which frame it ends; nil if there is none yet.
    func nextPacket() -> Int64? {
        var packet = ogg_packet()
        while true {
            if vorbis_bitrate_flushpacket(dsp, &packet) == 1 {
                ogg_stream_packetin(stream, &packet)
                return packet.granulepos
            }
            guard vorbis_analysis_blockout(dsp, block) == 1 else { return nil }
            vorbis_analysis(block, nil)
            vorbis_bitrate_addblock(block)
        }
    }

    /// The bytes of the next page, also of one that is not full if `flushing`; nil if there is none.
    func nextPage(flushing: Bool) -> [UInt8]? {
        var page = ogg_page()
        let isThere = flushing ? ogg_stream_flush(stream, &page) : ogg_stream_pageout(stream, &page)
        guard isThere != 0 else { return nil }
        return Array(UnsafeBufferPointer(start: page.header, count: page.header_len))
            + Array(UnsafeBufferPointer(start: page.body, count: page.body_len))
    }
}
