import DesktopBus
import Foundation
import HeadlessServer
import TestSupport
import Testing

/// The program `player` beside a media player of somebody else, with a bus and a sound server: everything as on a
/// desktop.
@Suite("player and other programs' players", .limited)
struct PlayerProgramTests {
    /// Somebody else's player that is heard, on a bus and a server of its own.
    private struct Scene {
        let server: HeadlessServer
        let bus: PrivateBus

        /// Starts `player`, which is there until it is told to leave.
        func film() async throws -> ChildProcess {
            let file = try TestSignal.sine(frequency: 1000, level: -20, seconds: 60).writeWAV(
                to: bus.folder.appendingPathComponent("film-\(UUID().uuidString).wav"))
            let film = try ChildProcess(
                "player", ["--category", "playback", "--json", file.path], on: server,
                environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address])
            // Not `started`: the program does not take signals yet when it says so.
            try await film.event("progress")
            return film
        }
    }

    private static func withScene(_ kind: HeadlessServer.Kind, _ body: (Scene) async throws -> Void) async throws {
        try await withServer(kind) { server in
            try await body(Scene(server: server, bus: try await PrivateBus.start()))
        }
    }

    private static func leave(_ film: ChildProcess) async throws {
        film.send(SIGTERM)
        try await film.wait()
    }

    @Test("are paused, go on afterwards, and stay as the user left them", arguments: HeadlessServer.Kind.allCases)
    func mock(kind: HeadlessServer.Kind) async throws {
        try await Self.withScene(kind) { scene in
            guard let pacat = HeadlessServer.findBinary("pacat") else {
                throw SupportError("no pacat: run `make setup`")
            }
            let music = try await scene.bus.player(
                "music", command: [pacat.path, "--raw", "/dev/zero"], environment: scene.server.toolEnvironment)
            try await waitUntil("a stream") { try await !Pactl(scene.server).sinkInputs().isEmpty }
            for round in 1...2 {
                let film = try await scene.film()
                try await music.told("Pause", times: round)
                try await waitUntil { !music.isPlaying }
                try await Self.leave(film)
                try await music.told("Play", times: round)
                try await waitUntil { music.isPlaying }
            }
            // The user plays and pauses it in between: it is his from then on.
            let film = try await scene.film()
            try await waitUntil { !music.isPlaying }
            try await music.order("play")
            try await music.order("pause")
            try await Self.leave(film)
            // Whatever the program has asked for came before this.
            _ = await scene.bus.client.mediaPlayers()
            #expect(!music.isPlaying)
            #expect(music.count(of: "Play") == 2)
        }
    }

    // MARK: Programs that people use, on machines that have them

    private static let mpv = HeadlessServer.findBinary("mpv")
    private static let playerctl = HeadlessServer.findBinary("playerctl")
    private static let plugIn = ["/etc/mpv/scripts/mpris.so", "/usr/lib/mpv-mpris/mpris.so"].first {
        FileManager.default.fileExists(atPath: $0)
    }

    @Test(
        "mpv, looked at and touched with playerctl",
        .enabled(if: mpv != nil && plugIn != nil && playerctl != nil, "needs mpv with mpv-mpris, and playerctl"),
        arguments: HeadlessServer.Kind.allCases)
    func real(kind: HeadlessServer.Kind) async throws {
        try await Self.withScene(kind) { scene in
            let bus = ["DBUS_SESSION_BUS_ADDRESS": scene.bus.address]
            let file = scene.bus.folder.appendingPathComponent("tone.raw")
            try TestSignal.sine(frequency: 440, level: -20, seconds: 60).rawData.write(to: file)
            let arguments = [
                "--no-config", "--no-video", "--ao=pulse", "--no-terminal", "--demuxer=rawaudio",
                "--script=\(try #require(Self.plugIn))", file.path,
            ]
            let mpv = try ChildProcess(
                try #require(Self.mpv), arguments, environment: scene.server.environment.merging(bus) { $1 })
            let pactl = Pactl(scene.server)
            let playerctl = try #require(Self.playerctl)
            func ask(_ words: String...) async throws -> String {
                // `player` is on the bus, too.
                let process = try ChildProcess(
                    playerctl, ["-p", "mpv"] + words, environment: scene.server.toolEnvironment.merging(bus) { $1 })
                try await process.wait()
                return String(decoding: process.output(), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            }
            // mpv tells what happened to it up to a tenth of a second later, which is faster than any user.
            let told = Collection<PlayerEvent>()
            let ear = scene.bus.client
            ear.watchPlayers { told.add($0) }
            func wait(_ status: String) async throws {
                try await waitUntil("mpv \(status)") { try await ask("status") == status }
                try await waitUntil("mpv told \(status)") {
                    let last = told.all.compactMap { if case .status(_, let status) = $0 { status } else { nil } }.last
                    return last.map { ($0 == .playing) == (status == "Playing") } ?? (status == "Playing")
                }
                _ = try await pactl.waitForSinkInput(of: mpv.processID) { $0.isCorked == (status == "Paused") }
            }
            try await wait("Playing")
            var film = try await scene.film()
            try await wait("Paused")
            try await Self.leave(film)
            try await wait("Playing")

            film = try await scene.film()
            try await wait("Paused")
            _ = try await ask("play")
            try await wait("Playing")
            _ = try await ask("pause")
            try await wait("Paused")
            try await Self.leave(film)
            _ = await ear.mediaPlayers()
            #expect(try await ask("status") == "Paused", "the user's last word")

            _ = try await ask("play")
            try await wait("Playing")
            film = try await scene.film()
            try await wait("Paused")
            _ = try await ask("play")
            try await wait("Playing")
            try await Self.leave(film)
            #expect(try await ask("status") == "Playing", "the user's last word")
        }
    }
}
