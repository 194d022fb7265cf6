import Foundation
import TestSupport
import Testing

@testable import AudioFiles

@Suite("Files that interrupted programs left", .limited) struct UnfinishedFileTests {
    private let folder = TemporaryFolder()

    private func make(_ kind: Kind, frames: Int = 20_000) throws -> String {
        let path = folder.file("a")
        try kind.write(sweep(frames: frames, channels: 2, rate: kind.rate), channels: 2, to: path)
        return path
    }

    /// Changes the bytes of a file.
    private func edit(_ path: String, _ change: (inout [UInt8]) throws -> Void) throws {
        var file = bytes(path)
        try change(&file)
        try Data(file).write(to: URL(fileURLWithPath: path))
    }

    /// Where four characters stand.
    private func place(of name: String, in file: [UInt8]) throws -> Int {
        try #require(file.indices.first { file[$0...].starts(with: name.utf8) })
    }

    /// Reads the sound to its last frame, and the same from a place in its midst.
    private func expectRead(
        _ path: String, frames: Int, like whole: [Float], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = bytes(path)
        let reader = try AudioFileReader(path: path)
        #expect(reader.format.frames == Int64(frames), sourceLocation: sourceLocation)
        #expect(try difference(reader.readAll(), whole.prefix(frames * 2)) == 0, sourceLocation: sourceLocation)
        #expect(reader.loss == nil, sourceLocation: sourceLocation)
        try reader.seek(toFrame: Int64(frames / 2))
        let rest = whole[(frames / 2 * 2)..<(frames * 2)]
        #expect(try difference(reader.readAll(), rest) == 0, sourceLocation: sourceLocation)
        #expect(bytes(path) == before, sourceLocation: sourceLocation)
    }

    static let pcm: [Kind] =
        [AudioContainer.wav, .rf64, .w64, .aiff, .aifc, .caf].flatMap { container in
            [AudioEncoding.pcm16, .pcm24].map { Kind(container: container, encoding: $0) }
        }
        + [AudioContainer.wav, .aifc, .caf].flatMap { container in
            [AudioEncoding.float32, .ulaw].map { Kind(container: container, encoding: $0) }
        }

    @Test(arguments: pcm) func wholeFilesAreRead(kind: Kind) throws {
        let path = try make(kind, frames: 20_001)
        try expectRead(path, frames: 20_001, like: AudioFileReader(path: path).readAll())
    }

    @Test(arguments: pcm, [false, true]) func lengthsThatWereWrittenLast(kind: Kind, isCut: Bool) throws {
        for length in [UInt8(0), 0xFF] {
            let path = try make(kind)
            let whole = try AudioFileReader(path: path).readAll()
            let frameBytes = kind.encoding.bitDepth / 8 * 2
            try edit(path) { file in
                let name = kind.container == .aiff || kind.container == .aifc ? "SSND" : "data"
                let data = try place(of: name, in: file)
                func fill(_ place: Int, _ count: Int) { for byte in place..<place + count { file[byte] = length } }
                switch kind.container {
                case .wav:
                    fill(data + 4, 4)
                    fill(4, 4)
                case .rf64: fill(20, 16)
                case .w64:
                    fill(data + 16, 8)
                    fill(16, 8)
                case .caf: fill(data + 4, 8)
                default:
                    fill(data + 4, 4)
                    fill(4, 4)
                    fill(try place(of: "COMM", in: file) + 10, 4)
                }
                // A write that was half done: a hundred frames and one byte are missing.
                if isCut { file.removeLast(100 * frameBytes + 1) }
            }
            // Padding at the end of W64 is not told from sound.
            try expectRead(path, frames: 20_000 - (isCut ? 101 : 0), like: whole)
        }
    }

    @Test("An AIFF file that says it is empty, and is not, is heard", arguments: [AudioContainer.aiff, .aifc])
    func emptyByItsHeader(container: AudioContainer) throws {
        let path = try make(Kind(container: container, encoding: .pcm16))
        let whole = try AudioFileReader(path: path).readAll()
        try edit(path) { file in
            let data = try place(of: "SSND", in: file)
            file.replaceSubrange(data + 4..<data + 8, with: [0, 0, 0, 8])
            let common = try place(of: "COMM", in: file)
            file.replaceSubrange(common + 10..<common + 14, with: [0, 0, 0, 0])
            let size = MPEG4Boxes.numbers((data + 8, 4))
            file.replaceSubrange(4..<8, with: size)
        }
        try expectRead(path, frames: 20_000, like: whole)
        // One that is empty stays so.
        try Kind(container: container, encoding: .pcm16).write([], channels: 2, to: path)
        #expect(try AudioFileReader(path: path).format.frames == 0)
    }

