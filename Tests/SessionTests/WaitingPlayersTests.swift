import Foundation
import HeadlessServer
import TestSupport
import Testing

/// A media player that an app paused, and that waits for the end of another app's newer session.
@Suite("A paused player that waits for another app", .timeLimit(.minutes(60)))
struct WaitingPlayersTests {
    @Test(
        "goes on if that app says so as it ends, and else not, also where it exits at once",
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
