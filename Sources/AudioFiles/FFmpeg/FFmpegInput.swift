#if FFmpeg
    internal import CFFmpeg

    /// One audio stream of a file, demuxed and decoded by FFmpeg: packets in, blocks of frames out.
    ///
    /// Decoders are run synchronously and on this thread, so that a block always belongs to the packet sent last.
    final class FFmpegInput {
        /// The result of one decoding step.
        enum Step {
            /// ``frame`` holds a block.
            case block
            /// A packet could not be decoded.
            case damaged
            /// The end; ``failure`` says whether it is an error.
            case end
        }

        let functions: ffmpeg_functions
        /// Packets read since the start or the last seek.
        private(set) var packetsRead = 0
        /// The time of the very first packet; nil before there was one, or where it has none.
        private(set) var firstTime: Int64?
        /// FFmpeg's code for why reading ended, 0 while there is more.
        private(set) var failure: Int32 = 0

        private let source: ByteSource?
        private let network: FFmpegNetwork?
        private let path: String?
        // FFmpeg's objects: an AVIOContext, AVFormatContext, AVCodecContext, AVPacket, AVFrame and AVStream.
        private var io: OpaquePointer?
        private var file: OpaquePointer?
        private var decoder: OpaquePointer?
        private var packetStorage: OpaquePointer?
        private var frameStorage: OpaquePointer?
        private var streamStorage: OpaquePointer?
        private var isDraining = false
        private var hasBegun = false

        /// Opens the file with the parser of this name and the decoder that its first audio stream wants.
        init(_ source: ByteSource, demuxer: String, path: String?) throws(AudioFileError) {
            functions = try FFmpegLibrary.functions(path: path)
            self.source = source
            network = nil
            self.path = path
            guard let format = functions.av_find_input_format(demuxer) else {
                throw AudioFileError(.unsupportedEncoding, "cannot be read by this FFmpeg", path: path)
            }
            try openFile(source, format)
            try openDecoder()
        }

        /// Opens what is at a network's address, of whatever type it is; its run-in and padding are cut off by FFmpeg,
        /// where it does that: not those of AAC in CAF, nor the padding of AAC in MPEG-4.
        ///
        /// Throws `.ffmpeg` errors, whose code ``failure`` does not show: it is in the network's `lastCode`.
        init(_ network: FFmpegNetwork) throws(AudioFileError) {
            functions = try FFmpegLibrary.functions(path: nil)
            source = nil
            self.network = network
            path = nil
            packetStorage = functions.av_packet_alloc()
            frameStorage = functions.av_frame_alloc()
            guard packetStorage != nil, frameStorage != nil else { throw fail(FFMPEG_ENOMEM) }
            let status = network.open(&file, functions)
            guard status >= 0 else { throw fail(status) }
            try openDecoder()
        }

        deinit {
            functions.avcodec_free_context(&decoder)
            functions.av_packet_free(&packetStorage)
            functions.av_frame_free(&frameStorage)
            functions.avformat_close_input(&file)
            FFmpegSourceIO.close(&io, functions)
        }

        private func openFile(
            _ source: ByteSource, _ format: OpaquePointer
        ) throws(AudioFileError) {
            io = FFmpegSourceIO.open(source, functions)
            file = functions.avformat_alloc_context()
            packetStorage = functions.av_packet_alloc()
            frameStorage = functions.av_frame_alloc()
            guard let io, let file, packetStorage != nil, frameStorage != nil else { throw fail(FFMPEG_ENOMEM) }
            functions.container_set_io(file, io)
            var options: OpaquePointer?
            // We trim by the edit list ourselves; see `MPEG4Track`.
            _ = functions.av_dict_set(&options, "ignore_editlist", "1", 0)
            _ = functions.av_dict_set(&options, "advanced_editlist", "0", 0)
            let status = functions.avformat_open_input(&self.file, nil, format, &options)
            functions.av_dict_free(&options)
            guard status >= 0 else { throw fail(status) }
        }

        private func openDecoder() throws(AudioFileError) {
            guard let file = self.file else { throw fail(FFMPEG_ENOMEM) }
            let variant = FFmpegVariants.stream(in: file, atMost: network?.peakBitRate ?? 0, functions)
            for index in 0..<functions.container(file).stream_count {
                guard let stream = functions.container_stream(file, index) else { continue }
                let isAudio = functions.stream(stream).is_audio
                if isAudio && streamStorage == nil && (variant ?? Int(index)) == Int(index) {
                    streamStorage = stream
                } else {
                    functions.stream_discard(stream)
                }
            }
            guard streamStorage != nil else { throw AudioFileError(.unsupportedEncoding, "holds no sound", path: path) }
            let status = restartDecoder()
            guard status >= 0 else { throw fail(status) }
        }

        /// Makes a decoder that remembers nothing; 0 or FFmpeg's code for what went wrong.
        ///
        /// Not flushed: some decoders keep their overlap then, and AAC its noise generator, so that the first block
        /// would differ from pass to pass.
        private func restartDecoder() -> Int32 {
            functions.avcodec_free_context(&decoder)
            guard let stream = streamStorage else { return FFMPEG_DECODER_NOT_FOUND }
            // Run-in and padding of files are cut off by us.
            return functions.decoder_open(stream, network == nil, &decoder)
        }

        /// The error behind one of FFmpeg's codes, or behind a failed system call.
        func fail(_ code: Int32) -> AudioFileError {
            if let source, source.lastError != 0 { return .system(source.lastError, path: path) }
            network?.lastCode = code
            return .ffmpeg(code, functions, path: path)
        }

        // MARK: What there is

        /// Whether a part of the file could not be read.
        var hasDiskFailed: Bool { source.map { $0.lastError != 0 } ?? false }
        /// The stream as the container tells it; ``openDecoder()`` has made sure of it, and of ``known``.
        var stream: ffmpeg_stream { streamStorage.map { functions.stream($0) } ?? ffmpeg_stream() }
        /// What the decoder knows before there is a block: bits of a sample of a lossless codec, rate and channels.
        var known: ffmpeg_decoder { decoder.map { functions.decoder($0) } ?? ffmpeg_decoder() }
        /// The packet read last.
        var packet: ffmpeg_packet? { packetStorage.map { functions.packet($0) } }
        /// What the container says is to be left out of the packet read last.
        var packetSkips: ffmpeg_bytes { packetStorage.map { functions.packet_skips($0) } ?? ffmpeg_bytes() }
        /// The block decoded last.
        var frame: ffmpeg_frame? { frameStorage.map { functions.frame($0) } }

        /// The file as FFmpeg sees it.
        var container: ffmpeg_container { file.map { functions.container($0) } ?? ffmpeg_container() }

        /// The tags that the file began with; `kind` is told by its type.
        func tags(_ kind: AudioFileTags.Kind) -> AudioFileTags {
            file.map { FFmpegTags.read($0, kind: kind, functions) } ?? .none
        }

        /// Whether the container says that it lasts longer, by more than rounding, than so many frames.
        ///
        /// What most containers say is of their longest stream.
        func isShort(frames: Int64, rate: Int32) -> Bool {
            var promised = Int64.min
            if stream.duration != FFMPEG_NO_TIMESTAMP { promised = self.frames(stream.duration, rate: rate) }
            if container.stream_count == 1, container.duration != FFMPEG_NO_TIMESTAMP {
                let microsecond = ffmpeg_rational(num: 1, den: 1_000_000)
                let length = functions.rescale(container.duration, microsecond, ffmpeg_rational(num: 1, den: rate))
                promised = max(promised, length)
            }
            return promised > frames && promised - frames > Int64(rate) / 4
        }

        /// The number of packets in the container's index, 0 if it has none.
        var indexCount: Int32 { streamStorage.map { functions.avformat_index_get_entries_count($0) } ?? 0 }

        /// One of the container's tags.
        func tag(_ name: String) -> String? {
            for tags in [container.metadata, stream.metadata] {
                if let value = functions.dictionary_value(tags, name) { return String(cString: value) }
            }
            return nil
        }

        /// A time of the stream's clock in frames of `rate`.
        func frames(_ time: Int64, rate: Int32) -> Int64 {
            let result = functions.rescale(time, stream.time_base, ffmpeg_rational(num: 1, den: rate))
            return min(max(result, -(1 << 60)), 1 << 60)
        }

        /// A number of frames of `rate` as a time of the stream's clock.
        func time(_ frames: Int64, rate: Int32) -> Int64 {
            functions.rescale(frames, ffmpeg_rational(num: 1, den: rate), stream.time_base)
        }

        /// Frames that the container or the decoder says are to be cut off in front of the block decoded last.
        var skippedFrames: Int64 {
            guard let skips = frameStorage.map({ functions.frame_skips($0) }), let data = skips.data, skips.size >= 4
            else { return 0 }
            return (0..<4).reduce(0) { $0 | Int64(data[$1]) << (8 * Int64($1)) }
        }

        // MARK: Going on

        /// Reads the next packet of the stream; false at the end.
        func readPacket() -> Bool {
            guard let file, let packet = packetStorage, failure == 0 else { return false }
            while true {
                functions.av_packet_unref(packet)
                failure = functions.av_read_frame(file, packet)
                guard failure >= 0 else { return false }
                failure = 0
                let facts = functions.packet(packet)
                guard facts.stream_index == stream.index else { continue }
                packetsRead += 1
                if !hasBegun, facts.pts != FFMPEG_NO_TIMESTAMP { firstTime = facts.pts }
                hasBegun = true
                return true
            }
        }

        /// Decodes on until there is a block, reading packets as needed.
        func step() -> Step {
            guard let decoder, let frame = frameStorage, let packet = packetStorage else { return .end }
            while true {
                let status = functions.avcodec_receive_frame(decoder, frame)
                if status >= 0 { return .block }
                guard status == FFMPEG_AGAIN else { return status == FFMPEG_EOF ? .end : .damaged }
                guard !isDraining else { return .end }
                let isPacket = readPacket()
                if !isPacket { isDraining = true }
                let sent = functions.avcodec_send_packet(decoder, isPacket ? packet : nil)
                if sent < 0 && isPacket { return .damaged }
            }
        }

        /// Sends the packet that was read by ``readPacket()``; false if it is damaged.
        func sendPacket() -> Bool { decoder.map { functions.avcodec_send_packet($0, packetStorage) >= 0 } ?? false }

        /// Goes to the last packet that begins at or before a time (or, by `flags`, at a byte); false if that cannot be
        /// done.
        func seek(to target: Int64, flags: Int32 = FFMPEG_SEEK_BACKWARD) -> Bool {
            guard let file, restartDecoder() >= 0 else { return false }
            isDraining = false
            failure = 0
            packetsRead = 0
            return functions.av_seek_frame(file, stream.index, target, flags) >= 0
        }

        /// Goes back to the first packet; false if that cannot be done.
        func rewind() -> Bool {
            let first = stream.start_time
            if first != FFMPEG_NO_TIMESTAMP && seek(to: first) { return true }
            return seek(to: 0) || seek(to: 0, flags: FFMPEG_SEEK_BYTE)
        }
    }
#endif
