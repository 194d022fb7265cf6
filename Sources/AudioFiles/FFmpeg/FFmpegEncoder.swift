#if FFmpeg
    internal import CFFmpeg
    internal import Glibc

    /// Writes AAC, Apple Lossless and IMA4 with an encoder of FFmpeg and a container writer of this module.
    final class FFmpegEncoder: FrameEncoder {
        private(set) var framesWritten: Int64 = 0

        private let path: String
        private let channels: Int
        private let codec: FFmpegCodec
        private let bits: Int
        let sink: ByteSink
        private let file: any PacketFile
        private let isLossless: Bool
        /// Frames of a batch: a quarter of a second, so that a killed program loses less than one with what the encoder
        /// and its caller hold.
        private let batchFrames: Int64
        private var batch = PacketBatch()
        /// Frames in the encoder's block so far.
        private var filled = 0
        /// Frames that went into the encoder.
        private var encoded: Int64 = 0
        private var isClosed = false

        /// Throws `.unsupportedEncoding` or `.missingLibrary` before it touches the file, or what creating it throws.
        init(path: String, _ request: EncodingRequest) throws(AudioFileError) {
            let codec = try FFmpegCodec(request, path: path)
            let stream = codec.stream(request)
            guard Self.canHold(request, stream) else { throw request.unsupported(path) }
            let sink = try ByteSink(path: path)
            switch request.container {
            case .adts: file = ADTSFile(stream, sink)
            case .caf: file = CAFPacketFile(stream, sink)
            default: file = MPEG4File(stream, sink)
            }
            self.path = path
            self.codec = codec
            self.sink = sink
            channels = request.channels
            bits = request.encoding.quantizedBits
            isLossless = request.encoding == .alac16 || request.encoding == .alac24
            batchFrames = Int64(request.sampleRate / 4)
            try check()
        }

        deinit { if !isClosed { try? finish() } }

        /// Asked before the file is touched.
        private static func canHold(_ request: EncodingRequest, _ stream: PacketStream) -> Bool {
            switch (request.container, request.encoding) {
            case (.adts, .aac): ADTSFile.canHold(stream)
            case (.mpeg4, .aac), (.mpeg4, .alac16), (.mpeg4, .alac24): true
            case (.caf, .aac), (.caf, .alac16), (.caf, .alac24), (.caf, .imaADPCM): true
            default: false
            }
        }

        func write(int16 source: UnsafePointer<Int16>, frames: Int) throws(AudioFileError) {
            try put(frames, float: { Float(source[$0]) * 0x1p-15 }, integer: { Int32(source[$0]) << 16 })
        }

        func write(int32 source: UnsafePointer<Int32>, frames: Int) throws(AudioFileError) {
            try put(frames, float: { Float(source[$0]) * 0x1p-31 }, integer: { source[$0] })
        }

        func write(float source: UnsafePointer<Float>, frames: Int) throws(AudioFileError) {
            let bits = bits
            // AAC takes more than full scale, but no number that is none.
            try put(
                frames, float: { source[$0].isFinite ? source[$0] : 0 },
                integer: { Double(source[$0]).quantized(bits: bits) << Int32(32 - bits) })
        }

        func flush() throws(AudioFileError) {
            guard !isClosed else { throw AudioFileError(.closed, "was closed", path: path) }
            writeBatch()
            sink.synchronize()
            try check()
        }

        func finish() throws(AudioFileError) {
            guard !isClosed else { return }
            defer { isClosed = true }
            do throws(AudioFileError) {
                // A take without sound is a block of silence where a file cannot be empty.
                if filled > 0 || framesWritten == 0 && file.needsPacket { try encodeLast() }
                try encode(nil)
            } catch {
                // What came before is sound all the same.
                writeBatch()
                throw error
            }
            writeBatch()
            file.finish(frames: framesWritten)
            try check()
        }

        func synchronize() throws(AudioFileError) {
            sink.synchronize()
            try check()
        }

        // MARK: Details

        /// Fills blocks; `float` and `integer` give a sample by its index, the latter in the upper bits of 32.
        @inline(__always)
        private func put(_ frames: Int, float: (Int) -> Float, integer: (Int) -> Int32) throws(AudioFileError) {
            guard !isClosed else { throw AudioFileError(.closed, "was closed", path: path) }
            var done = 0
            while done < frames {
                guard let block = codec.block else { throw AudioFileError(.io(ENOMEM), "out of memory", path: path) }
                let count = min(frames - done, codec.blockFrames - filled)
                for channel in 0..<channels {
                    guard let plane = block[channel] else { continue }
                    let target = UnsafeMutableRawPointer(plane)
                    for index in 0..<count {
                        let sample = (done + index) * channels + channel
                        let place = filled + index
                        switch bits {
                        case 0: target.storeBytes(of: float(sample), toByteOffset: place * 4, as: Float.self)
                        case 16:
                            let value = Int16(truncatingIfNeeded: integer(sample) >> 16)
                            target.storeBytes(of: value, toByteOffset: place * 2, as: Int16.self)
                        default: target.storeBytes(of: integer(sample) & ~0xFF, toByteOffset: place * 4, as: Int32.self)
                        }
                    }
                }
                filled += count
                done += count
                framesWritten += Int64(count)
                if filled == codec.blockFrames { try encode(filled) }
            }
        }

        /// Encodes a block, or what the encoder still holds.
        private func encode(_ frames: Int?) throws(AudioFileError) {
            let usual = Int64(codec.blockFrames)
            let isEncoded = codec.encode(frames: frames, at: encoded) { packet in
                // Only lossless packets can be shorter, and only the last.
                batch.append(packet, frames: isLossless ? Int64(frames ?? 0) : usual)
            }
            guard isEncoded else { throw AudioFileError(.io(EIO), "cannot be encoded", path: path) }
            encoded += Int64(frames ?? 0)
            filled = 0
            if batch.frames >= batchFrames { writeBatch() }
            try check()
        }

        /// The last block may be shorter than the others; FFmpeg's Apple Lossless encoder aborts the process if it is
        /// tiny.
        private func encodeLast() throws(AudioFileError) {
            let sound = filled
            let least = 32
            if sound < least {
                let silence = [Int32](repeating: 0, count: (least - sound) * channels)
                try write(int32: silence, frames: least - sound)
            }
            try encode(filled)
            framesWritten -= Int64(max(0, least - sound))
        }

        private func writeBatch() {
            guard !batch.sizes.isEmpty else { return }
            file.append(batch)
            batch = PacketBatch()
        }

        private func check() throws(AudioFileError) {
            if sink.lastError != 0 { throw .system(sink.lastError, path: path) }
        }
    }
#endif
