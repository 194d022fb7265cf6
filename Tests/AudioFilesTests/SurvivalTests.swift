import Foundation
import Testing

@testable import AudioFiles

/// What is on the disk while a recording runs is what is left of it when its program is killed.
@Suite struct SurvivalTests {
    private let folder = TemporaryFolder()

    private static let kinds =
        Kind.integer + Kind.float + Kind.law + Kind.lossy + (Kind.hasFFmpeg ? Kind.packets : [])

    @Test(arguments: kinds) func whatIsOnTheDiskLacksAtMostASecond(kind: Kind) throws {
        let rate = Int(kind.rate)
        let samples = sweep(frames: 12 * rate, channels: 2, rate: kind.rate)
        let writer = try kind.writer(folder.file("a"), channels: 2)
        var noise = Noise(state: 9)
        var written = 0
        var snapshots: [(path: String, frames: Int)] = []
        while written < 11 * rate {
            // Pieces as a recorder writes them, and a look at the disk at some of them.
            let count = Int.random(in: 1...rate / 4, using: &noise)
            try samples.withUnsafeBufferPointer {
                try writer.write(float: $0.baseAddress! + 2 * written, frames: count)
            }
            written += count
            guard Int.random(in: 0..<5, using: &noise) == 0 || written >= 11 * rate else { continue }
            let copy = folder.file("\(written)")
            try FileManager.default.copyItem(atPath: folder.file("a"), toPath: copy)
            snapshots.append((copy, written))
        }
        for (path, frames) in snapshots {
            if frames < rate, (try? AudioFileReader(path: path)) == nil { continue }
            let reader = try AudioFileReader(path: path)
            var read: [Float] = []
            var buffer = [Float](repeating: 0, count: 2 * 4096)
            while let count = try? reader.read(into: &buffer, frames: 4096), count > 0 {
                read += buffer[..<(2 * count)]
            }
            // A page of Vorbis is as long as it takes to fill 4 KiB, and libsndfile cannot be told otherwise.
            let most = kind.encoding == .vorbis ? 2 * rate : rate
            #expect(frames - read.count / 2 <= most, "lacks \(frames - read.count / 2) of \(frames) frames")
        }
    }
}
