import Foundation
import TestSupport
import Testing

@testable import AudioFiles

/// What is on the disk while a recording runs is what is left of it when its program is killed.
@Suite(.limited) struct SurvivalTests {
    private let folder = TemporaryFolder()

    private static let kinds =
        Kind.integer + Kind.float + Kind.law + Kind.lossy + (Kind.hasFFmpeg ? Kind.packets : [])
        + [Kind(container: .aiff, encoding: .imaADPCM)]

    @Test(arguments: kinds) func whatIsOnTheDiskLacksAtMostASecond(kind: Kind) throws {
        let rate = Int(kind.rate)
        let samples = sweep(frames: 12 * rate, channels: 2, rate: kind.rate)
        let writer = try kind.writer(folder.file("a"), channels: 2)
        var noise = SeededGenerator(seed: 9)
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
            let read = try framesReadable(path, channels: 2)
            #expect(frames - read <= rate / 2, "lacks \(frames - read) of \(frames) frames")
        }
    }

    /// Frames that come out before the end, or before what is damaged.
    private func framesReadable(_ path: String, channels: Int) throws -> Int {
        let reader = try AudioFileReader(path: path)
        var read = 0
        var buffer = [Float](repeating: 0, count: channels * 4096)
        while let count = try? reader.read(into: &buffer, frames: 4096), count > 0 { read += count }
        return read
    }

    // MARK: Random moments, seen by others too

    /// How many moments are looked at: 20, or 200 in `make soak`.
    private static let moments = ProcessInfo.processInfo.environment["AVFAUDIO_SOAK"] == nil ? 20 : 200

    static let recorded: [Kind] =
        [AudioContainer.wav, .rf64, .w64].map { Kind(container: $0, encoding: .pcm16) }
        + [AudioContainer.wav, .aiff, .caf].map { Kind(container: $0, encoding: .pcm24) }
        + [Kind(container: .wav, encoding: .ulaw), Kind(container: .aifc, encoding: .alaw)]
        + [Kind(container: .caf, encoding: .ulaw), Kind(container: .aifc, encoding: .float32)]
        + [Kind(container: .aifc, encoding: .imaADPCM), Kind(container: .flac, encoding: .pcm16)]
        + [Kind(container: .ogg, encoding: .vorbis), Kind(container: .ogg, encoding: .opus, rate: 48000)]
        + (Kind.hasFFmpeg ? Kind.packets : [])

    @Test("D10: SIGKILL at a random moment: the file opens everywhere and lacks at most a second")
    func randomMoments() throws {
        var noise = SeededGenerator(seed: UInt64(Date().timeIntervalSince1970))
        var kinds: [Kind] = []
        while kinds.count < Self.moments { kinds += Self.recorded.shuffled(using: &noise) }
        for (index, kind) in kinds.prefix(max(Self.moments, Self.recorded.count)).enumerated() {
            try look(at: kind, after: Double.random(in: 1...4, using: &noise), name: "\(index)")
        }
    }

    /// Records faster than time runs, copies the file in the midst of it, and judges the copy.
    private func look(at kind: Kind, after moment: Double, name: String) throws {
        let rate = Int(kind.rate)
        let path = folder.file(name)
        let samples = sweep(frames: rate, channels: 2, rate: kind.rate)
        let writer = try kind.writer(path, channels: 2)
        let piece = rate / 4
        var captured = 0
        var written = 0
        // What is captured and not yet a quarter of a second is in the recorder's memory, and is lost too.
        let end = Int(moment * kind.rate)
        while captured < end {
            captured = min(captured + 441, end)
            guard captured - written >= piece else { continue }
            try samples.withUnsafeBufferPointer {
                try writer.write(float: $0.baseAddress! + written % (rate / 4 * 3) * 2, frames: piece)
            }
            written += piece
        }
        let copy = folder.file("killed-" + name)
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        try writer.close()
        let ours = try framesReadable(copy, channels: 2)
        #expect(end - ours <= rate, "\(kind) after \(moment) s: we lack \(end - ours) of \(end) frames")
        if FFmpegProgram.isInstalled {
            let theirs = try FFmpegProgram.frames(copy, channels: 2)
            #expect(end - theirs <= rate, "\(kind) after \(moment) s: ffmpeg lacks \(end - theirs) of \(end) frames")
        }
        if SoXProgram.isInstalled, SoXProgram.knows(kind.container, kind.encoding) {
            let theirs = try SoXProgram.frames(copy, kind.container, channels: 2)
            #expect(end - theirs <= rate, "\(kind) after \(moment) s: sox lacks \(end - theirs) of \(end) frames")
        }
    }
}
