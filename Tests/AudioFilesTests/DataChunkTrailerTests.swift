import Foundation
import TestSupport
import Testing

@testable import AudioFiles

@Suite("What stands behind the sound of a file", .limited) struct DataChunkTrailerTests {
    /// Bytes behind 1001 frames, mono.
    struct Tail: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Eight bits leave the sound with an odd length.
        let encoding: AudioEncoding
        let bytes: [UInt8]
        /// How many bytes of them the header knew.
        let covered: Int
    }

    private static let tag = Array("TAG".utf8) + [UInt8](repeating: 32, count: 125)
    private static let chunk = Array("LIST".utf8) + [4, 0, 0, 0] + Array("INFO".utf8)

    static let tails = [
        Tail(testDescription: "an ID3v1 tag", encoding: .pcm16, bytes: tag, covered: 0),
        Tail(testDescription: "an ID3v1 tag, unpadded", encoding: .pcmU8, bytes: tag, covered: 0),
        Tail(
            testDescription: "an APE tag", encoding: .pcm16,
            bytes: Array("APETAGEX".utf8) + [0xD0, 7, 0, 0, 32, 0, 0, 0] + [UInt8](repeating: 0, count: 16),
            covered: 0),
        Tail(testDescription: "a chunk", encoding: .pcm16, bytes: chunk, covered: 12),
        Tail(testDescription: "a chunk, unpadded", encoding: .pcmU8, bytes: chunk, covered: 12),
    ]
    /// A list of 1000 bytes, of which there are 40.
    static let broken = Tail(
        testDescription: "a chunk that is cut off", encoding: .pcm16,
        bytes: Array("LIST".utf8) + [0xE8, 3, 0, 0] + Array("INFOISFT".utf8) + [UInt8](repeating: 65, count: 32),
        covered: 1008)

    private let folder = TemporaryFolder()

    /// A file that ends with its sound, without padding.
    private func plain(_ encoding: AudioEncoding) throws -> [UInt8] {
        let path = folder.file("plain")
        let samples = sweep(frames: 1001, channels: 1)
        try Kind(container: .wav, encoding: encoding).write(samples, channels: 1, to: path)
        let file = Array(bytes(path).prefix(80 + 1001 * encoding.bitDepth / 8))
        #expect(file[72..<76].elementsEqual("data".utf8))
        return sized(file, file.count)
    }

    /// The file with a header by which it has so many bytes.
    private func sized(_ file: [UInt8], _ count: Int) -> [UInt8] {
        var size: [UInt8] = []
        size.putReversed(count - 8, bytes: 4)
        return Array(file[..<4]) + size + file[8...]
    }

    private func with(_ tail: Tail, behind file: [UInt8]) -> [UInt8] {
        sized(file, file.count + tail.covered) + tail.bytes
    }

    @Test("it is not heard", arguments: tails + [broken]) func notHeard(tail: Tail) throws {
        let file = try plain(tail.encoding)
        let whole = try AudioFileReader(bytes: file).readAll()
        #expect(whole.count == 1001)
        let reader = try AudioFileReader(bytes: with(tail, behind: file))
        #expect(reader.format.frames == 1001)
        #expect(try reader.readAll() == whole)
    }

    @Test("more sound than the header knew of is heard", arguments: [0, 400, 0xFFFF_FFFF])
    func moreSound(known: Int) throws {
        let file = try plain(.pcm16)
        let whole = try AudioFileReader(bytes: file).readAll()
        // As a recorder leaves it that was killed after it brought the header up to date, or before it did so at all.
        var old = known == 400 ? sized(file, 480) : sized(file, known + 8)
        var size: [UInt8] = []
        size.putReversed(known, bytes: 4)
        old.replaceSubrange(76..<80, with: size)
        #expect(try AudioFileReader(bytes: old).readAll() == whole)
    }

    // MARK: AIFF and CAF

    private static let ends = ["an ID3v1 tag", "a chunk", "a chunk that is cut off", "a few stray bytes"]

    /// A file, and the same with something behind it.
    private func make(
        _ container: AudioContainer, with tail: String, frames: Int = 1000
    ) throws -> (file: [UInt8], whole: [UInt8]) {
        let path = folder.file("plain")
        let samples = sweep(frames: frames, channels: 1)
        try Kind(container: container, encoding: .pcm16).write(samples, channels: 1, to: path)
        let file = bytes(path)
        let isCAF = container == .caf
        var end: [UInt8] =
            switch tail {
            case "an ID3v1 tag": Self.tag
            case "a few stray bytes": [13, 10, 1, 2, 3, 4]
            default: Array((isCAF ? "info" : "ANNO").utf8)
            }
        if end.count == 4 {
            // A thousand bytes, if it is cut off, of which there are four.
            end.put(tail == "a chunk" ? 4 : 1000, bytes: isCAF ? 8 : 4)
            end += [0, 0, 0, 0]
        }
        var whole = file + end
        if !isCAF, end.count > 6, tail != "an ID3v1 tag" {
            var size: [UInt8] = []
            size.put(file.count - 8 + (tail == "a chunk" ? 12 : 1008), bytes: 4)
            whole.replaceSubrange(4..<8, with: size)
        }
        return (file, whole)
    }

    @Test("it is not heard in AIFF and CAF files", arguments: [AudioContainer.aiff, .aifc, .caf], ends)
    func notHeard(container: AudioContainer, tail: String) throws {
        // libsndfile refuses a CAF file with a chunk that is cut off.
        if container == .caf, tail == "a chunk that is cut off" { return }
        // Also where there is no sound.
        for frames in [1000, 0] {
            let made = try make(container, with: tail, frames: frames)
            let reader = try AudioFileReader(bytes: made.whole)
            #expect(reader.format.frames == Int64(frames))
            #expect(try reader.readAll() == AudioFileReader(bytes: made.file).readAll())
        }
    }
}
