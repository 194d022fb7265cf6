import Foundation
import TestSupport
import Testing

@testable import AudioFiles

@Suite(.limited) struct RoundTripTests {
    private let folder = TemporaryFolder()

    @Test(arguments: Kind.integer) func integerEncodingsKeepEveryBit(kind: Kind) throws {
        let path = folder.file("a")
        let bits = kind.encoding.quantizedBits
        let samples = noise16(2 * 5000)
        let writer = try kind.writer(path, channels: 2)
        try writer.write(int16: samples, frames: 2000)
        try writer.write(int32: samples[4000..<6000].map { Int32($0) << 16 }, frames: 1000)
        try writer.write(float: samples[6000...].map { Float($0) / 32768 }, frames: 2000)
        #expect(writer.framesWritten == 5000)
        try writer.close()

        let reader = try AudioFileReader(path: path)
        #expect(reader.format.container == kind.container && reader.format.encoding.quantizedBits == bits)
        #expect(reader.format.frames == 5000 && reader.format.channels == 2 && reader.format.sampleRate == 44100)
        let read = try reader.readAll()
        if bits >= 16 {
            #expect(read == samples.map { Float($0) / 32768 })
        } else {
            // The first 3000 frames were cut to the upper bits, the others rounded.
            #expect(Array(read[..<6000]) == samples[..<6000].map { Float($0 >> 8) / 128 })
            #expect(difference(read, samples.map { Float($0) / 32768 }) <= 1.0 / 128)
        }
        // What was read from a file is written back unchanged.
        try kind.write(read, channels: 2, to: folder.file("b"))
        #expect(try AudioFileReader(path: folder.file("b")).readAll() == read)
    }

    @Test func twentyFourBitsAreTheUpperBitsOf32() throws {
        let path = folder.file("a.wav")
        let words: [Int32] = [0x1234_56FF, -0x1234_5601, .max, .min, 0, 255]
        let writer = try Kind(container: .wav, encoding: .pcm24).writer(path, channels: 1)
        try writer.write(int32: words, frames: 6)
        try writer.close()
        #expect(try AudioFileReader(path: path).readAll() == words.map { Float($0 >> 8) * 0x1p-23 })
    }

    @Test(arguments: Kind.float) func floatEncodingsKeepEveryBitAndMoreThanFullScale(kind: Kind) throws {
        let path = folder.file("a")
        let samples = sweep(frames: 3000, channels: 3, amplitude: 2.5)
        try kind.write(samples, channels: 3, to: path)
        let reader = try AudioFileReader(path: path)
        #expect(reader.format.encoding == kind.encoding)
        #expect(try reader.readAll() == samples)
    }

    @Test(arguments: Kind.law) func logarithmicEncodingsAreNear(kind: Kind) throws {
        let samples = sweep(frames: 3000, channels: 2)
        try kind.write(samples, channels: 2, to: folder.file("a"))
        let reader = try AudioFileReader(path: folder.file("a"))
        #expect(reader.format.encoding == kind.encoding && reader.format.frames == 3000)
        #expect(difference(try reader.readAll(), samples) < 0.02)
    }

    @Test(arguments: Kind.lossy) func lossyCodecsSoundTheSame(kind: Kind) throws {
        let samples = sweep(frames: 100_000, channels: 2, rate: kind.rate)
        try kind.write(samples, channels: 2, to: folder.file("a"))
        let reader = try AudioFileReader(path: folder.file("a"))
        #expect(reader.format.encoding == kind.encoding && reader.format.container == kind.container)
        let read = try reader.readAll()
        #expect(read.count == samples.count)
        let error = zip(read, samples).reduce(0.0) { $0 + Double(($1.0 - $1.1) * ($1.0 - $1.1)) }
        let power = samples.reduce(0.0) { $0 + Double($1 * $1) }
        #expect(error / power < 0.01)
    }

    @Test func byteOrderIsKept() throws {
        for (container, order) in [(AudioContainer.caf, true), (.caf, false), (.aiff, true), (.wav, false)] {
            let path = folder.file("a")
            let writer = try AudioFileWriter(
                path: path, container: container, encoding: .pcm16, sampleRate: 8000, channels: 1, bigEndian: order)
            try writer.write(int16: [0x0102], frames: 1)
            try writer.close()
            let reader = try AudioFileReader(path: path)
            #expect(reader.format.isBigEndian == order)
            #expect(try reader.readAll() == [Float(0x0102) / 32768])
            let pair: [UInt8] = order ? [1, 2] : [2, 1]
            #expect((0..<bytes(path).count - 1).contains { Array(bytes(path)[$0...$0 + 1]) == pair })
        }
    }

