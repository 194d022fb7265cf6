/// Puts right what an interrupted recording left of its file.
///
/// Only lengths are corrected, and what is no sound any more is cut off the end. What this library records needs none
/// of it; other programs write their lengths last.
package struct AudioFileRecovery: Sendable {
    /// What was wrong, one sentence each; empty if nothing was.
    package let repairs: [String]
    /// What the file holds now.
    package let format: AudioFileFormat

    /// Seconds of sound in the file.
    package var duration: Double { Double(format.frames) / format.sampleRate }

    /// Repairs a file in its place.
    ///
    /// Throws what opening a file throws, `.malformed` where what is missing cannot be found again, and `.diskFull` or
    /// `.io`. A file that cannot be repaired is not changed.
    package init(repairing path: String) throws(AudioFileError) {
        let original = try OpenFile(path: path)
        let file = try ByteSource(original)
        guard let type = FileSignature(file) else {
            throw AudioFileError(.unknownType, "is not a sound file of a known type", path: path)
        }
        let target = try RepairableFile(path: path)
        do throws(AudioFileError) {
            repairs = try Self.repair(file, type, original)
        } catch {
            throw AudioFileError(error.kind, error.message, path: path)
        }
        // What its reader does in order to see the sound is no repair.
        let changes = file.changes
        format = try AudioFileReader(source: file, path: path, hint: nil).format
        if !changes.isEmpty { try target.apply(changes) }
    }

    /// Makes the changes that a file needs, as its readers see it, and says what they are.
    private static func repair(
        _ file: ByteSource, _ type: FileSignature, _ original: OpenFile
    ) throws(AudioFileError) -> [String] {
        switch type {
        case .wave, .otherRIFF: try WaveRecovery.repair(file)
        case .w64: try Wave64Recovery.repair(file)
        case .aiff: try AIFFRecovery.repair(file)
        case .caf: try CAFRecovery.repair(file)
        case .mpeg4: try MPEG4Recovery.repair(file)
        case .flac: try repairFLAC(file, original)
        default: []
        }
    }

    /// Says how much sound there is; players that cannot find that out show no length, and do not seek.
    private static func repairFLAC(_ file: ByteSource, _ original: OpenFile) throws(AudioFileError) -> [String] {
        // 36 bits, the lower ones of five bytes.
        let place = MPEGStream.tagLength(file) + 21
        let word = file.number(at: place, bytes: 5, bigEndian: true) ?? -1
        guard word >= 0, word & 0xF_FFFF_FFFF == 0 else { return [] }
        let frames = try AudioFileReader(source: ByteSource(original), path: nil, hint: nil).format.frames
        guard frames > 0, file.put(word | frames, at: place, bytes: 5, bigEndian: true) else { return [] }
        return ["The header did not say how long the sound is."]
    }

    /// The error for what cannot be found again.
    static func hopeless(_ message: String) -> AudioFileError { AudioFileError(.malformed, message) }

    /// What is said of a length that was wrong.
    static func wrongLength(_ declared: Int64, _ actual: Int64) -> String {
        "The header gave the sound \(declared) bytes; it has \(actual)."
    }

    /// Ends a file with its sound, or leaves what may stand behind that.
    ///
    /// Returns how many bytes of sound there are, where the file's chunks end, and what was wrong.
    static func settle(
        _ tail: SoundTail, in file: ByteSource, start: Int64, declared: Int64, frameBytes: Int64
    ) -> (sound: Int64, end: Int64, repairs: [String]) {
        switch tail {
        case .end(let place): return (declared, place, [])
        case .chunks: return (declared, file.size, [])
        case .brokenChunk(let place):
            let repair = brokenChunk(file, place)
            file.cut(behind: declared, from: start)
            return (declared, file.size, [repair])
        case .sound:
            let there = file.size - start
            let sound = there - there % frameBytes
            file.cut(behind: sound, from: start)
            return (sound, file.size, [wrongLength(max(declared, 0), sound)])
        }
    }

    /// What is said of a chunk at the end that is not all there.
    static func brokenChunk(_ file: ByteSource, _ place: Int64) -> String {
        "The last chunk was not whole: \(file.size - place) bytes were cut off."
    }
}

/// WAV, RIFX and RF64.
///
/// `forReading`, only lengths that no file can have are put right: readers take others at their word.
enum WaveRecovery {
    private struct Layout {
        var frameBytes: Int64 = 0
        var factAt: Int64?
        var isCompressed = false
        var sizesAt: Int64?
        var dataAt: Int64?
    }

