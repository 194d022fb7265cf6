import AudioHost
import AudioSession
import HeadlessServer
import TestSupport
import Testing

@testable import AVFAudio
@testable import SoundHost

@Suite("An output that is held because its device is gone", .serialized, .limited)
struct HeldOutputTests {
    @Test(
        "S51: what is about to go on at that moment, as after a seek, waits too, and goes on at its very frame",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func duringSeek(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let player = try lab.player(lab.counter(seconds: 1))
            #expect(player.play())
            try await waitUntil("some sound") { player.currentTime > 0.2 }
            let binding = try #require(player.core.binding)
            let host = try #require(binding.host as? PulseHost)
            let mix = try #require(host.withLock { host.outputs.players.current })
            #expect(binding.sound.suspend())
            host.withLock { mix.silenceForRouteChange() }
            binding.sound.endSuspension(with: binding.sound)
            try await waitUntil("silence") { host.withLock { mix.phase != .settling } }
            #expect(host.withLock { mix.phase } == .corked)
            #expect(player.isPlaying)
            host.withLock { mix.resumeAfterRouteChange() }
            try await waitUntil("the end") { !player.isPlaying }
            expectWhole(try await lab.heard().counted, count: lab.rate)
        }
    }
}
