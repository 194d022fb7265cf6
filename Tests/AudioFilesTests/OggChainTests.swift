import Foundation
import TestSupport
import Testing

@testable import AudioFiles

/// Ogg files with several streams one behind the other, as radio is recorded: each title is one.
@Suite("Chained Ogg", .limited) struct OggChainTests {
    private func stream(_ encoding: AudioEncoding, frames: Int = 50_003, channels: Int = 2) throws -> [UInt8] {
        let folder = TemporaryFolder()
        let kind = Kind(container: .ogg, encoding: encoding, rate: 48000)
        try kind.write(
            sweep(frames: frames, channels: channels, rate: 48000), channels: channels, to: folder.file("a.ogg"))
        return bytes(folder.file("a.ogg"))
    }

    @Test("All its streams are played, and found again to the frame", arguments: [AudioEncoding.vorbis, .opus])
    func chain(encoding: AudioEncoding) throws {
        let streams = try [50_003, 10_000, 70_001].map { try stream(encoding, frames: $0) }
        let whole = try streams.flatMap { try AudioFileReader(bytes: $0).readAll() }
        let reader = try AudioFileReader(bytes: Array(streams.joined()))
        #expect(reader.format.frames == 130_004 && reader.format.encoding == encoding)
        #expect(try reader.readAll() == whole)
        #expect(reader.loss == nil)
        for frame in [0, 50_002, 50_003, 60_003, 130_003, 55_000, 49_000] {
            try reader.seek(toFrame: Int64(frame))
            // Opus predicts from what came before, without end.
            let piece = try reader.readAll(limit: 3000)
            #expect(difference(piece, whole[(2 * frame)...].prefix(piece.count)) < (encoding == .opus ? 1e-4 : 1e-9))
        }
    }

    @Test(
        "So are those of codecs that FFmpeg reads, without a block of anything else",
        .enabled(if: FFmpegProgram.isInstalled && Kind.hasFFmpeg, "needs ffmpeg"), arguments: ["flac", "libspeex"],
        [true, false])
    func othersInOgg(codec: String, isTwice: Bool) throws {
        let folder = TemporaryFolder()
        let streams = try [(40_000, "1"), (60_000, isTwice ? "1" : "2")].map { frames, serial in
            let path = folder.file(serial + ".ogg")
            try FFmpegProgram.encode(
                sweep(frames: isTwice ? 40_000 : frames, channels: 1, rate: 16_000), channels: 1, rate: 16_000,
                ["-c:a", codec, "-serial_offset", serial], to: path)
            return bytes(path)
        }
        let parts = try streams.map { try AudioFileReader(bytes: $0).readAll() }
        let reader = try AudioFileReader(bytes: Array(streams.joined()))
        let sound = try reader.readAll()
        #expect(reader.loss == nil && sound.count == Int(reader.format.frames))
        #expect(difference(sound, Array(parts.joined())) == 0)
        for frame in [50_000, 39_999, 40_000, 10, 70_000] where codec == "flac" {
            try reader.seek(toFrame: Int64(frame))
            let piece = try reader.readAll(limit: 3000)
            #expect(difference(piece, sound.dropFirst(frame).prefix(piece.count)) == 0)
        }
    }

    @Test(
        "Damage within any of those is told", .enabled(if: FFmpegProgram.isInstalled && Kind.hasFFmpeg, "needs ffmpeg"),
        arguments: [0, 1])
    func damagedFLACInOgg(damaged: Int) throws {
        let folder = TemporaryFolder()
        var streams = try ["1", "2"].map { serial in
            let path = folder.file(serial + ".ogg")
            try FFmpegProgram.encode(
                sweep(frames: 60_000, channels: 1, rate: 16_000), channels: 1, rate: 16_000,
                ["-c:a", "flac", "-serial_offset", serial], to: path)
            return bytes(path)
        }
        let middle = streams[damaged].count / 2
        for index in middle..<middle + 300 { streams[damaged][index] ^= 0x55 }
        let reader = try AudioFileReader(bytes: Array(streams.joined()))
        _ = try reader.readAll()
        #expect(reader.loss != nil)
    }

    @Test("A stream that stands there twice is played twice")
    func twice() throws {
        let stream = try stream(.vorbis)
        let reader = try AudioFileReader(bytes: stream + stream)
        #expect(try reader.readAll().count == 200_012 && reader.loss == nil)
    }

    @Test("What is not as the first stream, or damaged, is left out and told")
    func mixed() throws {
        let first = try stream(.vorbis)
        for (other, rest) in try [(stream(.vorbis, channels: 1), 50_003), (stream(.opus), 0)] {
            var other = other
            // Not even libsndfile makes anything of the second page then.
            if rest == 0 { for index in 60..<200 { other[index] = 0x55 } }
            let reader = try AudioFileReader(bytes: first + other + first)
            #expect(reader.format.frames == 100_006)
            #expect(try reader.readAll().count == 200_012)
            #expect(reader.loss?.kind == .malformed)
        }
    }

    @Test("A title without sound lacks nothing, and the last one may be cut")
    func emptyAndCut() throws {
        let file = try stream(.vorbis)
        // The first page, and the second with the other two headers.
        let count = 58 + Int(file[58 + 26])
        let head = file[..<(58 + 27 + count - 58 + file[85..<(85 + count - 58)].reduce(0) { $0 + Int($1) })]
        let reader = try AudioFileReader(bytes: file + head + file.prefix(file.count * 2 / 3))
        #expect(reader.format.frames > 60_000 && reader.format.frames < 100_006)
        #expect(try reader.readAll().count == 2 * Int(reader.format.frames))
        #expect(reader.loss == nil)
    }
}
