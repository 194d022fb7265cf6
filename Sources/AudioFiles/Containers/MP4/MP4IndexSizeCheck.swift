/// The number of packets that the tables of an MPEG-4 file promise, compared with the file's size.
///
/// FFmpeg allocates an index of all packets, 24 bytes and more for each, before it reads the first one; a table needs
/// no more than twenty bytes to promise any number, if all packets are alike. A file with fewer bytes than packets is
/// refused; FFmpeg's own limit, of one block, does not bound several tracks (decision 0083).
///
/// Boxes are found as FFmpeg finds them, not as the standard says: one that is too long ends with the box around it.
struct MP4IndexSizeCheck {
    /// A name of four characters, as a number.
    private typealias Name = UInt32

    /// Packets that FFmpeg would make an index of; may be infinite.
    private(set) var packets = 0.0
    /// Whether the header is compressed, so that its tables cannot be counted.
    private var isPacked = false
    private var window: ByteWindow
    /// Bytes and entries that may still be read one by one; no sound file needs more.
    private var readsLeft: Int64 = 1 << 22

    /// Whether a file has at least as many bytes as its tables promise packets.
    static func isCredible(_ source: ByteSource) -> Bool { isCredible(source, packets: source.size) }

    /// The error for a file that FFmpeg must not open; nil for all others.
    static func refusal(of source: ByteSource, path: String?) -> AudioFileError? {
        var check = MP4IndexSizeCheck(window: ByteWindow(source, size: 4096))
        check.walk(0..<source.size)
        if check.isPacked {
            return AudioFileError(.unsupportedEncoding, "has a compressed header, which is not supported", path: path)
        }
        guard check.packets > Double(source.size) else { return nil }
        return AudioFileError(.malformed, "is damaged: it claims more packets than it has bytes", path: path)
    }

    /// Whether the part of a file that is known promises at most `packets` packets; unknown bytes read as missing.
    static func isCredible(_ source: any FileBytes, packets: Int64) -> Bool {
        var check = MP4IndexSizeCheck(window: ByteWindow(source, size: 4096))
        check.walk(0..<source.size)
        return check.packets <= Double(packets)
    }

    private init(window: ByteWindow) { self.window = window }

    /// The packet tables of one track.
    private struct Track {
        var sizes = 0.0
        var chunks = 0.0
        var largestChunk = 0.0
        /// Whether all packets last one tick, and are sound: FFmpeg puts up to 1024 of them together then.
        var isUncompressed: Bool { isOfTicks && isSound }
        var isOfTicks = true
        var isSound = true

        /// The codec with the largest packets that are counted by their frames has 160 in each.
        var packets: Double { max(isUncompressed ? 0 : sizes, chunks * (largestChunk / 160 + 1)) }
    }

    private static func name(_ text: StaticString) -> Name {
        text.withUTF8Buffer { $0.reduce(0) { $0 << 8 | Name($1) } }
    }

    private static let track = name("trak")
    private static let meta = name("meta")
    private static let handler = name("hdlr")
    private static let description = name("stsd")
    private static let packed = name("cmov")
    private static let run = name("trun")
    private static let times = name("stts")
    private static let chunks = name("stsc")
    private static let sizes: Set<Name> = [name("stsz"), name("stz2")]
    private static let places: Set<Name> = [name("stco"), name("co64")]
    private static let tables: Set<Name> = sizes.union(places).union([run, times, chunks])
    /// In these FFmpeg takes a movie's header for one.
    private static let fillings: Set<Name> = [name("free"), name("hoov")]
    private static let containers: Set<Name> = [
        name("moov"), track, name("mdia"), name("minf"), name("stbl"), name("mvex"), name("moof"), name("traf"),
        name("udta"), name("edts"), name("dinf"), name("tref"), name("ilst"), name("wave"), name("sinf"), name("schi"),
        name("gmhd"), name("tapt"), name("ipro"), name("iprp"), name("ipco"), name("mfra"),
    ]
    private static let otherMedia: Set<Name> = [name("vide"), name("m1a "), name("subp"), name("clcp")]