    @Test func plainWavHasTheClassicFormat() throws {
        let path = folder.file("a.wav")
        try Kind(container: .wav, encoding: .pcm16).write([0, 0.5, -0.5, 0], channels: 2, to: path)
        let file = bytes(path)
        #expect(file.count == 80 + 8)
        #expect(Array(file[4..<8]) == [80, 0, 0, 0])
        #expect(Array(file[48..<60]) == Array("fmt ".utf8) + [16, 0, 0, 0, 1, 0, 2, 0])
        #expect(Array(file[72..<80]) == Array("data".utf8) + [8, 0, 0, 0])
    }

    @Test func surroundFilesSayWhereTheirChannelsStand() throws {
        try Kind(container: .wav, encoding: .pcm16).write(
            [Float](repeating: 0, count: 60), channels: 6, to: folder.file("a"))
        #expect(try AudioFileReader(path: folder.file("a")).format.channelLayout == [1, 2, 3, 4, 5, 6])
        try Kind(container: .ogg, encoding: .vorbis).write(
            [Float](repeating: 0, count: 6000), channels: 6, to: folder.file("b"))
        #expect(try AudioFileReader(path: folder.file("b")).format.channelLayout == [1, 3, 2, 5, 6, 4])
    }

    @Test(arguments: [
        Kind(container: .wav, encoding: .pcm16), Kind(container: .wav, encoding: .float32),
        Kind(container: .aiff, encoding: .pcm24), Kind(container: .caf, encoding: .pcm16),
        Kind(container: .w64, encoding: .pcm16), Kind(container: .rf64, encoding: .pcm16),
    ])
    func theHeaderIsTrueAfterEveryWrite(kind: Kind) throws {
        let path = folder.file("a")
        let writer = try kind.writer(path, channels: 2)
        for turn in 1...3 {
            try writer.write(float: sweep(frames: 1000, channels: 2), frames: 1000)
            let reader = try AudioFileReader(path: path)
            #expect(reader.format.frames == Int64(turn * 1000))
            #expect(try reader.readAll().count == turn * 2000)
        }
        try writer.flush()
        try writer.close()
        try writer.close()
        #expect(failure { try writer.write(int16: [0, 0], frames: 1) } == .closed)
        #expect(failure { try writer.flush() } == .closed)
    }

    @Test func whatCannotBeWrittenLeavesAnExistingFileAlone() throws {
        let path = folder.file("a.ogg")
        try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
        #expect(
            failure { try Kind(container: .ogg, encoding: .opus, rate: 44100).writer(path, channels: 2) }
                == .unsupportedEncoding)
        #expect(
            failure { try Kind(container: .flac, encoding: .float32).writer(path, channels: 2) } == .unsupportedEncoding
        )
        #expect(
            failure { try Kind(container: .wav, encoding: .pcm16).writer(path, channels: 0) } == .unsupportedEncoding)
        #expect(bytes(path) == Array("precious".utf8))
    }

    @Test func errorsOfWritingAreToldApart() throws {
        let wav = Kind(container: .wav, encoding: .pcm16)
        #expect(failure { try wav.writer(folder.file("none/a.wav"), channels: 1) } == .notFound)
        #expect(failure { try wav.writer(folder.path, channels: 1) } == .isDirectory)
        #expect(mkfifo(folder.file("fifo"), 0o600) == 0)
        #expect(failure { try wav.writer(folder.file("fifo"), channels: 1) } == .notAFile)
        let null = try wav.writer("/dev/null", channels: 1)
        try null.write(int16: noise16(100_000), frames: 100_000)
        try null.close()
    }

    @Test(arguments: Kind.integer + Kind.lossy) func aFullDiskIsNoticed(kind: Kind) throws {
        let code = failure {
            let writer = try kind.writer("/dev/full", channels: 2)
            for _ in 0..<20 { try writer.write(float: sweep(frames: 44100, channels: 2), frames: 44100) }
            try writer.close()
        }
        #expect(code == .diskFull(ENOSPC))
    }
}
