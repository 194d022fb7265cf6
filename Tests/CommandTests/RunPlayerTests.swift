import Foundation
import HeadlessServer
import TestSupport
import Testing

/// A command that is a media player on the session bus.
@Suite("run, with a media player", .serialized, .limited) struct RunPlayerTests {
    /// Runs the mock player as `audiosession run`'s command, or as the child of a script that is given its command line,
    /// and hands it over with its pipe for orders, when it plays.
    private func withPlayer(
        _ options: [String] = [], script: String? = nil,
        _ body: (HeadlessServer, ChildProcess, String) async throws -> Void
    ) async throws {
        try await withServer(.pulseAudio) { server in
            let address = "unix:path=\(server.directory.path)/session-bus"
            let bus = try await SessionBusDaemon.start(at: address, in: server.directory) { _ in server.toolEnvironment
            }
            let orders = server.directory.appendingPathComponent("orders").path
            #expect(mkfifo(orders, 0o600) == 0)
            let player = [try ChildProcess.executable("mock-bus").path, "player", "mock", orders]
            let shell = script.map { ["sh", "-c", $0, "sh"] } ?? []
            let music = try ChildProcess(
                "audiosession", ["run"] + options + ["--"] + shell + player, on: server,
                environment: ["DBUS_SESSION_BUS_ADDRESS": address, "PULSE_PROP_application.name": "Music"])
            try await music.line { $0.hasPrefix("ready ") }
            try await body(server, music, orders)
            music.send(SIGTERM)
            try await music.wait()
            withExtendedLifetime(bus) {}
        }
    }

    @Test("the player is asked to pause while the session is interrupted, and to go on afterwards")
    func pausesAndResumes() async throws {
        try await withPlayer { server, music, _ in
            let film = try await session(named: "Film", on: server)
            let paused = try await music.line { $0 == "status Paused" }
            film.send(SIGTERM)
            try await music.line(from: paused.number) { $0 == "status Playing" }
        }
    }

    @Test("a player in the background goes on when the command ends while the session is interrupted")
    func outlivesTheCommand() async throws {
        let script = #""$@" & while [ ! -e "$4.cue" ]; do sleep 0.02; done"#
        try await withPlayer(script: script) { server, music, orders in
            let film = try await session(named: "Film", on: server)
            let paused = try await music.line { $0 == "status Paused" }
            try Data().write(to: URL(fileURLWithPath: orders + ".cue"))
            try await music.line(from: paused.number) { $0 == "status Playing" }
            try "quit\n".write(toFile: orders, atomically: false, encoding: .utf8)
            film.send(SIGTERM)
        }
    }

    @Test("the player that its user started again is not paused anew by each try to take the session back")
    func pausesOnce() async throws {
        try await withPlayer(["--category", "playAndRecord"]) { server, music, orders in
            let call = try ChildProcess("audiosession", ["simulate", "call", "--json"], on: server)
            try await call.event("started")
            let paused = try await music.line { $0 == "status Paused" }
            try "play\n".write(toFile: orders, atomically: false, encoding: .utf8)
            let playing = try await music.line(from: paused.number) { $0 == "status Playing" }
            // After a reset it takes its session back, which the call refuses, now and every second. So it would if it
            // were continued after it was stopped before the call.
            let reset = try await audiosession("simulate", "reset", "--pid", "\(music.processID)", on: server)
            #expect(reset.exit.status == 0, "\(reset.errors)")
            let monitor = try await MonitorRecording.start(on: server)
            try await monitor.wait(seconds: 2.5)
            #expect(!music.outputLines.dropFirst(playing.number).contains("status Paused"))
            call.send(SIGINT)
            try await call.wait()
            _ = try await monitor.stop()
        }
    }
}
