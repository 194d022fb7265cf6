/// The file types that are given to a decoder, recognised by their first bytes.
///
/// libsndfile knows more types, without a signature or without sound, and FFmpeg hundreds. They are left out: a text
/// file must not be taken for one of them, and their parsers stay out of reach of untrusted files.
enum FileSignature {
    case wave, otherRIFF, aiff, caf, flac, ogg, w64, au, mpeg
    case mpeg4, adts, ac3, eac3, amr, asf, matroska
    case rare

    init?(_ source: ByteSource) {
        let head = source.bytes(at: 0, count: 16)
        func has(_ text: String, at offset: Int = 0) -> Bool {
            head.dropFirst(offset).prefix(text.utf8.count).elementsEqual(text.utf8)
        }
        if has("RIFF") && has("WAVE", at: 8) {
            self = .wave
        } else if (has("RIFX") || has("RF64")) && has("WAVE", at: 8) {
            self = .otherRIFF
        } else if has("FORM") && (has("AIFF", at: 8) || has("AIFC", at: 8)) {
            self = .aiff
        } else if has("caff") {
            self = .caf
        } else if has("fLaC") || source.text(at: MPEGStream.tagLength(source)) == "fLaC" {
            self = .flac
        } else if has("OggS") {
            self = .ogg
        } else if has("riff\u{2e}") {
            self = .w64
        } else if has(".snd") || has("dns.") {
            self = .au
        } else if let other = Self.forFFmpeg(source, head) {
            self = other
        } else if Self.isRare(source, head) {
            self = .rare
        } else if MPEGStream.isStream(source) {
            self = .mpeg
        } else {
            return nil
        }
    }

    private static let movieBoxes = ["ftyp", "moov", "mdat", "wide", "styp"]

    private static func forFFmpeg(_ source: ByteSource, _ head: [UInt8]) -> FileSignature? {
        func has(_ text: String, at offset: Int = 0) -> Bool {
            head.dropFirst(offset).prefix(text.utf8.count).elementsEqual(text.utf8)
        }
        // Old QuickTime files begin with any of their boxes.
        if movieBoxes.contains(where: { has($0, at: 4) }) { return .mpeg4 }
        // Filling and previews; a text may have these letters there as well.
        if ["free", "skip", "pnot"].contains(where: { has($0, at: 4) }), let size = source.integer(at: 0, bytes: 4),
            movieBoxes.contains(source.text(at: size + 4))
        {
            return .mpeg4
        }
        if has("#!AMR\n") || has("#!AMR-WB\n") { return .amr }
        if head.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) { return .matroska }
        if head.starts(with: [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11]) { return .asf }
        // bsid, the version of the bit stream: from 11 on it is E-AC-3.
        if head.starts(with: [0x0B, 0x77]), head.count > 5 { return head[5] >> 3 > 10 ? .eac3 : .ac3 }
        return ADTSHeader.isStream(source) ? .adts : nil
    }

    /// What only libsndfile knows, by signatures that nothing else has.
    private static func isRare(_ source: ByteSource, _ head: [UInt8]) -> Bool {
        let words = ["NIST_1A\n", " paf", "fap ", "PVF1\n", "2BIT"]
        if words.contains(where: { head.starts(with: $0.utf8) }) { return true }
        let start = source.bytes(at: 0, count: 20)
        if ["Creative Voice File\u{1A}", "ALawSoundFile**"].contains(where: { start.starts(with: $0.utf8) }) {
            return true
        }
        if source.text(at: 0) == "FORM", ["8SVX", "16SV"].contains(source.text(at: 8)) { return true }
        // IRCAM: a number with the machine's in it, in either byte order.
        guard head.count > 3 else { return false }
        let number = head[0] == 0 ? Array(head[..<4].reversed()) : Array(head[..<4])
        return number[0] == 0x64 && number[1] == 0xA3 && (1...4).contains(number[2]) && number[3] == 0
    }

    /// The types whose streams may begin with anything.
    init?(hint: AudioContainer, _ source: ByteSource) {
        switch hint {
        case .mpeg where MPEGStream.lateFrame(source) != nil: self = .mpeg
        case .adts: self = .adts
        case .ac3: self = .ac3
        default: return nil
        }
    }

    /// Where the first frame of a stream is that does not begin with one; nil where it need not be looked for.
    func firstFrame(_ source: ByteSource) -> Int64? {
        switch self {
        case .adts where !ADTSHeader.isStream(source): ADTSHeader.firstFrame(of: source)
        case .ac3 where AC3Header(source.bytes(at: 0, count: 6)) == nil: AC3Header.firstFrame(of: source)
        default: nil
        }
    }

    /// Whether libsndfile is asked first.
    var isForSndFile: Bool {
        switch self {
        case .wave, .otherRIFF, .aiff, .caf, .flac, .ogg, .w64, .au, .rare: true
        case .mpeg, .mpeg4, .adts, .ac3, .eac3, .amr, .asf, .matroska: false
        }
    }

    /// Whether a container that libsndfile knows holds what it does not know, and calls damaged, or decodes wrongly.
    ///
    /// libsndfile 1.2.0 takes the last packet of Apple Lossless for a full one, and garbles noise. Of FLAC in Ogg it
    /// reads only what it has written.
    func isBetterWithFFmpeg(_ source: ByteSource) -> Bool {
        switch self {
        case .ogg: !["\u{1}vor", "Opus"].contains(source.text(at: 28))
        case .caf: source.text(at: 8) == "desc" && ["aac ", "ima4", "alac"].contains(source.text(at: 28))
        case .wave: WaveChunks(source).codec.map { !Self.sndFileWaveCodecs.contains($0) } ?? false
        default: false
        }
    }

    /// PCM, Microsoft's ADPCM, floating point, A-law, µ-law, IMA ADPCM, GSM 6.10, NMS ADPCM and G.721.
    private static let sndFileWaveCodecs: Set<Int64> = [1, 2, 3, 6, 7, 0x11, 0x31, 0x38, 0x40]

    /// FFmpeg's name for the parser of such files, nil where it need not be asked.
    var demuxer: String? {
        switch self {
        case .wave: "wav"
        case .aiff: "aiff"
        case .caf: "caf"
        case .ogg: "ogg"
        case .w64: "w64"
        case .au: "au"
        case .mpeg4: "mov"
        case .adts: "aac"
        case .ac3: "ac3"
        case .eac3: "eac3"
        case .amr: "amr"
        case .asf: "asf"
        case .matroska: "matroska"
        case .otherRIFF, .flac, .mpeg, .rare: nil
        }
    }

    /// The container that files of this type are, where FFmpeg reads them.
    var container: AudioContainer {
        switch self {
        case .wave, .otherRIFF: .wav
        case .aiff: .aifc
        case .caf: .caf
        case .flac: .flac
        case .ogg: .ogg
        case .w64: .w64
        case .au: .au
        case .mpeg: .mpeg
        case .mpeg4: .mpeg4
        case .adts: .adts
        case .ac3, .eac3: .ac3
        case .amr: .amr
        case .asf: .asf
        case .matroska: .matroska
        case .rare: .rare
        }
    }
}

