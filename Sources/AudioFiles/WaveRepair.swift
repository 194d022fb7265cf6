/// Puts right a WAV data chunk that says it is shorter than it is.
///
/// That is what a recorder leaves behind that died between two updates of its header. Sizes that are too large
/// need no help: libsndfile takes what is there.
enum WaveRepair {
    static func repair(_ source: ByteSource) {
        guard let data = WaveChunks(source).data else { return }
        let riff = source.number(at: 4, bytes: 4, bigEndian: false) ?? 0
        if case .sound = SoundTail(source, start: data.start, size: data.size, riff: riff) {
            extend(source, dataAt: data.start - 8)
        }
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