    @Test("PCM that was cut off is read to where the file ends", arguments: pcm)
    func cutOff(kind: Kind) throws {
        let path = try make(kind)
        let whole = try AudioFileReader(path: path).readAll()
        let size = bytes(path).count
        for part in [0.97, 0.5] {
            try edit(path) { $0.removeLast($0.count - Int(Double(size) * part)) }
            let reader = try AudioFileReader(path: path)
            let read = try reader.readAll()
            #expect(abs(read.count - Int(part * 40_000)) < 4_000 && read.count == Int(reader.format.frames) * 2)
            #expect(difference(read, whole.prefix(read.count)) == 0 && reader.loss == nil)
        }
    }

    @Test(
        arguments: [AudioContainer.w64, .caf],
        [0x7FFF_FFFF_FFFF_FFFF, 0x8000_0000_0000_0000, 0x8000_0000_0000_0017, 0x7FFF_FFFF_FFFF_FFE8] as [UInt64])
    func lengthsThatNoFileCanHave(container: AudioContainer, size: UInt64) throws {
        let path = try make(Kind(container: container, encoding: .pcm16))
        let whole = try AudioFileReader(path: path).readAll()
        try edit(path) { file in
            let data = try place(of: "data", in: file)
            var number: [UInt8] = []
            if container == .caf { number.put(size, bytes: 8) } else { number.putReversed(size, bytes: 8) }
            let start = data + (container == .caf ? 4 : 16)
            file.replaceSubrange(start..<start + 8, with: number)
        }
        try expectRead(path, frames: 20_000, like: whole)
    }

    @Test func anOldLengthHidesNoSound() throws {
        let path = try make(Kind(container: .wav, encoding: .pcm16))
        let whole = try AudioFileReader(path: path).readAll()
        try edit(path) { file in
            file.replaceSubrange(76..<80, with: [0x40, 0x1F, 0, 0])
            file.replaceSubrange(4..<8, with: [0x88, 0x1F, 0, 0])
        }
        try expectRead(path, frames: 20_000, like: whole)
    }

