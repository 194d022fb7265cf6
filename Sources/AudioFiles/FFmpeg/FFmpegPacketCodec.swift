#if FFmpeg
    internal import CFFmpeg
    internal import Glibc

    /// An encoder of FFmpeg that returns its packets, without a file.
    final class FFmpegPacketEncoder: PacketEncoder {
        let framesPerPacket: Int
        let priming: Int
        let configuration: [UInt8]

        private let codec: FFmpegCodec
        private let channels: Int
        private let bits: Int
        private let isLossless: Bool
        /// Frames in the encoder's block so far.
        private var filled = 0
        /// Frames that went into the encoder.
        private var encoded: Int64 = 0

        /// The fewest frames of a last block: FFmpeg's Apple Lossless encoder aborts the process if it is tiny.
        private static let fewest = 32

        /// Throws `.unsupportedEncoding` or `.missingLibrary`.
        init(_ request: EncodingRequest) throws(AudioFileError) {
            codec = try FFmpegCodec(request, path: "packets")
            let stream = codec.stream(request)
            framesPerPacket = stream.framesPerPacket
            priming = stream.priming
            configuration =
                request.encoding == .aac ? MPEG4Boxes.elementaryStream(stream) : stream.configuration
            channels = request.channels
            bits = request.encoding.quantizedBits
            isLossless = request.encoding == .alac16 || request.encoding == .alac24
        }

        func encode(_ samples: ArraySlice<Double>) throws(AudioFileError) -> [EncodedPacket] {
            var packets: [EncodedPacket] = []
            var place = samples.startIndex
            while place < samples.endIndex {
                guard let block = codec.block else { throw AudioFileError(.io(ENOMEM), "out of memory", path: nil) }
                let count = min((samples.endIndex - place) / channels, framesPerPacket - filled)
                for channel in 0..<channels {
                    guard let plane = block[channel] else { continue }
                    let target = UnsafeMutableRawPointer(plane)
                    for index in 0..<count {
                        store(samples[place + index * channels + channel], to: target, at: filled + index)
                    }
                }
                filled += count
                place += count * channels
                if filled == framesPerPacket { packets += try encode(filled) }
            }
            return packets
        }

        func finish() throws(AudioFileError) -> [EncodedPacket] {
            var packets: [EncodedPacket] = []
            if filled > 0 {
                let missing = Self.fewest - filled
                if missing > 0 { packets += try encode([Double](repeating: 0, count: missing * channels)[...]) }
                packets += try encode(filled)
            }
            return packets + (try encode(nil))
        }

        private func store(_ sample: Double, to plane: UnsafeMutableRawPointer, at index: Int) {
            switch bits {
            // AAC takes more than full scale, but no number that is none.
            case 0:
                plane.storeBytes(
                    of: sample.isFinite ? Float(sample) : 0, toByteOffset: index * 4, as: Float.self)
            case 16:
                plane.storeBytes(
                    of: Int16(truncatingIfNeeded: sample.quantized(bits: 16)), toByteOffset: index * 2, as: Int16.self)
            default:
                plane.storeBytes(
                    of: sample.quantized(bits: bits) << Int32(32 - bits), toByteOffset: index * 4, as: Int32.self)
            }
        }

        /// Encodes a block, or what the encoder still holds.
        private func encode(_ frames: Int?) throws(AudioFileError) -> [EncodedPacket] {
            var packets: [EncodedPacket] = []
            let isEncoded = codec.encode(frames: frames, at: encoded) { bytes in
                // Only lossless packets can be shorter, and only the last.
                packets.append(EncodedPacket(bytes: Array(bytes), frames: isLossless ? frames ?? 0 : framesPerPacket))
            }
            guard isEncoded else { throw AudioFileError(.io(EIO), "cannot be encoded", path: nil) }
            encoded += Int64(frames ?? 0)
            filled = 0
            return packets
        }
    }

    /// A decoder of FFmpeg that takes packets from memory, without a file.
    final class FFmpegPacketDecoder: PacketDecoder {
        private let functions: ffmpeg_functions
        private let rate: Int32
        private let channels: Int
        private var context: OpaquePointer?
        private var packet: OpaquePointer?
        private var frame: OpaquePointer?

        /// Throws `.unsupportedEncoding` or `.missingLibrary`.
        init(
            _ encoding: AudioEncoding, sampleRate: Double, channels: Int, bytesPerPacket: Int, configuration: [UInt8]
        ) throws(AudioFileError) {
            functions = try FFmpegLibrary.functions(path: nil)
            let refusal = AudioFileError(
                .unsupportedEncoding, "packets of \(encoding.rawValue) cannot be decoded", path: nil)
            guard let rate = Int32(exactly: sampleRate), rate > 0, (1...8).contains(channels),
                let codec = Self.codec(encoding), let size = Int32(exactly: bytesPerPacket)
            else { throw refusal }
            self.rate = rate
            self.channels = channels
            packet = functions.av_packet_alloc()
            frame = functions.av_frame_alloc()
            let bytes = Self.configuration(encoding, configuration, rate: Int(rate), channels: channels)
            let status = bytes.withUnsafeBufferPointer { bytes in
                var sound = ffmpeg_sound(
                    codec: codec, sample_rate: rate, channels: Int32(channels), bytes_per_packet: size,
                    configuration: ffmpeg_bytes(data: bytes.baseAddress, size: bytes.count))
                return functions.sound_decoder_open(&sound, &context)
            }
            guard status >= 0, packet != nil, frame != nil else { throw refusal }
        }

        deinit {
            functions.avcodec_free_context(&context)
            functions.av_packet_free(&packet)
            functions.av_frame_free(&frame)
        }

        private static func codec(_ encoding: AudioEncoding) -> ffmpeg_codec? {
            switch encoding {
            case .aac: FFMPEG_CODEC_AAC
            case .alac16, .alac20, .alac24, .alac32: FFMPEG_CODEC_ALAC
            case .imaADPCM: FFMPEG_CODEC_ADPCM_IMA_QT
            case .mp3: FFMPEG_CODEC_MP3
            case .opus: FFMPEG_CODEC_OPUS
            default: nil
            }
        }

        func decode(_ bytes: UnsafeRawBufferPointer) throws(AudioFileError) -> [Float] {
            guard let packet, let context, let size = Int32(exactly: bytes.count), size > 0 else {
                throw Self.damage
            }
            functions.packet_lend(packet, bytes.bindMemory(to: UInt8.self).baseAddress, size)
            let status = functions.avcodec_send_packet(context, packet)
            functions.av_packet_unref(packet)
            guard status >= 0 else { throw Self.damage }
            return try received()
        }

        func finish() throws(AudioFileError) -> [Float] {
            guard let context, functions.avcodec_send_packet(context, nil) >= 0 else { return [] }
            return try received()
        }

        private static var damage: AudioFileError {
            AudioFileError(.malformed, "is damaged: a packet cannot be decoded", path: nil)
        }

        private func received() throws(AudioFileError) -> [Float] {
            guard let context, let frame else { return [] }
            var samples: [Float] = []
            while true {
                let status = functions.avcodec_receive_frame(context, frame)
                if status == FFMPEG_AGAIN || status == FFMPEG_EOF { return samples }
                let facts = functions.frame(frame)
                let (count, first) = (Int(facts.frames) * channels, samples.count)
                guard status >= 0, facts.sample_rate == rate, facts.channels == Int32(channels) else {
                    throw Self.damage
                }
                samples += [Float](repeating: 0, count: count)
                let isCopied = samples.withUnsafeMutableBufferPointer { samples in
                    guard count > 0, let base = samples.baseAddress else { return true }
                    return FFmpegFormat.copy(facts, from: 0, count: Int(facts.frames), to: base + first)
                }
                guard isCopied else { throw Self.damage }
            }
        }

        // MARK: Configurations

        /// What FFmpeg's decoder wants, of what containers have.
        private static func configuration(
            _ encoding: AudioEncoding, _ given: [UInt8], rate: Int, channels: Int
        ) -> [UInt8] {
            switch encoding {
            case .aac:
                return decoderSpecific(given[...]) ?? (given.isEmpty ? audioSpecific(rate: rate, channels) : given)
            case .alac16, .alac20, .alac24, .alac32:
                // FFmpeg wants the box around the 24 bytes.
                let usual = given.isEmpty ? lossless(rate: rate, channels, bits: encoding.bitDepth) : given
                guard usual.count == 24 else { return Array(usual.suffix(36)) }
                return [0, 0, 0, 36] + Array("alac".utf8) + [0, 0, 0, 0] + usual
            default: return given
            }
        }

        /// The AudioSpecificConfig in MPEG-4 descriptors; nil for other bytes.
        private static func decoderSpecific(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
            var rest = bytes
            // Tags 3 and 4 hold others behind some bytes of their own; tag 5 is it.
            while let tag = rest.popFirst() {
                var length = 0
                while let byte = rest.popFirst() {
                    length = length << 7 | Int(byte & 0x7F)
                    if byte & 0x80 == 0 { break }
                }
                switch tag {
                case 3: rest = rest.dropFirst(3)
                case 4: rest = rest.dropFirst(13)
                case 5: return length > 0 && length <= rest.count ? Array(rest.prefix(length)) : nil
                default: return nil
                }
            }
            return nil
        }

        /// The 24 bytes of Apple Lossless with packets of 4096 frames.
        private static func lossless(rate: Int, _ channels: Int, bits: Int) -> [UInt8] {
            var bytes: [UInt8] = []
            bytes.put(4096, bytes: 4)
            // A version, the sample's bits, and the parameters of the entropy coder that all encoders have.
            bytes += [0, UInt8(bits), 40, 10, 14, UInt8(channels)]
            bytes.put(255, bytes: 2)
            bytes.put(0, bytes: 8)
            bytes.put(rate, bytes: 4)
            return bytes
        }

        /// The AudioSpecificConfig of low complexity at a usual rate; else empty.
        private static func audioSpecific(rate: Int, _ channels: Int) -> [UInt8] {
            let rates = [
                96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
            ]
            guard let index = rates.firstIndex(of: rate), channels <= 6 || channels == 8 else { return [] }
            let bits = 2 << 11 | index << 7 | (channels == 8 ? 7 : channels) << 3
            return [UInt8(bits >> 8), UInt8(bits & 0xFF)]
        }
    }
#endif
