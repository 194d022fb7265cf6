/// AIFF and AIFC; ``WaveRecovery`` says what `forReading` means.
enum AIFFRecovery {
    static func repair(_ file: ByteSource, forReading isRead: Bool = false) throws(AudioFileError) -> [String] {
        var offset: Int64 = 12
        var commonAt: Int64?
        var soundAt: Int64?
        while let size = file.number(at: offset + 4, bytes: 4, bigEndian: true), offset < 1 << 20 {
            let name = file.text(at: offset)
            if name == "COMM" { commonAt = offset }
            if name == "SSND" {
                soundAt = offset
                break
            }
            offset += 8 + size + size % 2
        }
        guard let commonAt, let soundAt, let format = packet(file, commonAt) else {
            throw AudioFileRecovery.hopeless("has no place for sound in its header")
        }
        let start = soundAt + 16
        guard file.size >= start else { throw AudioFileRecovery.hopeless("ends within its header") }
        let declared = (file.number(at: soundAt + 4, bytes: 4, bigEndian: true) ?? 0) - 8
        if isRead, declared > 0, declared <= file.size - start { return [] }
        let (sound, end, found) = AudioFileRecovery.settle(
            tail(declared, file, start), in: file, start: start, declared: declared, frameBytes: format.bytes)
        var repairs = found
        let total = end - 8
        let units = min(sound / format.bytes, 0xFFFF_FFFF)
        var isWrong = file.put(min(sound + 8, 0xFFFF_FFFF), at: soundAt + 4, bytes: 4, bigEndian: true)
        isWrong = file.put(min(total, 0xFFFF_FFFF), at: 4, bytes: 4, bigEndian: true) || isWrong
        if let said = file.number(at: commonAt + 10, bytes: 4, bigEndian: true), !repairs.isEmpty || said == 0 {
            isWrong = file.put(units, at: commonAt + 10, bytes: 4, bigEndian: true) || isWrong
        }
        if isWrong && repairs.isEmpty { repairs.append("The header gave the file another length.") }
        return repairs
    }

    /// What stands behind the sound; more of it, if the length is none that the file can have.
    private static func tail(_ declared: Int64, _ file: ByteSource, _ start: Int64) -> SoundTail {
        let there = file.size - start
        guard declared >= 0, declared <= there else { return .sound }
        let whole = file.number(at: 4, bytes: 4, bigEndian: true) ?? 0
        return SoundTail(file, start: start, size: declared, riff: whole, bigEndian: true)
    }

    /// Bytes of what the common chunk counts: a frame, or a packet of IMA4; nil for other codecs.
    private static func packet(_ file: ByteSource, _ commonAt: Int64) -> (bytes: Int64, Bool)? {
        guard let channels = file.number(at: commonAt + 8, bytes: 2, bigEndian: true), channels > 0,
            let bits = file.number(at: commonAt + 14, bytes: 2, bigEndian: true), bits > 0
        else { return nil }
        let codec = file.text(at: 8) == "AIFC" ? file.text(at: commonAt + 26) : "NONE"
        switch codec.lowercased() {
        case "none", "twos", "sowt", "raw ", "fl32", "fl64", "in24", "in32": return ((bits + 7) / 8 * channels, true)
        case "ulaw", "alaw": return (channels, true)
        case "ima4": return (34 * channels, false)
        default: return nil
        }
    }
}

