/// One MPEG frame of a file.
struct MPEGFrame {
    let header: MPEGFrameHeader
    let offset: Int64
    /// Whether nothing but tags is between it and the frame before it.
    let isNext: Bool
}

/// The scan results of an MPEG stream's frames.
struct MPEGFrameTable: Sendable {
    /// Frames between two marks.
    static let step: Int64 = 64

    /// Where every 64th frame is, as far as somebody has come.
    fileprivate(set) var marks: [Int64] = []
    /// Frames in all; nil where nobody has come to the end.
    fileprivate(set) var count: Int64?
    /// The longest and the shortest frame, in bytes.
    fileprivate var longest = 0
    fileprivate(set) var shortest = Int.max
    /// Bytes between frames that are no tags, and the end of the last of them.
    fileprivate var strayBytes: Int64 = 0
    fileprivate var strayEnd: Int64 = 0
    /// Whether there are frames of another rate, layer or number of channels, which are passed over.
    fileprivate(set) var isMixed = false

    /// Whether more than the length of two frames was passed over in front of another one.
    ///
    /// Radio that was recorded in pieces has a part of a frame at each end of them.
    var isDamaged: Bool { strayBytes > 2 * Int64(longest) }
}

/// Iterates over the frames of an MPEG stream, skipping tags and all other bytes.
struct MPEGFrames {
    private(set) var table: MPEGFrameTable
    /// The number of the next frame.
    private(set) var number: Int64 = 0

    private let first: MPEGFrameHeader
    private let size: Int64
    private var window: ByteWindow
    private var offset: Int64

    /// `first` is the header at `start`; `table` is what others have found in the same bytes.
    init(_ source: ByteSource, from start: Int64, like first: MPEGFrameHeader, _ table: MPEGFrameTable?) {
        self.table = table ?? MPEGFrameTable()
        if self.table.marks.isEmpty { self.table.marks.append(start) }
        self.first = first
        size = source.size
        window = ByteWindow(source)
        offset = start
    }

    /// The next frame that is there whole; nil at the end, or where the disk has failed.
    mutating func next() -> MPEGFrame? {
        var isNext = true
        var header = header(at: offset)
        if header?.matches(first) != true { (header, isNext) = findFrame() }
        guard let header, offset + Int64(header.length) <= size else {
            // Whoever asks again need not look for it once more.
            offset = size
            return nil
        }
        let frame = MPEGFrame(header: header, offset: offset, isNext: isNext)
        if number == Int64(table.marks.count) * MPEGFrameTable.step { table.marks.append(offset) }
        table.longest = max(table.longest, header.length)
        table.shortest = min(table.shortest, header.length)
        offset += Int64(header.length)
        number += 1
        return frame
    }

    /// A frame's bytes; fewer where the disk has failed.
    mutating func bytes(of frame: MPEGFrame) -> ArraySlice<UInt8> {
        window.bytes(at: frame.offset, count: frame.header.length)
    }

    /// Makes the frame of this number the next one; false where there are not so many.
    mutating func move(to number: Int64) -> Bool {
        let mark = min(number / MPEGFrameTable.step, Int64(table.marks.count) - 1)
        self.number = mark * MPEGFrameTable.step
        offset = table.marks[Int(mark)]
        while self.number < number {
            guard next() != nil else { return false }
        }
        return true
    }

    /// How many frames there are in all.
    ///
    /// Goes through the whole file, unless somebody has done so before. The next frame is the one that was it.
    mutating func count() -> Int64 {
        if let count = table.count { return count }
        let (offset, number) = (offset, number)
        while next() != nil {}
        let count = self.number
        (self.offset, self.number) = (offset, number)
        table.count = count
        return count
    }

    // MARK: Details

    private mutating func header(at offset: Int64) -> MPEGFrameHeader? {
        window.word(at: offset).flatMap(MPEGFrameHeader.init(word:))
    }

    private mutating func tagEnd(at offset: Int64) -> Int64? {
        let length = MPEGStream.tagLength(startingWith: window.bytes(at: offset, count: 32))
        return length.flatMap { $0 <= size - offset ? offset + $0 : nil }
    }

    /// Goes to the next frame, which is not where the one before it ends, and says whether only tags are between them.
    private mutating func findFrame() -> (header: MPEGFrameHeader?, isNext: Bool) {
        var start = offset
        while let end = tagEnd(at: start) { start = end }
        var place = start
        while let found = window.place(of: 0xFF, from: place) {
            if begins(at: found) {
                if found > max(start, table.strayEnd) {
                    table.strayBytes += found - start
                    table.strayEnd = found
                }
                offset = found
                return (header(at: found), found == start)
            }
            place = found + 1
        }
        return (nil, false)
    }

    /// Whether a frame begins there that is no chance: another one, a tag or the end follows it.
    private mutating func begins(at offset: Int64) -> Bool {
        guard let header = header(at: offset) else { return false }
        let end = offset + Int64(header.length)
        let follower = self.header(at: end)
        if header.matches(first) { return end == size || follower?.matches(first) == true || tagEnd(at: end) != nil }
        if follower?.matches(header) == true { table.isMixed = true }
        return false
    }
}