    private mutating func walk(_ range: Range<Int64>) {
        var track = Track()
        walk(range, &track, depth: 0)
    }

    private mutating func walk(_ range: Range<Int64>, _ track: inout Track, depth: Int) {
        var offset = range.lowerBound
        while offset + 8 <= range.upperBound, var size = number(at: offset), let type = window.word(at: offset + 4) {
            var header: Int64 = 8
            if size == 1, offset + 16 <= range.upperBound {
                guard let high = number(at: offset + 8), let low = number(at: offset + 12) else { return }
                (header, size) = (16, high << 32 | low)
            } else if size == 0 {
                size = range.upperBound - offset
            }
            guard size >= header else { return }
            let end = size > range.upperBound - offset ? range.upperBound : offset + size
            // FFmpeg goes no deeper than ten.
            if depth < 12 { visit(type, offset + header..<end, &track, depth: depth) }
            offset = end
        }
    }

    private mutating func visit(_ type: Name, _ body: Range<Int64>, _ track: inout Track, depth: Int) {
        if type == Self.track {
            var inner = Track()
            walk(body, &inner, depth: depth + 1)
            packets += inner.packets
        } else if type == Self.packed {
            isPacked = true
            packets = .infinity
        } else if Self.containers.contains(type) {
            walk(body, &track, depth: depth + 1)
        } else if Self.fillings.contains(type) {
            if window.word(at: body.lowerBound + 4) == Self.name("mvhd") { walk(body, &track, depth: depth + 1) }
        } else if type == Self.meta {
            // It is searched for its first box.
            var place = body.lowerBound
            while place + 8 <= body.upperBound, let word = window.word(at: place + 4) {
                guard look(at: 1) else { return }
                if word == Self.handler { return walk(place..<body.upperBound, &track, depth: depth + 1) }
                place += 4
            }
        } else {
            read(type, body, &track)
        }
    }

    private mutating func read(_ type: Name, _ body: Range<Int64>, _ track: inout Track) {
        let place = body.lowerBound
        switch type {
        case Self.run: packets += promised(place + 4)
        case Self.handler:
            if let media = window.word(at: place + 8), Self.otherMedia.contains(media) { track.isSound = false }
        case Self.times: track.isOfTicks = track.isOfTicks && number(at: place + 4) == 1 && number(at: place + 12) == 1
        case Self.chunks: readChunks(body, &track)
        // Any of its entries may hold boxes; none has a reason to hold these.
        case Self.description:
            guard look(at: body.upperBound - body.lowerBound) else { return }
            for place in body {
                guard let word = window.word(at: place) else { break }
                if Self.tables.contains(word) { packets = .infinity }
            }
        default:
            if Self.sizes.contains(type) { track.sizes += promised(place + 8) }
            if Self.places.contains(type) { track.chunks += promised(place + 4) }
        }
    }

    private mutating func readChunks(_ body: Range<Int64>, _ track: inout Track) {
        let count = number(at: body.lowerBound + 4) ?? 0
        // More than the box has room for: FFmpeg reads on behind it.
        guard count <= (body.upperBound - body.lowerBound) / 12 else { return packets = .infinity }
        guard look(at: count) else { return }
        for index in 0..<count {
            guard let chunk = number(at: body.lowerBound + 12 + 12 * index) else { break }
            track.largestChunk = max(track.largestChunk, Double(chunk))
        }
    }

    /// Takes so many reads from the budget; false, and an infinite number of packets, where it is used up.
    private mutating func look(at count: Int64) -> Bool {
        readsLeft -= count
        if readsLeft < 0 { packets = .infinity }
        return readsLeft >= 0
    }

    private mutating func promised(_ offset: Int64) -> Double { Double(number(at: offset) ?? 0) }

    private mutating func number(at offset: Int64) -> Int64? { window.word(at: offset).map(Int64.init) }
}
