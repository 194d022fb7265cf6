#if FFmpeg
    internal import CFFmpeg

    extension FFmpegDecoder {
        /// How raw positions are found, which of them are the sound, where they end, and which parts are to be played.
        typealias Length = (timeline: Timeline, timing: MediaTiming, end: Int64, segments: [SoundSegment])

        static func length(
            _ source: ByteSource, _ type: FileSignature, _ input: FFmpegInput, rate: Int32, _ framesPerPacket: Int64?,
            _ encoding: AudioEncoding, _ known: FFmpegPackets?, path: String?
        ) throws(AudioFileError) -> Length {
            let base = input.stream.time_base
            let isExact = base.num == 1 && (base.den % rate == 0 || rate % max(base.den, 1) == 0)
            if type == .mpeg4, isExact, let track = MPEG4Track(source, number: Int64(input.stream.id)) {
                let origin = track.isFragmented ? max(0, input.frames(input.firstTime ?? 0, rate: rate)) : 0
                if origin > 0 { return fragments(track, input, rate: rate, from: origin) }
                // The length in the header, or the end of the last fragment behind it.
                let end = input.frames(max(input.stream.duration, track.fragmentsEnd, 0), rate: rate)
                let clock = Timeline.clock(origin: 0, isFragmented: track.isFragmented, isBroken: track.isBroken)
                let segments = MediaTiming.segments(track, rate: Int64(rate), end: end)
                if !segments.isEmpty { return (clock, MediaTiming(), end, segments) }
                let timing =
                    input.tag("iTunSMPB").flatMap(MediaTiming.init(iTunesComment:))
                    ?? MediaTiming(track, rate: Int64(rate), end: end)
                return (clock, timing, end, [])
            }
            if type == .caf, isExact, input.indexCount > 0, let timing = MediaTiming(caf: source),
                let valid = timing.valid
            {
                var end = timing.priming + valid
                // FFmpeg's own files count the last packet as full.
                if FFmpegFormat.standsAlone(encoding) { end = min(end, lastBlockEnd(input, rate: rate)) }
                return (.clock(origin: 0, isFragmented: false, isBroken: false), timing, end, [])
            }
            let priming = input.skippedFrames
            guard input.rewind() else { throw input.fail(FFMPEG_INVALIDDATA) }
            let packets =
                known
                ?? FFmpegPackets(
                    input, source, type, framesPerPacket: framesPerPacket, isOpus: encoding == .opus)
            guard !input.hasDiskFailed else { throw input.fail(FFMPEG_EOF) }
            let timing = (type == .caf ? MediaTiming(caf: source) : nil) ?? MediaTiming(priming: priming)
            return (.counted(packets), timing, max(timing.priming, packets.total - packets.padding), [])
        }

        /// The length of fragments whose first one is missing, or that count from elsewhere, as those of live streams.
        private static func fragments(
            _ track: MPEG4Track, _ input: FFmpegInput, rate: Int32, from origin: Int64
        ) -> Length {
            let end = max(origin, input.frames(track.fragmentsEnd, rate: rate))
            var timing = MediaTiming(track, rate: Int64(rate), end: end)
            // An edit list that counts from zero is of sound that is not here.
            if timing.priming < origin { timing = MediaTiming(priming: origin) }
            timing.priming -= origin
            return (.clock(origin: origin, isFragmented: true, isBroken: track.isBroken), timing, end - origin, [])
        }

        /// What an MPEG-4 file holds that has no packet, promises none, and has no room for one; nil for all others.
        ///
        /// Throws where FFmpeg cannot make anything of it.
        static func soundless(
            _ source: ByteSource, _ type: FileSignature, path: String?
        ) throws(AudioFileError) -> AudioFileFormat? {
            guard type == .mpeg4, MPEG4Track.isSoundless(source), MP4IndexSizeCheck.isCredible(source) else {
                return nil
            }
            let input = try FFmpegInput(source, demuxer: "mov", path: path)
            guard input.indexCount == 0, max(input.stream.duration, 0) == 0 else { return nil }
            let encoding = FFmpegFormat.encoding(input.stream.codec, bits: input.known.bits_per_sample).encoding
            return AudioFileFormat(
                soundless: .mpeg4, encoding, rate: Double(input.known.sample_rate),
                channels: Int64(input.known.channels))
        }

        /// Where the last packet of the index ends when it is decoded; `.max` where that cannot be had.
        private static func lastBlockEnd(_ input: FFmpegInput, rate: Int32) -> Int64 {
            var end: Int64?
            guard input.seek(to: .max >> 1) else { return .max }
            while input.step() == .block {
                guard let frame = input.frame, frame.pts != FFMPEG_NO_TIMESTAMP else { continue }
                end = input.frames(frame.pts, rate: rate) + Int64(frame.frames)
            }
            return end ?? .max
        }
    }
#endif
