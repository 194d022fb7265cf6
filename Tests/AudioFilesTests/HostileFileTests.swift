import Foundation
import TestSupport
import Testing

@testable import AudioFiles

/// Files whose numbers are chosen to crash, or to keep busy, whoever opens them.
@Suite(.limited) struct HostileFileTests {
    private typealias Boxes = MPEG4Boxes
    private let folder = TemporaryFolder()

    /// What an MPEG-4 file in fragments begins with: a track of 16-bit sound, mono, whose packets are a frame each.
    private func header(
        rate: Int = 8000, fileScale: Int = 8000, _ trap: [UInt8] = [], tables: [UInt8]? = nil
    ) -> [UInt8] {
        let matrix = Boxes.numbers(
            (0x10000, 4), (0, 4), (0, 4), (0, 4), (0x10000, 4), (0, 4), (0, 4), (0, 4), (0x4000_0000, 4))
        let movie = Boxes.fullBox(
            "mvhd", version: 1, Boxes.numbers((0, 16), (fileScale, 4), (0, 8), (0x10000, 4), (0x100, 2), (0, 10)),
            matrix, Boxes.numbers((0, 24), (2, 4)))
        let track = Boxes.fullBox(
            "tkhd", version: 1, flags: 7, Boxes.numbers((0, 16), (1, 4), (0, 12), (0, 8), (0, 4), (0x100, 2), (0, 2)),
            matrix, Boxes.numbers((0, 8)))
        let media = Boxes.fullBox("mdhd", version: 1, Boxes.numbers((0, 16), (rate, 4), (0, 8), (0x55C4, 2), (0, 2)))
        let handler = Boxes.fullBox("hdlr", Boxes.numbers((0, 4)), Array("soun".utf8), Boxes.numbers((0, 13)))
        let entry = Boxes.box(
            "sowt", Boxes.numbers((0, 6), (1, 2), (0, 8), (1, 2), (16, 2), (0, 4), (rate << 16, 4)))
        let none =
            Boxes.fullBox("stts", Boxes.numbers((0, 4))) + Boxes.fullBox("stsc", Boxes.numbers((0, 4)))
            + Boxes.fullBox("stsz", Boxes.numbers((0, 8))) + Boxes.fullBox("stco", Boxes.numbers((0, 4)))
        let tables = Boxes.box("stbl", Boxes.fullBox("stsd", Boxes.numbers((1, 4)), entry), tables ?? none)
        let references = Boxes.box(
            "dinf", Boxes.fullBox("dref", Boxes.numbers((1, 4)), Boxes.fullBox("url ", flags: 1)))
        let information = Boxes.box("minf", Boxes.fullBox("smhd", Boxes.numbers((0, 4))), references, tables)
        let defaults = Boxes.fullBox("trex", Boxes.numbers((1, 4), (1, 4), (1, 4), (2, 4), (0, 4)))
        return Boxes.fileType
            + Boxes.box(
                "moov", movie, Boxes.box("trak", track, Boxes.box("mdia", media, handler, information), trap),
                Boxes.box("mvex", defaults))
    }

    /// Tables of so many packets of a byte, all in one place, of which each lasts so many ticks.
    private func tables(_ count: Int, ticks: Int) -> [UInt8] {
        Boxes.fullBox("stts", Boxes.numbers((1, 4), (count, 4), (ticks, 4)))
            + Boxes.fullBox("stsc", Boxes.numbers((1, 4), (1, 4), (count, 4), (1, 4)))
            + Boxes.fullBox("stsz", Boxes.numbers((1, 4), (count, 4)))
            + Boxes.fullBox("stco", Boxes.numbers((1, 4), (0, 4)))
    }

    /// 400 frames that are said to begin at this one.
    private func fragment(at frame: Int) -> [UInt8] {
        func index(_ offset: Int) -> [UInt8] {
            let run = Boxes.fullBox("trun", flags: 1, Boxes.numbers((400, 4), (offset, 4)))
            let head = Boxes.fullBox("tfhd", flags: 0x20000, Boxes.numbers((1, 4)))
            let time = Boxes.fullBox("tfdt", version: 1, Boxes.numbers((frame, 8)))
            return Boxes.box("moof", Boxes.fullBox("mfhd", Boxes.numbers((1, 4))), Boxes.box("traf", head, time, run))
        }
        return index(index(0).count + 8) + Boxes.box("mdat", [UInt8](repeating: 1, count: 800))
    }

