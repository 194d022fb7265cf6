/// The boxes of an MPEG-4 file with one track of sound, as bytes.
enum MPEG4Boxes {
    /// A box of this type.
    static func box(_ type: String, _ parts: [UInt8]...) -> [UInt8] {
        var result: [UInt8] = []
        result.put(8 + parts.reduce(0) { $0 + $1.count }, bytes: 4)
        result.put(type)
        for part in parts { result += part }
        return result
    }

    /// A box with a version and flags in front.
    static func fullBox(_ type: String, version: Int = 0, flags: Int = 0, _ parts: [UInt8]...) -> [UInt8] {
        box(type, numbers((version << 24 | flags, 4)), parts.flatMap { $0 })
    }

    /// Numbers and the bytes that each of them takes.
    static func numbers(_ values: (Int, Int)...) -> [UInt8] {
        var result: [UInt8] = []
        for (value, count) in values { result.put(value, bytes: count) }
        return result
    }

    static let fileType = box("ftyp", Array("M4A ".utf8), numbers((0x200, 4)), Array("M4A mp42isomiso5".utf8))

    /// What the file holds: where its packets are, as `tables` say.
    ///
    /// `duration` is that of the track in frames, `edit` that of the sound; both 0 if fragments follow.
    static func movie(
        _ stream: PacketStream, duration: Int64, edit: Int64, tables: [UInt8], extends: [UInt8] = []
    ) -> [UInt8] {
        let matrix = numbers(
            (0x10000, 4), (0, 4), (0, 4), (0, 4), (0x10000, 4), (0, 4), (0, 4), (0, 4), (0x4000_0000, 4))
        let header = fullBox(
            "mvhd", version: 1,
            numbers((0, 8), (0, 8), (stream.sampleRate, 4), (Int(edit), 8), (0x10000, 4), (0x100, 2)),
            numbers((0, 2), (0, 8)), matrix, numbers((0, 8), (0, 8), (0, 8), (2, 4)))
        let track = fullBox(
            "tkhd", version: 1, flags: 7, numbers((0, 8), (0, 8), (1, 4), (0, 4), (Int(edit), 8), (0, 8)),
            numbers((0, 4), (0x100, 2), (0, 2)), matrix, numbers((0, 8)))
        let edits = fullBox(
            "elst", version: 1, numbers((1, 4), (Int(edit), 8), (stream.priming, 8), (0x10000, 4)))
        // "und": no language.
        let media = fullBox(
            "mdhd", version: 1, numbers((0, 8), (0, 8), (stream.sampleRate, 4), (Int(duration), 8), (0x55C4, 2), (0, 2))
        )
        let handler = fullBox("hdlr", numbers((0, 4)), Array("soun".utf8), numbers((0, 8), (0, 4), (0, 1)))
        let references = box("dinf", fullBox("dref", numbers((1, 4)), fullBox("url ", flags: 1)))
        let information = box(
            "minf", fullBox("smhd", numbers((0, 4))), references, box("stbl", description(stream), tables))
        return box(
            "moov", header, box("trak", track, box("edts", edits), box("mdia", media, handler, information)), extends)
    }

    private static func description(_ stream: PacketStream) -> [UInt8] {
        let bits = stream.encoding == .alac24 ? 24 : 16
        // The rate is 16.16 bits here; what does not fit is said by the codec's own configuration.
        let rate = stream.sampleRate < 65536 ? stream.sampleRate << 16 : 0
        let entry = numbers((0, 6), (1, 2), (0, 8), (stream.channels, 2), (bits, 2), (0, 4), (rate, 4))
        if stream.encoding != .aac {
            return fullBox("stsd", numbers((1, 4)), box("alac", entry, fullBox("alac", stream.configuration)))
        }
        return fullBox("stsd", numbers((1, 4)), box("mp4a", entry, fullBox("esds", elementaryStream(stream))))
    }

    /// AAC's configuration in the descriptors of MPEG-4, as in an esds box and in CAF's cookie.
    static func elementaryStream(_ stream: PacketStream) -> [UInt8] {
        // Lengths in four groups of seven bits, as Apple writes them: FFmpeg reads CAF's cookie in no other form.
        func descriptor(_ tag: Int, _ body: [UInt8]) -> [UInt8] {
            numbers((tag, 1), (0x80, 1), (0x80, 1), (0x80, 1), (body.count, 1)) + body
        }
        let decoder = descriptor(
            4, numbers((0x40, 1), (0x15, 1), (0, 3), (0, 4), (0, 4)) + descriptor(5, stream.configuration))
        return descriptor(3, numbers((0, 2), (0, 1)) + decoder + descriptor(6, [2]))
    }
}
