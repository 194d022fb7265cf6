import Foundation
import HeadlessServer
import TestSupport
import Testing

@Suite("The sound server", .serialized, .limited) struct ServerTests {
    @Test(
        "none is 69, said in one line with what to do",
        arguments: ["player", "recorder", "simple-play", "simple-record"])
    func noServer(program: String) async throws {
        let folder = try Folder()
        let file = program.hasSuffix("play") || program == "player" ? try folder.tone(0.1) : folder.path("out.wav")
        let result = try await run(program, [file])
        expectFailure(result, 69, of: program, saying: "--headless")
        #expect(!FileManager.default.fileExists(atPath: folder.path("out.wav")))
    }

    /// PipeWire records from another source then.
    @Test(
        "a device that the environment names and that is not there is named",
        arguments: [("player", HeadlessServer.Kind.pulseAudio), ("player", .pipeWire), ("recorder", .pulseAudio)])
    func missingDevice(program: String, kind: HeadlessServer.Kind) async throws {
        let folder = try Folder()
        let file = program == "player" ? try folder.tone(0.1) : folder.path("out.wav")
        try await withServer(kind) { server in
            let nowhere = ["PULSE_SINK": "nowhere", "PULSE_SOURCE": "nowhere"]
            let result = try await run(program, [file], on: server, environment: nowhere)
            expectFailure(result, 1, of: program, saying: "nowhere")
        }
    }

    @Test("--server chooses it", arguments: HeadlessServer.Kind.allCases)
    func chosen(kind: HeadlessServer.Kind) async throws {
        let folder = try Folder()
        let file = try folder.tone(0.1)
        try await withServer(kind) { server in
            let result = try await run("player", ["--server", server.address, file])
            #expect(result.exit.status == 0, "\(result.errors)")
        }
        expectFailure(
            try await run("player", ["--server", "unix:/nonexistent/other", file]), 69, of: "player", saying: "other")
    }

    @Test("--headless brings one along and leaves nothing behind")
    func headless() async throws {
        let folder = try Folder()
        let played = try await run("player", ["--headless", "--json", try folder.tone(0.2)])
        #expect(played.exit.status == 0, "\(played.errors)")
        #expect(played.order == ["active", "started", "finished", "inactive"])
        let out = folder.path("out.wav")
        let recorded = try await run("recorder", ["--headless", "--duration", "0.2", out])
        #expect(recorded.exit.status == 0, "\(recorded.errors)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: out)).count > 44)
    }

    @Test(
        "what a program prints where its stdout is closed reaches neither the server's shell nor the recording",
        arguments: [">&-", "<&- >&- 2>&-"])
    func closedDescriptors(closing: String) async throws {
        let folder = try Folder()
        let name = "$(cd $OLDPWD && touch executed).wav"
        let process = try ChildProcess(
            URL(fileURLWithPath: "/bin/sh"),
            ["-c", #"cd "$1"; exec "$0" --headless --json --duration 1 "$2" \#(closing)"#]
                + [ChildProcess.executable("recorder").path, folder.url.path, name], environment: nowhere)
        let result = try await finish(process)
        #expect(result.exit.status == 0, "\(result.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [name])
        let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path(name)))
        #expect(bytes.range(of: Data("event".utf8)) == nil)
        #expect(try contents(ofFile: folder.path(name)).frames > 0)
    }

    @Test("one that takes no more connections is 69", arguments: HeadlessServer.Kind.allCases)
    func full(kind: HeadlessServer.Kind) async throws {
        let folder = try Folder()
        let file = try folder.tone(0.1)
        try await withServer(kind) { server in
            let path = String(server.address.dropFirst("unix:".count))
            let connections = (0..<64).compactMap { _ in connection(to: path) }
            defer { connections.forEach { close($0) } }
            try #require(connections.count == 64)
            expectFailure(try await run("player", [file], on: server), 69, of: "player")
        }
    }

    @Test(
        "one that dies for good during playback is 69 after a moment's patience",
        .judges(.time(seconds: 5)), arguments: HeadlessServer.Kind.allCases)
    func dies(kind: HeadlessServer.Kind) async throws {
        let folder = try Folder()
        let file = try folder.tone(20)
        try await withServer(kind) { server in
            let player = try ChildProcess("player", ["--json", file], on: server)
            try await player.event("progress") { ($0.number("position") ?? 0) > 0.1 }
            server.kill()
            let killed = ContinuousClock.now
            let result = try await finish(player)
            #expect(ContinuousClock.now - killed < .seconds(5))
            #expect(result.exit.status == 69)
            #expect(result.errors.count == 1, "\(result.errors)")
            #expect(result.order.contains("mediaServicesWereLost"))
        }
    }

    @Test(
        "one that restarts: the player goes on where it was",
        arguments: HeadlessServer.Kind.allCases)
    func restarts(kind: HeadlessServer.Kind) async throws {
        let folder = try Folder()
        let file = try folder.tone(3)
        try await withServer(kind) { server in
            let player = try ChildProcess("player", ["--json", file], on: server)
            let before = try await player.event("progress") { ($0.number("position") ?? 0) > 0.8 }
            try await offPool { try server.restart() }
            let result = try await finish(player)
            #expect(result.exit.status == 0, "\(result.errors)")
            #expect(
                result.order == [
                    "active", "started", "mediaServicesWereLost", "mediaServicesWereReset", "active", "started",
                    "finished", "inactive",
                ])
            let again = result.events.last { $0.string("event") == "started" }
            let position = try #require(again?.number("position"))
            #expect(position >= (before.number("position") ?? 0) - 0.1)
            #expect(position < 2)
        }
    }

    @Test(
        "one that dies during a recording is 69, and the file holds what was recorded",
        arguments: HeadlessServer.Kind.allCases)
    func diesWhileRecording(kind: HeadlessServer.Kind) async throws {
        let folder = try Folder()
        let out = folder.path("out.wav")
        try await withServer(kind) { server in
            let recorder = try ChildProcess("recorder", ["--json", out], on: server)
            let before = try await recorder.event("progress") { ($0.number("position") ?? 0) > 1.5 }
            server.kill()
            let result = try await finish(recorder)
            #expect(result.exit.status == 69)
            #expect(result.errors.count == 1, "\(result.errors)")
            // The position goes by the clock; what the server had heard and not delivered yet is gone with it.
            let position = try #require(before.number("position"))
            #expect(try seconds(ofFile: out) > position - 1)
        }
    }

    /// A connection to a socket, which no child inherits; nil if it cannot be made.
    private func connection(to path: String) -> Int32? {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        while true {
            let result = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
            }
            if result == 0 { return descriptor }
            guard errno == EINTR else {
                close(descriptor)
                return nil
            }
        }
    }
}
