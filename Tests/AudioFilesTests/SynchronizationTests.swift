import Foundation
import TestSupport
import Testing

@testable import AudioFiles

@Suite("What a power cut leaves of a file that was closed", .limited)
struct SynchronizationTests {
    private let folder = TemporaryFolder()

    /// A disk that shows what it holds, and may be broken.
    // SAFETY: guarded by `lock`.
    private final class Disk: @unchecked Sendable {
        private let lock = NSLock()
        private let path: String
        private var looks: [[UInt8]] = []
        private var code: Int32 = 0

        init(_ path: String) { self.path = path }

        /// What was in the file each time that the disk was waited for.
        var contents: [[UInt8]] { lock.withLock { looks } }

        /// The disk fails from now on.
        func fail(_ code: Int32) { lock.withLock { self.code = code } }

        func wait() -> Int32 {
            lock.withLock {
                looks.append(bytes(path))
                errno = code
                return code == 0 ? 0 : -1
            }
        }

        func use<Result>(_ body: () throws -> Result) rethrows -> Result {
            try ByteSink.$waitForDisk.withValue({ _ in self.wait() }, operation: body)
        }
    }

    /// A writer of a file of one second, which was flushed.
    private func flushed(_ kind: Kind, on disk: Disk, _ path: String) throws -> AudioFileWriter {
        try disk.use {
            let writer = try kind.writer(path, channels: 2)
            let samples = sweep(frames: Int(kind.rate) + 333, channels: 2, rate: kind.rate)
            try writer.write(float: samples, frames: Int(kind.rate))
            try writer.flush()
            try writer.write(float: samples, frames: 333)
            return writer
        }
    }

    @Test("A file that was closed is on the disk as it is", arguments: SurvivalTests.recorded)
    func closed(kind: Kind) throws {
        let path = folder.file("a")
        let disk = Disk(path)
        let writer = try flushed(kind, on: disk, path)
        try writer.finish()
        let finished = bytes(path)
        try writer.close()
        #expect(disk.contents.last == finished && bytes(path) == finished)
    }

    @Test(
        "What stands at the end is on the disk before the beginning says so",
        .enabled(if: Kind.hasFFmpeg, "needs FFmpeg's libraries"),
        arguments: Kind.packets.filter { $0.container != .adts && $0.encoding != .imaADPCM })
    func order(kind: Kind) throws {
        let path = folder.file("a")
        let disk = Disk(path)
        let writer = try flushed(kind, on: disk, path)
        let before = disk.contents.count
        try writer.finish()
        let after = bytes(path)
        try #require(disk.contents.count == before + 1)
        let middle = try #require(disk.contents.last)
        #expect(middle.count == after.count)
        let changed = zip(middle, after).enumerated().filter { $0.element.0 != $0.element.1 }.map(\.offset)
        #expect(changed.allSatisfy { $0 < 4_096 } && !changed.isEmpty && changed.count <= 16)
    }

    @Test("A disk that fails when the file is closed is told of", arguments: SurvivalTests.recorded)
    func failing(kind: Kind) throws {
        let path = folder.file("a")
        let disk = Disk(path)
        let writer = try flushed(kind, on: disk, path)
        disk.fail(ENOSPC)
        #expect(failure { try writer.close() } == .diskFull(ENOSPC))
        // What was there can be played: no table was covered that nobody has.
        let read = try AudioFileReader(path: path).readAll().count / 2
        #expect(read >= Int(kind.rate) / 2)
    }

    @Test("A WAV file that becomes RF64 has its new header on the disk with the next flush")
    func growing() throws {
        let path = folder.file("a.wav")
        let disk = Disk(path)
        let samples = noise16(200_000)
        try disk.use {
            let writer = try AudioFileWriter(
                path: path, container: .wav, encoding: .pcm16, sampleRate: 48_000, channels: 2,
                limits: SizeLimits(bytes: 300_000))
            try writer.write(int16: samples, frames: 100_000)
            #expect(bytes(path).starts(with: "RF64".utf8))
            try writer.flush()
            #expect(disk.contents.last?.starts(with: "RF64".utf8) == true)
            try writer.close()
        }
    }
}
