/// The last frame up to which libsndfile's seeking in an Ogg Vorbis stream is exact.
///
/// libsndfile computes a page's first frame from its last. The last page ends early, because the encoder trims its
/// padding there, so that positions inside it are late by the length of that padding (measured: 249 frames). Seeking to
/// the end of the page before it, and decoding on, is exact.
enum VorbisSeekLimit {
    /// A frame before which seeking is exact.
    static func exactSeekEnd(_ source: ByteSource) -> Int64 {
        // Two pages of the largest size, 65 307 bytes each, and a little.
        let start = max(0, source.size - 3 * 65_307)
        let bytes = source.bytes(at: start, count: 3 * 65_307)
        var granules: [Int64] = []
        var offset = 0
        while offset + 27 <= bytes.count {
            guard bytes[offset...].prefix(4).elementsEqual("OggS".utf8) else {
                offset += 1
                continue
            }
            let granule = bytes[offset + 6..<offset + 14].reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
            // −1: no packet ends on this page.
            if granule >= 0 { granules.append(granule) }
            offset += 27
        }
        // A block is at most 8192 frames, and the page's end lies within one.
        return granules.count < 2 ? 0 : max(0, granules[granules.count - 2] - 8192)
    }
}
