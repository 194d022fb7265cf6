import Foundation
import Testing

@testable import AudioFiles

@Suite("Files that other programs left") struct RecoveryTests {
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

    private func expectRepaired(
        _ path: String, frames: Int64, like whole: [Float], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let first = try AudioFileRecovery(repairing: path)
        #expect(!first.repairs.isEmpty, sourceLocation: sourceLocation)
        #expect(first.format.frames == frames, sourceLocation: sourceLocation)
        let read = try AudioFileReader(path: path).readAll()
        #expect(difference(read, whole.prefix(Int(frames) * 2)) == 0, sourceLocation: sourceLocation)
        let before = bytes(path)
        #expect(try AudioFileRecovery(repairing: path).repairs.isEmpty, sourceLocation: sourceLocation)
        #expect(bytes(path) == before, sourceLocation: sourceLocation)
        if FFmpegProgram.isInstalled {
            #expect(try FFmpegProgram.frames(path, channels: 2) == Int(frames), sourceLocation: sourceLocation)
        }
    }

    static let pcm: [Kind] =
        [AudioContainer.wav, .rf64, .w64, .aiff, .aifc, .caf].flatMap { container in
            [AudioEncoding.pcm16, .pcm24].map { Kind(container: container, encoding: $0) }
        }
        + [AudioContainer.wav, .aifc, .caf].flatMap { container in
            [AudioEncoding.float32, .ulaw].map { Kind(container: container, encoding: $0) }
        }

    @Test(arguments: pcm) func wholeFilesAreLeftAlone(kind: Kind) throws {
        let path = try make(kind, frames: 20_001)
        let before = bytes(path)
        let recovery = try AudioFileRecovery(repairing: path)
        #expect(recovery.repairs.isEmpty && recovery.format.frames == 20_001)
        #expect(bytes(path) == before)
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
            let lost: Int64 = isCut ? 101 : 0
            // Nor need it be repaired to be heard.
            let read = try outcome(path)
            #expect(read.frames == 20_000 - Int(lost) && read.isWhole)
            try expectRepaired(path, frames: 20_000 - lost, like: whole)
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
        #expect(try difference(AudioFileReader(path: path).readAll(), whole) == 0)
        try expectRepaired(path, frames: 20_000, like: whole)
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
        try expectRepaired(path, frames: 20_000, like: whole)
    }

    @Test func packetsOfMoreFramesThanCanBeCounted() throws {
        let path = folder.file("a.caf")
        var file: [UInt8] = []
        file.put("caff")
        file += MPEG4Boxes.numbers((0x1_0000, 4))
        file.put("desc")
        // A packet is one byte, and 2³² − 1 frames.
        file += MPEG4Boxes.numbers((32, 8), (0, 16), (1, 4), (0xFFFF_FFFF, 4), (1, 4), (16, 4))
        let table = Int64(file.count)
        file.put("pakt")
        file += MPEG4Boxes.numbers((24, 8), (0, 16), (7, 4), (0, 4))
        file.put("data")
        file += MPEG4Boxes.numbers((-1, 8), (0, 4))
        try Data(file).write(to: URL(fileURLWithPath: path))
        // Three gigabytes of nothing, which take no room on the disk.
        #expect(truncate(path, 3 << 30) == 0)
        let repairable = try ByteSource(path: path)
        #expect(try CAFRecovery.repair(repairable).count == 1)
        #expect(repairable.number(at: table + 20, bytes: 8, bigEndian: true) == Int64(1) << 60)
    }

    @Test func anOldLengthIsBroughtUpToDate() throws {
        let path = try make(Kind(container: .wav, encoding: .pcm16))
        let whole = try AudioFileReader(path: path).readAll()
        try edit(path) { file in
            file.replaceSubrange(40..<44, with: [0x40, 0x1F, 0, 0])
            file.replaceSubrange(4..<8, with: [0x64, 0x1F, 0, 0])
        }
        try expectRepaired(path, frames: 20_000, like: whole)
    }

