import Foundation
import HeadlessServer
import SoundAnalysis
import TestSupport
import Testing

@Suite("An AVPlayer among other apps", .limited)
struct AVPlayerTests {
    @Test(
        "S40: an interruption sets the rate of an AVPlayer to 0, and rateDidChange says audioSessionInterrupted",
        arguments: HeadlessServer.Kind.allCases)
    func interruption(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let file = try TestSignal.sine(frequency: 440, level: -12, seconds: 120, sampleRate: 44_100)
                .writeWAV(to: scene.file("440.wav"))
            let first = try await scene.peer("first", "playback")
            try await first.send("avplayer \(file.path)")
            try await first.wait(for: "rateDidChange") { $0.string("reason") == "setRateCalled" }
            try await scene.wait(for: 440, at: -12)

            let second = try await scene.peer("second", "playback")
            try await second.send("play 1000")
            let began = try await first.waitForInterruption()
            #expect(began.number("rate") == 0, "whoever looks in the interruption's handler sees it already")
            let change = try await first.wait(for: "rateDidChange")
            #expect(change.string("reason") == "audioSessionInterrupted" && change.number("rate") == 0)
            #expect(change.bool("main") == true)
            try await scene.wait(for: 440, at: nil)
            try await scene.wait(for: 1000, at: -12)

            try await second.send("stop")
            try await second.send("deactivate notify")
            let ended = try await first.waitForEnd()
            #expect(ended.number("option") == 1 && ended.number("rate") == 0)
            // It never plays by itself again.
            try await scene.letPass()
            #expect(try await scene.level(of: 440) < -55)
            #expect(try await first.send("avplay").number("value") == 1)
            try await scene.wait(for: 440, at: -12)
            #expect(
                first.events("rateDidChange").map { $0.string("reason") }
                    == ["setRateCalled", "audioSessionInterrupted", "setRateCalled"])
        }
    }

    @Test(
        "S40: an AVPlayer that is paused is told nothing of an interruption", arguments: HeadlessServer.Kind.allCases)
    func pausedBefore(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let file = try TestSignal.sine(frequency: 440, level: -12, seconds: 120, sampleRate: 44_100)
                .writeWAV(to: scene.file("440.wav"))
            let first = try await scene.peer("first", "playback")
            try await first.send("activate")
            try await first.send("avplayer \(file.path)")
            try await scene.wait(for: 440, at: -12)
            #expect(try await first.send("avpause").number("value") == 0)
            try await scene.wait(for: 440, at: nil)
            let second = try await scene.peer("second", "playback")
            try await second.send("play 1000")
            try await first.waitForInterruption()
            #expect(try await first.state().number("rate") == 0)
            #expect(first.events("rateDidChange").map { $0.string("reason") } == ["setRateCalled", "setRateCalled"])
        }
    }
}
