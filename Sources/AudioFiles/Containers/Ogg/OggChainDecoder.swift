/// Decodes a chained Ogg file as one sound, each link with a decoder of its own.
///
/// libsndfile decodes only the first link, and FFmpeg mistakes the times of the next ones, which begin at zero again.
/// Links of another rate or number of channels than the first are left out: a player has one format.
final class OggChainDecoder: FrameDecoder {
    let format: AudioFileFormat
    let cache: ScanCache

    private let source: ByteSource
    private let path: String?
    private let links: [OggLink]
    /// The stream that is decoded, its bytes, and where in it the next frame is.
    private var current = 0
    private var part: ByteSource
    private var decoder: any FrameDecoder
    /// Makes the decoder of one stream.
    private let decoding: Decoding
    /// What was wrong with the sound of streams that have been left.
    private var earlierLoss: AudioFileError?
    private var position: Int64 = 0
    /// Whether no more can be decoded of the stream: it is damaged, and silence takes the place of what is missing.
    private var isSpent = false
    private var missing: Int64 = 0

    /// Makes the decoder of one stream, of which another one has found something.
    typealias Decoding = (ByteSource, ScanCache) throws(AudioFileError) -> any FrameDecoder

    /// Nil where the file has one stream only.
    ///
    /// `cache` holds the scan results of another decoder of the same bytes. Throws as `decoding` does.
    init?(
        _ source: ByteSource, _ cache: ScanCache, path: String?,
        decoding: @escaping Decoding
    ) throws(AudioFileError) {
        guard var links = cache.oggLinks ?? OggLinks.find(source), let start = links.first else { return nil }
        part = source.part(start.bytes)
        decoder = try decoding(part, start.cache)
        self.decoding = decoding
        var format = decoder.format
        if cache.oggLinks == nil {
            for index in links.indices where !links[index].isLeftOut {
                let bytes = source.part(links[index].bytes)
                let link = index == 0 ? decoder : try? decoding(bytes, ScanCache())
                guard bytes.lastError == 0 else { throw .system(bytes.lastError, path: path) }
                if let link, link.format.sampleRate == format.sampleRate, link.format.channels == format.channels {
                    links[index].frames = link.format.frames
                    links[index].cache = link.cache
                } else {
                    links[index].isLeftOut = true
                }
            }
        }
        format.frames = links.reduce(0) { $0 + $1.frames }
        self.format = format
        self.cache = ScanCache(oggLinks: links)
        self.links = links
        self.source = source
        self.path = path
    }

    var loss: AudioFileError? {
        if links.contains(where: \.isLeftOut) {
            let message = "holds streams that are damaged, or have another rate or other channels: they are left out"
            return AudioFileError(.malformed, message, path: path)
        }
        guard missing > AudioFileReader.usualLoss else { return earlierLoss ?? decoder.loss }
        return AudioFileError(.malformed, "is damaged: a part of it cannot be decoded", path: path)
    }

    func failure() -> AudioFileError? { part.lastError == 0 ? nil : .system(part.lastError, path: path) }

    func decode(into destination: UnsafeMutablePointer<Float>, frames: Int) -> Int {
        var done = 0
        while done < frames {
            let wanted = min(frames - done, Int(clamping: links[current].frames - position))
            if wanted == 0 {
                guard current + 1 < links.count else { break }
                open(current + 1)
                continue
            }
            let target = destination + done * format.channels
            let count = isSpent ? 0 : decoder.decode(into: target, frames: wanted)
            if count < wanted {
                guard part.lastError == 0 else { return done + count }
                isSpent = true
                missing += Int64(wanted - count)
                (target + count * format.channels).update(repeating: 0, count: (wanted - count) * format.channels)
            }
            position += Int64(wanted)
            done += wanted
        }
        return done
    }

    func seek(toFrame frame: Int64) throws(AudioFileError) {
        var place = frame
        var index = 0
        while index + 1 < links.count, place >= links[index].frames {
            place -= links[index].frames
            index += 1
        }
        if index != current || isSpent { open(index) }
        guard !isSpent else {
            throw failure() ?? AudioFileError(.malformed, "cannot be decoded at frame \(frame)", path: path)
        }
        try decoder.seek(toFrame: place)
        position = place
    }

    /// Makes this stream's first frame the next one.
    private func open(_ index: Int) {
        earlierLoss = earlierLoss ?? decoder.loss
        current = index
        position = 0
        part = source.part(links[index].bytes)
        isSpent = true
        // What is left out has no frames.
        guard links[index].frames > 0, let next = try? decoding(part, links[index].cache) else { return }
        decoder = next
        isSpent = false
    }
}
