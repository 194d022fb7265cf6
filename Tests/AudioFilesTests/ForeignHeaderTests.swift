import Foundation
import TestSupport
import Testing

@testable import AudioFiles

/// What other programs put in front of sound, or say about it.
@Suite(.limited) struct ForeignHeaderTests {
    private let folder = TemporaryFolder()

    private func sample(_ kind: Kind, channels: Int) throws -> [UInt8] {
        let path = folder.file("sample")
        try kind.write(sweep(frames: 20_000, channels: channels), channels: channels, to: path)
        return bytes(path)
    }

    /// An ID3v2 tag with so many bytes in it.
    private func tag(_ count: Int) -> [UInt8] {
        let size = [21, 14, 7, 0].map { UInt8(count >> $0 & 127) }
        return Array("ID3".utf8) + [4, 0, 0] + size + [UInt8](repeating: 0, count: count)
    }

    @Test("programs that know only MP3 put their tags in front of FLAC as well", arguments: [100, 300_000])
    func flacBehindATag(count: Int) throws {
        let file = try sample(Kind(container: .flac, encoding: .pcm16), channels: 2)
        let whole = try AudioFileReader(bytes: file).readAll()
        let reader = try AudioFileReader(bytes: tag(count) + file)
        #expect(reader.format.container == .flac && reader.format.frames == 20_000)
        #expect(try reader.readAll() == whole)
        try reader.seek(toFrame: 12_345)
        #expect(try reader.readAll() == Array(whole[(2 * 12_345)...]))
    }

    private static let taggable = [
        Kind(container: .wav, encoding: .pcm16), Kind(container: .aiff, encoding: .pcm24),
        Kind(container: .caf, encoding: .pcm16), Kind(container: .ogg, encoding: .vorbis),
        Kind(container: .flac, encoding: .pcm16), Kind(container: .au, encoding: .float32),
        Kind(container: .mpeg, encoding: .mp3),
    ]

    @Test(
        "tags of any size and zero bytes in front of a sound of any type are passed over",
        arguments: taggable + (Kind.hasFFmpeg ? Kind.aac : []))
    func soundBehindTags(kind: Kind) throws {
        let file = try sample(kind, channels: 2)
        let whole = try AudioFileReader(bytes: file)
        let (format, samples) = (whole.format, try whole.readAll())
        let zeros = [UInt8](repeating: 0, count: 40_000)
        // The size as a plain number, with bits that the usual way of writing it has not, and without.
        let plain = { (size: [UInt8], count: Int) in
            Array("ID3".utf8) + [3, 0, 0] + size + [UInt8](repeating: 0x55, count: count)
        }
        let ape =
            Array("APETAGEX".utf8) + [0xD0, 7, 0, 0, 0x20, 0x4E, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xA0]
            + [UInt8](repeating: 0, count: 8) + [UInt8](repeating: 0x55, count: 20_000)
        let fronts = [
            tag(30_000), plain([0, 0, 0x75, 0x30], 30_000), plain([0, 0, 0x80, 0], 32_768), ape, zeros,
            tag(30_000) + ape + zeros,
        ]
        for (number, front) in fronts.enumerated() {
            let reader = try AudioFileReader(bytes: front + file)
            #expect(reader.format == format, "\(number)")
            #expect(try reader.readAll() == samples, "\(number)")
        }
    }

    @Test("a header that lies is put right behind a tag as well")
    func lieBehindATag() throws {
        var file = try sample(Kind(container: .wav, encoding: .pcm16), channels: 2)
        let whole = try AudioFileReader(bytes: file).readAll()
        let data = try #require(WaveChunks(ByteSource(bytes: file)).data).start
        file.replaceSubrange(Int(data) - 4..<Int(data), with: [0, 0, 0, 0])
        #expect(try AudioFileReader(bytes: file).readAll() == whole)
        #expect(try AudioFileReader(bytes: tag(5000) + file).readAll() == whole)
    }

    @Test("what has more than 16 MB in front, or tags and no sound, is no sound", arguments: [15, 17])
    func farBehindTags(megabytes: Int) throws {
        let file = try sample(Kind(container: .wav, encoding: .pcm16), channels: 1)
        let front = [UInt8](repeating: 0, count: megabytes << 20)
        let error = failure { try AudioFileReader(bytes: front + file) }
        #expect(error == (megabytes < 16 ? nil : .unknownType))
        let text = Array("no sound".utf8)
        #expect(failure { try AudioFileReader(bytes: tag(100) + front.prefix(1000) + tag(100) + text) } == .unknownType)
    }

    @Test(
        "a codec in which libsndfile cannot seek is decoded from the beginning",
        arguments: [AudioContainer.wav, .aiff, .w64])
    func unseekable(container: AudioContainer) throws {
        let kind = Kind(container: container, encoding: .gsm610, rate: 8000)
        let reader = try AudioFileReader(bytes: sample(kind, channels: 1))
        let whole = try reader.readAll()
        #expect(whole.count >= 20_000)
        for place in [12_345, 0, 19_000, 5, 6000, 7000] {
            try reader.seek(toFrame: Int64(place))
            #expect(try reader.readAll() == Array(whole[place...]), "\(place)")
        }
        try reader.seek(toFrame: reader.format.frames)
        #expect(try reader.readAll().isEmpty)
    }

    @Test(
        "a movie file may begin with a box that is of no use, and a text with the same letters",
        .enabled(if: Kind.hasFFmpeg, "needs FFmpeg's libraries"), arguments: ["free", "skip", "pnot"])
    func movieBehindABox(type: String) throws {
        var file = try sample(Kind(container: .mpeg4, encoding: .aac), channels: 2)
        let whole = try AudioFileReader(bytes: file).readAll()
        file.replaceSubrange(4..<8, with: type.utf8)
        #expect(try AudioFileReader(bytes: file).readAll() == whole)
        let text = Array("The \(type) encyclopaedia, in as many words as it takes.".utf8)
        #expect(failure { try AudioFileReader(bytes: text) } == .unknownType)
    }

    @Test("the only channel is no centre, and no left one, whatever the header calls it", arguments: [0, 1, 4])
    func monoOfAnExtensibleFormat(mask: UInt8) throws {
        let plain = try sample(Kind(container: .wav, encoding: .pcm24), channels: 1)
        let data = try #require(WaveChunks(ByteSource(bytes: plain)).data).start
        // 24 bits are what FFmpeg and SoX write so.
        let format: [UInt8] =
            [0xFE, 0xFF, 1, 0, 0x44, 0xAC, 0, 0, 0xCC, 0x04, 2, 0, 3, 0, 24, 0, 22, 0, 24, 0, mask, 0, 0, 0]
            + [1, 0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
        let file = plain[..<12] + Array("fmt ".utf8) + [40, 0, 0, 0] + format + plain[(Int(data) - 8)...]
        let reader = try AudioFileReader(bytes: Array(file))
        #expect(reader.format.channels == 1 && reader.format.encoding == .pcm24)
        #expect(reader.format.channelLayout ?? [0] == [0])
        #expect(try reader.readAll() == AudioFileReader(bytes: plain).readAll())
    }
}
