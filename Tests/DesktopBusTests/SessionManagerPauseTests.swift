import Foundation
import HeadlessServer
import TestSupport
import Testing

/// WirePlumber's setting `linking.pause-playback`: it asks players to pause when their sink goes.
@Suite(.limited)
struct SessionManagerPauseTests {
    /// Whether the session manager of the tests' servers has the setting: WirePlumber 0.5.11 and later.
    private static var isAvailable: Bool {
        let program = HeadlessServer.findBinary("wireplumber")
        let folder = program?.deletingLastPathComponent().deletingLastPathComponent().path
        let script = "/share/wireplumber/scripts/linking/mpris-pause.lua"
        return folder.map { FileManager.default.fileExists(atPath: $0 + script) } ?? false
    }

    @Test(
        "An app whose headset is pulled is interrupted once, with the reason, and gets no command to pause",
        .enabled(if: isAvailable, "only with WirePlumber 0.5.11 and later (make test-servers)"))
    func pulled() async throws {
        try await withServer(.pipeWire) { server in
            // The session manager looks for its bus when it starts.
            let bus = try await PrivateBus.start()
            let address = try #require(server.environment["DBUS_SESSION_BUS_ADDRESS"])
            try FileManager.default.createSymbolicLink(
                atPath: address.replacingOccurrences(of: "unix:path=", with: ""),
                withDestinationPath: bus.folder.path + "/bus")
            server.killPolicy()
            try server.startPolicy()
            let pactl = Pactl(server)
            let card = try await FakeCard.start(.usb, on: server)
            let headset = try #require(card.nodeNames.first { $0.contains("output") })
            try await pactl.setDefault(sink: headset)

            let file = try TestSignal.sine(frequency: 440, level: -20, seconds: 60).writeWAV(
                to: bus.folder.appendingPathComponent("tone.wav"))
            let app = try await RemoteApp.start(on: bus, server: server)
            for command in ["play", "pause"] { try await app.peer.send("target \(command)") }
            try await app.peer.send(#"info {"title":"One","MPNowPlayingInfoPropertyPlaybackRate":1}"#)
            // A player that only listens on the bus shows that the session manager did ask.
            guard let pacat = HeadlessServer.findBinary("pacat") else {
                throw SupportError("no pacat: run `make setup`")
            }
            let music = try await bus.player(
                "music", command: [pacat.path, "--raw", "/dev/zero"], environment: server.toolEnvironment)
            try await app.peer.send("play \(file.path)")
            try await waitUntil("both streams", timeout: hangLimit) {
                try await pactl.sinkInputs().count { !$0.isCorked } == 2
            }
            try await card.unplug()
            try await app.peer.waitForInterruption()
            try await music.told("Pause", times: 1)
            #expect(app.peer.interruptions == ["began"])
            #expect(try await app.commands() == [])
        }
    }
}
