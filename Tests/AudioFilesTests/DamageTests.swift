import Foundation
import TestSupport
import Testing

@testable import AudioFiles

/// Files that were cut, or overwritten in the middle: whoever reads them to the end hears of it, in one way or the other.
@Suite(.limited) struct DamageTests {
    private let folder = TemporaryFolder()

    /// A kind of file that FFmpeg's program writes.
    struct Sample: CustomTestStringConvertible {
        let name: String
        let codec: [String]
        var rate = 44100

        init(_ name: String, _ codec: String, rate: Int = 44100) {
            self.name = name
            self.codec = codec.isEmpty ? [] : ["-c:a"] + codec.split(separator: " ").map(String.init)
            self.rate = rate
        }

        var testDescription: String { "\(name) \(codec.joined(separator: " "))" }
    }

    /// Whose beginning or container says how much there is.
    static let promising: [Sample] = [
        .init("a.mp3", "libmp3lame"), .init("a.flac", "flac"), .init("a.m4a", "aac -movflags faststart"),
        .init("b.m4a", "alac -movflags faststart"), .init("a.mov", "pcm_s16le -movflags faststart"),
        .init("a.wma", "wmav2"), .init("a.mka", "libvorbis"), .init("b.mka", "aac"), .init("c.mka", "flac"),
        .init("d.mka", "pcm_s16le"), .init("a.webm", "libopus", rate: 48000),
    ]

    /// Streams that can be cut anywhere, and end there.
    static let endless: [Sample] = [
        .init("b.mp3", "libmp3lame -write_xing 0"), .init("a.ogg", "libvorbis"),
        .init("a.opus", "libopus", rate: 48000),
        .init("b.ogg", "flac"), .init("c.ogg", "libspeex", rate: 32000), .init("a.aac", "aac"),
        .init("a.ac3", "ac3", rate: 48000),
        .init("a.eac3", "eac3", rate: 48000),
    ]

    private static let seconds = 10

    private func encode(_ sample: Sample) throws -> [UInt8] {
        let sound = sweep(frames: sample.rate * Self.seconds, channels: 2, rate: Double(sample.rate))
        let path = folder.file(sample.name)
        try FFmpegProgram.encode(sound, channels: 2, rate: sample.rate, sample.codec, to: path)
        return bytes(path)
    }

    private struct Outcome: Equatable {
        /// Whether all frames that the format promises were there.
        var isAll: Bool
        var error: AudioFileError.Kind?
        var loss: AudioFileError.Kind?
    }

    private func read(_ bytes: [UInt8]) throws -> Outcome {
        let reader = try AudioFileReader(bytes: bytes)
        var frames = 0
        let error = failure {
            var buffer = [Float](repeating: .nan, count: 3001 * reader.format.channels)
            while true {
                let count = try reader.read(into: &buffer, frames: 3001)
                if count == 0 { return }
                frames += count
            }
        }
        #expect(frames > reader.format.channels)
        return Outcome(isAll: frames == reader.format.frames, error: error, loss: reader.loss?.kind)
    }

    @Test(.enabled(if: FFmpegProgram.isInstalled && Kind.hasFFmpeg, "needs ffmpeg"), arguments: promising + endless)
    func aWholeFileLacksNothing(sample: Sample) throws {
        let file = try encode(sample)
        #expect(try read(file) == Outcome(isAll: true))
        // Nor does it where reading began in the middle, or went over it twice.
        let reader = try AudioFileReader(bytes: file)
        for frame in [reader.format.frames / 2, 1000, 0] {
            try reader.seek(toFrame: frame)
            _ = try reader.readAll()
            #expect(reader.loss == nil)
        }
    }

    @Test(.enabled(if: FFmpegProgram.isInstalled && Kind.hasFFmpeg, "needs ffmpeg"), arguments: promising)
    func whatAnIndexPromisesIsMissed(sample: Sample) throws {
        let file = try encode(sample)
        let outcome = try read(Array(file[..<(file.count / 2)]))
        #expect(outcome.error == .malformed || outcome.loss == .malformed)
    }

    @Test(.enabled(if: FFmpegProgram.isInstalled && Kind.hasFFmpeg, "needs ffmpeg"), arguments: endless)
    func aStreamThatIsCutSimplyEnds(sample: Sample) throws {
        let file = try encode(sample)
        #expect(try read(Array(file[..<(file.count / 2)])) == Outcome(isAll: true))
    }

    @Test(
        .enabled(if: FFmpegProgram.isInstalled && Kind.hasFFmpeg, "needs ffmpeg"),
        arguments: (promising + endless).filter { !$0.codec.contains("pcm_s16le") || $0.name.hasSuffix("mka") })
    func damageInTheMiddleIsTold(sample: Sample) throws {
        var file = try encode(sample)
        var noise = SeededGenerator(seed: 7)
        for index in 0..<min(8192, file.count / 4) {
            file[file.count / 2 + index] = .random(in: 0...255, using: &noise)
        }
        let outcome = try read(file)
        #expect(outcome.error == .malformed || outcome.loss == .malformed)
    }

