#if FFmpeg
    internal import CFFmpeg

    /// A decoder of FFmpeg that trims the encoder's priming and padding exactly.
    ///
    /// Positions of the stream as it is decoded are called raw; frame 0 of the file is the raw frame `start`.
    final class FFmpegDecoder: FrameDecoder {
        /// The way in which a raw position is sought.
        enum Timeline {
            /// The container's times are exact, and it has an index; the raw frame 0 has the time `origin`, in frames.
            /// Some of it is out of reach if it is broken.
            ///
            /// Fragments may leave times out: there is silence then.
            case clock(origin: Int64, isFragmented: Bool, isBroken: Bool)
            /// Frames were counted from packet to packet.
            case counted(FFmpegPackets)
        }

        let format: AudioFileFormat
        let cache: ScanCache

        private let input: FFmpegInput
        private let path: String?
        private let rate: Int32
        private let channels: Int
        private let timeline: Timeline
        /// What each packet decodes to, if all are equal: silence of this length stands for one that is damaged.
        private let framesPerPacket: Int64?
        private let start: Int64
        /// The parts to play, for who reads this, where the file wants several played; they count from frame 0.
        let segments: [SoundSegment]
        /// What is left of the block that was decoded last.
        private var rest = 0..<0
        /// Frames of silence to deliver first.
        private var silence: Int64 = 0
        /// The raw position behind the block that was decoded last, by the container's clock; nil where it is not
        /// known.
        private var blockEnd: Int64?
        /// How the block becomes what the format says, where it has other channels than the first one.
        private var fold: ChannelFold?
        private var isDamaged = false
        /// Whether there is silence for blocks of another rate.
        private var isMixed = false
        /// Whether ``fill()`` has met damage since the last seek.
        private var hasMetDamage = false
        /// Whether a block follows such damage.
        private var isBehindDamage = false
        /// Whether the container's times leave something out.
        private var hasGap = false
        /// Whether sound was delivered that follows such damage.
        private var hasLost = false

        /// Throws `.malformed`, `.unsupportedEncoding`, `.missingLibrary` or `.io`.
        ///
        /// `cache` holds the scan results of another decoder of the same bytes.
        init(
            _ source: ByteSource, _ type: FileSignature, _ cache: ScanCache, path: String?
        ) throws(AudioFileError) {
            guard let demuxer = type.demuxer else {
                throw AudioFileError(.unsupportedEncoding, "holds an encoding that is not supported", path: path)
            }
            if type == .mpeg4, let refusal = MP4IndexSizeCheck.refusal(of: source, path: path) { throw refusal }
            let input = try FFmpegInput(source, demuxer: demuxer, path: path)
            let first = try Self.firstBlock(input, path: path)
            rate = first.sample_rate
            channels = Int(first.channels)
            let stored = FFmpegFormat.encoding(input.stream.codec, bits: input.known.bits_per_sample)
            framesPerPacket = FFmpegFormat.isUniform(stored.encoding) ? Int64(first.frames) : nil
            let layout = FFmpegFormat.layout(first)

            let length = try Self.length(
                source, type, input, rate: rate, framesPerPacket, stored.encoding, cache.packets, path: path)
            var cache = cache
            if case .counted(let packets) = length.timeline { cache.packets = packets }
            self.cache = cache
            timeline = length.timeline
            segments = length.segments
            start = min(length.timing.priming, length.end)
            format = AudioFileFormat(
                container: type.container, encoding: stored.encoding, isBigEndian: stored.isBigEndian,
                sampleRate: Double(rate), channels: channels,
                frames: min(length.timing.valid ?? .max, length.end - start), channelLayout: layout)
            self.input = input
            self.path = path
            try seek(toFrame: 0)
        }

        /// Decodes until there is sound: only then rate and channels are certain.
        private static func firstBlock(_ input: FFmpegInput, path: String?) throws(AudioFileError) -> ffmpeg_frame {
            for _ in 0..<100 {
                switch input.step() {
                case .damaged: continue
                case .end: throw input.fail(FFMPEG_INVALIDDATA)
                case .block:
                    guard let frame = input.frame, frame.sample_rate > 0,
                        (1...256).contains(frame.channels), frame.frames > 0
                    else { continue }
                    return frame
                }
            }
            throw AudioFileError(.malformed, "is damaged: its sound cannot be decoded", path: path)
        }

        // MARK: Reading

        func decode(into destination: UnsafeMutablePointer<Float>, frames: Int) -> Int {
            var done = 0
            while done < frames, fill() {
                // Whoever cuts a stream anywhere cuts a packet, and nobody calls what is left damaged.
                hasLost = hasLost || isBehindDamage
                let target = destination + done * channels
                if silence > 0 {
                    let count = Int(min(Int64(frames - done), silence))
                    target.update(repeating: 0, count: count * channels)
                    silence -= Int64(count)
                    done += count
                } else {
                    let count = min(frames - done, rest.count)
                    guard let frame = input.frame,
                        copy(frame, count: count, to: target)
                    else {
                        isDamaged = true
                        break
                    }
                    rest = rest.lowerBound + count..<rest.upperBound
                    done += count
                }
            }
            return done
        }

        /// Copies the next frames of the block.
        private func copy(_ frame: ffmpeg_frame, count: Int, to target: UnsafeMutablePointer<Float>) -> Bool {
            guard let fold else { return FFmpegFormat.copy(frame, from: rest.lowerBound, count: count, to: target) }
            return withUnsafeTemporaryAllocation(of: Float.self, capacity: count * fold.source.count) { buffer in
                guard let base = buffer.baseAddress,
                    FFmpegFormat.copy(frame, from: rest.lowerBound, count: count, to: base)
                else { return false }
                fold.mix(base, count: count, to: target)
                return true
            }
        }

        /// Sees to it that a block becomes what the format says; false where nobody knows how.
        private func prepareFold(of frame: ffmpeg_frame) -> Bool {
            if frame.channels == Int32(channels) {
                fold = nil
                return true
            }
            guard let source = FFmpegFormat.layout(frame), let target = format.channelLayout else {
                return false
            }
            if fold?.source != source { fold = ChannelFold(from: source, to: target) }
            return true
        }

        func failure() -> AudioFileError? {
            // FFmpeg takes it for the end.
            if input.hasDiskFailed { return input.fail(FFMPEG_EOF) }
            if isDamaged || (input.failure != 0 && input.failure != FFMPEG_EOF) {
                return input.fail(FFMPEG_INVALIDDATA)
            }
            // Streams in broadcast style are cut anywhere, and nobody calls what is left damaged.
            guard case .clock = timeline else { return nil }
            return AudioFileError(.malformed, "ends before its header says", path: path)
        }

        var loss: AudioFileError? {
            if hasLost { return AudioFileError(.malformed, "is damaged: a part of it cannot be decoded", path: path) }
            if isMixed {
                return AudioFileError(.malformed, "changes its sample rate: there is silence instead", path: path)
            }
            if hasGap {
                return AudioFileError(.malformed, "lacks a part of its sound: fragments are missing", path: path)
            }
            let isUnreadable =
                switch timeline {
                case .clock(_, _, let isBroken): isBroken
                case .counted(let packets): packets.isDamaged
                }
            if isUnreadable {
                return AudioFileError(.malformed, "is damaged: a part of it cannot be read", path: path)
            }
            guard case .counted(let packets) = timeline else { return nil }
            return input.isShort(frames: packets.total, rate: rate)
                ? AudioFileError(.malformed, "ends before its header says", path: path) : nil
        }

        /// Sees to it that there is something to deliver; false at the end or where decoding fails.
        private func fill() -> Bool {
            while rest.isEmpty && silence == 0 {
                guard !isDamaged else { return false }
                switch input.step() {
                case .block:
                    guard let frame = input.frame else { return false }
                    guard frame.sample_rate == rate, prepareFold(of: frame) else {
                        if case .clock = timeline {
                            isDamaged = true
                            return false
                        }
                        isMixed = true
                        silence = framesPerPacket ?? Int64(frame.frames)
                        continue
                    }
                    isBehindDamage = hasMetDamage
                    if frame.is_damaged { hasMetDamage = true }
                    rest = 0..<Int(frame.frames)
                    if case .clock(let origin, let isFragmented, _) = timeline {
                        advanceClock(by: frame, origin: origin, isFragmented: isFragmented)
                    }
                case .damaged:
                    hasMetDamage = true
                    if case .clock = timeline { isDamaged = true }
                    silence = framesPerPacket ?? 0
                case .end: return false
                }
            }
            return true
        }

        /// Reads a block's time; where that is later than the end of the block before it, there is silence first.
        private func advanceClock(by frame: ffmpeg_frame, origin: Int64, isFragmented: Bool) {
            let count = Int64(frame.frames)
            let time = frame.pts == FFMPEG_NO_TIMESTAMP ? nil : input.frames(frame.pts, rate: rate) - origin
            if isFragmented, let end = blockEnd, let time {
                silence = max(0, time - end)
                hasGap = hasGap || silence > AudioFileReader.usualLoss
                blockEnd = end + silence + count
            } else {
                blockEnd = (time ?? blockEnd).map { $0 + count }
            }
        }

        // MARK: Seeking

        func seek(toFrame frame: Int64) throws(AudioFileError) {
            let target = start + frame
            forgetBlock()
            isDamaged = false
            // A decoder that begins in mid-stream may complain.
            defer { (hasMetDamage, isBehindDamage) = (false, false) }
            let isFound =
                switch timeline {
                case .clock(let origin, _, _): seekByClock(to: target, origin: origin)
                case .counted(let packets): seekByCount(to: target, packets.marks)
                }
            guard isFound else {
                throw failure() ?? AudioFileError(.malformed, "cannot be decoded at frame \(frame)", path: path)
            }
        }

        /// Frames before a target that are decoded for the codec's memory: overlapping blocks, predictors, bit
        /// reservoirs.
        private var runIn: Int64 {
            if FFmpegFormat.standsAlone(format.encoding) { return 0 }
            // IMA4 carries the lower bits of its predictor from packet to packet, without end; it is cheap to decode.
            return format.encoding == .imaADPCM ? .max : 16_384
        }

        private func seekByClock(to target: Int64, origin: Int64) -> Bool {
            let early = max(0, target - runIn)
            if early > 0, input.seek(to: input.time(early + origin, rate: rate)),
                let isThere = advanceByClock(to: target)
            {
                return isThere
            }
            forgetBlock()
            guard input.rewind() else { return false }
            if let isThere = advanceByClock(to: target) { return isThere }
            guard let blockEnd else { return false }
            // Not even the first block is in front of it.
            silence = blockEnd - Int64(rest.count) - target
            return true
        }

        /// Decodes up to the target; nil where that is behind it, or nothing tells where that is.
        private func advanceByClock(to target: Int64) -> Bool? {
            while fill() {
                guard let blockEnd else { return nil }
                let place = blockEnd - Int64(rest.count) - silence
                guard place <= target else { return nil }
                let count = silence > 0 ? silence : Int64(rest.count)
                if place + count > target {
                    skip(target - place)
                    return true
                }
                skip(count)
            }
            return false
        }

        private func seekByCount(to target: Int64, _ marks: [FFmpegPackets.Mark]) -> Bool {
            let index = marks.lastIndex { $0.frames <= max(0, target - runIn) } ?? 0
            if index > 0, arrive(at: marks[index]), advance(to: target, marks, from: index) { return true }
            guard !marks.isEmpty, input.rewind() else { return false }
            forgetBlock()
            return advance(to: target, marks, from: -1)
        }

        /// Makes a mark's packet the next one that is decoded.
        private func arrive(at mark: FFmpegPackets.Mark) -> Bool {
            for flags in [FFMPEG_SEEK_BACKWARD, FFMPEG_SEEK_BYTE] {
                let place = flags == FFMPEG_SEEK_BYTE ? mark.position : mark.time
                guard place != FFMPEG_NO_TIMESTAMP, input.seek(to: place, flags: flags) else { continue }
                while input.readPacket() {
                    guard let packet = input.packet, packet.pos <= mark.position else { break }
                    if packet.pos == mark.position {
                        if !input.sendPacket() { silence = framesPerPacket ?? 0 }
                        return true
                    }
                }
            }
            return false
        }

        /// Decodes up to the target, and counts anew at each mark: a decoder that was just started may hold frames
        /// back.
        private func advance(to target: Int64, _ marks: [FFmpegPackets.Mark], from index: Int) -> Bool {
            var position = index < 0 ? 0 : marks[index].frames
            var next = index + 1
            while fill() {
                if next < marks.count, input.packet?.pos == marks[next].position {
                    position = marks[next].frames
                    next += 1
                }
                let count = silence > 0 ? silence : Int64(rest.count)
                guard position <= target else { return false }
                if position + count > target {
                    skip(target - position)
                    return true
                }
                position += count
                skip(count)
            }
            return false
        }

        private func forgetBlock() {
            rest = 0..<0
            silence = 0
            blockEnd = nil
        }

        private func skip(_ count: Int64) {
            if silence > 0 {
                silence -= count
            } else {
                rest = rest.lowerBound + Int(count)..<rest.upperBound
            }
        }
    }
#endif
