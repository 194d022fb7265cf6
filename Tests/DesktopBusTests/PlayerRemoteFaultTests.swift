import AudioFiles
import DesktopBus
import Foundation
import HeadlessServer
import TestSupport
import Testing

/// The program `player`, with somebody at a remote control, when files are bad and servers go.
@Suite("player and remote controls, when something goes wrong", .timeLimit(.minutes(60)))
struct PlayerRemoteFaultTests {
    /// `player` on a bus of its own.
    private struct Stage {
        let app: RemoteApp
        let process: ChildProcess
        let server: HeadlessServer

        /// The names of what it told so far.
        var order: [String] { process.outputLines.compactMap { JSONLine($0)?.string("event") } }

        func press(_ method: String) async { #expect(await app.call(method) == .values([])) }

        func go(to seconds: Double) async {
            let track = await app.metadata()["mpris:trackid"]?.text ?? ""
            #expect(await app.call("SetPosition", .path(track), .long(Int64(seconds * 1e6))) == .values([]))
        }

        func position() async -> Double { Double(await app.get("Position")?.integer ?? -1) / 1e6 }

        func title() async -> String? { await app.metadata()["xesam:title"]?.text }

        /// Waits for the end of the file, and for what comes after it.
        func waitForRepetition() async throws {
            try await waitUntil("the beginning again", timeout: hangLimit) { await position() < 50 }
        }
    }

    private static func withPlayer(
        _ arguments: [String] = [], _ files: (URL) throws -> [String],
        environment: (URL) throws -> [String: String] = { _ in [:] },
        _ body: (Stage) async throws -> Void
    ) async throws {
        try await withServer(.pulseAudio) { server in
            let bus = try await PrivateBus.start()
            let variables = ["DBUS_SESSION_BUS_ADDRESS": bus.address].merging(try environment(bus.folder)) { $1 }
            let process = try ChildProcess(
                "player", ["--json"] + arguments + files(bus.folder), on: server, environment: variables)
            try await process.event("started", timeout: hangLimit)
            let app = RemoteApp(
                bus: bus, peer: Peer(process, "player"), client: bus.client, name: "org.mpris.MediaPlayer2.player")
            try await app.waitForName()
            try await body(Stage(app: app, process: process, server: server))
            process.send(SIGTERM)
            try await process.wait()
        }
    }

    /// Writes minutes of sines, by their frequencies.
    private static func tones(_ frequencies: Int...) -> (URL) throws -> [String] {
        { folder in
            try frequencies.map { frequency in
                try TestSignal.sine(frequency: Double(frequency), level: -20, seconds: 60)
                    .writeWAV(to: folder.appendingPathComponent("\(frequency) Hz.wav")).path
            }
        }
    }

    @Test("what is repeated is repeated in the next file too, and after the server was lost")
    func repeating() async throws {
        try await Self.withPlayer([], Self.tones(500, 1000, 2000)) { stage in
            #expect(await stage.app.set("LoopStatus", .text("Track")) == .values([]))
            try await stage.app.wait(for: "LoopStatus", .text("Track"))
            await stage.press("Next")
            try await waitUntil("the next file", timeout: hangLimit) { await stage.title() == "1000 Hz" }
            #expect(await stage.app.get("LoopStatus") == .text("Track"))
            await stage.go(to: 59.5)
            try await stage.waitForRepetition()
            #expect(await stage.title() == "1000 Hz")
            let before = stage.process.outputLines.count
            try await offPool { try stage.server.restart() }
            try await stage.process.event("started", from: before, timeout: hangLimit)
            #expect(await stage.app.get("LoopStatus") == .text("Track"))
            await stage.go(to: 59.5)
            try await stage.waitForRepetition()
            #expect(await stage.title() == "1000 Hz")
        }
    }
}
