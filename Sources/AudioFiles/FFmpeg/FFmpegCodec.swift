#if FFmpeg
    internal import CFFmpeg

    /// An encoder of FFmpeg: blocks of frames in, packets out.
    final class FFmpegCodec {
        let functions: ffmpeg_functions
        /// Frames that the encoder wants at a time.
        private(set) var blockFrames = 0

        private var context: OpaquePointer?
        private var packet: OpaquePointer?
        private var frameStorage: OpaquePointer?

        /// The names under which FFmpeg has an encoding, and the samples that its encoder takes.
        private static func encoder(_ encoding: AudioEncoding) -> (name: StaticString, samples: ffmpeg_samples)? {
            switch encoding {
            case .aac: ("aac", FFMPEG_SAMPLES_FLTP)
            case .alac16: ("alac", FFMPEG_SAMPLES_S16P)
            case .alac24: ("alac", FFMPEG_SAMPLES_S32P)
            case .imaADPCM: ("adpcm_ima_qt", FFMPEG_SAMPLES_S16P)
            default: nil
            }
        }

        /// Throws `.unsupportedEncoding` or `.missingLibrary`.
        init(_ request: EncodingRequest, path: String) throws(AudioFileError) {
            functions = try FFmpegLibrary.functions(path: path)
            guard let rate = Int32(exactly: request.sampleRate), rate > 0, (1...8).contains(request.channels),
                let encoder = Self.encoder(request.encoding)
            else { throw request.unsupported(path) }
            let cost = Self.cost(request)
            let isOpen = encoder.name.withUTF8Buffer { name in
                name.withMemoryRebound(to: CChar.self) { name in
                    guard let name = name.baseAddress else { return false }
                    var wish = ffmpeg_request(
                        name: name, samples: encoder.samples, sample_rate: rate, channels: Int32(request.channels),
                        channel_mask: Self.mask(request), bits_per_sample: request.encoding == .alac24 ? 24 : 16,
                        quality: cost.quality, bit_rate: cost.bitRate)
                    return functions.encoder_open(&wish, &context, &frameStorage)
                }
            }
            packet = functions.av_packet_alloc()
            guard isOpen, let context, packet != nil else { throw request.unsupported(path) }
            blockFrames = Int(functions.encoder(context).block_frames)
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
        private static func mask(_ request: EncodingRequest) -> UInt64 {
            // The bits of `AV_CH_LAYOUT_…`: mono, stereo, 3.0, 4.0, 5.0 and 5.1 (both with back speakers), 6.1 (back),
            // and
            // 7.1 (AAC) or 7.1 wide (Apple Lossless).
            let eight: UInt64 = request.encoding == .aac ? 0x63F : 0xFF
            let masks: [UInt64] = [0x4, 0x3, 0x7, 0x107, 0x37, 0x3F, 0x13F, eight]
            return masks[request.channels - 1]
        }

        /// Bit rate or quality, as far as the encoder has a choice; 0 for what it has not.
        private static func cost(_ request: EncodingRequest) -> (quality: Double, bitRate: Int64) {
            guard request.encoding == .aac else { return (0, 0) }
            let quality = min(max(request.quality ?? 0.5, 0), 1)
            // FFmpeg's scale for AAC reaches from 0.1 to 2; below 0.3 nobody wants to listen.
            if request.strategy == .variable { return (0.3 + 1.7 * quality, 0) }
            // 64 kbit/s for a channel at 44.1 kHz in the middle, less for lower rates.
            let perChannel = (32_000 + 64_000 * quality) * min((request.sampleRate / 44100).squareRoot(), 1.5)
            let wanted = request.bitRate ?? Int(perChannel * Double(request.channels))
            // What a decoder must be able to take: 6144 bits a block and channel.
            let largest = 6 * request.sampleRate * Double(request.channels)
            return (0, Int64(min(max(Double(wanted), 8000), largest)))
        }

        /// The planes of the block to fill with samples, one for each channel; ready to be written to.
        var block: UnsafePointer<UnsafeMutablePointer<UInt8>?>? {
            guard let frameStorage, functions.av_frame_make_writable(frameStorage) >= 0 else { return nil }
            return functions.frame(frameStorage).planes
        }

        /// What a file around the packets must know.
        func stream(_ request: EncodingRequest) -> PacketStream {
            let facts = context.map { functions.encoder($0) } ?? ffmpeg_encoder()
            let bytes = facts.configuration
            var configuration = Array(UnsafeBufferPointer(start: bytes.data, count: bytes.data == nil ? 0 : bytes.size))
            // FFmpeg keeps Apple Lossless's 24 bytes in a box.
            if request.encoding != .aac { configuration = Array(configuration.dropFirst(12)) }
            return PacketStream(
                encoding: request.encoding, sampleRate: Int(request.sampleRate), channels: request.channels,
                framesPerPacket: blockFrames, priming: Int(facts.priming), configuration: configuration)
        }

        /// Encodes the first `frames` frames of the block, or with nil what the encoder still holds.
        ///
        /// `take` gets each packet that comes out. False if the encoder fails.
        func encode(frames: Int?, at time: Int64, _ take: (UnsafeBufferPointer<UInt8>) -> Void) -> Bool {
            guard let context, let packet, let frame = frameStorage else { return false }
            if let frames { functions.frame_set(frame, Int32(frames), time) }
            guard functions.avcodec_send_frame(context, frames == nil ? nil : frame) >= 0 else { return false }
            while true {
                let status = functions.avcodec_receive_packet(context, packet)
                guard status >= 0 else { return status == FFMPEG_AGAIN || status == FFMPEG_EOF }
                let facts = functions.packet(packet)
                take(UnsafeBufferPointer(start: facts.data, count: Int(facts.size)))
                functions.av_packet_unref(packet)
            }
        }
    }
#endif
