import Foundation
import TestSupport
import Testing

@testable import AudioFiles

/// An MP3 file of so many frames.
private func mp3(frames: Int, channels: Int = 2, rate: Double = 44100) throws -> [UInt8] {
    let folder = TemporaryFolder()
    let path = folder.file("a.mp3")
    try Kind(container: .mpeg, encoding: .mp3, rate: rate)
        .write(sweep(frames: frames, channels: channels, rate: rate), channels: channels, to: path)
    return bytes(path)
}

private func noise(_ count: Int) -> [UInt8] {
    var noise = SeededGenerator(seed: 7)
    return (0..<count).map { _ in .random(in: 0...255, using: &noise) }
}

/// Streams of MPEG audio with something between their frames, and of the rarer kinds.
@Suite("MPEG audio", .limited) struct MPEGTests {
    private let folder = TemporaryFolder()

    @Test("What is no frame is passed over and told, however long", arguments: [4096, 100_000], [true, false])
    func garbage(count: Int, hasIndex: Bool) throws {
        let file = try hasIndex ? mp3(frames: 60_000) : withoutIndex(mp3(frames: 60_000))
        let whole = try AudioFileReader(bytes: file).readAll()
        let middle = file.count / 2
        let reader = try AudioFileReader(bytes: file[..<middle] + noise(count) + file[middle...])
        #expect(reader.format.frames * 2 == Int64(whole.count))
        let read = try reader.readAll()
        #expect(read.count == whole.count)
        // Around the gap some frames are not what they were.
        #expect(read.starts(with: whole[..<(whole.count / 3)]))
        #expect(difference(read.suffix(whole.count / 3), whole.suffix(whole.count / 3)) < 1e-6)
        #expect(reader.loss?.kind == .malformed)
        // A seek goes over it as well.
        try reader.seek(toFrame: Int64(read.count / 2 - 20_000))
        #expect(try difference(reader.readAll(), whole.suffix(40_000)) < 1e-6)
    }

