import DesktopBus
import Foundation
import HeadlessServer
import TestSupport
import Testing

/// An app that is a player on the bus and has a session, among other sessions.
@Suite(.limited)
struct RemoteSessionTests {
    /// An app that plays a tone, others that interrupt it, and an ear at the sink.
    private struct Scene {
        let server: HeadlessServer
        let app: RemoteApp
        let monitor: MonitorRecording

        /// Another app, whose session does not mix; it ends with SIGTERM, and tells those whom it interrupted.
        func film(seconds: Double = 60) async throws -> ChildProcess {
            let file = try TestSignal.silence(seconds: seconds).writeWAV(
                to: app.bus.folder.appendingPathComponent("film-\(UUID().uuidString).wav"))
            let film = try ChildProcess(
                "player", ["--category", "playback", "--json", file.path], on: server,
                environment: ["DBUS_SESSION_BUS_ADDRESS": app.bus.address])
            try await film.event("progress", timeout: hangLimit)
            return film
        }

        func leave(_ film: ChildProcess) async throws {
            film.send(SIGTERM)
            try await film.wait()
        }
    }

    private static func withScene(
        _ kind: HeadlessServer.Kind, _ commands: [String], forbidding forbidden: [String] = [],
        _ body: (Scene) async throws -> Void
    ) async throws {
        try await withServer(kind) { server in
            let bus = try await PrivateBus.start()
            let file = try TestSignal.sine(frequency: 440, level: -20, seconds: 30).writeWAV(
                to: bus.folder.appendingPathComponent("tone.wav"))
            let app = try await RemoteApp.start(on: bus, server: server)
            for command in commands { try await app.peer.send("target \(command)") }
            for command in forbidden { try await app.peer.send("enable \(command) false") }
            let monitor = try await MonitorRecording.start(on: server)
            try await app.peer.send("play \(file.path)")
            try await monitor.waitForSound(timeout: hangLimit)
            try await body(Scene(server: server, app: app, monitor: monitor))
            _ = try await monitor.stop()
        }
    }

