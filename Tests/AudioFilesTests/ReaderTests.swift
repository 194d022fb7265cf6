import Foundation
import TestSupport
import Testing

@testable import AudioFiles

@Suite(.limited) struct ReaderTests {
    private let folder = TemporaryFolder()

    /// A file of this kind whose content never repeats.
    private func sample(_ kind: Kind, frames: Int = 200_000, channels: Int = 2) throws -> [UInt8] {
        let path = folder.file("sample")
        try kind.write(sweep(frames: frames, channels: channels, rate: kind.rate), channels: channels, to: path)
        return bytes(path)
    }

    @Test(arguments: Kind.all) func theLengthIsWhatReadingGives(kind: Kind) throws {
        for frames in [1, 4095, 50_001] {
            let reader = try AudioFileReader(bytes: try sample(kind, frames: frames))
            #expect(reader.format.frames == Int64(frames))
            #expect(try reader.readAll().count == frames * 2)
        }
    }

    @Test(arguments: Kind.all, [1, 2]) func seekingIsExact(kind: Kind, channels: Int) throws {
        let reader = try AudioFileReader(bytes: try sample(kind, channels: channels))
        let whole = try reader.readAll()
        var noise = SeededGenerator(seed: 5)
        let places =
            [0, 1, 199_999, 199_000, 198_500, 190_000]
            + (0..<40).map { _ in Int.random(in: 0..<200_000, using: &noise) }
        // Opus predicts from what came before, without end; libsndfile starts 80 ms earlier, as the codec asks.
        let tolerance: Float = kind.encoding == .opus ? 1e-4 : 0
        for place in places {
            try reader.seek(toFrame: Int64(place))
            #expect(reader.position == Int64(place))
            let count = min(1500, 200_000 - place)
            var piece = [Float](repeating: .nan, count: count * channels)
            var done = 0
            while done < count {
                let step = try piece.withUnsafeMutableBufferPointer {
                    try reader.read(into: $0.baseAddress! + done * channels, frames: count - done)
                }
                if step == 0 { break }
                done += step
            }
            #expect(
                done == count && difference(piece, whole[place * channels..<(place + count) * channels]) <= tolerance)
        }
        try reader.seek(toFrame: 200_000)
        #expect(try reader.readAll().isEmpty)
        #expect(failure { try reader.seek(toFrame: 200_001) } == .outOfRange)
        #expect(failure { try reader.seek(toFrame: -1) } == .outOfRange)
    }

    @Test(arguments: [1, 2], [true, false]) func mp3LengthIsExactWithoutAnIndex(channels: Int, tagged: Bool) throws {
        // Silence first: a variable rate starts low, so that a guess from the first frame is far off.
        let samples = [Float](repeating: 0, count: 100_000 * channels) + sweep(frames: 200_000, channels: channels)
        let path = folder.file("a.mp3")
        try Kind(container: .mpeg, encoding: .mp3).write(samples, channels: channels, to: path)
        var file = try withoutIndex(bytes(path))
        if tagged {
            file = Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, 100] + [UInt8](repeating: 0, count: 100) + file
            file += Array("TAG".utf8) + [UInt8](repeating: 32, count: 125)
        }
        let reader = try AudioFileReader(bytes: file)
        let read = try reader.readAll()
        #expect(read.count == Int(reader.format.frames) * channels)
        #expect(reader.format.frames >= 300_000 && reader.format.frames < 300_000 + 3 * 1152)
        for place in stride(from: 0, to: 300_000, by: 31_111) {
            try reader.seek(toFrame: Int64(place))
            let piece = try reader.readAll(limit: 1000)
            #expect(piece.prefix(1000 * channels) == read[(place * channels)...].prefix(1000 * channels))
        }
    }

    @Test func wavHeadersThatLieGiveWhatIsThere() throws {
        let kind = Kind(container: .wav, encoding: .pcm16)
        let file = try sample(kind, frames: 1000)
        let whole = try AudioFileReader(bytes: file).readAll()
        for size: UInt32 in [0, 0xFFFF_FFFF, 0xFFFF_FFF0, 0x7FFF_FFFF, 5000, 4000, 400, 100_000] {
            var lie = file
            for byte in 0..<4 { lie[76 + byte] = UInt8(truncatingIfNeeded: size >> (8 * UInt32(byte))) }
            let reader = try AudioFileReader(bytes: lie)
            #expect(reader.format.frames == 1000, "data size \(size)")
            #expect(try reader.readAll() == whole, "data size \(size)")
        }
        // A chunk behind the data is not sound.
        let reader = try AudioFileReader(bytes: file + Array("LIST".utf8) + [4, 0, 0, 0] + Array("INFO".utf8))
        #expect(reader.format.frames == 1000)
    }

    @Test(arguments: [AudioContainer.wav, .aiff, .caf, .w64, .rf64, .au]) func truncatedPCMGivesWhatIsThere(
        container: AudioContainer
    ) throws {
        let file = try sample(Kind(container: container, encoding: .pcm16), frames: 2000)
        let whole = try AudioFileReader(bytes: file).readAll()
        let reader = try AudioFileReader(bytes: Array(file.dropLast(4001)))
        let read = try reader.readAll()
        #expect(read.count == Int(reader.format.frames) * 2 && (990...1000).contains(reader.format.frames))
        #expect(difference(read, whole.prefix(read.count)) == 0)
    }

    @Test func aTruncatedFLACDeliversWhatDecodesAndThenFails() throws {
        let file = try sample(Kind(container: .flac, encoding: .pcm16))
        let whole = try AudioFileReader(bytes: file).readAll()
        let reader = try AudioFileReader(bytes: Array(file.prefix(file.count / 2)))
        #expect(reader.format.frames == 200_000)
        var read: [Float] = []
        let kind = failure {
            var buffer = [Float](repeating: .nan, count: 2 * 5000)
            while true {
                let count = try reader.read(into: &buffer, frames: 5000)
                if count == 0 { return }
                read += buffer[..<(2 * count)]
            }
        }
        #expect(kind == .malformed)
        #expect(read.count > 100_000 && difference(read, whole.prefix(read.count)) == 0)
        // It can still be used: what is in front of the damage is there.
        try reader.seek(toFrame: 1000)
        #expect(try difference(reader.readAll(limit: 3000).prefix(6000), whole[2000..<8000]) == 0)
    }

    @Test func aSeekThatFailsLeavesTheReaderWhereItWas() throws {
        let file = try sample(Kind(container: .flac, encoding: .pcm16))
        let whole = try AudioFileReader(bytes: file).readAll()
        let reader = try AudioFileReader(bytes: Array(file.prefix(file.count / 2)))
        func expectSound(at frame: Int) throws {
            #expect(reader.position == Int64(frame))
            #expect(try difference(reader.readAll(limit: 3000), whole[2 * frame..<2 * (frame + 3001)]) == 0)
        }
        try reader.seek(toFrame: 1000)
        #expect(failure { try reader.seek(toFrame: 190_000) } == .malformed)
        try expectSound(at: 1000)
        #expect(failure { try reader.seek(toFrame: 190_000) } == .malformed)
        try reader.seek(toFrame: 4001)
        try expectSound(at: 4001)
        #expect(failure { try reader.seek(toFrame: 190_000) } == .malformed)
        try reader.seek(toFrame: 500)
        try expectSound(at: 500)
    }

    @Test func aFLACThatWasNeverFinishedIsCounted() throws {
        var file = try sample(Kind(container: .flac, encoding: .pcm16), frames: 30_000)
        // The number of frames in STREAMINFO: 36 bits.
        file[21] &= 0xF0
        for index in 22...25 { file[index] = 0 }
        let reader = try AudioFileReader(bytes: file)
        #expect(reader.format.frames == 30_000)
        #expect(try reader.readAll().count == 60_000)
    }

    @Test func errorsAreToldApart() throws {
        func open(_ path: String) -> AudioFileError.Kind? { failure { try AudioFileReader(path: path) } }
        #expect(open(folder.file("none.wav")) == .notFound)
        #expect(open(folder.path) == .isDirectory)
        #expect(mkfifo(folder.file("fifo"), 0o600) == 0)
        #expect(open(folder.file("fifo")) == .notAFile)
        #expect(open("/dev/zero") == .notAFile)
        for (name, text) in [
            ("empty", ""), ("text.wav", String(repeating: "All work and no play\n", count: 99)), ("one", "R"),
        ] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder.file(name)))
            #expect(open(folder.file(name)) == .unknownType)
        }
        try Data("RIFF\u{4}\0\0\0WAVE".utf8).write(to: URL(fileURLWithPath: folder.file("bare.wav")))
        #expect(open(folder.file("bare.wav")) == .malformed)
        #expect(failure { try AudioFileReader(bytes: []) } == .unknownType)
        if geteuid() != 0 {
            try Data("x".utf8).write(to: URL(fileURLWithPath: folder.file("secret")))
            #expect(chmod(folder.file("secret"), 0) == 0)
            #expect(open(folder.file("secret")) == .permission)
        }
        #expect(AudioFileError.system(EACCES, path: nil).kind == .permission)
    }

    @Test func errorsNameTheFile() throws {
        do {
            _ = try AudioFileReader(path: folder.file("none.wav"))
            Issue.record("opened a file that does not exist")
        } catch {
            #expect(
                error.path == folder.file("none.wav")
                    && error.description.hasSuffix("none.wav: No such file or directory"))
        }
    }
}
