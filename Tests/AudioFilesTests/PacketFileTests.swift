import AudioRealtime
import Foundation
import TestSupport
import Testing

@testable import AudioFiles

/// Files of AAC, Apple Lossless and IMA4 from our own writer.
@Suite(.enabled(if: Kind.hasFFmpeg, "needs FFmpeg's libraries"), .limited) struct PacketFileTests {
    private let folder = TemporaryFolder()

    @Test(arguments: Kind.alac, 1...8) func losslessPacketsKeepEveryBit(kind: Kind, channels: Int) throws {
        for (rate, frames) in [(8000.0, 1), (44100, 50_001), (192_000, 40_960)] {
            let kind = Kind(container: kind.container, encoding: kind.encoding, rate: rate)
            let samples = noise16(frames * channels)
            let words = samples.map { Int32($0) << 16 | (kind.encoding == .alac24 ? 0x7F00 : 0) }
            let path = folder.file("a")
            let writer = try kind.writer(path, channels: channels)
            try writer.write(int32: words, frames: frames)
            try writer.close()
            try writer.close()
            let reader = try AudioFileReader(path: path)
            let format = reader.format
            #expect(format.encoding == kind.encoding && format.container == kind.container)
            #expect(format.sampleRate == rate && format.channels == channels && format.frames == Int64(frames))
            let read = try reader.readAll()
            // Not compared as arrays: the difference of two long ones takes minutes to print.
            #expect(difference(read, words.map { Float($0) * 0x1p-31 }) == 0)
            if FFmpegProgram.isInstalled {
                let reference = try FFmpegProgram.decode(path)
                #expect(reference.count - read.count < 32 * channels)
                #expect(difference(reference.prefix(read.count), read) == 0)
            }
            // What was read is written back unchanged, and 16 bits as what they are.
            try kind.write(read, channels: channels, to: path)
            #expect(try difference(AudioFileReader(path: path).readAll(), read) == 0)
            let again = try kind.writer(path, channels: channels)
            try again.write(int16: samples, frames: frames)
            try again.close()
            #expect(try difference(AudioFileReader(path: path).readAll(), samples.map { Float($0) * 0x1p-15 }) == 0)
        }
    }

    @Test(arguments: Kind.alac + Kind.aac.filter { $0.container == .mpeg4 }, 3...8)
    func readersAreToldTheOrderThatTheEncoderTakes(kind: Kind, channels: Int) throws {
        try kind.write(sweep(frames: 5_000, channels: channels), channels: channels, to: folder.file("a"))
        let said = try AudioFileReader(path: folder.file("a")).format.channelLayout
        let usual = ChannelMatrix.standard(channels).map(\.rawValue)
        // Of some layouts FFmpeg says nothing, and they are taken for the usual one.
        #expect((said ?? usual) == (kind.encoding.channelOrder(channels: channels) ?? usual))
    }

    @Test(
        arguments: Kind.aac,
        [(8000.0, 1), (44100, 2), (48000, 3), (32000, 4), (48000, 5), (48000, 6), (48000, 7), (96000, 8)])
    func aacSoundsTheSameAndAsLong(kind: Kind, shape: (rate: Double, channels: Int)) throws {
        let (rate, channels) = shape
        let kind = Kind(container: kind.container, encoding: .aac, rate: rate)
        // A packet's head has no number for seven.
        if kind.container == .adts && channels == 7 {
            return #expect(failure { try kind.writer(folder.file("a"), channels: 7) } == .unsupportedEncoding)
        }
        for frames in [1, 1024, 40_001] {
            let samples = sweep(frames: frames, channels: channels, rate: rate)
            try kind.write(samples, channels: channels, to: folder.file("a"))
            let reader = try AudioFileReader(path: folder.file("a"))
            #expect(reader.format.channels == channels && reader.format.sampleRate == rate)
            var read = try reader.readAll()
            // Bare packets: the padding sounds too.
            if kind.container == .adts { read = Array(read.prefix(frames * channels)) }
            #expect(read.count == samples.count)
            // And their first block fades in.
            let start = kind.container == .adts ? min(1024, frames) * channels : 0
            let error = zip(read, samples).dropFirst(start).reduce(0.0) { $0 + Double(($1.0 - $1.1) * ($1.0 - $1.1)) }
            let power = samples.dropFirst(start).reduce(0.0) { $0 + Double($1 * $1) }
            // The channel for low frequencies of surround sound keeps none of our tone.
            #expect(frames < 40_000 || error / power < (rate == 44100 ? 0.01 : 0.5), "\(10 * log10(error / power)) dB")
        }
    }

    @Test func ima4IsNear() throws {
        let kind = Kind(container: .caf, encoding: .imaADPCM)
        let samples = sweep(frames: 30_001, channels: 2)
        try kind.write(samples, channels: 2, to: folder.file("a"))
        let reader = try AudioFileReader(path: folder.file("a"))
        #expect(reader.format.encoding == .imaADPCM && reader.format.frames == 30_001)
        #expect(difference(try reader.readAll(), samples) < 0.1)
    }

    @Test(arguments: Kind.packets) func theReferenceReadsThemToo(kind: Kind) throws {
        guard FFmpegProgram.isInstalled else { return }
        let path = folder.file("a")
        try kind.write(sweep(frames: 44_100, channels: 2), channels: 2, to: path)
        let read = try AudioFileReader(path: path).readAll()
        let reference = try FFmpegProgram.decode(path)
        // It knows no run-in of CAF files, and no padding at all.
        let lead = kind.container == .caf && kind.encoding == .aac ? 1024 * 2 : 0
        #expect(reference.count >= read.count + lead)
        #expect(difference(reference.dropFirst(lead).prefix(read.count), read) == 0)
    }

    @Test func moreBitsAreBetter() throws {
        let noise = noise16(44_100 * 2).map { Float($0) / 65536 }
        func size(_ quality: Double?, _ bitRate: Int?, _ strategy: BitRateStrategy?) throws -> Int {
            let path = folder.file("a.m4a")
            let writer = try AudioFileWriter(
                path: path, container: .mpeg4, encoding: .aac, sampleRate: 44100, channels: 2, quality: quality,
                bitRate: bitRate, strategy: strategy)
            try writer.write(float: noise, frames: 44_100)
            try writer.close()
            return bytes(path).count
        }
        for strategy in BitRateStrategy.allCases {
            #expect(try size(0, nil, strategy) < size(1, nil, strategy))
        }
        #expect(try size(nil, 64_000, .constant) < size(nil, 192_000, .constant))
        #expect(abs(try Double(size(nil, 128_000, .longTermAverage)) - 16_000) < 4000)
        // Beyond what the codec can do: taken for what it can.
        #expect(try size(nil, 1, nil) > 0)
        #expect(try size(nil, .max, nil) > 0)
    }

    @Test(arguments: [Kind(container: .ogg, encoding: .vorbis), Kind(container: .ogg, encoding: .opus, rate: 48000)])
    func bitRatesAreMet(kind: Kind) throws {
        let frames = Int(kind.rate) * 4
        let noise = noise16(frames * 2).map { Float($0) / 65536 }
        func size(_ bitRate: Int, _ strategy: BitRateStrategy?) throws -> Double {
            let path = folder.file("a.ogg")
            let writer = try AudioFileWriter(
                path: path, container: .ogg, encoding: kind.encoding, sampleRate: kind.rate, channels: 2,
                bitRate: bitRate, strategy: strategy)
            try writer.write(float: noise, frames: frames)
            try writer.close()
            return Double(bytes(path).count * 8) / 4
        }
        for strategy in [BitRateStrategy.constant, .longTermAverage, .variableConstrained] {
            for wanted in [96_000, 192_000] {
                let rate = try size(wanted, strategy)
                #expect(abs(rate - Double(wanted)) < 0.25 * Double(wanted), "\(strategy) \(wanted): \(rate)")
            }
        }
        #expect(try size(1, nil) > 0 && size(100_000_000, .constant) > 0)
    }

    @Test func whatCannotBeWrittenLeavesAnExistingFileAlone() throws {
        let path = folder.file("a.m4a")
        try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
        for (container, encoding, rate, channels) in [
            (AudioContainer.mpeg4, AudioEncoding.pcm16, 44100.0, 2), (.mpeg4, .alac32, 44100, 2), (.mpeg4, .aac, 1, 2),
            (.mpeg4, .aac, 44100, 0), (.mpeg4, .aac, 44100, 9), (.adts, .alac16, 44100, 2), (.adts, .aac, 192_000, 2),
            (.matroska, .aac, 44100, 2), (.wav, .aac, 44100, 2), (.mpeg4, .mp3, 44100, 2), (.asf, .wma, 44100, 2),
        ] {
            let kind = Kind(container: container, encoding: encoding, rate: rate)
            #expect(failure { try kind.writer(path, channels: channels) } == .unsupportedEncoding, "\(kind)")
        }
        #expect(bytes(path) == Array("precious".utf8))
    }

    @Test(arguments: Kind.packets) func aFullDiskIsNoticed(kind: Kind) throws {
        let code = failure {
            let writer = try kind.writer("/dev/full", channels: 2)
            for _ in 0..<5 { try writer.write(float: sweep(frames: 44100, channels: 2), frames: 44100) }
            try writer.close()
        }
        #expect(code == .diskFull(ENOSPC))
    }
}
