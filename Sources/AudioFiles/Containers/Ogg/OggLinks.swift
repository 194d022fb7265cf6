/// One link of a chained Ogg file; a radio begins a new one with each title.
struct OggLink: Sendable {
    /// Where in the file it lies.
    let bytes: Range<Int64>
    /// Frames of sound in it, as far as they are delivered.
    var frames: Int64 = 0
    /// Whether it is left out: it is damaged, or not as the first one.
    var isLeftOut = false
    /// What the decoder of it has found: those of some codecs count their frames by decoding all of them.
    var cache = ScanCache()
}

/// Finds the links of a chained Ogg file, of which libsndfile reads only the first.
enum OggLinks {
    private static let largestPage = 65_307
    /// Far more titles than a day of radio has; each of them is opened once when the file is.
    private static let most = 5000

    /// The header of one page.
    private struct Page {
        let serial: UInt32
        /// Its number in its stream.
        let number: UInt32
        /// Whether a stream begins with it.
        let isFirst: Bool
        /// Whether some sound ends in it.
        let isSound: Bool
        /// Packets that end in it.
        let packets: Int
        /// Bytes of the page.
        let length: Int64

        /// Nil where no page begins with these bytes.
        init?(_ bytes: ArraySlice<UInt8>) {
            let head = Array(bytes.prefix(27))
            guard head.count == 27, head.starts(with: "OggS".utf8), head[4] == 0 else { return nil }
            func word(_ offset: Int) -> UInt32 { (0..<4).reduce(0) { $0 | UInt32(head[offset + $1]) << (8 * $1) } }
            serial = word(14)
            number = word(18)
            isFirst = head[5] & 2 != 0
            // Headers have the time 0, and pages in which no packet ends −1.
            isSound = head[6..<14].contains { $0 != 0 } && head[6..<14].contains { $0 != 0xFF }
            let pieces = bytes.dropFirst(27).prefix(Int(head[26]))
            // A packet goes on after a piece of 255 bytes.
            packets = pieces.filter { $0 < 255 }.count
            length = pieces.reduce(27 + Int64(head[26])) { $0 + Int64($1) }
        }
    }

    /// Goes from page to page.
    private struct Pages {
        var window: ByteWindow
        var offset: Int64

        /// The next page and where it is, over all that is none.
        mutating func next() -> (page: Page, place: Int64)? {
            while let place = window.place(of: 0x4F, from: offset) {
                if let page = Page(window.bytes(at: place, count: 27 + 255)) {
                    offset = place + page.length
                    return (page, place)
                }
                offset = place + 1
            }
            return nil
        }
    }

    /// The streams of a file that has more than one behind the other; nil where it has not.
    ///
    /// Its ends tell whether there may be more, so that only such files are gone through.
    static func find(_ source: ByteSource) -> [OggLink]? {
        guard mayBeChain(source) else { return nil }
        var pages = Pages(window: ByteWindow(source), offset: 0)
        var starts: [Int64] = []
        var sounding: Set<Int64> = []
        var isHead = false
        while let (page, place) = pages.next() {
            // Streams that are side by side all begin before any of them goes on.
            if page.isFirst && !isHead { starts.append(place) }
            isHead = page.isFirst
            if page.isSound, let start = starts.last { sounding.insert(start) }
        }
        guard starts.count > 1, source.lastError == 0 else { return nil }
        let links = zip(starts, starts.dropFirst() + [source.size]).map { OggLink(bytes: $0..<$1) }
        return links.filter { sounding.contains($0.bytes.lowerBound) }
            .prefix(most + 1).enumerated()
            .map { $0 < most ? $1 : OggLink(bytes: $1.bytes, isLeftOut: true) }
    }

    /// Whether a file consists of one stream's headers and nothing else, so many packets.
    static func areHeaders(_ source: ByteSource, count: Int) -> Bool {
        var pages = Pages(window: ByteWindow(source), offset: 0)
        var (end, packets): (Int64, Int) = (0, 0)
        while let (page, place) = pages.next() {
            guard place == end, page.isFirst == (place == 0), !page.isSound else { return false }
            packets += page.packets
            end = place + page.length
        }
        return packets == count && end == source.size
    }

    /// Whether the last page is of another stream than the first, or has too low a number for so long a file.
    private static func mayBeChain(_ source: ByteSource) -> Bool {
        guard let first = Page(source.bytes(at: 0, count: 27)[...]) else { return false }
        var tail = Pages(window: ByteWindow(source), offset: max(0, source.size - Int64(largestPage)))
        var last: Page?
        var (count, bytes): (Double, Double) = (0, 0)
        while let (page, _) = tail.next() {
            last = page
            count += 1
            bytes += Double(page.length)
        }
        guard let last else { return false }
        // Pages are much of a size. Whoever joins a file with itself has the same serial number twice.
        return last.serial != first.serial || Double(last.number) + 1 < 0.75 * count * Double(source.size) / bytes
    }
}
