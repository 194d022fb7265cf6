import Foundation
import TestSupport
import Testing

@testable import AudioFiles

/// A file system in memory, of a fixed size.
private struct SmallDisk {
    let folder: String

    init?(_ folder: String, kilobytes: Int) {
        self.folder = folder
        guard mkdir(folder, 0o700) == 0 else { return nil }
        guard mount("tmpfs", folder, "tmpfs", 0, "size=\(kilobytes)k") == 0 else { return nil }
    }

    func unmount() { umount2(folder, Int32(MNT_DETACH)) }

    static let isPossible: Bool = {
        let folder = TemporaryFolder()
        guard let disk = SmallDisk(folder.file("disk"), kilobytes: 64) else { return false }
        disk.unmount()
        return true
    }()
}

@Suite("A disk that fills up", .enabled(if: SmallDisk.isPossible, "mounting needs root"), .limited)
struct DiskFullTests {
    private let folder = TemporaryFolder()

    @Test("D10: the error is told, and what fitted can be played", arguments: SurvivalTests.recorded)
    func whatFittedCanBePlayed(kind: Kind) throws {
        let disk = try #require(SmallDisk(folder.file("disk"), kilobytes: 160))
        defer { disk.unmount() }
        let path = disk.folder + "/a"
        let rate = Int(kind.rate)
        // Noise: nothing makes it small.
        let piece = noise16(rate / 4 * 2).map { Float($0) / 65536 }
        let writer = try kind.writer(path, channels: 2)
        var written = 0
        let error = failure {
            while written < 100 * rate {
                try writer.write(float: piece, frames: rate / 4)
                written += rate / 4
                if written % rate == 0 { try writer.flush() }
            }
        }
        #expect(error == .diskFull(ENOSPC), "after \(written) frames")
        // What cannot be finished is said again, or was said.
        _ = failure { try writer.close() }
        let reader = try AudioFileReader(path: path)
        var read = 0
        var buffer = [Float](repeating: 0, count: 2 * 4096)
        while let count = try? reader.read(into: &buffer, frames: 4096), count > 0 { read += count }
        #expect(written - read <= rate, "lacks \(written - read) of \(written) frames")
        if FFmpegProgram.isInstalled {
            let theirs = try FFmpegProgram.frames(path, channels: 2)
            #expect(written - theirs <= rate, "ffmpeg lacks \(written - theirs) of \(written) frames")
        }
        if SoXProgram.isInstalled, SoXProgram.knows(kind.container, kind.encoding) {
            let theirs = try SoXProgram.frames(path, kind.container, channels: 2)
            #expect(written - theirs <= rate, "sox lacks \(written - theirs) of \(written) frames")
        }
    }
}
