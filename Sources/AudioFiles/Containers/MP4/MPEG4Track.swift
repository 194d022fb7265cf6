/// One track's clocks, edit list and fragment times in an MPEG-4 file.
///
/// FFmpeg reads edit lists too, but does not expose them, and leaves the padding of the last packet in.
struct MPEG4Track {
    /// Ticks a second of the track's own clock.
    private(set) var scale: Int64 = 0
    /// Ticks of the track's clock in front of the sound.
    private(set) var editStart: Int64?
    /// Length of the sound, in ticks of the file's clock; 0 if it lasts as long as the track.
    private(set) var editLength: Int64 = 0
    /// The parts to play where there are several: their start in ticks of the track's clock, −1 for a pause, and their
    /// length in those of the file's.
    private(set) var edits: [(start: Int64, length: Int64)] = []
    /// Ticks a second of the file's clock.
    private(set) var fileScale: Int64 = 0
    /// Whether the sound comes in fragments, so that the header does not know how much there is.
    private(set) var isFragmented = false
    /// Where the last fragment ends, in ticks of the track's clock.
    private(set) var fragmentsEnd: Int64 = 0
    /// Whether there are fragments behind a place where the file's boxes lead nowhere.
    private(set) var isBroken = false

    private var number: Int64 = 0
    /// Ticks of a packet in a fragment that does not say.
    private var usualDuration: Int64 = 0

    /// Looks for the track of this number; nil if the file has no such track, or no header.
    init?(_ source: ByteSource, number wanted: Int64) {
        let top = Self.boxes(source, 0..<source.size, limit: 1_000_000)
        guard let movie = top.first(where: { $0.type == "moov" }) else { return nil }
        var fileScale: Int64 = 0
        var found: MPEG4Track?
        var defaults: [Int64: Int64] = [:]
        for box in Self.boxes(source, movie.body) {
            switch box.type {
            case "mvhd": fileScale = Self.scale(source, box.body)
            case "mvex":
                for extends in Self.boxes(source, box.body) where extends.type == "trex" {
                    let place = extends.body.lowerBound
                    guard let track = source.integer(at: place + 4, bytes: 4) else { continue }
                    defaults[track] = source.integer(at: place + 12, bytes: 4)
                }
            case "trak":
                var track = MPEG4Track()
                track.read(source, box.body)
                if track.number == wanted { found = track }
            default: break
            }
        }
        guard var found, found.scale > 0 else { return nil }
        found.fileScale = fileScale
        found.isFragmented = defaults[wanted] != nil
        found.usualDuration = defaults[wanted] ?? 0
        if found.isFragmented {
            // A file that simply ends there was cut off, and nobody calls that damaged.
            let end = top.last?.body.upperBound ?? 0
            found.isBroken = end < source.size && MPEG4Fragments.next(in: source, behind: end) != nil
            for box in top where box.type == "moof" {
                for part in Self.boxes(source, box.body) where part.type == "traf" {
                    found.addFragment(source, part.body)
                }
            }
        }
        self = found
    }

    /// Whether an MPEG-4 file has neither fragments nor any byte in which sound could be, and is all there.
    static func isSoundless(_ source: ByteSource) -> Bool {
        let top = boxes(source, 0..<source.size, limit: 20)
        return top.last?.body.upperBound == source.size && top.contains { $0.type == "moov" }
            && top.allSatisfy { $0.type != "moof" && ($0.type != "mdat" || $0.body.isEmpty) }
    }

    private init() {}

    private mutating func read(_ source: ByteSource, _ range: Range<Int64>, depth: Int = 0) {
        for box in Self.boxes(source, range) {
            switch box.type {
            case "mdia", "edts":
                // They lie in a track side by side; thousands in one another would be too much for the stack.
                if depth < 4 { read(source, box.body, depth: depth + 1) }
            case "tkhd":
                let isLong = source.integer(at: box.body.lowerBound, bytes: 1) == 1
                number = source.integer(at: box.body.lowerBound + (isLong ? 20 : 12), bytes: 4) ?? 0
            case "mdhd": scale = Self.scale(source, box.body)
            case "elst": readEdits(source, box.body)
            default: break
            }
        }
    }

