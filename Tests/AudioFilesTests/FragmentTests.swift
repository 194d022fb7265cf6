import Foundation
import TestSupport
import Testing

@testable import AudioFiles

/// MPEG-4 files in fragments whose times do not begin at zero, or leave something out, as saved streams have them.
@Suite("Fragments", .enabled(if: Kind.hasFFmpeg, "needs FFmpeg's libraries"), .limited) struct FragmentTests {
    /// What stands in front of the fragments, and each of them.
    private struct File {
        var head: [UInt8]
        var fragments: [[UInt8]] = []

        var bytes: [UInt8] { head + fragments.joined() }

        /// As a recording that was killed leaves it.
        init(_ encoding: AudioEncoding) throws {
            let folder = TemporaryFolder()
            let writer = try Kind(container: .mpeg4, encoding: encoding).writer(folder.file("a.m4a"), channels: 2)
            try writer.write(float: sweep(frames: 220_000, channels: 2), frames: 220_000)
            let file = AudioFilesTests.bytes(folder.file("a.m4a"))
            let heads = file.indices.dropLast(8).filter { file[($0 + 4)..<($0 + 8)].elementsEqual("moof".utf8) }
            head = Array(file[..<(try #require(heads.first))])
            for (start, end) in zip(heads, heads.dropFirst() + [file.count]) {
                fragments.append(Array(file[start..<end]))
            }
        }

        /// Moves a fragment in time.
        mutating func shift(_ index: Int, by frames: Int) throws {
            let fragment = fragments[index]
            let box = try #require(fragment.indices.first { fragment[$0...].starts(with: "tfdt".utf8) })
            let time = fragment[(box + 8)..<(box + 16)].reduce(0) { $0 << 8 | Int($1) }
            fragments[index].replaceSubrange((box + 8)..<(box + 16), with: MPEG4Boxes.numbers((time + frames, 8)))
        }
    }

    /// Reads all of it, and once more from several places.
    private func read(_ file: File, tolerance: Float) throws -> (sound: [Float], reader: AudioFileReader) {
        let reader = try AudioFileReader(bytes: file.bytes)
        let sound = try reader.readAll()
        #expect(sound.count == 2 * Int(reader.format.frames))
        for part in 1..<6 {
            let frame = sound.count / 2 * part / 6
            try reader.seek(toFrame: Int64(frame))
            #expect(try difference(reader.readAll(limit: 3000), sound[(2 * frame)...].prefix(6002)) < tolerance)
        }
        return (sound, reader)
    }

    @Test(
        "Their first time is the beginning, and what is missing is silence and told",
        arguments: [AudioEncoding.alac16, .aac])
    func times(encoding: AudioEncoding) throws {
        // AAC's noise differs from pass to pass, and its first block lacks what it overlaps with.
        let (tolerance, unsure): (Float, Int) = encoding == .aac ? (1e-4, 4096) : (1e-9, 0)
        let file = try File(encoding)
        try #require(file.fragments.count > 12)
        let priming = encoding == .aac ? 1024 : 0
        let whole = try AudioFileReader(bytes: file.bytes).readAll()
        let total = whole.count / 2 + priming

        var shifted = file
        for index in file.fragments.indices { try shifted.shift(index, by: 441_000) }
        let late = try read(shifted, tolerance: tolerance)
        // Nobody knows any more whether there is a run-in.
        #expect(late.sound.count == 2 * total && late.reader.loss == nil)
        #expect(difference(late.sound.dropFirst(2 * priming), whole) < tolerance)

        var short = file
        short.fragments.removeFirst(2)
        let end = try read(short, tolerance: tolerance)
        let rest = end.sound.dropFirst(2 * unsure)
        #expect(end.sound.count > total && end.sound.count < 2 * total && end.reader.loss == nil)
        #expect(difference(rest, whole.suffix(rest.count)) < tolerance)

        var gap = file
        gap.fragments.removeSubrange(6..<8)
        let broken = try read(gap, tolerance: tolerance)
        #expect(broken.sound.count == whole.count && broken.reader.loss?.kind == .malformed)
        #expect(difference(broken.sound.prefix(whole.count / 4), whole.prefix(whole.count / 4)) < tolerance)
        #expect(difference(broken.sound.suffix(whole.count / 4), whole.suffix(whole.count / 4)) < tolerance)
        #expect(broken.sound.filter { $0 == 0 }.count > 40_000)
    }
}
