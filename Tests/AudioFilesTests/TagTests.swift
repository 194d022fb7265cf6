import AudioFiles
import Foundation
import TestSupport
import Testing

@Suite("The tags of files", .limited)
struct TagTests {
    /// How the ffmpeg program writes a container, and whether pictures fit in.
    struct Container: Sendable, CustomTestStringConvertible {
        let ending: String
        let arguments: [String]
        let kind: AudioFileTags.Kind
        var hasPictures = false
        var testDescription: String { ending }
    }

    static let containers = [
        Container(ending: "mp3", arguments: ["-c:a", "libmp3lame"], kind: .id3, hasPictures: true),
        Container(ending: "m4a", arguments: ["-c:a", "aac"], kind: .iTunes, hasPictures: true),
        Container(ending: "flac", arguments: ["-c:a", "flac"], kind: .vorbis, hasPictures: true),
        Container(ending: "ogg", arguments: ["-c:a", "libvorbis"], kind: .vorbis),
        Container(ending: "opus", arguments: ["-c:a", "libopus"], kind: .vorbis),
        Container(ending: "wav", arguments: [], kind: .information),
        Container(ending: "aiff", arguments: ["-write_id3v2", "1"], kind: .information, hasPictures: true),
        Container(ending: "caf", arguments: [], kind: .information),
        Container(ending: "mka", arguments: ["-c:a", "flac"], kind: .information),
        Container(ending: "wma", arguments: ["-c:a", "wmav2"], kind: .information),
    ]

    @Test(
        "Every container's title, artist and cover are read",
        .enabled(if: FFmpegProgram.isInstalled, "needs ffmpeg"), arguments: containers)
    func read(container: Container) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let picture = folder.appendingPathComponent("cover.png")
        try TaggedSound.picture.write(to: picture)
        let path = folder.appendingPathComponent("a.\(container.ending)").path
        var arguments = container.hasPictures ? ["-i", picture.path, "-map", "0:a", "-map", "1:v", "-c:v", "copy"] : []
        if container.hasPictures { arguments += ["-disposition:v", "attached_pic"] }
        arguments += ["-metadata", "title=Prélude", "-metadata", "artist=A. Tester"] + container.arguments
        try FFmpegProgram.encode(
            [Float](repeating: 0.1, count: 9600), channels: 1, rate: 48_000, arguments, to: path)

        let tags = try AudioFileTags.read(path: path)
        #expect(tags.kind == container.kind)
        func text(_ name: String) -> String? { tags.entries.first { $0.name.lowercased() == name }?.text }
        #expect(text("title") == "Prélude", "\(tags.entries)")
        #expect(text("artist") == "A. Tester" || container.ending == "aiff", "\(tags.entries)")
        #expect(tags.pictures.map(\.bytes) == (container.hasPictures ? [Array(TaggedSound.picture)] : []))
        #expect(tags.pictures.allSatisfy { $0.format == .png })
        #expect(!tags.entries.contains { ["major_brand", "handler_name"].contains($0.name) })
    }

    @Test("Tags in front of what has none of its own are read, and a damaged tag is no error")
    func front() throws {
        var sound = TaggedSound()
        sound.add("TIT2", "Prélude")
        let signal = TestSignal.sine(frequency: 440, level: -12, seconds: 0.1, sampleRate: 44_100)
        let tag = sound.data.prefix(while: { $0 != 0xFF })
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).wav")
        defer { try? FileManager.default.removeItem(at: path) }
        try (tag + signal.wavData).write(to: path)
        #expect(try AudioFileTags.read(path: path.path).entries == [.init("title", "Prélude")])
        // A size that is more than the file.
        try (tag.prefix(6) + Data([0x7F, 0x7F, 0x7F, 0x7F]) + tag.dropFirst(10) + signal.wavData).write(to: path)
        #expect(try AudioFileTags.read(path: path.path).pictures.isEmpty)
        #expect(throws: AudioFileError.self) { try AudioFileTags.read(path: path.path + ".none") }
    }

    @Test("A file of gigabytes of zeros behind its header is given up", arguments: ["wav", "caf", "aiff", "m4a"])
    func zeros(ending: String) throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).\(ending)")
        defer { try? FileManager.default.removeItem(at: path) }
        let heads: [String: [UInt8]] = [
            "wav": Array("RIFF".utf8) + [0xFF, 0xFF, 0xFF, 0x7F] + Array("WAVE".utf8),
            "caf": Array("caff".utf8) + [0, 1, 0, 0],
            "aiff": Array("FORM".utf8) + [0x7F, 0xFF, 0xFF, 0xFF] + Array("AIFF".utf8),
            "m4a": [0, 0, 0, 16] + Array("ftypM4A \0\0\0\0".utf8),
        ]
        try Data(heads[ending] ?? []).write(to: path)
        // A file with a hole takes no place.
        let file = try FileHandle(forWritingTo: path)
        try file.truncate(atOffset: 4 << 30)
        try file.close()
        #expect(try AudioFileTags.read(path: path.path) == AudioFileTags.none)
    }
}