    @Test("The length of 32 bits in an RF64 file is put right, too, and that once")
    func theShorterLengthOfAnRF64() throws {
        let path = try make(Kind(container: .rf64, encoding: .pcm16))
        let whole = try AudioFileReader(path: path).readAll()
        try edit(path) { file in
            let data = try place(of: "data", in: file)
            file.replaceSubrange(data + 4..<data + 8, with: [0x40, 0x1F, 0, 0])
        }
        try expectRepaired(path, frames: 20_000, like: whole)
    }

    @Test("A file that nobody can read after its repair is not changed")
    func aRepairThatDoesNotHelp() throws {
        let path = try make(Kind(container: .wav, encoding: .pcm16))
        // A codec that nobody knows, and a length that was written last; odd, so that there is a byte to be added.
        try edit(path) { file in
            file.replaceSubrange(20..<22, with: [0x34, 0x12])
            file.replaceSubrange(32..<34, with: [1, 0])
            file.replaceSubrange(40..<44, with: [0, 0, 0, 0])
            file.append(7)
        }
        let before = bytes(path)
        #expect(failure { try AudioFileRecovery(repairing: path) } != nil)
        #expect(bytes(path) == before)
    }

    @Test func whatStandsBehindTheSoundStaysThere() throws {
        let path = try make(Kind(container: .wav, encoding: .pcm16))
        try edit(path) { file in
            file += Array("LIST".utf8) + [4, 0, 0, 0] + Array("INFO".utf8)
            file[4] = 0
        }
        let size = bytes(path).count
        #expect(try AudioFileRecovery(repairing: path).format.frames == 20_000)
        #expect(bytes(path).count == size && bytes(path).suffix(4) == Array("INFO".utf8))
    }