    @Test(.enabled(if: Kind.hasFFmpeg, "needs FFmpeg's libraries"), arguments: [AudioEncoding.aac, .alac16])
    func fragmentsOfATruncatedM4A(encoding: AudioEncoding) throws {
        let kind = Kind(container: .mpeg4, encoding: encoding)
        let path = folder.file("a.m4a")
        let writer = try kind.writer(path, channels: 2)
        let samples = sweep(frames: 88_200, channels: 2)
        try writer.write(float: samples, frames: 88_200)
        let killed = folder.file("killed.m4a")
        try Data(bytes(path).dropLast(77)).write(to: URL(fileURLWithPath: killed))
        // The packet that is not all there is an error, once all others were read.
        let read = try outcome(killed)
        #expect(read.frames > 88_200 - 2 * 44_100 / 4 - 2 * 4096)
        let sound = try AudioFileReader(path: killed).readAll(limit: read.frames)
        if encoding == .alac16 { #expect(difference(sound, samples.prefix(sound.count)) < 1e-4) }
        withExtendedLifetime(writer) {}
    }

    /// Where the fragments of a file begin.
    private func fragments(_ file: [UInt8]) -> [Int] {
        var places: [Int] = []
        while let next = MPEG4Fragments.next(in: ByteSource(bytes: file), behind: Int64(places.last ?? 0)) {
            places.append(Int(next))
        }
        return places
    }

    /// The frames that can be read, and whether the reader says that some are missing.
    private func outcome(_ path: String) throws -> (frames: Int, isWhole: Bool) {
        let reader = try AudioFileReader(path: path)
        var buffer = [Float](repeating: 0, count: 4096 * reader.format.channels)
        var frames = 0
        do {
            while case let count = try reader.read(into: &buffer, frames: 4096), count > 0 { frames += count }
            return (frames, reader.loss == nil)
        } catch { return (frames, false) }
    }

    @Test(
        "Damage within a fragmented M4A costs what follows it at most, and is told",
        .enabled(if: Kind.hasFFmpeg, "needs FFmpeg's libraries"))
    func damageBetweenFragments() throws {
        let path = folder.file("a.m4a")
        let writer = try Kind(container: .mpeg4, encoding: .aac).writer(path, channels: 1)
        try writer.write(float: sweep(frames: 220_500, channels: 1), frames: 220_500)
        let whole = bytes(path)
        withExtendedLifetime(writer) {}
        let places = fragments(whole)
        let sound = Int(whole[places[3] + 2]) << 8 | Int(whole[places[3] + 3])
        let all = try outcome(path)
        #expect(places.count > 7 && all.isWhole && all.frames > 200_000)
        let damage: [(inout [UInt8]) -> Void] = [
            // Of a fragment: a bit of its name, of its size, of its sound's name, and a block of the disk.
            { $0[places[3] + 4] ^= 0x80 },
            { $0[places[3]] ^= 0x40 },
            { $0[places[3] + sound + 4] ^= 0x80 },
            { $0.replaceSubrange(places[3]..<places[3] + 512, with: [UInt8](repeating: 0, count: 512)) },
        ]
        for (index, change) in damage.enumerated() {
            var file = whole
            change(&file)
            try Data(file).write(to: URL(fileURLWithPath: path))
            let before = try outcome(path)
            // Where the sound lies its fragment knows, whatever that is called.
            #expect(before.isWhole == (index == 2), "\(index)")
            #expect(before.frames > 20_000 && before.frames <= all.frames, "\(index)")
        }
    }

    /// A fragmented M4A of five seconds, as a recording that was killed leaves it, and where its fragments begin.
    private func killed(_ path: String) throws -> (file: [UInt8], places: [Int]) {
        let writer = try Kind(container: .mpeg4, encoding: .aac).writer(path, channels: 1)
        try writer.write(float: sweep(frames: 220_500, channels: 1), frames: 220_500)
        let file = bytes(path)
        withExtendedLifetime(writer) {}
        return (file, fragments(file))
    }

    /// Bytes of the box that begins there.
    private func size(_ file: [UInt8], _ place: Int) -> Int {
        file[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    @Test(
        "Of a fragment that was cut off nothing in front of it is lost",
        .enabled(if: Kind.hasFFmpeg, "needs FFmpeg's libraries"))
    func cutFragment() throws {
        let path = folder.file("a.m4a")
        let (whole, places) = try killed(path)
        try Data(whole).write(to: URL(fileURLWithPath: path))
        let all = try outcome(path)
        #expect(all.isWhole)
        let last = try #require(places.last)
        let start = last + size(whole, last)
        for place in [whole.count - 1, (start + whole.count) / 2, start + 9] {
            try Data(whole[..<place]).write(to: URL(fileURLWithPath: path))
            let after = try outcome(path)
            // A fragment is half a second.
            #expect(after.frames > all.frames - 22_050 - 2048 && after.frames <= all.frames, "\(place)")
        }
    }

    @Test func aFLACThatWasNeverFinishedIsCounted() throws {
        let path = try make(Kind(container: .flac, encoding: .pcm16))
        let whole = try AudioFileReader(path: path).readAll()
        try edit(path) { file in
            file[21] &= 0xF0
            for index in 22...25 { file[index] = 0 }
        }
        try expectRead(path, frames: 20_000, like: whole)
    }

    @Test func soundWithoutAnIndexIsMalformed() throws {
        // An M4A file that was never finished, as other recorders leave it.
        let mdat = [0, 0, 0, 0] + Array("mdat".utf8) + [UInt8](repeating: 7, count: 1000)
        let kind = failure { try AudioFileReader(bytes: MPEG4Boxes.fileType + mdat) }
        #expect(kind == .malformed || !Kind.hasFFmpeg && kind == .missingLibrary)
        let empty = Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WAVE".utf8)
        #expect(failure { try AudioFileReader(bytes: empty) } == .malformed)
    }
}
