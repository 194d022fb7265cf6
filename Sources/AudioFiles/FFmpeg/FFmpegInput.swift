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
        private var io: UnsafeMutablePointer<AVIOContext>?
        private var file: UnsafeMutablePointer<AVFormatContext>?
        private var decoder: UnsafeMutablePointer<AVCodecContext>?
        private var packetStorage: UnsafeMutablePointer<AVPacket>?
        private var frameStorage: UnsafeMutablePointer<AVFrame>?
        private var streamStorage: UnsafeMutablePointer<AVStream>?
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
            _ source: ByteSource, _ format: UnsafePointer<AVInputFormat>
        ) throws(AudioFileError) {
            io = FFmpegSourceIO.open(source, functions)
            file = functions.avformat_alloc_context()
            packetStorage = functions.av_packet_alloc()
            frameStorage = functions.av_frame_alloc()
            guard let io, let file, packetStorage != nil, frameStorage != nil else { throw fail(FFMPEG_ENOMEM) }
            file.pointee.pb = io
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
            let variant = FFmpegVariants.stream(in: file.pointee, atMost: network?.peakBitRate ?? 0, functions)
            for index in 0..<Int(file.pointee.nb_streams) {
                guard let stream = file.pointee.streams[index] else { continue }
                let isAudio = stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO
                if isAudio && streamStorage == nil && (variant ?? index) == index {
                    streamStorage = stream
                } else {
                    stream.pointee.discard = AVDISCARD_ALL
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
            guard let stream = streamStorage,
                let codec = functions.avcodec_find_decoder(stream.pointee.codecpar.pointee.codec_id)
            else { return FFMPEG_DECODER_NOT_FOUND }
            decoder = functions.avcodec_alloc_context3(codec)
            guard let decoder else { return FFMPEG_ENOMEM }
            let status = functions.avcodec_parameters_to_context(decoder, stream.pointee.codecpar)
            guard status >= 0 else { return status }
            decoder.pointee.pkt_timebase = stream.pointee.time_base
            decoder.pointee.thread_count = 1
            // Run-in and padding of files are cut off by us.
            if network == nil { decoder.pointee.flags2 |= AV_CODEC_FLAG2_SKIP_MANUAL }
            return functions.avcodec_open2(decoder, codec, nil)
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
        /// The stream; ``openDecoder()`` has made sure of it, and of the next three.
        var stream: AVStream { streamStorage?.pointee ?? AVStream() }
        /// The stream's parameters as the container tells them.
        var parameters: AVCodecParameters { streamStorage?.pointee.codecpar.pointee ?? AVCodecParameters() }
        /// Bits of a sample of a lossless codec, 0 if unknown.
        var bitsPerSample: Int32 { decoder?.pointee.bits_per_raw_sample ?? 0 }
        /// Frames a second as far as they are known before there is a block, in Hz; 0 if unknown.
        var sampleRate: Int32 { decoder?.pointee.sample_rate ?? 0 }
        /// Channels as far as they are known before there is a block; 0 if unknown.
        var channels: Int32 { decoder?.pointee.ch_layout.nb_channels ?? 0 }
        /// The packet read last.
        var packet: UnsafeMutablePointer<AVPacket>? { packetStorage }
        /// The block decoded last.
        var frame: UnsafeMutablePointer<AVFrame>? { frameStorage }

        /// The file as FFmpeg sees it.
        var container: AVFormatContext { file?.pointee ?? AVFormatContext() }

        /// Whether the container says that it lasts longer, by more than rounding, than so many frames.
        ///
        /// What most containers say is of their longest stream.
        func isShort(frames: Int64, rate: Int32) -> Bool {
            var promised = Int64.min
            if stream.duration != FFMPEG_NO_TIMESTAMP { promised = self.frames(stream.duration, rate: rate) }
            if container.nb_streams == 1, container.duration != FFMPEG_NO_TIMESTAMP {
                let microsecond = AVRational(num: 1, den: 1_000_000)
                let length = functions.av_rescale_q(container.duration, microsecond, AVRational(num: 1, den: rate))
                promised = max(promised, length)
            }
            return promised > frames && promised - frames > Int64(rate) / 4
        }

        /// The number of packets in the container's index, 0 if it has none.
        var indexCount: Int32 { functions.avformat_index_get_entries_count(streamStorage) }

        /// One of the container's tags.
        func tag(_ name: String) -> String? {
            for tags in [file?.pointee.metadata, streamStorage?.pointee.metadata] {
                if let value = functions.av_dict_get(tags, name, nil, 0)?.pointee.value {
                    return String(cString: value)
                }
            }
            return nil
        }

        /// A time of the stream's clock in frames of `rate`.
        func frames(_ time: Int64, rate: Int32) -> Int64 {
            let result = functions.av_rescale_q(time, stream.time_base, AVRational(num: 1, den: rate))
            return min(max(result, -(1 << 60)), 1 << 60)
        }

        /// A number of frames of `rate` as a time of the stream's clock.
        func time(_ frames: Int64, rate: Int32) -> Int64 {
            functions.av_rescale_q(frames, AVRational(num: 1, den: rate), stream.time_base)
        }

        /// Frames that the container or the decoder says are to be cut off in front of the block decoded last.
        var skippedFrames: Int64 {
            guard let data = functions.av_frame_get_side_data(frameStorage, AV_FRAME_DATA_SKIP_SAMPLES)?.pointee,
                data.size >= 4
            else { return 0 }
            return (0..<4).reduce(0) { $0 | Int64(data.data[$1]) << (8 * Int64($1)) }
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
                guard packet.pointee.stream_index == stream.index else { continue }
                packetsRead += 1
                if !hasBegun, packet.pointee.pts != FFMPEG_NO_TIMESTAMP { firstTime = packet.pointee.pts }
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
        func sendPacket() -> Bool { functions.avcodec_send_packet(decoder, packetStorage) >= 0 }

        /// Goes to the last packet that begins at or before a time (or, by `flags`, at a byte); false if that cannot be
        /// done.
        func seek(to target: Int64, flags: Int32 = AVSEEK_FLAG_BACKWARD) -> Bool {
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
            return seek(to: 0) || seek(to: 0, flags: AVSEEK_FLAG_BYTE)
        }
    }
#endif