    @Test("An app is not shown between the beginning of its sound and what it says of it in the same turn")
    func firstWord() async throws {
        try await withServer(.pulseAudio) { server in
            let bus = try await PrivateBus.start()
            let file = try TestSignal.sine(frequency: 440, level: -20, seconds: 30).writeWAV(
                to: bus.folder.appendingPathComponent("tone.wav"))
            let app = try await RemoteApp.start(on: bus, server: server)
            for command in ["play", "pause", "position"] { try await app.peer.send("target \(command)") }
            let monitor = try await MonitorRecording.start(on: server)
            let process = app.peer.process
            try process.write(line: "1000 playHeld \(file.path)")
            try process.write(line: #"1001 info {"title":"One","playbackDuration":30}"#)
            try await process.event("held", timeout: hangLimit) { $0.bool("ok") == true }
            try await monitor.waitForSound(timeout: hangLimit)
            #expect(await !soon { await !app.names().isEmpty }, "a position would be asked for in no track")
            try process.write(line: "1002 unblock")
            try await app.waitForName()
            try await waitUntil("the title", timeout: hangLimit) { await app.metadata()["xesam:title"] == .text("One") }
            _ = try await monitor.stop()
        }
    }

    @Test("An app that only forbids commands is no player when it plays; one that takes a command is")
    func forbiddenCommands() async throws {
        try await Self.withScene(.pulseAudio, [], forbidding: ["play", "next"]) { scene in
            let app = scene.app
            try await app.peer.send("untarget like")
            #expect(await app.names().isEmpty)
            try await app.peer.send("target pause")
            try await app.waitForName()
            #expect(await app.get("PlaybackStatus") == .text("Playing"))
        }
    }

    @Test("An app that says its first word while it is interrupted does not play")
    func firstWordDuringInterruption() async throws {
        try await Self.withScene(.pulseAudio, []) { scene in
            let film = try await scene.film()
            try await scene.app.peer.waitForInterruption()
            try await scene.app.peer.send(#"info {"title":"One","MPNowPlayingInfoPropertyPlaybackRate":1}"#)
            try await scene.app.waitForName()
            #expect(await scene.app.get("PlaybackStatus") == .text("Paused"))
            try await scene.leave(film)
            try await scene.app.peer.wait(for: "resumed") { $0.bool("ok") == true }
            try await scene.app.wait(for: "PlaybackStatus", .text("Playing"))
        }
    }

    @Test("A pause asked for during an interruption means no automatic resume", arguments: HeadlessServer.Kind.allCases)
    func pauseDuringInterruption(kind: HeadlessServer.Kind) async throws {
        try await Self.withScene(kind, ["pause"]) { scene in
            let app = scene.app
            try await app.peer.send(#"info {"title":"One","MPNowPlayingInfoPropertyPlaybackRate":1}"#)
            try await app.waitForName()
            try await app.wait(for: "PlaybackStatus", .text("Playing"))
            for isAsked in [false, true] {
                var film = try await scene.film()
                try await app.peer.waitForInterruption()
                // It says that it plays, but does not.
                try await app.wait(for: "PlaybackStatus", .text("Paused"))
                if isAsked {
                    #expect(await app.call("Pause") == .values([]))
                    #expect(try await app.commands() == ["pause"])
                }
                try await scene.leave(film)
                let end = try await app.peer.waitForEnd()
                #expect(end.bool("shouldResume") == !isAsked)
                guard isAsked else {
                    try await app.peer.wait(for: "resumed") { $0.bool("ok") == true }
                    try await app.wait(for: "PlaybackStatus", .text("Playing"))
                    continue
                }
                #expect(await app.get("PlaybackStatus") == .text("Paused"))
                try await scene.monitor.waitForSilence(timeout: hangLimit)
                // The next interruption is another one.
                try await app.peer.send("play again")
                try await scene.monitor.waitForSound(from: scene.monitor.frames, timeout: hangLimit)
                film = try await scene.film()
                try await app.peer.waitForInterruption()
                try await scene.leave(film)
                try await app.peer.wait(for: "resumed") { $0.bool("ok") == true }
            }
        }
    }

    @Test("Sessions of others never pause an app that has a session", arguments: HeadlessServer.Kind.allCases)
    func neverPausedTwice(kind: HeadlessServer.Kind) async throws {
        try await Self.withScene(kind, ["play", "pause", "toggle", "stop"]) { scene in
            let app = scene.app
            // Nothing was said of what plays: it is on the bus because it plays, and can be asked to do something else.
            try await app.waitForName()
            try await app.wait(for: "PlaybackStatus", .text("Playing"))
            guard let pacat = HeadlessServer.findBinary("pacat") else {
                throw SupportError("no pacat: run `make setup`")
            }
            let music = try await app.bus.player(
                "music", command: [pacat.path, "--raw", "/dev/zero"], environment: scene.server.toolEnvironment)
            try await waitUntil("its stream") { try await Pactl(scene.server).sinkInputs().count == 2 }
            for round in 1...2 {
                let film = try await scene.film()
                try await app.peer.waitForInterruption()
                // Somebody else's player is asked, so ours would have been by now.
                try await music.told("Pause", times: round)
                _ = await app.names()
                try await scene.leave(film)
                #expect(try await app.peer.waitForEnd().bool("shouldResume") == true)
                // The film lets it go on only where it leaves before our app is back.
                try await music.order("play")
            }
            #expect(try await app.commands().isEmpty)
            #expect(await app.call("Pause") == .values([]))
            #expect(try await app.commands() == ["pause"])
        }
    }

    @Test("Without a rate, the session's players say whether it plays", arguments: HeadlessServer.Kind.allCases)
    func statusOfPlayers(kind: HeadlessServer.Kind) async throws {
        try await Self.withScene(kind, []) { scene in
            let app = scene.app
            try await app.peer.send(#"info {"title":"One","MPNowPlayingInfoPropertyElapsedPlaybackTime":5}"#)
            try await app.waitForName()
            let signals = await app.listen()
            try await app.wait(for: "PlaybackStatus", .text("Playing"))
            try await app.peer.send("pause")
            try await waitUntil { signals.changes(of: "PlaybackStatus") == [.text("Paused")] }
            let position = await app.get("Position")
            #expect(await app.get("Position") == position)
            try await app.peer.send("play again")
            try await waitUntil { signals.changes(of: "PlaybackStatus") == [.text("Paused"), .text("Playing")] }
            try await waitUntil { await app.get("Position") != position }
            #expect(signals.jumps.isEmpty)
        }
    }
}
