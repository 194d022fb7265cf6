import DesktopBus
import Foundation
import HeadlessServer
import TestSupport
import Testing

/// An app whose handlers and pictures are the last to keep something: its end must not meet the library's own locks.
///
/// Where it does, the app hangs, and does not answer any more.
@Suite(.limited)
struct LettingGoTests {
    @Test("A target may be the last to keep something that removes targets when it ends")
    func target() async throws {
        let app = try await RemoteApp.start(on: PrivateBus.start())
        try await app.peer.send("keep next")
        try await app.peer.send("untarget next")
        try await app.peer.wait(for: "farewell")
    }

    @Test("A target may be the last to keep a player that plays", arguments: HeadlessServer.Kind.allCases)
    func player(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let bus = try await PrivateBus.start()
            let file = try TestSignal.sine(frequency: 440, level: -20, seconds: 30).writeWAV(
                to: bus.folder.appendingPathComponent("tone.wav"))
            let app = try await RemoteApp.start(on: bus, server: server)
            let monitor = try await MonitorRecording.start(on: server)
            try await app.peer.send("play \(file.path)")
            try await app.peer.send("leave next")
            try await monitor.waitForSound(timeout: hangLimit)
            try await app.waitForName()
            try await app.peer.send("untarget next")
            try await monitor.waitForSilence(timeout: hangLimit)
            try await app.wait(for: "PlaybackStatus", .text("Stopped"))
            _ = try await monitor.stop()
        }
    }

    @Test("nowPlayingInfo may be the last to keep something that sets it when it ends", arguments: [true, false])
    func info(hasBus: Bool) async throws {
        let none = ["DBUS_SESSION_BUS_ADDRESS": "", "XDG_RUNTIME_DIR": "/nonexistent"]
        let app = try await RemoteApp.start(on: PrivateBus.start(), environment: hasBus ? [:] : none)
        try await app.peer.send("keepInfo")
        try await app.peer.send(#"info {"title":"One"}"#)
        try await app.peer.wait(for: "farewell")
        if hasBus { try await app.wait(for: "PlaybackStatus", .text("Stopped")) }
    }
}
