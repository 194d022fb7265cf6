import Foundation
import TestSupport
import Testing

@testable import AudioFiles

/// What becomes of files beyond 4 GB, with a limit of 1 MB in its place.
@Suite("Files that outgrow 32 bits") struct GrowthTests {
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
        let head = bytes(path)
        guard head.starts(with: "RF64".utf8) else {
            // Not every file system puts blocks in front.
            #expect(Array(head[4..<8]) == [0xFF, 0xFF, 0xFF, 0xFF])
            return
        }
        let size = head.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: 20, as: UInt64.self)) }
        #expect(size == UInt64(head.count - 8))
    }

    @Test("Where the file system cannot, the lengths say: up to the end")
    func withoutInsertion() throws {
        // tmpfs knows no insertion.
        let path = "/dev/shm/avfaudio-growth-\(UUID().uuidString).wav"
        guard FileManager.default.isWritableFile(atPath: "/dev/shm") else { return }
        defer { try? FileManager.default.removeItem(atPath: path) }
        try check(path, .pcm16)
        #expect(bytes(path).starts(with: "RIFF".utf8))
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
        // Nearly all of it is a hole, which takes no space.
        let (frames, frameBytes) = (1_200_000_000, encoding.bitDepth / 4)
        let end = noise16(2_000).map { Float($0) * 0x1p-15 }
        let tail = encoding == .float32 ? end.withUnsafeBytes { Data($0) } : noise16(2_000).withUnsafeBytes { Data($0) }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.write(contentsOf: head)
        try file.seek(toOffset: UInt64(head.count + (frames - 1_000) * frameBytes))
        try file.write(contentsOf: tail)
        try file.close()
        let reader = try AudioFileReader(path: path)
        #expect(reader.format.frames == Int64(frames) && reader.format.encoding == encoding)
        try reader.seek(toFrame: Int64(frames) - 1_000)
        #expect(try difference(reader.readAll(), end) == 0)
    }

    @Test("Below the limit a WAV file keeps the classic header (S131)")
    func below() throws {
        let writer = try writer(folder.file("a.wav"), .wav, .pcm16)
        try writer.write(int16: noise16(480_000), frames: 240_000)
        try writer.close()
        let head = bytes(folder.file("a.wav"))
        #expect(head.starts(with: "RIFF".utf8) && Array(head[36..<40]) == Array("data".utf8))
        #expect(head.count == 44 + 960_000)
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
