/// Positions of a CAF file's data chunk, and of the zeros behind its last chunk.
struct CAFChunks {
    /// The data chunk's header.
    private(set) var data: Int64?
    /// The first of the zeros behind the last chunk, which are no chunks.
    private(set) var hole: Int64?

    init(_ file: some FileBytes) {
        var offset: Int64 = 8
        for _ in 0..<10_000 {
            guard let size = file.number(at: offset + 4, bytes: 8, bigEndian: true) else { return }
            switch file.text(at: offset) {
            case "data":
                data = data ?? offset
                // Shorter than its first field: a length that was not written yet, or −1, up to the end of the file.
                if size < 4 { return }
            case "\0\0\0\0":
                hole = offset
                return
            default: break
            }
            guard size >= 0, size <= file.size - offset - 12 else { return }
            offset += 12 + size
        }
    }
}
