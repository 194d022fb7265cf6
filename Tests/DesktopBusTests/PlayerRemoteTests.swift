import DesktopBus
import Foundation
import HeadlessServer
import TestSupport
import Testing

/// The program `player`, with somebody at a remote control, judged by what is heard.
@Suite("player and remote controls", .limited)
struct PlayerRemoteTests {
    /// Who has the remote control in hand.
    enum Hand: CaseIterable {
        /// This project's own client of the bus.
        case own
        /// The tool that people use.
        case playerctl
    }

    private struct Scene {
        let server: HeadlessServer
        let app: RemoteApp
        let process: ChildProcess
        let monitor: MonitorRecording
        let hand: Hand

        func press(_ method: String) async throws {
            guard hand == .playerctl else { return #expect(await app.call(method) == .values([])) }
            try await control(method == "PlayPause" ? "play-pause" : method.lowercased())
        }

        func go(to seconds: Double) async throws {
            guard hand == .playerctl else {
                let track = await app.metadata()["mpris:trackid"]?.text ?? ""
                return #expect(await app.call("SetPosition", .path(track), .long(Int64(seconds * 1e6))) == .values([]))
            }
            try await control("position", "\(seconds)")
        }

        func set(volume: Double) async throws {
            guard hand == .playerctl else { return #expect(await app.set("Volume", .real(volume)) == .values([])) }
            try await control("volume", "\(volume)")
        }

        func loop() async throws {
            guard hand == .playerctl else { return #expect(await app.set("LoopStatus", .text("Track")) == .values([])) }
            try await control("loop", "Track")
        }

        /// What it says of itself, in the words of whoever asks.
        func title() async throws -> String? {
            guard hand == .playerctl else { return await app.metadata()["xesam:title"]?.text }
            return try await control("metadata", "title")
        }

        func status() async throws -> String? {
            hand == .playerctl ? try await control("status") : await app.get("PlaybackStatus")?.text
        }

        func position() async throws -> Double {
            guard hand == .playerctl else { return Double(await app.get("Position")?.integer ?? -1) / 1e6 }
            return Double(try await control("position")) ?? -1
        }

        @discardableResult
        private func control(_ words: String...) async throws -> String {
            let tool = try playerctl(words)
            let exit = try await tool.wait()
            guard exit.status == 0 else { throw SupportError("playerctl \(words): \(tool.errorText)") }
            return String(decoding: tool.output(), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        }

        /// Starts the tool, which may lie among the servers that were unpacked.
        func playerctl(_ words: [String]) throws -> ChildProcess {
            guard let program = HeadlessServer.findBinary("playerctl") else {
                throw SupportError("no playerctl: run `make setup`")
            }
            let environment = server.toolEnvironment.merging(["DBUS_SESSION_BUS_ADDRESS": app.bus.address]) { $1 }
            return try ChildProcess(program, ["-p", "player"] + words, environment: environment)
        }

        /// Waits until this tone, or none, is what is heard.
        func hear(_ frequency: Double?, _ level: ClosedRange<Double> = -21 ... -19) async throws {
            try await waitUntil("\(frequency ?? 0) Hz at \(level)", timeout: hangLimit) {
                let first = monitor.frames
                try await monitor.wait(seconds: 0.1)
                let heard = monitor.soFar(from: first)
                guard let frequency else { return heard.soundRange() == nil }
                return level.contains(heard.level(ofFrequency: frequency))
            }
        }
    }

    /// `player` with three files, each a minute of another tone.
    private static func withScene(
        _ kind: HeadlessServer.Kind, _ hand: Hand, _ body: (Scene) async throws -> Void
    ) async throws {
        try await withServer(kind) { server in
            let bus = try await PrivateBus.start()
            let files = try [500.0, 1000, 2000].map { frequency in
                try TestSignal.sine(frequency: frequency, level: -20, seconds: 60).writeWAV(
                    to: bus.folder.appendingPathComponent("\(Int(frequency)) Hz.wav")
                ).path
            }
            let monitor = try await MonitorRecording.start(on: server)
            let process = try ChildProcess(
                "player", ["--json"] + files, on: server, environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address])
            try await process.event("started", timeout: hangLimit)
            let app = RemoteApp(
                bus: bus, peer: Peer(process, "player"), client: bus.client, name: "org.mpris.MediaPlayer2.player")
            try await app.waitForName()
            try await body(Scene(server: server, app: app, process: process, monitor: monitor, hand: hand))
            process.send(SIGTERM)
            try await process.wait()
            #expect(process.errorText == "")
            _ = try await monitor.stop()
        }
    }

    @Test("It is seen, driven and followed", arguments: HeadlessServer.Kind.allCases, Hand.allCases)
    func driven(kind: HeadlessServer.Kind, hand: Hand) async throws {
        try await Self.withScene(kind, hand) { scene in
            let signals = await scene.app.listen()
            let follower = try scene.playerctl(["--follow", "status"])
            try await follower.line { $0 == "Playing" }
            try await scene.hear(500)
            #expect(try await scene.title() == "500 Hz")
            #expect(try await scene.status() == "Playing")
            let metadata = await scene.app.metadata()
            #expect(metadata["mpris:length"] == .integer(60_000_000))
            #expect(metadata["xesam:url"]?.text?.hasSuffix("/500%20Hz.wav") == true)

            try await scene.press("Pause")
            try await scene.hear(nil)
            #expect(try await scene.status() == "Paused")
            // A second pause, which WirePlumber may ask for as well, changes nothing.
            try await scene.press("Pause")
            #expect(try await scene.status() == "Paused")
            try await scene.press("Play")
            try await scene.hear(500)
            try await scene.press("PlayPause")
            try await scene.hear(nil)
            try await scene.press("PlayPause")
            try await scene.hear(500)
            try await waitUntil {
                signals.changes(of: "PlaybackStatus") == ["Paused", "Playing", "Paused", "Playing"].map { .text($0) }
            }
            try await waitUntil("what playerctl follows") {
                String(decoding: follower.output(), as: UTF8.self).split(separator: "\n")
                    == ["Playing", "Paused", "Playing", "Paused", "Playing"]
            }
            follower.send(SIGTERM)
            try await follower.wait()

            try await scene.go(to: 30)
            // A player that was late when it went on has told of its position, too.
            try await waitUntil { signals.jumps.contains { $0 >= 30_000_000 } }
            #expect((30...40).contains(try await scene.position()))
            try await scene.process.event("progress", timeout: hangLimit) { $0.number("position") ?? 0 >= 30 }

            try await scene.set(volume: 0.1)
            try await scene.hear(500, -41 ... -39)
            try await scene.app.wait(for: "Volume", .real(Double(Float(0.1))))
            try await scene.set(volume: 1)
            try await scene.hear(500)
        }
    }

    @Test("Its files are gone through in both directions", arguments: HeadlessServer.Kind.allCases, Hand.allCases)
    func files(kind: HeadlessServer.Kind, hand: Hand) async throws {
        try await Self.withScene(kind, hand) { scene in
            try await scene.press("Next")
            try await scene.hear(1000)
            #expect(try await scene.title() == "1000 Hz")
            #expect(await scene.app.get("CanGoNext") == .flag(true))
            try await scene.press("Next")
            try await scene.hear(2000)
            try await scene.app.wait(for: "CanGoNext", .flag(false))
            try await scene.go(to: 30)
            // First to the beginning, then to the file before.
            try await scene.press("Previous")
            #expect(try await scene.position() < 20)
            try await scene.hear(2000)
            try await scene.go(to: 0)
            try await scene.press("Previous")
            try await scene.hear(1000)
            try await scene.app.wait(for: "CanGoNext", .flag(true))
            try await scene.loop()
            try await scene.app.wait(for: "LoopStatus", .text("Track"))
            try await scene.go(to: 59.5)
            try await waitUntil("the beginning again", timeout: hangLimit) { try await scene.position() < 50 }
            try await scene.hear(1000)
            try await scene.press("Stop")
            try await scene.hear(nil)
            #expect(try await scene.position() == 0)
        }
    }
}
