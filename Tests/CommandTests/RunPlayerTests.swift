import Foundation
import HeadlessServer
import TestSupport
import Testing

/// A command that is a media player on the session bus.
@Suite("run, with a media player", .serialized, .timeLimit(.minutes(60))) struct RunPlayerTests {
    @Test("the player is asked to pause while the session is interrupted, and to go on afterwards")
    func pausesAndResumes() async throws {
        try await withServer(.pulseAudio) { server in
            let address = "unix:path=\(server.directory.path)/session-bus"
            let bus = try await SessionBusDaemon.start(at: address, in: server.directory) { _ in server.toolEnvironment
            }
            let orders = server.directory.appendingPathComponent("orders").path
            #expect(mkfifo(orders, 0o600) == 0)
            let player = try ChildProcess.executable("mock-player").path
            let music = try ChildProcess(
                "audiosession", ["run", "--", player, "mock", orders], on: server,
                environment: ["DBUS_SESSION_BUS_ADDRESS": address, "PULSE_PROP_application.name": "Music"])
            try await music.line { $0.hasPrefix("ready ") }
            let film = try await session(named: "Film", on: server)
            let paused = try await music.line { $0 == "status Paused" }
            film.send(SIGTERM)
            try await music.line(from: paused.number) { $0 == "status Playing" }
            music.send(SIGTERM)
            try await music.wait()
            withExtendedLifetime(bus) {}
        }
    }
}
