import AVFAudio
import Foundation
import HeadlessServer
import TestSupport
import Testing

@Suite("A player and an interruption", .serialized, .limited)
struct PlayerInterruptionTests {
    @Test(
        "S101, S113: an interruption pauses the player where it is, tells its delegate, and is no end",
        .judges(.gap(frames: 1)), arguments: HeadlessServer.Kind.allCases)
    func interruption(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let events = PlayerEvents()
            let player = try lab.player(lab.counter(seconds: 4), events: events)
            #expect(player.play())
            try await lab.monitor.waitForSound()
            try await lab.monitor.wait(seconds: 0.5)
            let call = try await ForeignStream.start(on: lab.server, role: "phone")
            try await waitUntil("the delegate's call") { events.interruptions == [.began] }
            #expect(!player.isPlaying)
            // An estimate until the server has said how much of the queue it played.
            let time = try await player.settledTime()
            #expect(time > 0.3 && time < 4)
            try await lab.monitor.wait(seconds: 0.3)
            #expect(player.currentTime == time, "it stands")
            try await call.stop()
            try await waitUntil("the delegate's second call") { events.interruptions.count == 2 }
            #expect(events.interruptions == [.began, .ended(options: 1)])
            #expect(!player.isPlaying && events.finished.isEmpty)
            let before = lab.monitor.frames
            #expect(player.play())
            try await lab.monitor.wait(seconds: 0.5)
            player.stop()
            let end = Int((player.currentTime * Double(lab.rate)).rounded())
            let heard = try await lab.heard()
            let after = heard[before..<heard.frames].counted
            #expect(breaks(in: after).isEmpty && after.last == end)
            #expect(events.finished.isEmpty, "neither the interruption nor the stop is an end")
            #expect(abs((after.first ?? 0) - Int(time * Double(lab.rate)) - 1) <= 1, "at the exact frame")
        }
    }
}
