/// Tags and zero bytes that programs put in front of a sound, whatever its type is.
enum LeadingTags {
    /// The most bytes in front of a sound.
    static let most: Int64 = 16 << 20
    /// The most places that are looked at.
    private static let mostPlaces = 32

    /// The length in bytes of what is in front of a sound of a known type; nil if nothing is, or no sound follows.
    ///
    /// ID3v2 and APEv2 tags and zero bytes are passed over, in any order, and nothing else is searched for.
    static func length(_ source: ByteSource) -> Int64? {
        var (waiting, seen): ([Int64], [Int64]) = ([0], [])
        // The likelier length of a tag first, with all that follows it.
        while let place = waiting.popLast(), seen.count < mostPlaces {
            guard place <= most, place < source.size, !seen.contains(place) else { continue }
            seen.append(place)
            if place > 0, FileSignature(source.part(place..<source.size)) != nil { return place }
            waiting += lengths(source, at: place).reversed().map { place + $0 }
        }
        return nil
    }

    /// The possible lengths of the tag, or of the zero bytes, at a place, the likeliest first.
    private static func lengths(_ source: ByteSource, at place: Int64) -> [Int64] {
        let head = source.bytes(at: place, count: 32)
        if head.first == 0 {
            // The last of them may begin the size of an MPEG-4 file's first box.
            let count = zeros(source, from: place)
            return [count, count - 3, count - 2, count - 1].filter { $0 > 0 }
        }
        guard let length = MPEGStream.tagLength(startingWith: head), !head.starts(with: "TAG".utf8) else { return [] }
        guard head.starts(with: "ID3".utf8) else { return [length] }
        // Old programs wrote the size as a plain number, not with seven bits a byte.
        let plain = head[6...9].reduce(Int64(0)) { $0 << 8 | Int64($1) } + 10
        return head[6...9].allSatisfy { $0 < 128 } ? [length, plain] : [plain]
    }

    private static func zeros(_ source: ByteSource, from place: Int64) -> Int64 {
        var end = place
        while end <= place + most {
            let bytes = source.bytes(at: end, count: 65_536)
            guard let first = bytes.firstIndex(where: { $0 != 0 }) else {
                guard !bytes.isEmpty else { break }
                end += Int64(bytes.count)
                continue
            }
            return end + Int64(first) - place
        }
        return end - place
    }
}
