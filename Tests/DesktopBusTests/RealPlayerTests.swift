import DesktopBus
import Foundation
import HeadlessServer
import SessionPolicy
import SoundHost
import TestSupport
import Testing

/// A player that people use, on machines that have it: mpv, with the plug-in that puts it on the bus.
@Suite(.limited)
struct RealPlayerTests {
    private static let mpv = HeadlessServer.findBinary("mpv")
    private static let plugIn = ["/etc/mpv/scripts/mpris.so", "/usr/lib/mpv-mpris/mpris.so"].first {
        FileManager.default.fileExists(atPath: $0)
    }

    @Test(
        .enabled(if: mpv != nil && plugIn != nil, "needs mpv with mpv-mpris"), arguments: HeadlessServer.Kind.allCases)
    func mpvPausesAndGoesOn(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let bus = try await PrivateBus.start()
            let file = bus.folder.appendingPathComponent("tone.raw")
            try TestSignal.sine(frequency: 440, level: -20, seconds: 30).rawData.write(to: file)
            let arguments = [
                "--no-config", "--no-video", "--ao=pulse", "--no-terminal", "--demuxer=rawaudio",
                "--script=\(try #require(Self.plugIn))", file.path,
            ]
            let environment = server.environment.merging(["DBUS_SESSION_BUS_ADDRESS": bus.address]) { $1 }
            let mpv = try ChildProcess(try #require(Self.mpv), arguments, environment: environment)
            let pactl = Pactl(server)
            _ = try await pactl.waitForSinkInput(of: mpv.processID) { !$0.isCorked }
            let client = bus.client
            try await waitUntil("mpv on the bus") { await client.mediaPlayers().first?.status == .playing }

            let streams = [ServerStream(index: 0, pid: mpv.processID)]
            let players = ForeignPlayers(bus: client, own: 1, streams: { streams }, participants: { [] })
            for notify in [true, true, false] {
                players.sessionBegan()
                try await waitUntil { players.paused.map(\.stage) == [.paused] }
                _ = try await pactl.waitForSinkInput(of: mpv.processID) { $0.isCorked }
                players.sessionEnded(notify: notify)
                guard notify else { break }
                _ = try await pactl.waitForSinkInput(of: mpv.processID) { !$0.isCorked }
                #expect(players.paused.isEmpty)
            }
            #expect(players.settle(seconds: 10))
            #expect(await client.mediaPlayers().first?.status == .paused)
        }
    }
}
