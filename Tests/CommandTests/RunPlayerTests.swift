import Foundation
import HeadlessServer
import TestSupport
import Testing

/// A command that is a media player on the session bus.
@Suite("run, with a media player", .serialized, .timeLimit(.minutes(60))) struct RunPlayerTests {
    @Test("the player is asked to pause while the session is interrupted, and to go on afterwards")
    func pausesAndResumes() async throws {
        try await withServer(.pulseAudio) { server in
            let (bus, address) = try await startBus(in: server.directory, libraries: server.toolEnvironment)
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

    /// A session bus without any services; its program may have been unpacked with the servers, like its libraries.
    private func startBus(in folder: URL, libraries: [String: String]) async throws -> (ChildProcess, String) {
        let address = "unix:path=\(folder.path)/session-bus"
        let configuration = """
            <busconfig><type>session</type><listen>\(address)</listen><auth>EXTERNAL</auth>
            <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
            <allow own="*"/></policy></busconfig>
            """
        let file = folder.appendingPathComponent("bus.conf")
        try configuration.write(to: file, atomically: true, encoding: .utf8)
        guard let program = HeadlessServer.findBinary("dbus-daemon") else {
            throw SupportError("no dbus-daemon: run `make setup`")
        }
        let daemon = try ChildProcess(
            program, ["--nofork", "--nopidfile", "--nosyslog", "--print-address=1", "--config-file=\(file.path)"],
            environment: libraries)
        try await daemon.line { $0.hasPrefix("unix:") }
        return (daemon, address)
    }
}
