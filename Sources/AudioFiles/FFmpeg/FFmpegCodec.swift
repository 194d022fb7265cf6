#if FFmpeg
    internal import CFFmpeg

    /// An encoder of FFmpeg: blocks of frames in, packets out.
    final class FFmpegCodec {
        let functions: ffmpeg_functions
        /// Frames that the encoder wants at a time.
        private(set) var blockFrames = 0

        private var context: UnsafeMutablePointer<AVCodecContext>?
        private var packet: UnsafeMutablePointer<AVPacket>?
        private var frameStorage: UnsafeMutablePointer<AVFrame>?

        /// The names under which FFmpeg has an encoding, and the samples that its encoder takes.
        private static func encoder(_ encoding: AudioEncoding) -> (name: String, format: AVSampleFormat)? {
            switch encoding {
            case .aac: ("aac", AV_SAMPLE_FMT_FLTP)
            case .alac16: ("alac", AV_SAMPLE_FMT_S16P)
            case .alac24: ("alac", AV_SAMPLE_FMT_S32P)
            case .imaADPCM: ("adpcm_ima_qt", AV_SAMPLE_FMT_S16P)
            default: nil
            }
        }

        /// Throws `.unsupportedEncoding` or `.missingLibrary`.
        init(_ request: EncodingRequest, path: String) throws(AudioFileError) {
            functions = try FFmpegLibrary.functions(path: path)
            guard let rate = Int32(exactly: request.sampleRate), rate > 0, (1...8).contains(request.channels),
                let encoder = Self.encoder(request.encoding),
                let codec = functions.avcodec_find_encoder_by_name(encoder.name),
                let context = functions.avcodec_alloc_context3(codec)
            else { throw request.unsupported(path) }
            self.context = context
            context.pointee.sample_rate = rate
            context.pointee.sample_fmt = encoder.format
            context.pointee.time_base = AVRational(num: 1, den: rate)
            context.pointee.bits_per_raw_sample = request.encoding == .alac24 ? 24 : 16
            // The decoder's configuration belongs into the file's header, not into the packets.
            context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER
            context.pointee.thread_count = 1
            context.pointee.ch_layout = Self.layout(request)
            Self.spend(request, context)
            guard functions.avcodec_open2(context, codec, nil) >= 0 else { throw request.unsupported(path) }
            blockFrames = Int(context.pointee.frame_size)
            packet = functions.av_packet_alloc()
            frameStorage = functions.av_frame_alloc()
            guard blockFrames > 0, let frame = frameStorage, packet != nil else { throw request.unsupported(path) }
            frame.pointee.format = encoder.format.rawValue
            frame.pointee.nb_samples = Int32(blockFrames)
            frame.pointee.sample_rate = rate
            frame.pointee.ch_layout = Self.layout(request)
            guard functions.av_frame_get_buffer(frame, 0) >= 0 else { throw request.unsupported(path) }
        }

        deinit {
            functions.avcodec_free_context(&context)
            functions.av_packet_free(&packet)
            functions.av_frame_free(&frameStorage)
        }

        /// The loudspeakers of so many channels as both codecs' standards have them: one each for 1 to 8 channels.
        ///
        /// FFmpeg's own choice for 3, 7 and 8 channels is another. Its Apple Lossless refuses that, and its AAC
        /// describes it in a way that few decoders of ADTS follow.
        private static func layout(_ request: EncodingRequest) -> AVChannelLayout {
            // The bits of `AV_CH_LAYOUT_…`: mono, stereo, 3.0, 4.0, 5.0 and 5.1 (both with back speakers), 6.1 (back),
            // and
            // 7.1 (AAC) or 7.1 wide (Apple Lossless).
            let eight: UInt64 = request.encoding == .aac ? 0x63F : 0xFF
            let masks: [UInt64] = [0x4, 0x3, 0x7, 0x107, 0x37, 0x3F, 0x13F, eight]
            var layout = AVChannelLayout()
            layout.order = AV_CHANNEL_ORDER_NATIVE
            layout.nb_channels = Int32(request.channels)
            layout.u.mask = masks[request.channels - 1]
            return layout
        }

        /// Bit rate or quality, as far as the encoder has a choice.
        private static func spend(_ request: EncodingRequest, _ context: UnsafeMutablePointer<AVCodecContext>) {
            guard request.encoding == .aac else { return }
            let quality = min(max(request.quality ?? 0.5, 0), 1)
            if request.strategy == .variable {
                // FFmpeg's scale for AAC reaches from 0.1 to 2; below 0.3 nobody wants to listen.
                context.pointee.flags |= AV_CODEC_FLAG_QSCALE
                context.pointee.global_quality = Int32((0.3 + 1.7 * quality) * Double(FFMPEG_QP2LAMBDA))
            } else {
                // 64 kbit/s for a channel at 44.1 kHz in the middle, less for lower rates.
                let perChannel = (32_000 + 64_000 * quality) * min((request.sampleRate / 44100).squareRoot(), 1.5)
                let wanted = request.bitRate ?? Int(perChannel * Double(request.channels))
                // What a decoder must be able to take: 6144 bits a block and channel.
                let largest = 6 * request.sampleRate * Double(request.channels)
                context.pointee.bit_rate = Int64(min(max(Double(wanted), 8000), largest))
            }
        }

        /// The block to fill with samples; ready to be written to.
        var block: UnsafeMutablePointer<AVFrame>? {
            guard let frameStorage, functions.av_frame_make_writable(frameStorage) >= 0 else { return nil }
            return frameStorage
        }

        /// What a file around the packets must know.
        func stream(_ request: EncodingRequest) -> PacketStream {
            var configuration: [UInt8] = []
            if let context, let bytes = context.pointee.extradata, context.pointee.extradata_size > 0 {
                configuration = Array(UnsafeBufferPointer(start: bytes, count: Int(context.pointee.extradata_size)))
            }
            // FFmpeg keeps Apple Lossless's 24 bytes in a box.
            if request.encoding != .aac { configuration = Array(configuration.dropFirst(12)) }
            return PacketStream(
                encoding: request.encoding, sampleRate: Int(request.sampleRate), channels: request.channels,
                framesPerPacket: blockFrames, priming: Int(context?.pointee.initial_padding ?? 0),
                configuration: configuration)
        }

        /// Encodes the first `frames` frames of the block, or with nil what the encoder still holds.
        ///
        /// `take` gets each packet that comes out. False if the encoder fails.
        func encode(frames: Int?, at time: Int64, _ take: (UnsafeBufferPointer<UInt8>) -> Void) -> Bool {
            guard let packet, let frame = frameStorage else { return false }
            if let frames {
                frame.pointee.nb_samples = Int32(frames)
                frame.pointee.pts = time
            }
            guard functions.avcodec_send_frame(context, frames == nil ? nil : frame) >= 0 else { return false }
            while true {
                let status = functions.avcodec_receive_packet(context, packet)
                guard status >= 0 else { return status == FFMPEG_AGAIN || status == FFMPEG_EOF }
                take(UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size)))
                functions.av_packet_unref(packet)
            }
        }
    }
#endif