/// The header of one ADTS frame of AAC, as far as recognising it needs.
struct ADTSHeader {
    /// Bytes of the frame, with its header.
    let length: Int
    private let fixed: [UInt8]

    init?(_ bytes: some Collection<UInt8>) {
        let head = Array(bytes.prefix(6))
        // Sync; layer 0; a rate that exists.
        guard head.count == 6, head[0] == 0xFF, head[1] & 0xF6 == 0xF0, head[2] >> 2 & 15 < 13 else { return nil }
        length = Int(head[3] & 3) << 11 | Int(head[4]) << 3 | Int(head[5]) >> 5
        fixed = [head[1], head[2] & 0xFD, head[3] & 0xC0]
        guard length > 7 else { return nil }
    }

    /// Frames of a stream before the first place where there is neither one nor a tag.
    static func leadingFrames(of source: ByteSource) -> Int {
        var window = ByteWindow(source)
        var offset: Int64 = 0
        var count = 0
        while offset < source.size {
            if let header = ADTSHeader(window.bytes(at: offset, count: 6)) {
                count += 1
                offset += Int64(header.length)
            } else if let length = MPEGStream.tagLength(startingWith: window.bytes(at: offset, count: 32)) {
                // A station puts its titles and clocks between the frames.
                offset += length
            } else {
                break
            }
        }
        return count
    }

    /// Where the first frame begins in a stream that begins anywhere; nil where there is none within two frames'
    /// length.
    static func firstFrame(of source: ByteSource) -> Int64? {
        let bytes = source.bytes(at: 0, count: 4 * 8192)
        return bytes.indices.prefix(2 * 8192).first { place in
            guard bytes[place] == 0xFF, let header = ADTSHeader(bytes[place...]) else { return false }
            let next = bytes.dropFirst(place + header.length)
            return next.isEmpty ? false : ADTSHeader(next)?.fixed == header.fixed
        }.map(Int64.init)
    }

    /// Whether a file begins with such a frame, tags aside, and another one follows it.
    static func isStream(_ source: ByteSource) -> Bool {
        let start = MPEGStream.tagLength(source)
        guard let first = ADTSHeader(source.bytes(at: start, count: 6)) else { return false }
        let next = start + Int64(first.length)
        if next == source.size { return true }
        return ADTSHeader(source.bytes(at: next, count: 6))?.fixed == first.fixed
    }
}