/// Core Audio's format; ``WaveRecovery`` says what `forReading` means.
enum CAFRecovery {
    static func repair(_ file: ByteSource, forReading isRead: Bool = false) throws(AudioFileError) -> [String] {
        guard let packetBytes = file.number(at: 36, bytes: 4, bigEndian: true),
            let packetFrames = file.number(at: 40, bytes: 4, bigEndian: true), file.text(at: 8) == "desc"
        else { throw AudioFileRecovery.hopeless("ends within its header") }
        let chunks = CAFChunks(file)
        let tableAt = chunks.table
        guard let dataAt = chunks.data else {
            throw AudioFileRecovery.hopeless("has no place for sound in its header")
        }
        let start = dataAt + 16
        // "Not known yet" may be any number: the least of all wraps around, and fits no better.
        let declared = (file.number(at: dataAt + 4, bytes: 8, bigEndian: true) ?? 0) &- 4
        let there = file.size - start
        guard there >= 0 else { throw AudioFileRecovery.hopeless("ends within its header") }
        // What is compressed is FFmpeg's, which takes what is there.
        let isPlain = ["lpcm", "ulaw", "alaw"].contains(file.text(at: 28))
        if isRead && (!isPlain || declared >= 0 && declared <= there) { return [] }
        switch tail(declared, file, start) {
        case .end, .chunks: return []
        case .brokenChunk(let place) where packetBytes > 0 || tableAt != nil:
            let repair = AudioFileRecovery.brokenChunk(file, place)
            file.truncate(to: place)
            return [repair]
        case .brokenChunk:
            throw AudioFileRecovery.hopeless("lacks the table of its packets, which was to be written at the end")
        case .sound: break
        }
        // Sound that the table does not know yet may follow.
        if packetBytes == 0 && tableAt != nil && declared > 0 && declared <= there { return [] }
        guard packetBytes > 0 || tableAt != nil else {
            throw AudioFileRecovery.hopeless("lacks the table of its packets, which was to be written at the end")
        }
        // Of packets that differ, the table says how many are there: what is cut off it does not know.
        let sound = packetBytes > 0 ? there - there % packetBytes : there
        file.truncate(to: start + sound)
        _ = file.put(sound + 4, at: dataAt + 4, bytes: 8, bigEndian: true)
        if packetBytes > 0, let tableAt, let priming = file.number(at: tableAt + 28, bytes: 4, bigEndian: true) {
            let (frames, overflow) = (sound / packetBytes).multipliedReportingOverflow(by: packetFrames)
            let valid = MediaTiming.sane(overflow ? .max : frames - priming)
            _ = file.put(valid, at: tableAt + 20, bytes: 8, bigEndian: true)
        }
        return [AudioFileRecovery.wrongLength(max(declared, 0), sound)]
    }

    private static func tail(_ declared: Int64, _ file: ByteSource, _ start: Int64) -> SoundTail {
        let there = file.size - start
        // −1, the usual value while recording, is "up to the end" and allowed; a length is better.
        guard declared >= 0, declared <= there else { return .sound }
        return SoundTail(caf: file, start: start, size: declared)
    }
}

/// MPEG-4 files in fragments: what follows the last whole packet goes, and what is no box before it is passed over.
///
/// A fragment's index knows where its sound lies, whatever the head of that says.
enum MPEG4Recovery {
    static func repair(_ file: ByteSource) throws(AudioFileError) -> [String] {
        let boxes = Boxes(file)
        guard boxes.hasHeader else {
            throw AudioFileRecovery.hopeless("has no index: its recording was broken off before one was written")
        }
        guard boxes.end < file.size || !boxes.gaps.isEmpty || !boxes.mends.isEmpty else { return [] }
        guard boxes.isFragmented else {
            throw AudioFileRecovery.hopeless("is cut off in its sound; what is there can be played, not repaired")
        }
        guard boxes.hasSound else { throw AudioFileRecovery.hopeless("ends within its first fragment") }
        // Less has no room for a head.
        guard boxes.gaps.allSatisfy({ $0.count >= 8 }) else {
            throw AudioFileRecovery.hopeless("is damaged between its fragments, and cannot be repaired there")
        }
        var repairs: [String] = []
        for (offset, bytes) in boxes.mends { file.write(bytes, at: offset) }
        for _ in 0..<boxes.wrongHeads {
            repairs.append("The head of a fragment's sound was damaged; its index tells how long that is.")
        }
        for gap in boxes.gaps {
            file.write(Self.free(Int64(gap.count)), at: gap.lowerBound)
            repairs.append("\(gap.count) bytes in its midst are damaged; players pass over them now.")
        }
        let lost = file.size - boxes.end
        guard lost > 0 || boxes.isShort else { return repairs }
        file.truncate(to: boxes.end)
        return repairs + ["The last fragment was not whole: \(lost) bytes were cut off."]
    }

    /// The head of a box that players pass over.
    private static func free(_ size: Int64) -> [UInt8] {
        var head: [UInt8] = []
        let isLong = size > 0xFFFF_FFFF
        head.put(isLong ? 1 : size, bytes: 4)
        head.put("free")
        if isLong { head.put(size, bytes: 8) }
        return head
    }

    /// What the boxes of a file are, one behind the other.
    private struct Boxes {
        private(set) var hasHeader = false
        private(set) var isFragmented = false
        private(set) var hasSound = false
        /// What is no box, in front of a whole fragment.
        private(set) var gaps: [Range<Int64>] = []
        /// What is to be written in front of sound whose head is wrong, and where.
        private(set) var mends: [(offset: Int64, bytes: [UInt8])] = []
        /// How many of them had a wrong head, and not only too little sound.
        private(set) var wrongHeads = 0
        /// Whether the last fragment has fewer packets than it said.
        private(set) var isShort = false
        /// Behind the last box, or packet, that is whole and of use.
        private(set) var end: Int64 = 0