    /// Lengths in ticks of 1/90 000 s, and in frames at 8000 Hz; the second last is the longest whose product fits.
    static let edits: [(Int, Int64)] = [
        (90_000, 8000), (6, 1), (5, 0), (Int.max / 8000, 102_481_911_520_609), (Int.max, 1 << 60),
    ]

    @Test(arguments: edits) func editsOfAnyLengthAreRounded(ticks: Int, frames: Int64) throws {
        let list = Boxes.fullBox("elst", version: 1, Boxes.numbers((1, 4), (ticks, 8), (0, 8), (0x10000, 4)))
        let file = header(fileScale: 90_000, Boxes.box("edts", list))
        let track = try #require(MPEG4Track(ByteSource(bytes: file), number: 1))
        #expect(MediaTiming(track, rate: 8000, end: 400) == MediaTiming(priming: 0, valid: frames))
    }

    @Test func boxesInOneAnotherLeaveTheStackAlone() {
        var nested: [UInt8] = []
        for depth in (1...200_000).reversed() {
            nested.put(8 * depth, bytes: 4)
            nested.put("mdia")
        }
        #expect(MPEG4Track(ByteSource(bytes: header(nested)), number: 1)?.scale == 8000)
    }

    @Test func runsHoldNoMorePacketsThanTheirBoxes() {
        // These say 100 000 each, and hold two of 2 and 3 ticks, none, and three that last as long as usual, a tick.
        let claim = (100_000, 4)
        let timed = Boxes.fullBox("trun", flags: 0x301, Boxes.numbers(claim, (0, 4), (2, 4), (9, 4), (3, 4), (9, 4)))
        let empty = Boxes.fullBox("trun", flags: 0x100, Boxes.numbers(claim))
        let sized = Boxes.fullBox("trun", flags: 0x200, Boxes.numbers(claim, (9, 4), (9, 4), (9, 4)))
        // Packets that are all as usual take no room.
        let usual = Boxes.fullBox("trun", Boxes.numbers((7, 4)))
        let head = Boxes.fullBox("tfhd", Boxes.numbers((1, 4)))
        // 20 ticks.
        let track = Boxes.box("traf", head, timed, empty, sized, usual, empty, timed)
        let file = header() + Boxes.box("moof", track, track)
        #expect(MPEG4Track(ByteSource(bytes: file), number: 1)?.fragmentsEnd == 40)
    }

    @Test("A kilobyte that claims millions of packets is refused before FFmpeg makes gigabytes of index of it")
    func claimsOfMillions() throws {
        let run = Boxes.fullBox("trun", flags: 1, Boxes.numbers((88_000_000, 4), (200, 4)))
        let part = Boxes.box("traf", Boxes.fullBox("tfhd", flags: 0x20000, Boxes.numbers((1, 4))), run)
        let fragment = Boxes.box("moof", Boxes.fullBox("mfhd", Boxes.numbers((1, 4))), part)
        let sound = Boxes.box("mdat", [UInt8](repeating: 1, count: 800))
        func peak() -> Int {
            var usage = rusage()
            getrusage(.init(RUSAGE_SELF.rawValue), &usage)
            return usage.ru_maxrss / 1024
        }
        let (before, start) = (peak(), work)
        for file in [header() + fragment + sound, header(tables: tables(88_000_000, ticks: 4)) + sound] {
            let kind = failure { try AudioFileReader(bytes: file) }
            #expect(kind == .malformed || !Kind.hasFFmpeg && kind == .missingLibrary)
            #expect(!MP4IndexSizeCheck.isCredible(ByteSource(bytes: file)))
        }
        // Megabytes.
        #expect(peak() - before < 1000 && work - start < 1)
        // Boxes that hide in others, or are longer than what is around them.
        let hidden = Boxes.box("trak", Boxes.box("meta", Boxes.numbers((0, 8)), Boxes.fullBox("hdlr"), fragment))
        for file in [header(hidden) + sound, header() + Boxes.numbers((0x7FFF_FFFF, 4)) + fragment[4...] + sound] {
            #expect(!MP4IndexSizeCheck.isCredible(ByteSource(bytes: file)))
        }
        // Codecs of old are counted by their frames, and FFmpeg puts many of them together.
        #expect(MP4IndexSizeCheck.isCredible(ByteSource(bytes: header(tables: tables(50_000, ticks: 1)) + sound)))
    }