    /// In a process of its own, whose errors are all those of this file.
    @Test("A damaged file makes nobody write to stderr")
    func silence() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let file = try mp3(frames: 60_000)
            var noise = SeededGenerator(seed: 7)
            var damaged = file
            for _ in 0..<100 {
                damaged[.random(in: 2000..<file.count, using: &noise)] = .random(in: 0...255, using: &noise)
            }
            let bare = try withoutIndex(damaged)
            let wave: [UInt8] =
                Array("RIFF".utf8) + [0, 0, 0, 1] + Array("WAVEfmt ".utf8) + [16, 0, 0, 0, 0x55, 0, 2, 0]
                + [0x44, 0xAC, 0, 0, 0, 0x7D, 0, 0, 1, 0, 0, 0] + Array("data".utf8) + [0, 0, 0, 1]
            for bytes in [damaged, Array(damaged.prefix(damaged.count / 2)), bare, wave + bare] {
                let reader = try AudioFileReader(bytes: bytes)
                let read = try reader.readAll().count
                try #require(read > 10_000)
                try reader.seek(toFrame: 5000)
                try #require(try reader.readAll().count == read - 10_000)
            }
        }
        #expect(result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } == "")
    }

    @Test("Tags between frames are no damage")
    func tags() throws {
        let file = try withoutIndex(mp3(frames: 50_000))
        let id3v1 = Array("TAG".utf8) + [UInt8](repeating: 32, count: 125)
        let id3v2 = Array("ID3".utf8) + [3, 0, 0, 0, 0, 39, 8] + [UInt8](repeating: 0xFF, count: 5000)
        // The size counts the footer.
        let ape =
            Array("APETAGEX".utf8) + [208, 7, 0, 0, 42, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xA0]
            + [UInt8](repeating: 0, count: 8) + [UInt8](repeating: 0xFF, count: 10)
            + Array("APETAGEX".utf8) + [208, 7, 0, 0, 42, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0x80]
            + [UInt8](repeating: 0, count: 8)
        let single = try AudioFileReader(bytes: file).format.frames
        let reader = try AudioFileReader(bytes: id3v2 + file + ape + id3v1 + id3v2 + file + ape + id3v1)
        // The decoder is late once.
        #expect(reader.format.frames == 2 * single + MPEGStreamIndex.decoderDelay)
        #expect(try reader.readAll().count / 2 == Int(reader.format.frames))
        #expect(reader.loss == nil)
    }

    @Test(
        "Of a stream that changes, what is as its beginning is heard, and the rest is told", arguments: [true, false])
    func mixed(goesOn: Bool) throws {
        let file = try withoutIndex(mp3(frames: 50_000))
        let other =
            try goesOn
            ? withoutIndex(mp3(frames: 50_000, channels: 1)) + file : mp3(frames: 50_000, rate: 22050)
        let frames = try AudioFileReader(bytes: goesOn ? file + file : file).format.frames
        let reader = try AudioFileReader(bytes: file + other)
        #expect(reader.format.frames == frames && reader.format.channels == 2 && reader.format.sampleRate == 44100)
        #expect(try reader.readAll().count / 2 == Int(frames))
        #expect(reader.loss?.kind == .malformed)
    }

    @Test("Files that were joined are played to their end, whatever the first one's index says")
    func joined() throws {
        let first = try mp3(frames: 50_000)
        let whole = try AudioFileReader(bytes: first).readAll()
        let id3v1 = Array("TAG".utf8) + [UInt8](repeating: 32, count: 125)
        for middle in [[], id3v1, noise(1000)] {
            let reader = try AudioFileReader(bytes: first + middle + first + id3v1)
            // The second one's index and padding are silence in between.
            #expect((100_000..<100_000 + 4 * 1152).contains(reader.format.frames))
            let read = try reader.readAll()
            #expect(read.count == 2 * Int(reader.format.frames) && read.starts(with: whole[..<80_000]))
            #expect(reader.loss == nil)
        }
        // Of what is not as the first one somebody hears, at least.
        let reader = try AudioFileReader(bytes: first + mp3(frames: 50_000, channels: 1))
        #expect(reader.format.frames == 50_000)
        #expect(try reader.readAll().count == 100_000 && reader.loss?.kind == .malformed)
    }

    @Test("Where a hint says what it is, the stream is found behind much of something else")
    func hint() throws {
        let file = try withoutIndex(mp3(frames: 50_000))
        let junk = noise(200_000)
        #expect(failure { try AudioFileReader(bytes: junk + file) } == .unknownType)
        let reader = try AudioFileReader(bytes: junk + file, hint: .mpeg)
        #expect(try reader.readAll() == AudioFileReader(bytes: file).readAll())
        #expect(reader.loss == nil)
        #expect(failure { try AudioFileReader(bytes: junk, hint: .mpeg) } == .unknownType)
    }

    @Test("Layers I and II are as long as they are", arguments: [1, 2])
    func olderLayers(layer: Int) throws {
        // 192 kbit/s at 48 kHz, with no bits for any band: silence.
        let head: [UInt8] = layer == 1 ? [0xFF, 0xFF, 0x64, 0] : [0xFF, 0xFD, 0xA4, 0]
        let header = try #require(MPEGFrameHeader(head))
        let frame = head + [UInt8](repeating: 0, count: header.length - 4)
        let reader = try AudioFileReader(bytes: Array(repeatElement(frame, count: 100).joined()))
        #expect(reader.format.encoding == (layer == 1 ? .mpegLayer1 : .mpegLayer2))
        #expect(reader.format.frames == Int64(100 * header.samples) && reader.format.sampleRate == 48000)
        #expect(try reader.readAll().count == 200 * header.samples)
        #expect(reader.loss == nil)
        try reader.seek(toFrame: reader.format.frames - 1)
        #expect(try reader.readAll() == [0, 0])
    }

    @Test("Frames behind 4 GB are found")
    func large() throws {
        let file = try mp3(frames: 50_000)
        let path = folder.file("large.mp3")
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        let handle = try #require(FileHandle(forWritingAtPath: path))
        // The largest tags there are, one behind the other, and nothing in them.
        let length = 10 + (1 << 28) - 1
        for number in 0..<17 {
            try handle.seek(toOffset: UInt64(number * length))
            try handle.write(contentsOf: Array("ID3".utf8) + [3, 0, 0, 127, 127, 127, 127])
        }
        try handle.seek(toOffset: UInt64(17 * length))
        try handle.write(contentsOf: file)
        try handle.close()
        let reader = try AudioFileReader(path: path)
        #expect(try reader.readAll() == AudioFileReader(bytes: file).readAll())
        try reader.seek(toFrame: 49_999)
        #expect(try reader.readAll().count == 2)
    }

    @Test("A disk that fails is an error, and not the end")
    func disk() throws {
        let path = folder.file("a.mp3")
        let stream = try withoutIndex(mp3(frames: 50_000))
        try Data(repeatElement(stream, count: 10).joined()).write(to: URL(fileURLWithPath: path))
        let file = try OpenFile(path: path)
        let reader = try AudioFileReader(source: ByteSource(file), path: path, hint: nil)
        var buffer = [Float](repeating: 0, count: 2 * 10_000)
        #expect(try reader.read(into: &buffer, frames: 10_000) == 10_000)
        // From a folder nothing can be read.
        let broken = open("/", O_RDONLY)
        #expect(dup2(broken, file.descriptor) == file.descriptor)
        close(broken)
        #expect(failure { try reader.readAll() } == .isDirectory)
    }
}