    private mutating func readEdits(_ source: ByteSource, _ body: Range<Int64>) {
        let width = source.integer(at: body.lowerBound, bytes: 1) == 1 ? 8 : 4
        let count = min(source.integer(at: body.lowerBound + 4, bytes: 4) ?? 0, 10_000)
        for index in 0..<count {
            let entry = body.lowerBound + 8 + index * Int64(2 * width + 4)
            guard entry + Int64(2 * width) <= body.upperBound,
                let length = source.integer(at: entry, bytes: width),
                let start = source.integer(at: entry + Int64(width), bytes: width)
            else { break }
            let isPause = start == (width == 8 ? -1 : 0xFFFF_FFFF)
            // Players start with the sound, not with a pause before it.
            if isPause && editStart == nil { continue }
            if editStart == nil { (editStart, editLength) = (max(start, 0), max(length, 0)) }
            if length > 0 { edits.append((isPause ? -1 : max(start, 0), length)) }
        }
        while edits.last?.start == -1 { edits.removeLast() }
        if edits.count < 2 { edits = [] }
    }

    private mutating func addFragment(_ source: ByteSource, _ range: Range<Int64>) {
        var time = fragmentsEnd
        var duration = usualDuration
        for box in Self.boxes(source, range) {
            let place = box.body.lowerBound
            guard let flags = source.integer(at: place, bytes: 4) else { return }
            switch box.type {
            case "tfhd":
                guard source.integer(at: place + 4, bytes: 4) == number else { return }
                // A base offset and a description may stand before the duration.
                let skipped: Int64 = (flags & 1) * 8 + (flags & 2) * 2
                if flags & 8 != 0 { duration = source.integer(at: place + 8 + skipped, bytes: 4) ?? duration }
            case "tfdt":
                time = source.integer(at: place + 4, bytes: flags >> 24 == 1 ? 8 : 4) ?? time
            case "trun": time &+= Self.duration(source, box.body, flags, usual: duration)
            default: break
            }
        }
        fragmentsEnd = MediaTiming.sane(max(fragmentsEnd, time))
    }

    /// Ticks of a run of packets, each of which lasts as long as it says, or as usual.
    private static func duration(_ source: ByteSource, _ body: Range<Int64>, _ flags: Int64, usual: Int64) -> Int64 {
        var count = min(source.integer(at: body.lowerBound + 4, bytes: 4) ?? 0, 100_000)
        let width = Int64((flags & 0xF00).nonzeroBitCount * 4)
        let first = body.lowerBound + 8 + (flags & 1) * 4 + (flags & 4)
        // A few bytes can promise any number of packets: thousands of such runs would take minutes.
        if width > 0 { count = min(count, max(0, body.upperBound - first) / width) }
        guard flags & 0x100 != 0 else { return count * usual }
        let table = source.bytes(at: first, count: Int(count * width))
        var total: Int64 = 0
        for place in stride(from: 0, to: table.count - 3, by: Int(width)) {
            total += table[place..<place + 4].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        }
        return total
    }

    private static func scale(_ source: ByteSource, _ body: Range<Int64>) -> Int64 {
        let isLong = source.integer(at: body.lowerBound, bytes: 1) == 1
        return source.integer(at: body.lowerBound + (isLong ? 20 : 12), bytes: 4) ?? 0
    }

    private static func boxes(
        _ source: ByteSource, _ range: Range<Int64>, limit: Int = 200
    ) -> [(type: String, body: Range<Int64>)] {
        var result: [(String, Range<Int64>)] = []
        var offset = range.lowerBound
        while offset + 8 <= range.upperBound, result.count < limit {
            guard var size = source.integer(at: offset, bytes: 4) else { break }
            var header: Int64 = 8
            if size == 1 {
                header = 16
                size = source.integer(at: offset + 8, bytes: 8) ?? 0
            } else if size == 0 {
                size = range.upperBound - offset
            }
            let type = source.text(at: offset + 4)
            // Zeros are no box up to the end.
            guard size >= header, size <= range.upperBound - offset, type != "\0\0\0\0" else { break }
            result.append((type, offset + header..<offset + size))
            offset += size
        }
        return result
    }
}
