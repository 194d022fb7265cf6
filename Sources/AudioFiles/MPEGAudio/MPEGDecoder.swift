/// Decodes MPEG audio, layers I to III, with libmpg123; finding frames, trimming and seeking are done here.
final class MPEGDecoder: FrameDecoder {
    let format: AudioFileFormat

    private let source: ByteSource
    private let given: ScanCache
    private let path: String?
    private let library: MPEGLibrary
    private var frames: MPEGFrames
    /// Frames of sound in an MPEG frame.
    private let samples: Int64
    /// Frames that are decoded in front of the sound.
    private let lead: Int64
    private let first: MPEGFrameHeader

    /// What the last MPEG frame was decoded to, and which frames of it are still to be delivered.
    private let block: UnsafeMutablePointer<Float>
    private var rest = 0..<0
    /// Frames to leave out before more is delivered.
    private var skipped: Int64
    /// Whether the next MPEG frame is to be decoded as if it were the first.
    private var isRestarting = false
    /// Whether there is silence in place of an MPEG frame that could not be decoded.
    private var hasLost = false

    /// Throws `.malformed`, `.unsupportedEncoding` or `.io`.
    ///
    /// `cache` holds the scan results of another decoder of the same bytes.
    init(
        _ source: ByteSource, _ cache: ScanCache, in container: AudioContainer, path: String?
    ) throws(AudioFileError) {
        guard let (start, first) = MPEGStream.firstFrame(source) ?? MPEGStream.lateFrame(source) else {
            if source.lastError != 0 { throw .system(source.lastError, path: path) }
            throw AudioFileError(.malformed, "holds no MPEG audio", path: path)
        }
        let index = MPEGStreamIndex(source.bytes(at: start, count: first.length), first)
        var frames = MPEGFrames(
            source, from: index == nil ? start : start + Int64(first.length), like: first, cache.mpegFrames)
        samples = Int64(first.samples)
        var total = index?.frames ?? 0
        var padding = index?.encoder?.padding ?? 0
        if total == 0 || total * samples / 100_000 > source.size {
            // No length, or an absurd one.
            total = frames.count()
        } else if let end = index?.end, MPEGStream.firstFrame(source, behind: start + end) != nil,
            frames.count() > total + 1
        {
            // Files that were joined: the index is that of the first one, and the padding somewhere in the middle.
            (total, padding) = (frames.count(), 0)
        }
        // An encoder puts its own delay in front, and a decoder of layer III adds another one. What is in a WAV file
        // has no index, and is delivered as it is.
        let delay = first.layer == 3 && (index != nil || container == .mpeg) ? MPEGStreamIndex.decoderDelay : 0
        let end = total * samples - max(0, padding - delay)
        lead = delay + (index?.encoder?.delay ?? 0)
        format = AudioFileFormat(
            container: container, encoding: [.mpegLayer1, .mpegLayer2, .mp3][first.layer - 1], isBigEndian: false,
            sampleRate: Double(first.sampleRate), channels: first.channels, frames: max(0, end - lead),
            channelLayout: first.channels == 1 ? [0] : nil)
        library = try MPEGLibrary(first, path: path)
        self.first = first
        block = .allocate(capacity: first.samples * first.channels)
        skipped = lead
        self.frames = frames
        self.source = source
        self.path = path
        given = cache
    }

    deinit { block.deallocate() }

    var cache: ScanCache {
        var cache = given
        // Where the disk has failed there may be more.
        if source.lastError == 0 { cache.mpegFrames = frames.table }
        return cache
    }

    func failure() -> AudioFileError? {
        // Streams in broadcast style are cut anywhere, and nobody calls what is left damaged.
        source.lastError == 0 ? nil : .system(source.lastError, path: path)
    }

    var loss: AudioFileError? {
        if let failure = failure() { return failure }
        if frames.table.isMixed {
            let message = "changes its sample rate or its channels: what is not as its beginning is left out"
            return AudioFileError(.malformed, message, path: path)
        }
        guard hasLost || frames.table.isDamaged else { return nil }
        return AudioFileError(.malformed, "is damaged: a part of it cannot be decoded", path: path)
    }

    func decode(into destination: UnsafeMutablePointer<Float>, frames count: Int) -> Int {
        let channels = format.channels
        var done = 0
        while done < count, fill() {
            let piece = min(count - done, rest.count)
            (destination + done * channels).update(from: block + rest.lowerBound * channels, count: piece * channels)
            rest = rest.lowerBound + piece..<rest.upperBound
            done += piece
        }
        return done
    }

    func seek(toFrame frame: Int64) throws(AudioFileError) {
        let place = lead + frame
        rest = 0..<0
        isRestarting = true
        guard frames.move(to: place / samples), case let start = runIn(to: place / samples), frames.move(to: start)
        else {
            throw unreachable(frame)
        }
        skipped = place - start * samples
        guard fill() else { throw unreachable(frame) }
    }

    private func unreachable(_ frame: Int64) -> AudioFileError {
        failure() ?? AudioFileError(.malformed, "cannot be decoded at frame \(frame)", path: path)
    }

    /// The MPEG frame from which decoding gives the exact samples of another one, to which all headers were read.
    private func runIn(to number: Int64) -> Int64 {
        // Each frame's sound reaches into the next one; the filters remember less.
        var count: Int64 = 2
        if first.layer == 3 {
            // Its bytes may be in frames before it, and those of the frames whose sound reaches into it as well.
            let bytes = max(1, frames.table.shortest - first.sideInformation.upperBound - 2)
            count += Int64((1 << first.reservoirBits - 1) / bytes) + 2
        }
        // In eights, the filters stand as they do where all is decoded from the beginning, and round alike.
        return max(0, number - count) / 8 * 8
    }

    /// Sees to it that there is something to deliver; false at the end, and where the disk has failed.
    private func fill() -> Bool {
        while rest.isEmpty {
            guard let frame = frames.next() else { return false }
            // What a frame uses of those before it must not be taken from behind a gap.
            if isRestarting || !frame.isNext { library.restart() }
            let bytes = frames.bytes(of: frame)
            guard bytes.count == frame.header.length else { return false }
            isRestarting = !library.decode(bytes, frame.header, into: block)
            if isRestarting {
                block.update(repeating: 0, count: Int(samples) * format.channels)
                hasLost = true
            }
            let cut = min(skipped, samples)
            skipped -= cut
            rest = Int(cut)..<Int(samples)
        }
        return true
    }
}
