/// Where the chunks of a CAF file lie that tell about its sound.
struct CAFChunks {
    /// The sound.
    private(set) var data: Int64?
    /// Where zeros begin behind the last chunk; they are none.
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