    /// A stream in three parts, of which the one in the middle is of other channels or another rate.
    private func mixed(_ name: String, _ codec: String, channels: [Int], rate: Int) throws -> [UInt8] {
        try channels.enumerated().flatMap { index, channels in
            let path = folder.file("\(index)\(name)")
            let rate = index == 1 ? rate : 48000
            let sound = sweep(frames: rate, channels: channels, rate: Double(rate))
            if codec == "ac3" {
                try FFmpegProgram.encode(sound, channels: channels, rate: rate, ["-c:a", codec], to: path)
            } else {
                try Kind(container: .adts, encoding: .aac, rate: Double(rate))
                    .write(sound, channels: channels, to: path)
            }
            return bytes(path)
        }
    }

    @Test(
        .enabled(if: Kind.hasFFmpeg, "needs FFmpeg's libraries"),
        arguments: [("aac", [2, 1, 2]), ("aac", [1, 2, 1]), ("ac3", [2, 6, 2]), ("ac3", [6, 1, 6])])
    func otherChannelsInTheMiddleAreMixedInto(codec: String, channels: [Int]) throws {
        guard codec != "ac3" || FFmpegProgram.isInstalled else { return }
        let file = try mixed("a." + codec, codec, channels: channels, rate: 48000)
        let reader = try AudioFileReader(bytes: file)
        let count = reader.format.channels
        #expect(count == channels[0] && reader.format.frames > 3 * 48000)
        let read = try reader.readAll()
        #expect(read.count == count * Int(reader.format.frames) && reader.loss == nil)
        for second in 0..<3 {
            let part = read[(second * 48000 + 12_000) * count..<(second * 48000 + 36_000) * count]
            #expect(part.contains { abs($0) > 0.05 } && !part.contains { abs($0) > 1 })
        }
        try reader.seek(toFrame: 60_000)
        #expect(try difference(reader.readAll(limit: 3000), read[(60_000 * count)...].prefix(3001 * count)) < 1e-3)
    }

    @Test(.enabled(if: Kind.hasFFmpeg, "needs FFmpeg's libraries")) func anotherRateInTheMiddleIsSilenceAndTold() throws
    {
        let file = try mixed("a.aac", "aac", channels: [2, 2, 2], rate: 24000)
        let reader = try AudioFileReader(bytes: file)
        let read = try reader.readAll()
        #expect(read.count == 2 * Int(reader.format.frames) && reader.loss?.kind == .malformed)
        // As many packets, which would last twice as long.
        #expect(reader.format.frames > 120_000 && reader.format.frames < 130_000)
        #expect(read[(2 * 56_000)..<(2 * 68_000)].allSatisfy { $0 == 0 })
        #expect(read.suffix(48_000).contains { abs($0) > 0.1 })
    }

    @Test(.enabled(if: Kind.hasFFmpeg, "needs FFmpeg's libraries"), arguments: [AudioContainer.adts, .ac3])
    func radioBeginsInTheMidstOfAFrame(container: AudioContainer) throws {
        guard container == .adts || FFmpegProgram.isInstalled else { return }
        let codec = container == .adts ? "aac" : "ac3"
        let file = try mixed("a." + codec, codec, channels: [2], rate: 48000)
        let whole = try AudioFileReader(bytes: file)
        // What is left of the first frame looks like another one.
        var start = Array(file.dropFirst(100).prefix(50))
        start.replaceSubrange(10..<17, with: file[..<7])
        let reader = try AudioFileReader(bytes: start + file.dropFirst(150), hint: container)
        let frames = Int64(container == .adts ? 1024 : 1536)
        #expect(reader.format.frames == whole.format.frames - frames)
        #expect(try reader.readAll().count == 2 * Int(reader.format.frames) && reader.loss == nil)
    }

    @Test(.enabled(if: Kind.hasFFmpeg, "needs FFmpeg's libraries")) func tagsInTheMiddleOfAACAreNoDamage() throws {
        let file = try mixed("a.aac", "aac", channels: [2], rate: 48000)
        var place = 0
        for _ in 0..<20 { place += try #require(ADTSHeader(file[place...])).length }
        let whole = try AudioFileReader(bytes: file).readAll()
        // An ID3v2 tag of 200 bytes, and an ID3v1 tag, which ends with a letter.
        let tags = Array("ID3".utf8) + [4, 0, 0, 0, 0, 1, 72] + [UInt8](repeating: 0xFF, count: 200)
        for tag in [tags, Array("TAG".utf8) + [UInt8](repeating: 65, count: 125)] {
            let reader = try AudioFileReader(bytes: file[..<place] + tag + file[place...])
            #expect(try difference(reader.readAll(), whole) == 0)
            #expect(reader.loss == nil)
            try reader.seek(toFrame: 30_000)
            #expect(try difference(reader.readAll(), whole[60_000...]) < 1e-3)
        }
    }

    @Test func aConvertedStreamIsNotFilledWithSilence() throws {
        let path = folder.file("a.mp3")
        try Kind(container: .mpeg, encoding: .mp3)
            .write(sweep(frames: 441_000, channels: 2), channels: 2, to: path)
        let file = bytes(path)
        let reader = try ResamplingReader(AudioFileReader(bytes: Array(file.prefix(file.count / 2))), sampleRate: 48000)
        let frames = try reader.readAll().count / 2
        #expect(reader.frames == 480_000 && frames > 200_000 && frames < 280_000)
        #expect(reader.loss?.kind == .malformed)
    }
}
