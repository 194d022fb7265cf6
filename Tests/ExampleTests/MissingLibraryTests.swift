import Foundation
import TestSupport
import Testing

/// FFmpeg's libraries and their major versions on this machine, as the loader would find them.
private let installedLibraries: [String] = {
    let folders = ["x86_64-linux-gnu", "aarch64-linux-gnu", "."].map { "/usr/lib/\($0)" } + ["/usr/lib64"]
    return folders.flatMap { (try? FileManager.default.contentsOfDirectory(atPath: $0)) ?? [] }.filter { name in
        ["libavutil.so.", "libavcodec.so.", "libavformat.so."].contains { name.hasPrefix($0) }
            && name.split(separator: ".").count == 3
    }
}()

/// FFmpeg is loaded when a file needs it, and may not be there.
@Suite(
    "A file whose decoder is not installed", .timeLimit(.minutes(60)),
    .enabled(if: !installedLibraries.isEmpty, "needs FFmpeg's libraries, to hide them"))
struct MissingLibraryTests {
    /// The first bytes of an M4A file: nothing is decoded before the library is there.
    private static let m4a =
        Data([0, 0, 0, 0x18]) + Data("ftypM4A ".utf8) + Data([0, 0, 0, 0]) + Data("M4A mp42".utf8)

    /// What `player` says to an M4A file, with these libraries found before all others.
    private func complaint(hiding: [String], by content: Data) async throws -> String {
        let folder = try Folder()
        let shadows = folder.url.appendingPathComponent("shadows")
        try FileManager.default.createDirectory(at: shadows, withIntermediateDirectories: true)
        for name in hiding { try content.write(to: shadows.appendingPathComponent(name)) }
        let file = try folder.write(Self.m4a, "song.m4a")
        let result = try await run("player", [file], environment: ["LD_LIBRARY_PATH": shadows.path])
        expectFailure(result, 66, of: "player", saying: "song.m4a")
        return result.errors.first ?? ""
    }

    @Test(
        "FFmpeg that is not installed is named by its package", arguments: ["libavutil", "libavcodec", "libavformat"])
    func missing(library: String) async throws {
        // The loader takes what it finds first, and stops where that is no library.
        let hidden = installedLibraries.filter { $0.hasPrefix(library + ".") }
        let text = try await complaint(hiding: hidden, by: Data("no library".utf8))
        let version = hidden.first?.split(separator: ".").last ?? ""
        #expect(text.contains("install the package \(library)\(version)"), "\(text)")
    }

    @Test("So is FFmpeg of another major version under the name of ours")
    func anotherVersion() async throws {
        // Any library without FFmpeg's functions behaves like one whose functions have gone.
        let other = try #require(
            ["/lib/x86_64-linux-gnu/libm.so.6", "/lib/aarch64-linux-gnu/libm.so.6", "/lib64/libm.so.6"]
                .first { FileManager.default.fileExists(atPath: $0) })
        let hidden = installedLibraries.filter { $0.hasPrefix("libavutil.") }
        let text = try await complaint(hiding: hidden, by: try Data(contentsOf: URL(fileURLWithPath: other)))
        // Either it lacks what we ask for, or what the others ask it for.
        #expect(text.contains("FFmpeg") && text.contains("install the package libav"), "\(text)")
    }

    @Test("WAV files do not need it")
    func notNeeded() async throws {
        let folder = try Folder()
        let shadows = folder.url.appendingPathComponent("shadows")
        try FileManager.default.createDirectory(at: shadows, withIntermediateDirectories: true)
        for name in installedLibraries { try Data("no library".utf8).write(to: shadows.appendingPathComponent(name)) }
        let result = try await run("player", [try folder.tone(0.1)], environment: ["LD_LIBRARY_PATH": shadows.path])
        expectFailure(result, 69, of: "player")
    }
}
