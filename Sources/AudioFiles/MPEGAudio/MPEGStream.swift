/// Finds the first frame of an MPEG audio stream, behind tags, and reads its index.
enum MPEGStream {
    /// Whether a stream of MPEG frames begins within the first bytes, tags aside.
    static func isStream(_ source: ByteSource) -> Bool { firstFrame(source) != nil }

    /// Bytes of all ID3v2 tags in front; some hundred at most, so that a file of millions keeps nobody busy.
    static func tagLength(_ source: some FileBytes) -> Int64 {
        var window = ByteWindow(source, size: 4096)
        var offset: Int64 = 0
        for _ in 0..<500 {
            guard let length = id3Length(window.bytes(at: offset, count: 10)) else { break }
            offset += length
        }
        return offset
    }

    private static func id3Length(_ head: some Collection<UInt8>) -> Int64? {
        let head = Array(head.prefix(10))
        guard head.count == 10, head.starts(with: "ID3".utf8) else { return nil }
        let size = head[6...9].reduce(Int64(0)) { $0 << 7 | Int64($1 & 127) }
        return 10 + size + (head[5] & 0x10 != 0 ? 10 : 0)
    }

    /// Bytes of the tag that these first 32 bytes of it begin: ID3v2, ID3v1 or APE; nil where that is none.
    static func tagLength(startingWith head: some Collection<UInt8>) -> Int64? {
        if head.starts(with: "TAG".utf8) { return 128 }
        guard head.starts(with: "APETAGEX".utf8) else { return id3Length(head) }
        let head = Array(head)
        guard head.count == 32 else { return nil }
        // The size counts the fields and the footer. Bit 29 of the flags: this is the header in front of them.
        let size = head[12...15].reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return head[23] & 0x20 != 0 ? 32 + size : 32
    }

    /// The first header that a second one of the same stream follows, and where it is.
    static func firstFrame(_ source: ByteSource) -> (offset: Int64, header: MPEGFrameHeader)? {
        firstFrame(source, from: tagLength(source))
    }

    /// The same from this place on, over tags of all kinds.
    static func firstFrame(_ source: ByteSource, behind offset: Int64) -> (offset: Int64, header: MPEGFrameHeader)? {
        var start = offset
        for _ in 0..<100 {
            guard let length = tagLength(startingWith: source.bytes(at: start, count: 32)) else { break }
            start += length
        }
        return firstFrame(source, from: start)
    }

    /// The same behind up to a megabyte of something else, in a file that is said to be MPEG audio.
    ///
    /// So many bytes may hold two headers by chance, but hardly four.
    static func lateFrame(_ source: ByteSource) -> (offset: Int64, header: MPEGFrameHeader)? {
        firstFrame(source, from: tagLength(source), within: 1 << 20, followers: 3)
    }

    private static func firstFrame(
        _ source: ByteSource, from start: Int64, within count: Int = 16384, followers: Int = 1
    ) -> (offset: Int64, header: MPEGFrameHeader)? {
        let bytes = source.bytes(at: start, count: count)
        for offset in 0..<max(bytes.count - 3, 0) where bytes[offset] == 0xFF {
            guard let header = MPEGFrameHeader(bytes[offset...]) else { continue }
            var next = start + Int64(offset + header.length)
            var seen = 0
            while seen < followers, next != source.size,
                let follower = MPEGFrameHeader(source.bytes(at: next, count: 4)), follower.matches(header)
            {
                next += Int64(follower.length)
                seen += 1
            }
            guard seen == followers || next == source.size else { continue }
            return (start + Int64(offset), header)
        }
        return nil
    }
}

/// The index in a first frame without sound, as Xing's, LAME's or Fraunhofer's encoder writes it.
struct MPEGStreamIndex {
    /// Frames of sound by which decoders of layer III are late.
    static let decoderDelay: Int64 = 529

    /// MPEG frames that follow it; nil where they have to be counted.
    private(set) var frames: Int64?
    /// Bytes from the start of the index to the end of the last of them; nil where it does not say.
    private(set) var end: Int64?
    /// Frames of sound that the encoder put in front, and those with which it filled the last MPEG frame.
    private(set) var encoder: (delay: Int64, padding: Int64)?

    /// Nil where the frame with these bytes is sound.
    init?(_ bytes: [UInt8], _ header: MPEGFrameHeader) {
        guard header.layer == 3 else { return nil }
        let mark = bytes.dropFirst(header.indexOffset).prefix(4)
        guard mark.elementsEqual("Xing".utf8) || mark.elementsEqual("Info".utf8) else {
            // Fraunhofer's.
            guard bytes.dropFirst(36).starts(with: "VBRI".utf8) else { return nil }
            return
        }
        var offset = header.indexOffset + 4
        func number(_ count: Int) -> Int64? {
            guard offset + count <= bytes.count else { return nil }
            defer { offset += count }
            return bytes[offset..<offset + count].reduce(0) { $0 << 8 | Int64($1) }
        }
        guard let flags = number(4) else { return }
        if flags & 1 != 0 { frames = number(4).flatMap { $0 > 0 ? $0 : nil } }
        if flags & 2 != 0 { end = number(4) }
        // A table for seeking, the quality.
        offset += (flags & 4 != 0 ? 100 : 0) + (flags & 8 != 0 ? 4 : 0)
        // LAME's addition begins with the encoder's name, and ends with both numbers, of 12 bits each.
        guard offset + 24 <= bytes.count, bytes[offset] != 0 else { return }
        offset += 21
        encoder = number(3).map { ($0 >> 12, $0 & 0xFFF) }
    }
}
