import Foundation
import HeadlessServer
import TestSupport
import Testing

/// A command with a session of its own, which has the floor, and streams beside it, when somebody else comes.
@Suite("run, and a session of the command's own", .serialized, .limited) struct RunAudibilityTests {
    /// Who takes the floor from the command's session.
    enum Rival: CaseIterable {
        /// A program outside the library.
        case call
        case film

        func start(on server: HeadlessServer) async throws -> ChildProcess {
            if self == .film { return try await session(named: "Film", on: server) }
            let call = try ChildProcess("audiosession", ["simulate", "call", "--json"], on: server)
            try await call.event("started", timeout: hangLimit)
            return call
        }
    }

    @Test(
        "whoever interrupts it silences the command's other streams, too, for as long as it is there",
        arguments: HeadlessServer.Kind.allCases, Rival.allCases)
    func rival(kind: HeadlessServer.Kind, rival: Rival) async throws {
        try await withServer(kind) { server in
            let file = server.directory.appendingPathComponent("tone.wav")
            try TestSignal.sine(frequency: 500, level: -12, seconds: 1).writeWAV(to: file)
            // Both end with the command, and with the server's folder.
            let script = """
                "$1" --loops -1 "$2" & own=$!; shift 2; "$@" & other=$!; trap 'kill $own $other; exit' TERM
                while [ -e \(server.directory.path) ]; do sleep 0.05; done; kill $own $other
                """
            let player = try ChildProcess.executable("player").path
            let outer = try await session(
                named: "Outer", on: server,
                playing: ["sh", "-c", script, "sh", player, file.path] + (try tone(900, seconds: 90, on: server)))
            let monitor = try await MonitorRecording.start(on: server)
            for frequency in [500.0, 900] { try await monitor.wait(for: frequency, at: -12) }
            // By the player, which plays on.
            try await waitUntil("the interruption", timeout: hangLimit) {
                try await audiosession("status", "--json", on: server).events.contains {
                    $0.number("pid") == Double(outer.processID) && $0.string("state") == "interrupted"
                }
            }
            let other = try await rival.start(on: server)
            for frequency in [500.0, 900] { try await monitor.wait(for: frequency, at: nil) }
            other.send(SIGTERM)
            for frequency in [500.0, 900] { try await monitor.wait(for: frequency, at: -12) }
            outer.send(SIGTERM)
            try await outer.wait()
        }
    }

    @Test(
        "while it is interrupted, the session that waits for its end interrupts no other session",
        arguments: HeadlessServer.Kind.allCases)
    func waiting(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let (outer, after) = try await commandBackFirst(on: server)
            // Longer than it waits until it tries again, here and below.
            try await after.wait(seconds: 2)
            let film = try await session(named: "Film", on: server)
            try await after.waitForSilence(from: after.frames)
            try await after.wait(seconds: 2)
            let status = try await audiosession("status", "--json", on: server)
            #expect(status.event("session", app: "Film")?.string("state") == "active", "\(status.output)")
            film.send(SIGTERM)
            try await after.waitForSound(from: after.frames, timeout: hangLimit)
            outer.send(SIGTERM)
            try await outer.wait()
        }
    }
}
