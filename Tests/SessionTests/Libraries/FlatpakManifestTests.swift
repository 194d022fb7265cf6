import Foundation
import TestSupport
import Testing

/// packaging/flatpak: the manifest of an example app, which scripts/check-apps has flatpak-builder read as well.
@Suite("The manifest of a Flatpak", .limited)
struct FlatpakManifestTests {
    private struct Manifest: Decodable {
        struct Module: Decodable {
            struct Source: Decodable { let type, path: String }
            let name: String
            let sources: [Source]
        }

        let id, command: String
        let finishArgs: [String]
        let modules: [Module]

        enum CodingKeys: String, CodingKey {
            case id, command, modules
            case finishArgs = "finish-args"
        }
    }

    @Test("Its sources are files of the tree, and its sandbox has the sound server's socket and no bus")
    func manifest() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../packaging/flatpak").standardizedFileURL
        let file = folder.appendingPathComponent("org.example.Bounce.json")
        let manifest = try JSONDecoder().decode(Manifest.self, from: Data(contentsOf: file))
        #expect(manifest.id == "org.example.Bounce")
        #expect(manifest.modules.map(\.name) == ["avaudiosession", manifest.command])
        #expect(manifest.finishArgs.contains("--socket=pulseaudio"))
        let buses = manifest.finishArgs.filter { $0.contains("talk-name") || $0.hasSuffix("-bus") }
        #expect(buses == [], "the library needs none")
        let sources = manifest.modules.flatMap(\.sources)
        // The first is what `make library` builds.
        #expect(sources.first?.path == "../../.build/library" && sources.count == 2)
        for source in sources.dropFirst() {
            let path = folder.appendingPathComponent(source.path).standardizedFileURL.path
            #expect(source.type == "file" && FileManager.default.fileExists(atPath: path), "\(path)")
        }
        let game = try String(
            contentsOf: folder.appendingPathComponent("../../examples/sdl-game/main.c"), encoding: .utf8)
        #expect(game.contains("avas_set_application(\"\(manifest.id)\""), "others know the app by the sandbox's name")
    }
}