    static func repair(_ file: ByteSource, forReading isRead: Bool = false) throws(AudioFileError) -> [String] {
        let isBig = file.text(at: 0) == "RIFX"
        let layout = layout(file, isBig)
        guard let dataAt = layout.dataAt, layout.frameBytes > 0 else {
            throw AudioFileRecovery.hopeless("has no place for sound in its header")
        }
        let start = dataAt + 8
        let is64 = layout.sizesAt != nil && file.text(at: 0) == "RF64"
        let short = file.number(at: dataAt + 4, bytes: 4, bigEndian: isBig) ?? 0
        var declared = short
        if is64, short == 0xFFFF_FFFF, let sizesAt = layout.sizesAt {
            declared = file.number(at: sizesAt + 16, bytes: 8, bigEndian: false) ?? 0
        }
        guard file.size >= start else { throw AudioFileRecovery.hopeless("ends within its header") }
        if isRead, declared > 0, declared <= file.size - start { return [] }
        let (sound, end, found) = AudioFileRecovery.settle(
            tail(declared, file, start, layout, isBig), in: file, start: start, declared: declared,
            frameBytes: layout.frameBytes)
        var repairs = found
        let total = end - 8
        var isWrong = false
        if is64, let sizesAt = layout.sizesAt {
            isWrong = file.put(total, at: sizesAt + 8, bytes: 8, bigEndian: false)
            isWrong = file.put(sound, at: sizesAt + 16, bytes: 8, bigEndian: false) || isWrong
            if !layout.isCompressed {
                isWrong = file.put(sound / layout.frameBytes, at: sizesAt + 24, bytes: 8, bigEndian: false) || isWrong
            }
            // The shorter size comes first where it is one.
            if sound != short {
                isWrong = file.put(0xFFFF_FFFF, at: dataAt + 4, bytes: 4, bigEndian: false) || isWrong
            }
        } else {
            // What 32 bits cannot say means: up to the end of the file.
            isWrong = file.put(min(total, 0xFFFF_FFFF), at: 4, bytes: 4, bigEndian: isBig)
            isWrong = file.put(min(sound, 0xFFFF_FFFF), at: dataAt + 4, bytes: 4, bigEndian: isBig) || isWrong
        }
        if !repairs.isEmpty, !layout.isCompressed, let factAt = layout.factAt {
            let frames = min(sound / layout.frameBytes, 0xFFFF_FFFF)
            isWrong = file.put(frames, at: factAt + 8, bytes: 4, bigEndian: isBig) || isWrong
        }
        if isWrong && repairs.isEmpty { repairs.append("The header gave the file another length.") }
        return repairs
    }

    /// What stands behind the sound; more of it, if the length is none that the file can have.
    private static func tail(
        _ declared: Int64, _ file: ByteSource, _ start: Int64, _ layout: Layout, _ isBig: Bool
    ) -> SoundTail {
        guard declared >= 0, declared <= file.size - start else { return .sound }
        // "Up to the end of the file", which is beyond what 32 bits can say.
        if declared == 0xFFFF_FFFF, layout.sizesAt == nil { return .end(file.size) }
        var riff = file.number(at: 4, bytes: 4, bigEndian: isBig) ?? 0
        if riff == 0xFFFF_FFFF, let sizesAt = layout.sizesAt {
            riff = file.number(at: sizesAt + 8, bytes: 8, bigEndian: false) ?? 0
        }
        return SoundTail(file, start: start, size: declared, riff: riff, bigEndian: isBig)
    }

    private static func layout(_ file: ByteSource, _ isBig: Bool) -> Layout {
        var layout = Layout()
        var offset: Int64 = 12
        while offset < 1 << 20, file.isName(at: offset),
            let size = file.number(at: offset + 4, bytes: 4, bigEndian: isBig)
        {
            switch file.text(at: offset) {
            case "fmt ":
                let tag = file.number(at: offset + 8, bytes: 2, bigEndian: isBig) ?? 0
                layout.frameBytes = file.number(at: offset + 20, bytes: 2, bigEndian: isBig) ?? 0
                // PCM, floating point, A-law, µ-law; the extensible header is used for these.
                layout.isCompressed = ![1, 3, 6, 7, 0xFFFE].contains(tag)
            case "fact": layout.factAt = offset
            case "ds64": layout.sizesAt = offset
            case "data":
                layout.dataAt = offset
                return layout
            default: break
            }
            offset += 8 + size + size % 2
        }
        return layout
    }
}

/// Sony Wave64.
enum Wave64Recovery {
    static func repair(_ file: ByteSource) throws(AudioFileError) -> [String] {
        var offset: Int64 = 40
        var frameBytes: Int64 = 0
        while let size = file.number(at: offset + 16, bytes: 8, bigEndian: false), offset < 1 << 20 {
            let name = file.text(at: offset)
            if name == "fmt " { frameBytes = file.number(at: offset + 36, bytes: 2, bigEndian: false) ?? 0 }
            if name == "data", frameBytes > 0 { return finish(file, dataAt: offset, size, frameBytes) }
            guard size >= 24, size < 1 << 20 else { break }
            offset += (size + 7) / 8 * 8
        }
        throw AudioFileRecovery.hopeless("has no place for sound in its header")
    }

    private static func finish(
        _ file: ByteSource, dataAt: Int64, _ size: Int64, _ frameBytes: Int64
    ) -> [String] {
        let start = dataAt + 24
        let there = file.size - start
        // "Not known yet" may be any number: the least of all wraps around, and fits no better.
        let declared = size &- 24
        var repairs: [String] = []
        if there != declared && !isTrue(declared, file, start) {
            let sound = there - there % frameBytes
            file.truncate(to: start + sound)
            _ = file.put(sound + 24, at: dataAt + 16, bytes: 8, bigEndian: false)
            repairs.append(AudioFileRecovery.wrongLength(max(declared, 0), sound))
        }
        if file.put(file.size, at: 16, bytes: 8, bigEndian: false), repairs.isEmpty {
            repairs.append("The header gave the file another length.")
        }
        return repairs
    }

    /// Whether the sound may well end there: with the file, or with a chunk behind it.
    private static func isTrue(_ declared: Int64, _ file: ByteSource, _ start: Int64) -> Bool {
        let there = file.size - start
        guard declared > 0, declared <= there else { return false }
        return there - declared < 8 || file.isName(at: start + (declared + 7) / 8 * 8)
    }
}
