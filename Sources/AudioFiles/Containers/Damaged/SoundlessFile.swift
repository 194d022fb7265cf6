/// A decoder of no frames, for a whole file without sound: a recording that was stopped before the first frame.
///
/// libsndfile and FFmpeg call most of these files damaged, since they take the format from the first packet.
final class SoundlessDecoder: FrameDecoder {
    let format: AudioFileFormat
    let cache = ScanCache()
    var loss: AudioFileError? { nil }

    init(_ format: AudioFileFormat) { self.format = format }

    func decode(into destination: UnsafeMutablePointer<Float>, frames: Int) -> Int { 0 }

    func failure() -> AudioFileError? { nil }

    func seek(toFrame frame: Int64) throws(AudioFileError) {}
}

extension AudioFileFormat {
    /// The format of a CAF file of packets that has no packet; nil where it has some, or promises some.
    init?(soundlessCAF source: ByteSource) {
        guard source.text(at: 8) == "desc", let rate = source.integer(at: 20, bytes: 8),
            let flags = source.integer(at: 32, bytes: 4), let channels = source.integer(at: 44, bytes: 4),
            let data = CAFChunks(source).data, let size = source.integer(at: data + 4, bytes: 8)
        else { return nil }
        // Four bytes stand in front of the sound; −1 is "up to the end of the file".
        let end = data + 16
        let isEmpty = end == source.size ? size == 4 || size == -1 : size == 4
        guard isEmpty, end == source.size || source.isChunk(at: end, sizeBytes: 8, bigEndian: true),
            MediaTiming(caf: source)?.valid == nil
        else { return nil }
        let encoding: AudioEncoding
        switch (source.text(at: 28), flags) {
        case ("aac ", _): encoding = .aac
        case ("ima4", _): encoding = .imaADPCM
        case ("alac", 2): encoding = .alac20
        case ("alac", 3): encoding = .alac24
        case ("alac", 4): encoding = .alac32
        case ("alac", _): encoding = .alac16
        default: return nil
        }
        self.init(
            soundless: .caf, encoding, rate: Double(bitPattern: UInt64(bitPattern: rate)), channels: channels)
    }

    /// The format of an Ogg file of Vorbis or Opus that consists of its headers; nil for all others.
    init?(soundlessOgg source: ByteSource) {
        let isOpus = source.text(at: 28) == "Opus"
        guard isOpus || source.text(at: 28) == "\u{1}vor", OggLinks.areHeaders(source, count: isOpus ? 2 : 3),
            let channels = source.number(at: isOpus ? 37 : 39, bytes: 1, bigEndian: false),
            let stored = source.number(at: 40, bytes: 4, bigEndian: false)
        else { return nil }
        // Opus decodes to one of these rates; libsndfile takes the next one that is not lower than the sound's own.
        let rate = isOpus ? [8000, 12000, 16000, 24000].first { stored <= $0 } ?? 48000 : stored
        self.init(soundless: .ogg, isOpus ? .opus : .vorbis, rate: Double(rate), channels: channels)
    }

    /// Nil for rates and channels that no file has.
    init?(soundless container: AudioContainer, _ encoding: AudioEncoding, rate: Double, channels: Int64) {
        guard (1...10_000_000).contains(rate), (1...256).contains(channels) else { return nil }
        self.init(
            container: container, encoding: encoding, isBigEndian: false, sampleRate: rate.rounded(.down),
            channels: Int(channels), frames: 0)
    }
}
