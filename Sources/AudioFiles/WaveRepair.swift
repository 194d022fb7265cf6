/// Puts right a WAV data chunk that says it is shorter than it is.
///
/// That is what a recorder leaves behind that died between two updates of its header. Sizes that are too large
/// need no help: libsndfile takes what is there.
enum WaveRepair {
    static func repair(_ source: ByteSource) {
        var offset: Int64 = 12
        while offset + 8 <= source.size {
            let head = source.bytes(at: offset, count: 8)
            guard head.count == 8 else { return }
            let size = head[4...7].reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
            let end = offset + 8 + size + size % 2
            if head.prefix(4).elementsEqual("data".utf8) {
                if offset < 1 << 20, end < source.size, !isChunk(source, at: end) {
                    extend(source, dataAt: offset)
                }
                return
            }
            offset = end
        }
    }

    /// Whether something like a chunk begins here: four printable characters and a size that fits.
    private static func isChunk(_ source: ByteSource, at offset: Int64) -> Bool {
        let head = source.bytes(at: offset, count: 8)
        // Padding and stray bytes at the end are nobody's sound.
        guard head.count == 8 else { return true }
        let size = head[4...7].reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return head.prefix(4).allSatisfy { (0x20...0x7E).contains($0) } && offset + 8 + size <= source.size + 1
    }

    private static func extend(_ source: ByteSource, dataAt offset: Int64) {
        var front = source.bytes(at: 0, count: Int(offset) + 8)
        let size = source.size
        func put(_ value: Int64, at position: Int) {
            for byte in 0..<4 { front[position + byte] = UInt8(truncatingIfNeeded: value >> (8 * Int64(byte))) }
        }
        put(min(size - 8, 0xFFFF_FFFF), at: 4)
        put(min(size - offset - 8, 0xFFFF_FFFF), at: Int(offset) + 4)
        source.replaceFront(offset + 8, with: front)
    }
}