    @Test("A header that is compressed, so that nobody sees what it claims, is refused and not given to FFmpeg")
    func compressedHeader() {
        // The method, and a header of any length.
        let method = Boxes.box("dcom", Array("zlib".utf8))
        let packed = Boxes.box("cmov", method, Boxes.box("cmvd", Boxes.numbers((0x7FFF_FFFF, 4), (0, 8))))
        let sound = Boxes.box("mdat", [UInt8](repeating: 1, count: 800))
        let hidden = Boxes.box("trak", Boxes.box("mdia", packed))
        for file in [Boxes.fileType + Boxes.box("moov", packed) + sound, header(hidden) + sound] {
            #expect(MP4IndexSizeCheck.refusal(of: ByteSource(bytes: file), path: nil)?.kind == .unsupportedEncoding)
            #expect(!MP4IndexSizeCheck.isCredible(ByteSource(bytes: file)))
            let kind = failure { try AudioFileReader(bytes: file) }
            #expect(kind == .unsupportedEncoding || !Kind.hasFFmpeg && kind == .missingLibrary)
        }
        #expect(MP4IndexSizeCheck.refusal(of: ByteSource(bytes: header() + sound), path: nil) == nil)
    }

    @Test("Hundreds of thousands of empty tags in front of a stream are not passed over one by one")
    func emptyTags() throws {
        let tag: [UInt8] = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 0]
        func tags(_ count: Int) -> [UInt8] { Array(repeatElement(tag, count: count).joined()) }
        let path = folder.file("stream")
        try Kind(container: .mpeg, encoding: .mp3)
            .write(sweep(frames: 20_000, channels: 1), channels: 1, to: path)
        let file = bytes(path)
        // On the disk, as every look there is a call of the system's.
        try Data(tags(150_000) + file).write(to: URL(fileURLWithPath: path))
        let start = work
        #expect(failure { try AudioFileReader(path: path) } == .unknownType)
        #expect(work - start < 0.5)
        #expect(try AudioFileReader(bytes: tags(100) + file).format == AudioFileReader(bytes: file).format)
    }

    @Test func aRunInCannotBeNegative() {
        #expect(MediaTiming(iTunesComment: " 00000000 -7FFFFFFFFFFFFFFF 00000000 0000000000000001") == nil)
        let usual = MediaTiming(iTunesComment: " 00000000 00000840 000001CA 00000000003F31F6")
        #expect(usual == MediaTiming(priming: 0x840, valid: 0x3F31F6))
    }

    @Test(.enabled(if: Kind.hasFFmpeg, "needs FFmpeg's libraries")) func aLengthThatAHigherRateCannotCount() throws {
        let file = header(rate: 1000, fileScale: 1000) + fragment(at: 0) + fragment(at: 1 << 62)
        let reader = try AudioFileReader(bytes: file)
        #expect(reader.format.frames == Int64(1) << 60)
        let resampled = try ResamplingReader(reader, sampleRate: 48000)
        #expect(resampled.frames == Int64(1) << 60)
        var buffer = [Float](repeating: .nan, count: 1000)
        let count = try resampled.read(into: &buffer, frames: 1000)
        #expect(count == 1000 && !buffer.contains { $0.isNaN })
    }

    @Test("What is no sample is silence, and spoils nothing around it")
    func samplesThatAreNone() throws {
        let none: [Float] = [.nan, .infinity, -.infinity, .greatestFiniteMagnitude, -.signalingNaN, 2_000_000]
        var samples = [Float](repeating: 0.25, count: 8000)
        for (index, value) in none.enumerated() { samples[1000 * (index + 1)] = value }
        let head = Array(".snd".utf8) + Boxes.numbers((24, 4), (8000 * 4, 4), (6, 4), (44_100, 4), (1, 4))
        let file = head + samples.flatMap { Boxes.numbers((Int($0.bitPattern), 4)) }
        let read = try AudioFileReader(bytes: file).readAll()
        #expect(read == samples.map { $0 == 0.25 ? 0.25 : 0 })
        let resampled = try ResamplingReader(AudioFileReader(bytes: file), sampleRate: 48_000).readAll()
        #expect(resampled.count == 8707 && resampled.allSatisfy { abs($0) < 0.5 })
    }

    // MARK: Holes

    /// A file of three gigabytes that has nothing but zeros behind its first bytes, and takes no room on the disk.
    private func sparse(_ head: [UInt8]) throws -> String {
        let path = folder.file("sparse")
        try Data(head).write(to: URL(fileURLWithPath: path))
        #expect(truncate(path, 3 << 30) == 0)
        return path
    }

    /// What a CAF file begins with.
    private func describing(_ codec: String) -> [UInt8] {
        Array("caff".utf8) + Boxes.numbers((0x1_0000, 4)) + Array("desc".utf8)
            + Boxes.numbers((32, 8), (Int(44_100.0.bitPattern), 8)) + Array(codec.utf8)
            + Boxes.numbers((0, 4), (4, 4), (1, 4), (2, 4), (16, 4))
    }

    /// Seconds that this thread has worked so far: a busy machine does not count.
    private var work: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }

    /// Passing over three gigabytes, eight or twelve bytes at a time, takes minutes.
    private static let patience = 10.0

    @Test("Gigabytes of zeros behind a header are not passed over chunk by chunk")
    func holesInsteadOfSound() throws {
        let wave = try sparse(Array("RIFF".utf8) + [0xF8, 0xFF, 0xFF, 0xBF] + Array("WAVE".utf8))
        let start = work
        #expect(failure { try AudioFileReader(path: wave) } == .malformed)
        for codec in ["lpcm", "aac ", "alac", "ima4"] {
            let file = try sparse(describing(codec))
            // Without FFmpeg, libsndfile is asked.
            #expect(failure { try AudioFileReader(path: file) } != nil)
        }
        #expect(work - start < Self.patience)
    }

    @Test("Gigabytes of zeros behind sound that nobody decodes are not passed over")
    func holesBehindTheUnknown() throws {
        let unknown = Boxes.numbers((0x00FE, 2)).reversed() + Array(repeating: 0x11 as UInt8, count: 14)
        let heads = [
            describing("QDM9") + Array("data".utf8) + Boxes.numbers((12, 8), (0, 12)),
            Array("RIFF".utf8) + [0xF8, 0xFF, 0xFF, 0xBF] + Array("WAVEfmt ".utf8) + [16, 0, 0, 0] + unknown
                + Array("data".utf8) + [8, 0, 0, 0] + Boxes.numbers((0, 8)),
        ]
        for head in heads {
            let file = try sparse(head)
            let start = work
            #expect(failure { try AudioFileReader(path: file) } != nil)
            #expect(work - start < Self.patience)
        }
    }

    @Test(
        "Apple Lossless that was cut off is played as far as it goes",
        .enabled(if: Kind.hasFFmpeg, "needs FFmpeg's libraries"))
    func cutLossless() throws {
        let path = folder.file("whole")
        try Kind(container: .caf, encoding: .alac16)
            .write(sweep(frames: 400_000, channels: 2), channels: 2, to: path)
        let whole = bytes(path)
        // In front of the sound there is room for the table of packets.
        let sound = whole.count - (1 << 20)
        #expect(sound > 400_000)
        try Data(whole.dropLast(sound / 2)).write(to: URL(fileURLWithPath: path))
        let reader = try AudioFileReader(path: path)
        #expect(reader.format.frames == 400_000)
        var buffer = [Float](repeating: 0, count: 2 * 400_000)
        #expect(try reader.read(into: &buffer, frames: 400_000) > 100_000)
        #expect(failure { _ = try reader.read(into: &buffer, frames: 1) } == .malformed)
    }

    @Test(
        "Gigabytes of zeros behind the sound are no part of the file",
        .enabled(if: Kind.hasFFmpeg, "needs FFmpeg's libraries"),
        arguments: [AudioEncoding.aac, .alac16, .imaADPCM])
    func holesBehindTheSound(encoding: AudioEncoding) throws {
        let path = folder.file("whole")
        try Kind(container: .caf, encoding: encoding)
            .write(sweep(frames: 20_000, channels: 2), channels: 2, to: path)
        let whole = try AudioFileReader(path: path).readAll()
        let file = try sparse(bytes(path))
        let start = work
        #expect(try AudioFileReader(path: file).readAll() == whole)
        #expect(work - start < Self.patience)
    }
}
