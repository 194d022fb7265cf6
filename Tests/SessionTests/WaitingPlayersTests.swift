import Foundation
import HeadlessServer
import TestSupport
import Testing

/// A media player that an app paused, and that waits for the end of another app's newer session, or for the server.
@Suite("A paused player that waits", .limited)
struct WaitingPlayersTests {
    @Test(
        "for a server that went away waits for the app's next session too, and goes on if there is none",
        arguments: HeadlessServer.Kind.allCases)
    func lostServer(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let scene = Scene(server: server, monitor: try await MonitorRecording.start(on: server))
            let desktop = try await DesktopScene(scene, owning: [])
            let player = try await desktop.player()
            let sound = try await ForeignStream.start(
                on: server, role: "music", properties: ["application.process.id": "\(player.processID)"])
            let app = try await desktop.peer("app", "playback")
            try await app.send("activate")
            try await player.line(timeout: hangLimit) { $0 == "status Paused" }
            for isComingBack in [true, false] {
                server.kill()
                try await app.wait(for: "servicesLost")
                try await offPool { try server.restart() }
                try await app.wait(for: "servicesReset")
                #expect(!player.outputLines.contains("Play"))
                guard isComingBack else { break }
                try await app.send("category playback")
                try await app.send("activate")
            }
            try await player.line(timeout: hangLimit) { $0 == "status Playing" }
            withExtendedLifetime(sound) {}
            player.send(SIGKILL)
            desktop.kill()
        }
    }

    @Test(
        "for another app goes on if that app says so as it ends, and else not, also where it exits at once",
        arguments: HeadlessServer.Kind.allCases, [true, false])
    func lastWord(kind: HeadlessServer.Kind, notifies: Bool) async throws {
        try await withDesktop(kind) { desktop in
            let scene = desktop.scene
            // Whoever came first lowers streams for all, and attends to everybody.
            let first = try await scene.peer("first", "ambient")
            try await first.send("activate")
            try await first.send("deactivate notify")
            let player = try await desktop.player()
            let sound = try await ForeignStream.start(
                on: scene.server, role: "music", properties: ["application.process.id": "\(player.processID)"])
            let old = try await desktop.peer("old", "playback")
            try await old.send("activate")
            try await player.line(timeout: hangLimit) { $0 == "status Paused" }
            let new = try await scene.peer("new", "playback")
            try await new.send("activate")
            try await old.waitForInterruption()
            try await old.send("deactivate notify")
            // It knows by then that the newer one lives.
            try await scene.letPass()
            #expect(!player.outputLines.contains("Play"))
            try await new.send(notifies ? "deactivate notify" : "deactivate")
            try await new.exit()
            if notifies {
                try await player.line(timeout: hangLimit) { $0 == "status Playing" }
            } else {
                try await scene.letPass(1.5)
                #expect(!player.outputLines.contains("Play"))
            }
            player.send(SIGKILL)
            try await sound.stop()
        }
    }
}
