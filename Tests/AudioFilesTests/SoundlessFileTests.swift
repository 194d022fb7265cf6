import Foundation
import TestSupport
import Testing

@testable import AudioFiles

/// Files without a frame, as a recording leaves them that was stopped before there was sound.
@Suite("Files without a frame", .limited) struct SoundlessFileTests {
    private let folder = TemporaryFolder()

    static let kinds =
        [Kind(container: .wav, encoding: .pcm16), Kind(container: .flac, encoding: .pcm16)]
        + [Kind(container: .flac, encoding: .pcm24), Kind(container: .ogg, encoding: .vorbis)]
        + [Kind(container: .ogg, encoding: .opus, rate: 48000), Kind(container: .ogg, encoding: .opus, rate: 16000)]
        + (Kind.hasFFmpeg ? Kind.packets : [])

    @Test("open, whether finished or killed, have no length, and say what they are", arguments: kinds)
    func open(kind: Kind) throws {
        let (path, killed) = (folder.file("a"), folder.file("killed"))
        let writer = try kind.writer(path, channels: 2)
        try writer.flush()
        try FileManager.default.copyItem(atPath: path, toPath: killed)
        try writer.close()
        // Of a bare stream of packets nobody knows what it is without one.
        let isBare = kind.container == .adts
        for path in isBare ? [path] : [path, killed] {
            let reader = try AudioFileReader(path: path)
            #expect(reader.format.container == kind.container && reader.format.encoding == kind.encoding)
            #expect(reader.format.sampleRate == kind.rate && reader.format.channels == 2)
            #expect(reader.format.frames == (isBare ? 1024 : 0))
            try reader.seek(toFrame: 0)
            let sound = try reader.readAll()
            #expect(sound.count == 2 * Int(reader.format.frames) && sound.allSatisfy { abs($0) < 1e-3 })
            #expect(reader.loss == nil)
        }
    }

    @Test(
        "A CAF file of packets that goes on to the end of the file, which is there",
        .enabled(if: Kind.hasFFmpeg, "needs FFmpeg's libraries"))
    func endless() throws {
        let path = folder.file("a.caf")
        for kind in Kind.packets where kind.container == .caf {
            try kind.write([], channels: 2, to: path)
            var file = bytes(path)
            let data = try #require(CAFChunks(ByteSource(bytes: file)).data)
            file.replaceSubrange(Int(data) + 4..<Int(data) + 12, with: MPEG4Boxes.numbers((-1, 8)))
            #expect(try AudioFileReader(bytes: file).format.frames == 0)
        }
    }

    @Test("What promises sound that is not there is damaged", .enabled(if: Kind.hasFFmpeg, "needs FFmpeg's libraries"))
    func promises() throws {
        let path = folder.file("a")
        let sound = sweep(frames: 20_000, channels: 2)
        for encoding in [AudioEncoding.aac, .alac16] {
            try Kind(container: .caf, encoding: encoding).write(sound, channels: 2, to: path)
            let caf = bytes(path)
            let data = Int(try #require(CAFChunks(ByteSource(bytes: caf)).data))
            let empty = Array(caf[..<(data + 4)]) + MPEG4Boxes.numbers((4, 8), (0, 4))
            #expect(failure { try AudioFileReader(bytes: empty) } == .malformed)
            try Kind(container: .mpeg4, encoding: encoding).write(sound, channels: 2, to: path)
            let movie = bytes(path)
            let index = try #require(movie.indices.last { movie[$0...].starts(with: "moov".utf8) })
            let rest = MPEG4Boxes.fileType + movie[(index - 4)...]
            #expect(failure { try AudioFileReader(bytes: rest).readAll() } != nil)
        }
        // The headers of Opus, and the beginning of more.
        let kind = Kind(container: .ogg, encoding: .opus, rate: 48000)
        try kind.write([], channels: 2, to: path)
        let headers = bytes(path)
        #expect(failure { try AudioFileReader(bytes: headers + Array("OggS".utf8)) } == .malformed)
        #expect(failure { try AudioFileReader(bytes: Array(headers.dropLast(9))) } == .malformed)
    }
}
