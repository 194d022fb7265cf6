/// The format of a network stream, and whether it is live and seekable.
package struct StreamFormat: Sendable, Equatable {
    /// Frames a second, in Hz.
    package let sampleRate: Double
    /// Interleaved channels of a frame.
    package let channels: Int
    /// The place of each channel as the raw value of `AudioRealtime.Channel`, if the codec says it.
    package let channelLayout: [UInt8]?
    /// The length in seconds; nil for a stream that has no end.
    package let duration: Double?
    /// Whether `duration` was estimated from the bit rate of the beginning.
    package let isDurationEstimated: Bool
    /// Whether ``StreamReader/seek(to:)`` can do anything.
    package let isSeekable: Bool
    /// Whether the stream is a radio, which can be joined anew at any time.
    package let isRadio: Bool
    /// Whether the stream consists of a playlist's segments (HLS).
    package let isPlaylist: Bool

    /// Whether the stream is live, without a length.
    package var isLive: Bool { duration == nil }
}

#if FFmpeg
    internal import CFFmpeg

    /// Reads the sound behind an http or https address: a file, a playlist (HLS) or a radio.
    ///
    /// Every call may wait for the network; ``StreamCancellation`` ends that.
    // One thread at a time uses a reader; its owner sees to that.
    package final class StreamReader {
        /// The stream's format.
        package let format: StreamFormat
        /// The frame that the next block begins with.
        package private(set) var position: Int64 = 0
        /// The latest ICY metadata of a radio, `StreamTitle='…';`, until the owner takes it.
        package var announcement: String?

        private let limits: StreamLimits
        private let cancellation: StreamCancellation
        private let network: FFmpegNetwork
        private let input: FFmpegInput
        private let rate: Int32
        /// The stream's own time of its first frame, in frames.
        private let origin: Int64
        /// The frame that was asked for by a seek, until it is found.
        private var target: Int64?
        /// What is still to be delivered of the block that was decoded last; nil where none of that was looked at yet.
        private var rest: Range<Int>? = 0..<0
        private var conversion: (converter: RateConverter, rate: Int32)?
        /// How a block becomes what the format says, where one had other channels.
        private var fold: ChannelFold?

        /// Opens a stream, and decodes its first block.
        ///
        /// Throws after ``StreamLimits/opening`` seconds at the latest.
        package init(
            url: String, limits: StreamLimits = StreamLimits(), cancellation: StreamCancellation
        ) throws(StreamError) {
            self.limits = limits
            self.cancellation = cancellation
            network = FFmpegNetwork(url: url, limits: limits, cancellation: cancellation)
            // The look-up of a name could not be ended any more.
            if cancellation.isCancelled { throw Self.error(nil, network, cancellation, url: url) }
            do throws(AudioFileError) { input = try FFmpegInput(network) } catch {
                throw Self.error(error, network, cancellation, url: url)
            }
            guard Self.isSound(input), let first = try Self.firstBlock(input, network, cancellation, url: url) else {
                throw StreamError(.malformed, "is not a sound of a known type")
            }
            guard Self.rates.contains(first.sample_rate) else {
                throw StreamError(.malformed, "has a sample rate that no sound has: \(first.sample_rate) Hz")
            }
            rate = first.sample_rate
            // Opening has decoded one block already.
            rest = nil
            let container = input.container
            let isPlaylist = container.format_name.map { String(cString: $0).contains("hls") } ?? false
            let duration = container.duration > 0 ? Double(container.duration) / 1e6 : nil
            let functions = input.functions
            let isRandomAccess = container.io.map { functions.io($0).is_seekable } ?? false
            let isSeekable = duration != nil && (isPlaylist || isRandomAccess)
            // Servers of radios give files too.
            let isRadio =
                !isRandomAccess && Self.option("icy_metadata_headers", of: container.io, functions) != nil
            format = StreamFormat(
                sampleRate: Double(rate), channels: Int(first.channels),
                channelLayout: FFmpegFormat.layout(first), duration: isRadio ? nil : duration,
                isDurationEstimated: container.is_duration_estimated,
                isSeekable: isSeekable, isRadio: isRadio, isPlaylist: isPlaylist)
            network.isLive = isPlaylist && format.isLive
            let start = input.stream.start_time
            let isKnown = start != FFMPEG_NO_TIMESTAMP
            origin = isKnown ? input.frames(start, rate: rate) : Self.time(of: first, input, rate) ?? 0
            updateAnnouncement()
        }

        /// Sample rates of sound: any others would let a few bytes become hours of it, or a second of it very many.
        private static let rates: ClosedRange<Int32> = 1000...768_000

        /// The most frames of the stream that one read is to give, but for what a converter had held back.
        private static let piece = 16_384

        /// FFmpeg takes many a text for AMR, whose frames look like nothing in particular.
        private static func isSound(_ input: FFmpegInput) -> Bool {
            let type = option("mime_type", of: input.container.io, input.functions)?.lowercased() ?? ""
            if type.hasPrefix("text/html") || type.hasPrefix("application/json") { return false }
            return input.container.probe_score > leastScore || type.hasPrefix("audio/")
        }

        /// What FFmpeg gives where only a few frames look right.
        private static let leastScore: Int32 = 26

        private static func firstBlock(
            _ input: FFmpegInput, _ network: FFmpegNetwork, _ cancellation: StreamCancellation, url: String
        ) throws(StreamError) -> ffmpeg_frame? {
            for _ in 0..<100 {
                switch input.step() {
                case .damaged: continue
                case .end:
                    if input.failure != 0 { network.lastCode = input.failure }
                    throw Self.error(nil, network, cancellation, url: url)
                case .block:
                    guard let frame = input.frame, frame.sample_rate > 0,
                        (1...32).contains(frame.channels), frame.frames > 0
                    else { continue }
                    return frame
                }
            }
            return nil
        }

        /// The tags that the stream began with.
        package var tags: AudioFileTags {
            let parser = input.container.format_name.map { String(cString: $0) } ?? ""
            let kind: AudioFileTags.Kind =
                switch parser {
                case "mp3", "aac": .id3
                case "ogg", "flac": .vorbis
                case _ where parser.hasPrefix("mov"): .iTunes
                default: .information
                }
            return input.tags(kind)
        }

        // MARK: Reading

        /// Puts the next block into `samples`, interleaved, full scale ±1, and returns its frames; 0 at the end.
        ///
        /// The block begins with ``position`` as it was before, unless a seek could not get there exactly.
        package func read(into samples: inout [Float]) throws(StreamError) -> Int {
            var damages = 0
            network.allow(seconds: limits.reading)
            while true {
                if rest?.isEmpty != true {
                    let count = take(into: &samples)
                    if count > 0 { return count }
                    continue
                }
                switch input.step() {
                case .block where isUsable:
                    damages = 0
                    rest = nil
                    updateAnnouncement()
                case .block, .damaged:
                    damages += 1
                    if damages > 200 { throw StreamError(.malformed, "is damaged: its sound cannot be decoded") }
                case .end:
                    try end()
                    return 0
                }
            }
        }

        /// Whether the block that was decoded last is sound.
        private var isUsable: Bool {
            guard let frame = input.frame else { return false }
            return Self.rates.contains(frame.sample_rate) && frame.channels > 0
        }

        /// Throws unless the stream has come to its end.
        private func end() throws(StreamError) {
            network.lastCode = input.failure
            let isOver = input.failure == FFMPEG_EOF && !cancellation.isCancelled && !network.hasTimedOut
            // FFmpeg passes over what it could not get of a playlist.
            guard !isOver || network.lastRequestCode != 0 else { return }
            throw Self.error(nil, network, cancellation, url: nil)
        }

        /// The next piece of the block that was decoded last, from the frame on that is wanted; 0 if there is none.
        private func take(into samples: inout [Float]) -> Int {
            guard let frame = input.frame, let rest = rest ?? wanted(of: frame) else {
                rest = 0..<0
                return 0
            }
            // A block of a lower rate becomes many frames.
            let most = Self.piece * Int(min(frame.sample_rate, rate)) / Int(rate)
            let piece = rest.prefix(max(most, 1))
            self.rest = piece.endIndex..<rest.upperBound
            guard convert(frame, piece.startIndex, piece.count, into: &samples) else { return 0 }
            let frames = samples.count / format.channels
            position += Int64(frames)
            return frames
        }

        /// What of a new block is to be delivered; nil if it ends before the frame that is wanted.
        private func wanted(of frame: ffmpeg_frame) -> Range<Int>? {
            let count = Int(frame.frames)
            guard let target, count > 0 else { return 0..<max(count, 0) }
            let first = (Self.time(of: frame, input, rate) ?? origin + target) - origin
            guard first + Int64(count) > target else { return nil }
            position = max(first, target)
            self.target = nil
            return Int(position - first)..<count
        }

        /// In the stream's first format, whatever it has changed to.
        private func convert(_ frame: ffmpeg_frame, _ start: Int, _ count: Int, into samples: inout [Float]) -> Bool {
            let channels = Int(frame.channels)
            guard channels > 0, frame.sample_rate > 0 else { return false }
            var block = [Float](repeating: 0, count: count * channels)
            let isKnown = block.withUnsafeMutableBufferPointer {
                guard let room = $0.baseAddress, FFmpegFormat.copy(frame, from: start, count: count, to: room)
                else { return false }
                NonFiniteSamples.silence(room, count: $0.count)
                return true
            }
            guard isKnown else { return false }
            if channels != format.channels { block = folded(block, of: frame, count) }
            if frame.sample_rate != rate {
                if conversion?.rate != frame.sample_rate {
                    let converter = try? RateConverter(
                        from: Double(frame.sample_rate), to: format.sampleRate, channels: format.channels)
                    conversion = converter.map { ($0, frame.sample_rate) }
                }
                guard let conversion else { return false }
                samples = conversion.converter.convert(block)
                return !samples.isEmpty
            }
            conversion = nil
            samples = block
            return true
        }

        /// Frames of a block that has other channels than the first one, as that has them.
        private func folded(_ block: [Float], of frame: ffmpeg_frame, _ count: Int) -> [Float] {
            let channels = Int(frame.channels)
            guard let source = FFmpegFormat.layout(frame), let target = format.channelLayout else {
                // Nobody knows what is where.
                return (0..<count).flatMap { frame in
                    (0..<format.channels).map { block[frame * channels + min($0, channels - 1)] }
                }
            }
            let known = fold?.source == source ? fold : nil
            let fold = known ?? ChannelFold(from: source, to: target)
            self.fold = fold
            return [Float](unsafeUninitializedCapacity: count * format.channels) { room, used in
                used = count * format.channels
                block.withUnsafeBufferPointer {
                    guard let base = room.baseAddress, let block = $0.baseAddress else { return }
                    fold.mix(block, count: count, to: base)
                }
            }
        }

        /// Goes to a frame, exactly where the stream's type allows that; what follows tells.
        ///
        /// Throws as ``read(into:)`` does.
        package func seek(toFrame frame: Int64) throws(StreamError) {
            network.allow(seconds: limits.reading)
            rest = 0..<0
            conversion = nil
            guard input.seek(to: input.time(origin + frame, rate: rate)) else {
                network.lastCode = FFMPEG_EIO
                throw Self.error(nil, network, cancellation, url: nil)
            }
            target = frame
            position = frame
        }

        /// What was taken from the network since this was asked for last.
        package func takeTraffic() -> StreamTraffic { network.takeTraffic() }

        // MARK: Details

        /// When a block is to be heard, in frames of the stream's own time.
        private static func time(of frame: ffmpeg_frame, _ input: FFmpegInput, _ rate: Int32) -> Int64? {
            let time = frame.best_effort_timestamp
            return time == FFMPEG_NO_TIMESTAMP ? nil : input.frames(time, rate: rate)
        }

        private var lastAnnouncement = ""

        private func updateAnnouncement() {
            guard format.isRadio else { return }
            let text = Self.option("icy_metadata_packet", of: input.container.io, input.functions) ?? ""
            if !text.isEmpty && text != lastAnnouncement {
                lastAnnouncement = text
                announcement = text
            }
        }

        /// What is known of an answer of the server, by FFmpeg's name for it.
        static func option(
            _ name: String, of bytes: OpaquePointer?, _ functions: ffmpeg_functions
        ) -> String? {
            guard let bytes else { return nil }
            var value: UnsafeMutablePointer<UInt8>?
            let status = functions.av_opt_get(UnsafeMutableRawPointer(bytes), name, FFMPEG_SEARCH_CHILDREN, &value)
            guard status >= 0, let value else { return nil }
            defer { functions.av_free(value) }
            let text = String(cString: value)
            return text.isEmpty ? nil : text
        }
    }
#else
    /// Reads the sound behind an http or https address, in builds with FFmpeg.
    package final class StreamReader: Sendable {
        /// The stream's format.
        package let format = StreamFormat(
            sampleRate: 0, channels: 0, channelLayout: nil, duration: nil, isDurationEstimated: false,
            isSeekable: false, isRadio: false, isPlaylist: false)
        /// The frame that the next block begins with.
        package let position: Int64 = 0
        /// What a radio says of what it plays.
        package var announcement: String? {
            get { nil }
            set {}
        }

        /// The tags that the stream began with.
        package let tags = AudioFileTags.none

        /// Throws `.missingLibrary`.
        package init(
            url: String, limits: StreamLimits = StreamLimits(), cancellation: StreamCancellation
        ) throws(StreamError) {
            throw StreamError(.missingLibrary, AudioFileError.withoutFFmpeg(path: nil).message)
        }

        /// Never called: there is no such reader.
        package func takeTraffic() -> StreamTraffic { StreamTraffic() }

        /// Never called: there is no such reader.
        package func read(into samples: inout [Float]) throws(StreamError) -> Int { 0 }

        /// Never called: there is no such reader.
        package func seek(toFrame frame: Int64) throws(StreamError) {}
    }
#endif
