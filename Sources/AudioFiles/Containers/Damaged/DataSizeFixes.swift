// A data size that no file can have, put right for libsndfile: 0 while sound follows, "up to the end of the file", or
// beyond the end of a file that was cut off. Programs that write their sizes last leave such files when they die. Sizes
// that fit into the file are trusted; `WaveDataSizeFix` is for little-endian WAV files.

/// RF64 and RIFX files.
enum RF64DataSizeFix {
    static func apply(to source: ByteSource) {
        let isBig = source.text(at: 0) == "RIFX"
        let chunks = WaveChunks(source, bigEndian: isBig)
        guard let data = chunks.data, chunks.frameBytes > 0, source.size >= data.start else { return }
        let sizesAt = isBig ? nil : chunks.sizesAt
        var declared = data.size
        var riff = source.number(at: 4, bytes: 4, bigEndian: isBig) ?? 0
        if let sizesAt {
            if declared == 0xFFFF_FFFF { declared = source.number(at: sizesAt + 16, bytes: 8, bigEndian: false) ?? 0 }
            if riff == 0xFFFF_FFFF { riff = source.number(at: sizesAt + 8, bytes: 8, bigEndian: false) ?? 0 }
        }
        let there = source.size - data.start
        guard
            DataSizeFix.isWrong(
                declared, source, start: data.start, riff: riff, bigEndian: isBig)
        else { return }
        let sound = there - there % chunks.frameBytes
        let total = data.start + sound - 8
        source.cut(to: data.start + sound)
        var header = HeaderPatch(source, end: data.start)
        if let sizesAt {
            header.put(total, at: sizesAt + 8, bytes: 8, bigEndian: false)
            header.put(sound, at: sizesAt + 16, bytes: 8, bigEndian: false)
            header.put(sound / chunks.frameBytes, at: sizesAt + 24, bytes: 8, bigEndian: false)
            // The size of 32 bits would come first.
            header.put(0xFFFF_FFFF, at: data.start - 4, bytes: 4, bigEndian: false)
        } else {
            header.put(min(total, 0xFFFF_FFFF), at: 4, bytes: 4, bigEndian: isBig)
            header.put(min(sound, 0xFFFF_FFFF), at: data.start - 4, bytes: 4, bigEndian: isBig)
        }
        header.apply(to: source)
    }
}

/// AIFF and AIFC files.
enum AIFFDataSizeFix {
    static func apply(to source: ByteSource) {
        var offset: Int64 = 12
        var commonAt: Int64?
        var soundAt: Int64?
        while let size = source.number(at: offset + 4, bytes: 4, bigEndian: true), offset < 1 << 20 {
            let name = source.text(at: offset)
            if name == "COMM" { commonAt = offset }
            if name == "SSND" {
                soundAt = offset
                break
            }
            offset += 8 + size + size % 2
        }
        guard let commonAt, let soundAt, let unit = unit(source, commonAt) else { return }
        let start = soundAt + 16
        let there = source.size - start
        let declared = (source.number(at: soundAt + 4, bytes: 4, bigEndian: true) ?? 0) - 8
        let riff = source.number(at: 4, bytes: 4, bigEndian: true) ?? 0
        guard there >= 0, DataSizeFix.isWrong(declared, source, start: start, riff: riff, bigEndian: true) else {
            return
        }
        let sound = there - there % unit
        source.cut(to: start + sound)
        var header = HeaderPatch(source, end: start)
        header.put(min(sound + 8, 0xFFFF_FFFF), at: soundAt + 4, bytes: 4, bigEndian: true)
        header.put(min(start + sound - 8, 0xFFFF_FFFF), at: 4, bytes: 4, bigEndian: true)
        header.put(min(sound / unit, 0xFFFF_FFFF), at: commonAt + 10, bytes: 4, bigEndian: true)
        header.apply(to: source)
    }

    /// Bytes of a frame, or of a packet of IMA4, whichever the common chunk counts; nil for other codecs.
    private static func unit(_ source: ByteSource, _ commonAt: Int64) -> Int64? {
        guard let channels = source.number(at: commonAt + 8, bytes: 2, bigEndian: true), channels > 0,
            let bits = source.number(at: commonAt + 14, bytes: 2, bigEndian: true), bits > 0
        else { return nil }
        let codec = source.text(at: 8) == "AIFC" ? source.text(at: commonAt + 26) : "NONE"
        switch codec.lowercased() {
        case "none", "twos", "sowt", "raw ", "fl32", "fl64", "in24", "in32": return (bits + 7) / 8 * channels
        case "ulaw", "alaw": return channels
        case "ima4": return 34 * channels
        default: return nil
        }
    }
}

/// CAF files of PCM, µ-law and A-law; compressed ones go to FFmpeg, which reads up to the end of the file.
enum CAFDataSizeFix {
    static func apply(to source: ByteSource) {
        guard source.text(at: 8) == "desc", ["lpcm", "ulaw", "alaw"].contains(source.text(at: 28)),
            let frameBytes = source.number(at: 36, bytes: 4, bigEndian: true), frameBytes > 0,
            let dataAt = CAFChunks(source).data
        else { return }
        let start = dataAt + 16
        let there = source.size - start
        // A size that is not known yet may be any number: the least of all wraps around, and fits no better.
        let declared = (source.number(at: dataAt + 4, bytes: 8, bigEndian: true) ?? 0) &- 4
        guard there >= 0, declared < 0 || declared > there else { return }
        let sound = there - there % frameBytes
        source.cut(to: start + sound)
        var header = HeaderPatch(source, end: start)
        header.put(sound + 4, at: dataAt + 4, bytes: 8, bigEndian: true)
        header.apply(to: source)
    }
}

private enum DataSizeFix {
    /// Whether the file cannot have a data chunk of that size: it ends before, or more sound follows an empty one.
    static func isWrong(
        _ declared: Int64, _ source: ByteSource, start: Int64, riff: Int64, bigEndian: Bool
    ) -> Bool {
        guard declared >= 0, declared <= source.size - start else { return true }
        return declared == 0
            && DataChunkTrailer.isSound(source, start: start, size: 0, riff: riff, bigEndian: bigEndian)
    }
}
