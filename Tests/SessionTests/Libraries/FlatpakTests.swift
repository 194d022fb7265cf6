import Foundation
import HeadlessServer
import TestSupport
import Testing

/// A program in C and a stream of another library in the sandbox of a Flatpak, where the sound server sees no process
/// IDs that anybody knows.
@Suite(
    "Sessions in a Flatpak's sandbox", .limited,
    .enabled(if: FlatpakSandbox.isPossible, "needs bwrap, and a kernel that lets this user make namespaces"))
struct FlatpakTests {
    /// An app in the sandbox, with its session active.
    private func app(in scene: Scene, reaching files: [URL] = []) async throws -> Peer {
        let process = try FlatpakSandbox.start(
            [CProgram.url("c-peer").path, "org.example.Player", "Player", "book"], on: scene.server,
            environment: scene.server.environment, files: files, input: true)
        try await process.event("ready", timeout: hangLimit)
        let app = Peer(process, "app")
        try await app.send("type playback")
        try await app.send("activate")
        try await app.wait(for: "active")
        return app
    }

    /// A tone of 1500 Hz at -12 dBFS for a minute, from a process in a sandbox of its own with these properties.
    private func tone(_ properties: [String: String], in scene: Scene) throws -> ChildProcess {
        let file = scene.file("tone.wav")
        try TestSignal.sine(frequency: 1500, level: -12, seconds: 60).wavData.write(to: file)
        guard let program = HeadlessServer.findBinary("paplay") else { throw SupportError("no paplay") }
        return try FlatpakSandbox.start(
            [program.path] + properties.map { "--property=\($0)=\($1)" } + [file.path], on: scene.server,
            environment: scene.server.toolEnvironment, files: [file])
    }

    @Test(
        "A stream with its session's owner property is lowered under a prompt, and silent during an interruption",
        arguments: HeadlessServer.Kind.allCases)
    func owner(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let app = try await app(in: scene)
            // The sandbox is one: the session is not known by its process.
            let claim = try await scene.claim { $0.properties["application.name"] == "Player" }
            #expect(claim["pid"] == "0", "\(claim)")
            try await app.send("properties 0")
            let texts = try #require(try await app.wait(for: "texts").strings("texts"))
            let properties = stride(from: 0, to: texts.count - 1, by: 2).map { (texts[$0], texts[$0 + 1]) }
            let stream = try tone(Dictionary(properties) { $1 }, in: scene)
            try await scene.wait(for: 1500, at: -12)

            let prompt = try await scene.peer("prompt", "playback voicePrompt duckOthers")
            try await prompt.send("activate")
            try await scene.wait(for: 1500, at: -32)
            try await prompt.send("deactivate notify")
            try await scene.wait(for: 1500, at: -12)

            let other = try await scene.peer("other", "playback")
            try await other.send("activate")
            try await app.waitForInterruption()
            try await scene.wait(for: 1500, at: nil)
            try await other.send("deactivate notify")
            #expect(try await app.waitForEnd().number("option") == 1)
            try await scene.wait(for: 1500, at: -12)
            stream.send(SIGTERM)
            try await stream.wait()
            try await app.exit()
        }
    }

    @Test("With PipeWire's own socket, over which it may look only, the sandbox leaves the lowering to others")
    func confined() async throws {
        try await withScene(.pipeWire) { scene in
            let socket = scene.server.directory.appendingPathComponent("pipewire-0")
            let app = try await app(in: scene, reaching: [socket])
            let claim = { try await scene.claim { $0.properties["application.name"] == "Player" } }
            #expect(try await claim()["can"]?.contains("duck") == true)
            let stream = try tone([:], in: scene)
            try await scene.wait(for: 1500, at: -12)
            let prompt = try await scene.peer("prompt", "playback voicePrompt duckOthers")
            try await prompt.send("activate")
            try await scene.wait(for: 1500, at: -32)
            // Its word is taken back.
            #expect(try await claim()["can"]?.contains("duck") != true)
            try await prompt.send("deactivate notify")
            try await scene.wait(for: 1500, at: -12)
            stream.send(SIGTERM)
            try await stream.wait()
            try await app.exit()
        }
    }

    @Test(
        "A stream without the property is nobody's: it plays on while the session is interrupted",
        arguments: HeadlessServer.Kind.allCases)
    func withoutOwner(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let app = try await app(in: scene)
            let stream = try tone([:], in: scene)
            try await scene.wait(for: 1500, at: -12)
            let other = try await scene.peer("other", "playback")
            try await other.send("activate")
            try await app.waitForInterruption()
            try await scene.letPass()
            try await scene.wait(for: 1500, at: -12)
            stream.send(SIGTERM)
            try await stream.wait()
            try await app.exit()
        }
    }
}