        init(_ file: ByteSource) {
            var offset: Int64 = 0
            var fragmentAt: Int64?
            while offset < file.size {
                guard let box = MPEG4Recovery.box(file, offset), box.end <= file.size else {
                    guard isFragmented, let next = MPEG4Fragments.next(in: file, behind: offset) else { return }
                    // The fragment in front may find its sound there: it knows the place, and needs no name.
                    gaps.append(offset..<next)
                    (offset, end, fragmentAt) = (next, next, nil)
                    continue
                }
                switch box.type {
                case "moov":
                    hasHeader = true
                    isFragmented = MPEG4Recovery.contains(file, "mvex", box.body..<box.end)
                case "moof":
                    if isFragmented, let sound = mend(file, fragment: offset, to: box.end) {
                        (offset, end, fragmentAt, hasSound) = (sound, sound, nil, true)
                        continue
                    }
                    fragmentAt = offset
                case "mdat":
                    hasSound = true
                    fragmentAt = nil
                default: break
                }
                if fragmentAt == nil { end = box.end }
                offset = box.end
            }
        }

        /// Corrects the head of a fragment's sound by the fragment's index, and gives where the sound ends then; nil
        /// where nothing is wrong with it, or nothing is better.
        private mutating func mend(_ file: ByteSource, fragment: Int64, to start: Int64) -> Int64? {
            guard let index = MPEG4FragmentIndex(file, at: fragment, to: start) else { return nil }
            let head = MPEG4Recovery.box(file, start).flatMap { $0.type == "mdat" ? $0.end : nil }
            guard head != index.end || index.end > file.size else { return nil }
            let leads = head.map { $0 == file.size || Self.isBox(file, $0) } ?? false
            if index.end <= file.size {
                // A wrong length may lead over other fragments, to the end of the file at worst.
                let isNext = Self.isFragment(file, index.end)
                guard isNext || !leads && (index.end == file.size || Self.isBox(file, index.end)) else { return nil }
                wrongHeads += 1
                putHead(at: start, size: index.end - start)
                return index.end
            }
            // The file ends in the sound, or the index is wrong.
            guard !leads, MPEG4Fragments.next(in: file, behind: start) == nil else { return nil }
            let (count, end) = index.packets(until: file.size)
            guard count > 0 else { return nil }
            isShort = true
            mends.append((index.countAt, MPEG4Boxes.numbers((count, 4))))
            putHead(at: start, size: end - start)
            return end
        }

        private mutating func putHead(at offset: Int64, size: Int64) {
            mends.append((offset, MPEG4Boxes.numbers((Int(size), 4)) + Array("mdat".utf8)))
        }

        /// Whether a box begins there that such files have, and is all there.
        private static func isBox(_ file: ByteSource, _ offset: Int64) -> Bool {
            guard let box = MPEG4Recovery.box(file, offset), box.end <= file.size else { return false }
            return ["moof", "mdat", "mfra", "sidx", "styp", "emsg", "prft", "free", "skip", "uuid"].contains(box.type)
        }

        private static func isFragment(_ file: ByteSource, _ offset: Int64) -> Bool {
            isBox(file, offset) && file.text(at: offset + 4) == "moof" && file.text(at: offset + 12) == "mfhd"
        }
    }

    private static func box(_ file: ByteSource, _ offset: Int64) -> (type: String, body: Int64, end: Int64)? {
        guard offset + 8 <= file.size, let short = file.number(at: offset, bytes: 4, bigEndian: true),
            file.isName(at: offset + 4)
        else { return nil }
        let type = file.text(at: offset + 4)
        switch short {
        case 0: return (type, offset + 8, file.size)
        case 1:
            guard let long = file.number(at: offset + 8, bytes: 8, bigEndian: true), long >= 16, long < 1 << 60 else {
                return nil
            }
            return (type, offset + 16, offset + long)
        case 8...: return (type, offset + 8, offset + short)
        default: return nil
        }
    }

    private static func contains(_ file: ByteSource, _ type: String, _ range: Range<Int64>) -> Bool {
        var offset = range.lowerBound
        while offset < range.upperBound, let box = box(file, offset), box.end <= range.upperBound {
            if box.type == type { return true }
            offset = box.end
        }
        return false
    }
}
