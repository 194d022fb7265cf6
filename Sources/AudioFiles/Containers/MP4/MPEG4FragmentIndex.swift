/// What the index of a fragment says about its sound, where it is as most are: packets of one track, right behind it.
struct MPEG4FragmentIndex {
    /// Where the number of packets stands in the file.
    let countAt: Int64
    /// Where the first packet begins.
    let start: Int64
    /// Bytes of each packet.
    private let sizes: [Int64]

    /// Behind the last packet.
    var end: Int64 { start + sizes.reduce(0, +) }

    /// Reads the box from `offset` to `end`; nil where the index is of another kind, or damaged.
    init?(_ file: ByteSource, at offset: Int64, to end: Int64) {
        guard let parts = Self.boxes(file, offset + 8..<end), parts["mfhd"]?.count == 1,
            let tracks = parts["traf"], tracks.count == 1, let track = Self.boxes(file, tracks[0]),
            let head = track["tfhd"]?.first?.lowerBound, let runs = track["trun"], runs.count == 1,
            let headFlags = file.integer(at: head, bytes: 4),
            let flags = file.integer(at: runs[0].lowerBound, bytes: 4),
            // An offset of the run, from where the index begins.
            flags & 1 != 0, headFlags & 1 == 0 || file.integer(at: head + 8, bytes: 8) == offset,
            let place = file.integer(at: runs[0].lowerBound + 8, bytes: 4), offset + place == end + 8
        else { return nil }
        // A base offset and a description may stand before the duration, and that before the size.
        let sizeAt = head + 8 + (headFlags & 1) * 8 + (headFlags & 2) * 2 + (headFlags & 8) / 2
        let usual = headFlags & 0x10 == 0 ? nil : file.integer(at: sizeAt, bytes: 4)
        guard let sizes = Self.sizes(file, runs[0], flags, usual: usual) else { return nil }
        countAt = runs[0].lowerBound + 4
        start = offset + place
        self.sizes = sizes
    }

    /// How many of the packets lie in front of a place in whole, and where the last of these ends.
    func packets(until limit: Int64) -> (count: Int, end: Int64) {
        var (count, end) = (0, start)
        for size in sizes {
            guard end + size <= limit else { break }
            count += 1
            end += size
        }
        return (count, end)
    }

    private static func sizes(
        _ file: ByteSource, _ run: Range<Int64>, _ flags: Int64, usual: Int64?
    ) -> [Int64]? {
        let width = Int64((flags & 0xF00).nonzeroBitCount * 4)
        let first = run.lowerBound + 12 + (flags & 4)
        guard let count = file.integer(at: run.lowerBound + 4, bytes: 4), (1...100_000).contains(count),
            first + count * width <= run.upperBound
        else { return nil }
        guard flags & 0x200 != 0 else { return usual.map { [Int64](repeating: $0, count: Int(count)) } }
        let table = file.bytes(at: first, count: Int(count * width))
        guard table.count == Int(count * width) else { return nil }
        // Behind the duration.
        let place = flags & 0x100 != 0 ? 4 : 0
        return stride(from: place, to: table.count, by: Int(width)).map { entry in
            table[entry..<entry + 4].reduce(0) { $0 << 8 | Int64($1) }
        }
    }

    /// The bodies of the boxes that fill a range; nil where they do not.
    private static func boxes(_ file: ByteSource, _ range: Range<Int64>) -> [String: [Range<Int64>]]? {
        var result: [String: [Range<Int64>]] = [:]
        var offset = range.lowerBound
        while offset < range.upperBound {
            guard let size = file.integer(at: offset, bytes: 4), size >= 8, size <= range.upperBound - offset,
                file.isName(at: offset + 4)
            else { return nil }
            result[file.text(at: offset + 4), default: []].append(offset + 8..<offset + size)
            offset += size
        }
        return result
    }
}
