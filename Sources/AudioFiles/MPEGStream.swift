/// The header of one MPEG audio frame.
struct MPEGFrameHeader {
    private static let bitrates: [[Int]] = [
        // Layer I, II, III of MPEG 1, then layer I and the other two of MPEG 2 and 2.5; kbit/s.
        [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
        [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
        [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
        [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
        [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
    ]

    let word: UInt32

    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count >= 4 else { return nil }
        word = bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
        // Sync, a known version and layer, a bitrate that is neither free nor forbidden, a known rate.
        guard word >> 21 == 0x7FF, version != 1, layerBits != 0, (1...14).contains(bitrateIndex), rateIndex != 3 else {
            return nil
        }
    }

    private var version: Int { Int(word >> 19 & 3) }
    private var layerBits: Int { Int(word >> 17 & 3) }
    private var bitrateIndex: Int { Int(word >> 12 & 15) }
    private var rateIndex: Int { Int(word >> 10 & 3) }
    private var isMPEG1: Bool { version == 3 }
    private var isMono: Bool { word >> 6 & 3 == 3 }
    private var layer: Int { 4 - layerBits }

    var sampleRate: Int { [44100, 48000, 32000][rateIndex] >> (isMPEG1 ? 0 : version == 2 ? 1 : 2) }

    /// Frames of sound in this MPEG frame.
    var samples: Int { layer == 1 ? 384 : layer == 3 && !isMPEG1 ? 576 : 1152 }

    /// Bytes of this frame, with its header.
    var length: Int {
        let row = isMPEG1 ? layer - 1 : layer == 1 ? 3 : 4
        let bitrate = Self.bitrates[row][bitrateIndex - 1] * 1000
        let padding = Int(word >> 9 & 1)
        return layer == 1 ? (12 * bitrate / sampleRate + padding) * 4 : samples / 8 * bitrate / sampleRate + padding
    }

    /// Where an index frame has its mark, from the start of the frame.
    var indexOffset: Int { 4 + (isMPEG1 ? (isMono ? 17 : 32) : (isMono ? 9 : 17)) }

    /// Whether both belong to one stream: version, layer and rate never change within one.
    func matches(_ other: MPEGFrameHeader) -> Bool { (word ^ other.word) & 0xFFFE_0C00 == 0 }

    /// The same frame with another bitrate and without a checksum.
    func with(bitrateIndex index: UInt32) -> MPEGFrameHeader? {
        let word = (self.word & ~0xF200 | index << 12) | 0x1_0000
        return MPEGFrameHeader([UInt8(word >> 24), UInt8(word >> 16 & 255), UInt8(word >> 8 & 255), UInt8(word & 255)])
    }
}

/// Gives MPEG streams without an index frame (Xing, Info) one that tells their length.
///
/// Without it the decoder guesses the length from the first frame's bitrate, and libsndfile cuts the sound there.
enum MPEGStream {
    /// Replaces tags and a missing index in front of the stream, if there is a need.
    ///
    /// `count` is the number of frames, where another pass over the same bytes has found it; else this one tells it.
    static func repair(_ source: ByteSource, frames count: inout Int?) {
        var start = tagLength(source)
        guard let first = firstFrame(source, from: &start), first.indexOffset + 16 <= first.length else { return }
        let frame = source.bytes(at: start, count: first.length)
        let mark = frame.dropFirst(first.indexOffset).prefix(4)
        if mark.elementsEqual("Xing".utf8) || mark.elementsEqual("Info".utf8) {
            // Bit 0 of the flags: the number of frames is there.
            if frame.count > first.indexOffset + 7, frame[first.indexOffset + 7] & 1 == 1 { return }
        }
        let isIndex = frame.dropFirst(36).prefix(4).elementsEqual("VBRI".utf8)
        let body = isIndex ? start + Int64(first.length) : start
        let known = count ?? frames(source, from: body, like: first)
        count = known
        if let index = indexFrame(like: first, frames: known) { source.replaceFront(body, with: index) }
    }

    /// Whether a stream of MPEG frames begins within the first bytes, tags aside.
    static func isStream(_ source: ByteSource) -> Bool {
        var start = tagLength(source)
        return firstFrame(source, from: &start) != nil
    }

    /// Bytes of all ID3v2 tags in front.
    static func tagLength(_ source: some FileBytes) -> Int64 {
        var offset: Int64 = 0
        while true {
            let head = source.bytes(at: offset, count: 10)
            guard head.count == 10, head.prefix(3).elementsEqual("ID3".utf8) else { return offset }
            let size = head[6...9].reduce(Int64(0)) { $0 << 7 | Int64($1 & 127) }
            offset += 10 + size + (head[5] & 0x10 != 0 ? 10 : 0)
        }
    }

    /// The first header that a second one of the same stream follows; moves `start` there.
    private static func firstFrame(_ source: ByteSource, from start: inout Int64) -> MPEGFrameHeader? {
        let bytes = source.bytes(at: start, count: 16384)
        for offset in 0..<max(bytes.count - 3, 0) where bytes[offset] == 0xFF {
            guard let header = MPEGFrameHeader(bytes[offset...]) else { continue }
            let next = start + Int64(offset + header.length)
            let isLast = next == source.size
            guard isLast || MPEGFrameHeader(source.bytes(at: next, count: 4))?.matches(header) == true else { continue }
            start += Int64(offset)
            return header
        }
        return nil
    }

    /// Counts whole frames by their headers; resumes after damage, as the decoder does.
    private static func frames(_ source: ByteSource, from start: Int64, like first: MPEGFrameHeader) -> Int {
        var count = 0
        var offset = start
        var window = ByteWindow(source)
        while offset + 4 <= source.size {
            let head = window.bytes(at: offset, count: 4)
            // The disk has failed.
            if head.count < 4 { break }
            if let header = MPEGFrameHeader(head), header.matches(first) {
                guard offset + Int64(header.length) <= source.size else { break }
                count += 1
                offset += Int64(header.length)
            } else {
                offset += 1
            }
        }
        return count
    }

    /// An index frame that says how many frames follow it.
    private static func indexFrame(like first: MPEGFrameHeader, frames: Int) -> [UInt8]? {
        for index in UInt32(1)...14 {
            guard let header = first.with(bitrateIndex: index), header.length >= header.indexOffset + 12 else {
                continue
            }
            var bytes = [UInt8](repeating: 0, count: header.length)
            func put(_ value: UInt32, at offset: Int) {
                for byte in 0..<4 { bytes[offset + byte] = UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32(byte))) }
            }
            put(header.word, at: 0)
            bytes.replaceSubrange(header.indexOffset..<header.indexOffset + 4, with: "Xing".utf8)
            put(1, at: header.indexOffset + 4)
            put(UInt32(clamping: frames), at: header.indexOffset + 8)
            return bytes
        }
        return nil
    }
}
