#if FFmpeg
    internal import CFFmpeg

    /// Packet positions of a stream without an exact index, found by a pass over the whole file when it is opened.
    ///
    /// Times in such files are rounded to milliseconds, or guessed from the bit rate; counted frames are exact.
    struct FFmpegPackets {
        /// A packet that decoding can begin with.
        struct Mark {
            /// Where in the file it lies.
            let position: Int64
            /// The time that the container gives it.
            let time: Int64
            /// Frames decoded before it, from the first packet on.
            let frames: Int64
        }

        /// Every 16th packet.
        private(set) var marks: [Mark] = []
        /// Frames that all packets decode to.
        private(set) var total: Int64 = 0
        /// Frames that the container says are to be cut off at the end.
        private(set) var padding: Int64 = 0

        /// Whether there is something between the packets, or in them, that is no sound, and sound follows it.
        private(set) var isDamaged = false

        private static let spacing = 16
        private var packets = 0
        private var count = 0
        private var hasMetDamage = false
        private var lastPosition: Int64 = -1

        /// Scans the file; packets that do not say how many frames they hold are decoded.
        ///
        /// `framesPerPacket` is what a packet of the stream always decodes to, if that is known.
        init(
            _ input: FFmpegInput, _ source: ByteSource, _ type: FileSignature, framesPerPacket: Int64?, isOpus: Bool
        ) {
            if framesPerPacket == nil && !isOpus {
                decodeAll(input)
            } else {
                countAll(input, type, framesPerPacket)
            }
            // Between frames of ADTS FFmpeg passes over what is none, without a word, and gives up after a while.
            if type == .adts, ADTSHeader.leadingFrames(of: source) < count { isDamaged = true }
            if input.failure != FFMPEG_EOF { isDamaged = true }
        }

        private mutating func countAll(_ input: FFmpegInput, _ type: FileSignature, _ framesPerPacket: Int64?) {
            while input.readPacket() {
                guard let packet = input.packet else { break }
                note(input, packet)
                // Whoever cuts a stream anywhere cuts its last packet, and nobody calls what is left damaged.
                isDamaged = isDamaged || hasMetDamage
                if !type.isWhole(packet) { hasMetDamage = true }
                total += framesPerPacket ?? Self.opusFrames(packet)
                count += 1
            }
        }

        private mutating func decodeAll(_ input: FFmpegInput) {
            var seen = 0
            while true {
                let step = input.step()
                if step == .end { return }
                if step == .damaged { hasMetDamage = true }
                if step == .block { isDamaged = hasMetDamage }
                if input.packetsRead != seen, let packet = input.packet {
                    seen = input.packetsRead
                    note(input, packet)
                }
                if step == .block { total += Int64(input.frame?.frames ?? 0) }
            }
        }

        private mutating func note(_ input: FFmpegInput, _ packet: ffmpeg_packet) {
            // Several packets in one block of the container share a place, which then leads to the first of them.
            if packets >= Self.spacing || marks.isEmpty, packet.pos >= 0, packet.pos != lastPosition {
                let time = packet.pts == FFMPEG_NO_TIMESTAMP ? packet.dts : packet.pts
                marks.append(Mark(position: packet.pos, time: time, frames: total))
                packets = 0
            }
            packets += 1
            lastPosition = packet.pos
            // How much to skip in front, then how much to drop behind, both 32 bits; the last packet's counts.
            let skips = input.packetSkips
            padding =
                skips.data.map { data in
                    skips.size < 8 ? 0 : (0..<4).reduce(0) { $0 | Int64(data[4 + $1]) << (8 * Int64($1)) }
                } ?? 0
        }

        /// The frames, at 48 kHz, in an Opus packet, by its first bytes (RFC 6716, section 3.1).
        private static func opusFrames(_ packet: ffmpeg_packet) -> Int64 {
            guard let data = packet.data, packet.size > 0 else { return 0 }
            let configuration = Int(data[0] >> 3)
            let length: Int64 =
                switch configuration {
                case 0..<12: [480, 960, 1920, 2880][configuration % 4]
                case 12..<16: [480, 960][configuration % 2]
                default: [120, 240, 480, 960][configuration % 4]
                }
            switch data[0] & 3 {
            case 0: return length
            case 1, 2: return 2 * length
            default: return packet.size > 1 ? Int64(data[1] & 63) * length : 0
            }
        }
    }

    extension FileSignature {
        /// Whether a packet of such a file consists of frames as their own headers have it.
        ///
        /// In streams of AC-3 FFmpeg's parser adds what it does not know to the frame in front of it.
        fileprivate func isWhole(_ packet: ffmpeg_packet) -> Bool {
            guard self == .ac3 || self == .eac3, let data = packet.data else { return true }
            var rest = UnsafeBufferPointer(start: data, count: Int(packet.size))[...]
            while !rest.isEmpty {
                guard let header = AC3Header(rest), header.length <= rest.count else { return false }
                rest = rest.dropFirst(header.length)
            }
            return true
        }
    }
#endif
