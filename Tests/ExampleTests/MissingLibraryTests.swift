import Foundation
import HeadlessServer
import TestSupport
import Testing

@testable import AudioFiles

/// FFmpeg's libraries and their major versions on this machine, as the loader would find them.
private let installedLibraries: [String] = {
    let folders = ["x86_64-linux-gnu", "aarch64-linux-gnu", "."].map { "/usr/lib/\($0)" } + ["/usr/lib64"]
    return folders.flatMap { (try? FileManager.default.contentsOfDirectory(atPath: $0)) ?? [] }.filter { name in
        ["libavutil.so.", "libavcodec.so.", "libavformat.so."].contains { name.hasPrefix($0) }
            && name.split(separator: ".").count == 3
    }
}()

/// A folder of files by these names, which the loader finds first, and stops at where they are no libraries.
private func shadows(
    of names: [String], in folder: Folder, content: Data = Data("no library".utf8)
) throws -> String {
    let shadows = folder.url.appendingPathComponent("shadows")
    try FileManager.default.createDirectory(at: shadows, withIntermediateDirectories: true)
    for name in names { try content.write(to: shadows.appendingPathComponent(name)) }
    return shadows.path
}

/// libsoxr is loaded when a rate has to be converted, and may not be there.
@Suite("A sound whose converter is not installed", .limited)
struct MissingConverterTests {
    @Test(
        "libsoxr is named by its package where the rate has to be converted, and only there",
        arguments: HeadlessServer.Kind.allCases)
    func missing(kind: HeadlessServer.Kind) async throws {
        let folder = try Folder()
        let environment = ["LD_LIBRARY_PATH": try shadows(of: ["libsoxr.so.0"], in: folder)]
        let other = try folder.write(TestSignal.sine(seconds: 0.1, sampleRate: 22_050).wavData, "other.wav")
        try await withServer(kind) { server in
            let played = try await run("player", [try folder.tone(0.1)], on: server, environment: environment)
            #expect(played.exit.status == 0, "\(played.errors)")
            let refused = try await run("player", [other], on: server, environment: environment)
            expectFailure(refused, 1, of: "player", saying: "other.wav")
            #expect(refused.errors.first?.contains("install the package libsoxr0") == true, "\(refused.errors)")
        }
    }
}

/// FFmpeg is loaded when a file needs it, and may not be there.
@Suite(
    "A file whose decoder is not installed", .limited,
    .enabled(if: !installedLibraries.isEmpty, "needs FFmpeg's libraries, to hide them"))
struct MissingLibraryTests {
    /// The first bytes of an M4A file: nothing is decoded before the library is there.
    private static let m4a =
        Data([0, 0, 0, 0x18]) + Data("ftypM4A ".utf8) + Data([0, 0, 0, 0]) + Data("M4A mp42".utf8)

    /// Any library without FFmpeg's functions behaves like one whose functions have gone.
    private static let anyLibrary =
        ["/lib/x86_64-linux-gnu/libm.so.6", "/lib/aarch64-linux-gnu/libm.so.6", "/lib64/libm.so.6"]
        .first { FileManager.default.fileExists(atPath: $0) }

    /// What `player` says to an M4A file, with these libraries found before all others.
    private func complaint(hiding: [String], by content: Data) async throws -> String {
        let folder = try Folder()
        let shadows = try shadows(of: hiding, in: folder, content: content)
        let file = try folder.write(Self.m4a, "song.m4a")
        let result = try await run("player", [file], environment: ["LD_LIBRARY_PATH": shadows])
        expectFailure(result, 66, of: "player", saying: "song.m4a")
        return result.errors.first ?? ""
    }

    @Test(
        "FFmpeg that is not installed is named by its package", arguments: ["libavutil", "libavcodec", "libavformat"])
    func missing(library: String) async throws {
        let hidden = installedLibraries.filter { $0.hasPrefix(library + ".") }
        let text = try await complaint(hiding: hidden, by: Data("no library".utf8))
        let version = hidden.first?.split(separator: ".").last ?? ""
        #expect(text.contains("install ") && text.contains("\(library)\(version)"), "\(text)")
    }

    @Test("FFmpeg of a major version that the build has no module for is named, and those that it has")
    func foreign() async throws {
        let library = try #require(Self.anyLibrary)
        let folder = try Folder()
        let shadows = try shadows(of: installedLibraries, in: folder)
        // Nobody asks it for anything.
        try FileManager.default.copyItem(atPath: library, toPath: shadows + "/libavcodec.so.60")
        let file = try folder.write(Self.m4a, "song.m4a")
        let result = try await run("player", [file], environment: ["LD_LIBRARY_PATH": shadows])
        expectFailure(result, 66, of: "player", saying: "song.m4a")
        let text = result.errors.first ?? ""
        #expect(text.contains("and not with libavcodec 60, which is installed"), "\(text)")
        #if FFmpeg
            for major in FFmpegLibrary.majors {
                #expect(text.contains("\(major)"), "\(text)")
                #expect(text.contains("libavutil\(major - 2)"), "\(text)")
            }
        #endif
    }

    @Test("So is FFmpeg of another major version under the name of ours")
    func anotherVersion() async throws {
        let other = try #require(Self.anyLibrary)
        let hidden = installedLibraries.filter { $0.hasPrefix("libavutil.") }
        let text = try await complaint(hiding: hidden, by: try Data(contentsOf: URL(fileURLWithPath: other)))
        // Either it lacks what we ask for, or what the others ask it for.
        #expect(text.contains("FFmpeg") && text.contains("install the package libav"), "\(text)")
    }

    @Test("WAV files do not need it")
    func notNeeded() async throws {
        let folder = try Folder()
        let shadows = try shadows(of: installedLibraries, in: folder)
        let result = try await run("player", [try folder.tone(0.1)], environment: ["LD_LIBRARY_PATH": shadows])
        expectFailure(result, 69, of: "player")
    }
}
