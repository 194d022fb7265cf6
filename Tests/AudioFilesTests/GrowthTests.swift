import Foundation
import TestSupport
import Testing

@testable import AudioFiles

/// What becomes of files beyond 4 GB, with a limit of 1 MB in its place.
@Suite("Files that outgrow 32 bits", .limited) struct GrowthTests {
    private let folder = TemporaryFolder()
    private static let million = SizeLimits(bytes: 1_000_000)

    private func writer(
        _ path: String, _ container: AudioContainer, _ encoding: AudioEncoding, channels: Int = 2
    ) throws -> AudioFileWriter {
        try AudioFileWriter(
            path: path, container: container, encoding: encoding, sampleRate: 48_000, channels: channels,
            limits: Self.million)
    }

    private func check(
        _ path: String, _ encoding: AudioEncoding, channels: Int = 2, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let samples = noise16(1_000_000)
        let words = samples.map { Int32($0) << 16 }
        let frames = samples.count / channels
        let writer = try writer(path, .wav, encoding, channels: channels)
        var done = 0
        while done < frames {
            let count = min(12_345, frames - done)
            try words.withUnsafeBufferPointer {
                try writer.write(int32: $0.baseAddress! + done * channels, frames: count)
            }
            done += count
            // True after every write, before and after the change.
            let reader = try AudioFileReader(path: path)
            #expect(reader.format.frames == Int64(done), sourceLocation: sourceLocation)
            #expect(reader.format.channels == channels, sourceLocation: sourceLocation)
        }
        try writer.flush()
        try writer.close()
        let read = try AudioFileReader(path: path).readAll()
        let expected = samples.prefix(frames * channels).map { Float($0) / 32768 }
        #expect(difference(read, expected) == 0, sourceLocation: sourceLocation)
        if FFmpegProgram.isInstalled {
            #expect(try FFmpegProgram.frames(path, channels: channels) == frames, sourceLocation: sourceLocation)
        }
    }

    @Test("WAV becomes RF64, sample for sample", arguments: [AudioEncoding.pcm16, .pcm24, .float32], [1, 2, 6])
    func becomesRF64(encoding: AudioEncoding, channels: Int) throws {
        let path = folder.file("a.wav")
        try check(path, encoding, channels: channels)
        let file = bytes(path)
        #expect(file.starts(with: "RF64".utf8) && file[12..<16].elementsEqual("ds64".utf8))
        func number(at offset: Int) -> Int {
            file[offset..<offset + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        let frames = 1_000_000 / channels
        #expect(number(at: 20) == file.count - 8 && number(at: 36) == frames)
        #expect(number(at: 28) == frames * channels * encoding.bitDepth / 8)
        #expect(file[4..<8].allSatisfy { $0 == 0xFF })
    }

    @Test("An RF64 header tells of more than 4 GB", arguments: [AudioEncoding.pcm16, .float32])
    func beyondWithSizes(encoding: AudioEncoding) throws {
        let path = folder.file("a.wav")
        try Kind(container: .wav, encoding: encoding).write([], channels: 2, to: path)
        let written = bytes(path)
        // libsndfile's header, which has no reserved chunk.
        let plain = written[..<12] + written[48...]
        let (frames, frameBytes) = (1_200_000_000, encoding.bitDepth / 4)
        let header = GrowingWaveHeader(SizeLimits(), bytesPerFrame: frameBytes)
        #expect(Array(header.replacement(for: Array(plain)).dropFirst(8)) == Array(written.dropFirst(8)))
        #expect(header.needsRF64(size: 0xFFFE_0000, adding: 0x20_0000) && !header.isRF64)
        let large = try #require(header.grow(frames: Int64(frames)))
        #expect(large.count == written.count && header.isRF64)
        try makeSparse(path, header: large, frames: frames, encoding)
        try expectEnd(path, frames: frames, encoding)
    }

    @Test(
        "A WAV file beyond 4 GB is heard to its end, whatever its lengths say",
        arguments: [AudioEncoding.pcm16, .float32], [UInt32.max, 0, 4_096])
    func beyond(encoding: AudioEncoding, length: UInt32) throws {
        let path = folder.file("a.wav")
        let kind = Kind(container: .wav, encoding: encoding)
        try kind.write([], channels: 2, to: path)
        var head = bytes(path)
        withUnsafeBytes(of: length.littleEndian) { head.replaceSubrange(head.count - 4..<head.count, with: $0) }
        withUnsafeBytes(of: length.littleEndian) { head.replaceSubrange(4..<8, with: $0) }
        try makeSparse(path, header: head, frames: 1_200_000_000, encoding)
        try expectEnd(path, frames: 1_200_000_000, encoding)
    }

    /// The last 1000 frames of a sparse file.
    private let end = noise16(2_000)

    /// A stereo file that is nearly all a hole, which takes no space.
    private func makeSparse(_ path: String, header: [UInt8], frames: Int, _ encoding: AudioEncoding) throws {
        let samples = end.map { Float($0) * 0x1p-15 }
        let tail = encoding == .float32 ? samples.withUnsafeBytes { Data($0) } : end.withUnsafeBytes { Data($0) }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.write(contentsOf: header)
        try file.seek(toOffset: UInt64(header.count + (frames - 1_000) * encoding.bitDepth / 4))
        try file.write(contentsOf: tail)
        try file.close()
    }

    private func expectEnd(
        _ path: String, frames: Int, _ encoding: AudioEncoding, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let reader = try AudioFileReader(path: path)
        #expect(reader.format.frames == Int64(frames), sourceLocation: sourceLocation)
        #expect(reader.format.encoding == encoding, sourceLocation: sourceLocation)
        try reader.seek(toFrame: Int64(frames) - 1_000)
        let read = try reader.readAll()
        #expect(difference(read, end.map { Float($0) * 0x1p-15 }) == 0, sourceLocation: sourceLocation)
    }

    @Test("Below the limit a WAV file is RIFF with a reserved chunk in front of its format (S131)")
    func below() throws {
        let writer = try writer(folder.file("a.wav"), .wav, .pcm16)
        try writer.write(int16: noise16(480_000), frames: 240_000)
        try writer.close()
        let head = bytes(folder.file("a.wav"))
        #expect(head.starts(with: "RIFF".utf8) && Array(head[12..<20]) == Array("JUNK".utf8) + [28, 0, 0, 0])
        #expect(head[72..<76].elementsEqual("data".utf8) && head.count == 80 + 960_000)
    }

    @Test(
        "AIFF, AIFC and AU are full there, and say so; what is in them stays",
        arguments: [AudioContainer.aiff, .aifc, .au])
    func full(container: AudioContainer) throws {
        let path = folder.file("a")
        let writer = try writer(path, container, .pcm16)
        let samples = noise16(2 * 50_000)
        var whole = 0
        let kind = failure {
            while whole < 100 {
                try writer.write(int16: samples, frames: 50_000)
                whole += 1
            }
        }
        #expect(kind == .diskFull(EFBIG))
        try writer.close()
        let reader = try AudioFileReader(path: path)
        #expect(whole == 4 && reader.format.frames >= 200_000 && reader.format.frames < 250_000)
        #expect(bytes(path).count <= 1_000_000)
    }
}
