/// How many packets an MPEG-4 file claims to have.
///
/// FFmpeg makes an index of them all before it looks for the first one, of 24 bytes and more for each; and a claim takes
/// no more than twenty bytes, if all packets are alike. So it is not given files that have fewer bytes than packets.
///
/// Boxes are found as FFmpeg finds them, and not as they should be: what is too long ends with the box around it.
struct MPEG4Claims {
    /// A name of four characters, as a number.
    private typealias Name = UInt32

    /// What FFmpeg would make an index of; no number is too large.
    private(set) var packets = 0.0
    /// Whether there is a header that only FFmpeg can unpack, and nobody sees what it claims.
    private var isPacked = false
    private var window: ByteWindow
    /// How many bytes, or entries, may still be looked at one by one; what has more of them is no sound.
    private var patience: Int64 = 1 << 22

    /// Whether a file has as many packets as it claims, as far as one can tell by its size.
    static func isCredible(_ source: ByteSource) -> Bool { isCredible(source, packets: source.size) }

    /// Why a file is not given to FFmpeg; nil if nothing speaks against it.
    static func refusal(of source: ByteSource, path: String?) -> AudioFileError? {
        var claims = MPEG4Claims(window: ByteWindow(source, size: 4096))
        claims.walk(0..<source.size)
        if claims.isPacked {
            return AudioFileError(.unsupportedEncoding, "has a compressed header, which is not supported", path: path)
        }
        guard claims.packets > Double(source.size) else { return nil }
        return AudioFileError(.malformed, "is damaged: it claims more packets than it has bytes", path: path)
    }

    /// Whether what is there of a file claims no more packets than so many; no byte at all is there of what is missing.
    static func isCredible(_ source: any FileBytes, packets: Int64) -> Bool {
        var claims = MPEG4Claims(window: ByteWindow(source, size: 4096))
        claims.walk(0..<source.size)
        return claims.packets <= Double(packets)
    }

    private init(window: ByteWindow) { self.window = window }

    /// What the tables of one track say.
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
        case Self.run: packets += claim(place + 4)
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
            if Self.sizes.contains(type) { track.sizes += claim(place + 8) }
            if Self.places.contains(type) { track.chunks += claim(place + 4) }
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

    /// Whether there is patience for so many.
    private mutating func look(at count: Int64) -> Bool {
        patience -= count
        if patience < 0 { packets = .infinity }
        return patience >= 0
    }

    private mutating func claim(_ offset: Int64) -> Double { Double(number(at: offset) ?? 0) }

    private mutating func number(at offset: Int64) -> Int64? { window.word(at: offset).map(Int64.init) }
}
