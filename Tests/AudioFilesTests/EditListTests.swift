import Foundation
import TestSupport
import Testing

@testable import AudioFiles

/// MPEG-4 files of whose sound several parts are to be played.
@Suite("Edit lists", .enabled(if: Kind.hasFFmpeg, "needs FFmpeg's libraries"), .limited) struct EditListTests {
    private static let pause = -1

    /// A file whose edit list has these entries: lengths, and the ticks with which they begin.
    private func file(_ encoding: AudioEncoding, _ edits: [(length: Int, start: Int)]) throws -> [UInt8] {
        let folder = TemporaryFolder()
        try Kind(container: .mpeg4, encoding: encoding)
            .write(sweep(frames: 100_000, channels: 2), channels: 2, to: folder.file("a.m4a"))
        var file = bytes(folder.file("a.m4a"))
        func place(_ type: String) throws -> Int {
            let name = Array(type.utf8)
            return try #require(file.indices.dropLast(4).last { file[$0..<$0 + 4].elementsEqual(name) }) - 4
        }
        // The index stands behind the sound, so that nothing else moves.
        let list = try place("elst")
        for type in ["moov", "trak", "edts", "elst"] {
            let box = try place(type)
            let size = file[box..<box + 4].reduce(0) { $0 << 8 | Int($1) }
            file.replaceSubrange(box..<box + 4, with: MPEG4Boxes.numbers((size + 20 * (edits.count - 1), 4)))
        }
        let entries = edits.flatMap { MPEG4Boxes.numbers(($0.length, 8), ($0.start, 8), (0x10000, 4)) }
        file.replaceSubrange(list + 12..<list + 16 + 20, with: MPEG4Boxes.numbers((edits.count, 4)) + entries)
        return file
    }

    @Test("All parts are played, in their order", arguments: [AudioEncoding.alac16, .aac])
    func several(encoding: AudioEncoding) throws {
        let whole = try AudioFileReader(bytes: file(encoding, [(100_000, 0)])).readAll()
        // A pause in front is none, and what follows on is played on.
        let edits = [
            (5000, Self.pause), (20_000, 51_024), (30_000, 1024), (10_000, 31_024), (2000, Self.pause),
            (900_000, 90_000), (7, 900_000), (50, Self.pause),
        ]
        let reader = try AudioFileReader(bytes: file(encoding, edits))
        let expected =
            whole[102_048..<142_048] + whole[2048..<82_048] + [Float](repeating: 0, count: 4000) + whole[180_000...]
        let read = try reader.readAll()
        // The track ends with a whole packet of AAC.
        #expect(
            read.count == 2 * Int(reader.format.frames) && read.count - expected.count < (encoding == .aac ? 6000 : 1))
        // AAC's noise differs from pass to pass.
        let tolerance: Float = encoding == .aac ? 1e-4 : 1e-9
        #expect(difference(read.prefix(expected.count), expected) < tolerance)
        #expect(reader.loss == nil)
        for frame in [0, 19_999, 20_000, 55_000, 60_001, 61_999, 62_000, 40_000] {
            try reader.seek(toFrame: Int64(frame))
            #expect(try difference(reader.readAll(limit: 3000), read[(2 * frame)...].prefix(6002)) < tolerance)
        }
    }
}