    @Test(.enabled(if: Kind.hasFFmpeg), arguments: [AudioEncoding.aac, .alac16])
    func fragmentsOfATruncatedM4A(encoding: AudioEncoding) throws {
        let kind = Kind(container: .mpeg4, encoding: encoding)
        let path = folder.file("a.m4a")
        let writer = try kind.writer(path, channels: 2)
        let samples = sweep(frames: 88_200, channels: 2)
        try writer.write(float: samples, frames: 88_200)
        let killed = folder.file("killed.m4a")
        try edit(path) { $0.removeLast(77) }
        try FileManager.default.copyItem(atPath: path, toPath: killed)
        let recovery = try AudioFileRecovery(repairing: killed)
        #expect(recovery.repairs.count == 1)
        #expect(recovery.format.frames > 88_200 - 2 * 44_100 / 4 - 2 * 4096)
        let read = try AudioFileReader(path: killed).readAll()
        #expect(read.count == Int(recovery.format.frames) * 2)
        if encoding == .alac16 { #expect(difference(read, samples.prefix(read.count)) < 1e-4) }
        #expect(try AudioFileRecovery(repairing: killed).repairs.isEmpty)
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

    @Test("Damage within a fragmented M4A takes nothing from what follows it", .enabled(if: Kind.hasFFmpeg))
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
            let repairs = try AudioFileRecovery(repairing: path).repairs
            #expect(bytes(path).count == whole.count)
            let after = try outcome(path)
            // A fragment at most.
            #expect(after.frames >= before.frames && after.frames > all.frames - 22_050, "\(index)")
            // Where the sound lies its fragment knows, whatever that is called.
            #expect(before.isWhole == (index == 2) && repairs.count == 1, "\(index)")
            #expect(try AudioFileRecovery(repairing: path).repairs.isEmpty)
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

    @Test("A wrong head of a fragment's sound costs no packet", .enabled(if: Kind.hasFFmpeg))
    func damagedHeads() throws {
        let path = folder.file("a.m4a")
        let (whole, places) = try killed(path)
        try #require(places.count > 7)
        let sounds = places.map { $0 + size(whole, $0) }
        let (third, last) = (sounds[3], sounds[sounds.count - 1])
        let length = size(whole, third)
        let beyond = length + places[5] - places[4] + 33
        let damage: [(inout [UInt8]) -> Void] = [
            // A length that ends in the sound, in that of another fragment, and with the file.
            { $0.replaceSubrange(third..<third + 4, with: MPEG4Boxes.numbers((length - 300, 4))) },
            { $0.replaceSubrange(third..<third + 4, with: MPEG4Boxes.numbers((beyond, 4))) },
            { $0.replaceSubrange(third..<third + 4, with: MPEG4Boxes.numbers((0, 4))) },
            // The name of the last one.
            { $0[last + 4] ^= 0x80 },
        ]
        for (index, change) in damage.enumerated() {
            var file = whole
            change(&file)
            try Data(file).write(to: URL(fileURLWithPath: path))
            #expect(try AudioFileRecovery(repairing: path).repairs.count == 1, "\(index)")
            #expect(bytes(path) == whole, "\(index)")
        }
    }

    @Test("Of a fragment that was cut off every packet that is there is kept", .enabled(if: Kind.hasFFmpeg))
    func cutFragment() throws {
        let path = folder.file("a.m4a")
        let (whole, places) = try killed(path)
        try Data(whole).write(to: URL(fileURLWithPath: path))
        let all = try outcome(path)
        #expect(all.isWhole)
        let last = try #require(places.last)
        let start = last + size(whole, last)
        let index = try #require(MPEG4FragmentIndex(ByteSource(bytes: whole), at: Int64(last), to: Int64(start)))
        let packets = index.packets(until: Int64(whole.count))
        #expect(packets.count > 5 && packets.end == Int64(whole.count) && index.end == packets.end)
        // In the midst of a packet, and between two.
        let cuts = [whole.count - 1, (start + whole.count) / 2, Int(index.packets(until: index.end - 1).end)]
        for place in cuts {
            try Data(whole[..<place]).write(to: URL(fileURLWithPath: path))
            let kept = index.packets(until: Int64(place))
            let recovery = try AudioFileRecovery(repairing: path)
            #expect(recovery.repairs.count == 1 && bytes(path).count == Int(kept.end))
            let after = try outcome(path)
            #expect(after.isWhole && after.frames == all.frames - (packets.count - kept.count) * 1024, "\(place)")
            #expect(try AudioFileRecovery(repairing: path).repairs.isEmpty)
        }
    }

    @Test func aFLACThatWasNeverFinishedGetsItsLength() throws {
        let path = try make(Kind(container: .flac, encoding: .pcm16))
        let whole = try AudioFileReader(path: path).readAll()
        try edit(path) { file in
            file[21] &= 0xF0
            for index in 22...25 { file[index] = 0 }
        }
        try expectRepaired(path, frames: 20_000, like: whole)
    }

    @Test func whatCannotBeFoundAgainIsSaid() throws {
        let path = folder.file("a")
        // An M4A file that was never finished, as other recorders leave it: sound, and no word about it.
        let mdat = [0, 0, 0, 0] + Array("mdat".utf8) + [UInt8](repeating: 7, count: 1000)
        for content in [MPEG4Boxes.fileType + mdat, Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WAVE".utf8)] {
            try Data(content).write(to: URL(fileURLWithPath: path))
            #expect(failure { try AudioFileRecovery(repairing: path) } == .malformed)
            #expect(bytes(path) == content)
        }
        try Data("text".utf8).write(to: URL(fileURLWithPath: path))
        #expect(failure { try AudioFileRecovery(repairing: path) } == .unknownType)
        #expect(failure { try AudioFileRecovery(repairing: folder.path) } == .isDirectory)
        #expect(failure { try AudioFileRecovery(repairing: folder.file("none")) } == .notFound)
    }
}
