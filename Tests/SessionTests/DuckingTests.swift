import Foundation
import HeadlessServer
import TestSupport
import Testing

/// Rules 5 and 6 among apps that take part: each lowers itself.
@Suite("Lowered and muted by another app", .limited)
struct DuckingTests {
    @Test(
        "S18, S11: others are lowered by 20 dB from activation to deactivation, whether the ducker is heard or not",
        .judges(.level(decibels: 1)), arguments: HeadlessServer.Kind.allCases)
    func whileActive(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let music = try await scene.peer("music", "playback")
            try await music.send("play 1000")
            try await scene.wait(for: 1000, at: -12)
            let prompt = try await scene.peer("prompt", "playback default duckOthers")
            try await prompt.send("activate")
            try await scene.wait(for: 1000, at: -32)
            try await prompt.send("play 440 0.2")
            try await prompt.wait(for: "playerFinished")
            try await scene.letPass()
            #expect(try await abs(scene.level(of: 1000) + 32) < 1)
            try await prompt.send("deactivate")
            try await scene.wait(for: 1000, at: -12)
            #expect(music.interruptions == [])
        }
    }

    @Test(
        "Rule 5: several duckers are one depth, and neither they nor those who come later are heard louder",
        .judges(.level(decibels: 1)), arguments: HeadlessServer.Kind.allCases)
    func oneDepth(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let music = try await scene.peer("music", "playback")
            try await music.send("play 1000")
            let first = try await scene.peer("first", "playback default duckOthers")
            let second = try await scene.peer("second", "playAndRecord default duckOthers")
            try await first.send("play 440")
            try await second.send("play 2000")
            try await scene.wait(for: 1000, at: -32)
            try await scene.wait(for: 440, at: -12)
            try await scene.wait(for: 2000, at: -12)
            let late = try await scene.peer("late", "ambient")
            try await late.send("play 3000")
            try await scene.wait(for: 3000, at: -32)
            try await first.attempt("deactivate notify")
            try await scene.letPass()
            #expect(try await abs(scene.level(of: 1000) + 32) < 1, "the second ducks still")
            try await second.attempt("deactivate notify")
            try await scene.wait(for: 1000, at: -12)
            try await scene.wait(for: 3000, at: -12)
        }
    }

    @Test(
        "What was lowered in place of a stopped process comes back, though nobody lowers anything any more",
        arguments: HeadlessServer.Kind.allCases)
    func inPlaceOfStopped(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind, modules: kind == .pulseAudio ? ["module-stream-restore restore_device=false"] : []) {
            scene in
            // Who came first lowers streams for all, if it can.
            let music = try await scene.peer("music", "playback")
            try await music.send("play 440")
            let prompt = try await Peer.start(
                on: scene.server, name: "prompt", environment: ["AVAUDIOSESSION_DUCK_TIMES": "0.2,3"])
            try await prompt.send("category ambient")
            try await prompt.send("activate")
            #expect(try await prompt.send("hint").bool("value") == true)
            music.stop()
            try await prompt.wait(for: "hint") { $0.number("type") == 0 }
            let foreign = try await ForeignStream.start(on: scene.server, playing: .tone(frequency: 1500))
            try await scene.wait(for: 1500, at: -12)
            try await prompt.send("category playback default duckOthers")
            try await scene.wait(for: 1500, at: -32)
            try await prompt.send("deactivate notify")
            // Everybody's claims are looked at again while the stream comes back.
            let other = try await scene.peer("other", "ambient")
            try await other.send("activate")
            try await scene.wait(for: 1500, at: -12)
            music.continue()
            try await foreign.stop()
        }
    }

    @Test("Rule 5, S21: a call is never lowered", .judges(.level(decibels: 1)), arguments: HeadlessServer.Kind.allCases)
    func callIsNotDucked(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let call = try await scene.peer("call", "playAndRecord voiceChat")
            try await call.send("play 440")
            let prompt = try await scene.peer("prompt", "playback default duckOthers")
            try await prompt.send("play 1000")
            try await scene.wait(for: 1000, at: -12)
            try await scene.letPass()
            #expect(try await abs(scene.level(of: 440) + 12) < 1)
            #expect(call.interruptions == [])
        }
    }

    @Test(
        "Rule 5: what an interrupted ducker held down comes back, and so does what a killed one did",
        arguments: HeadlessServer.Kind.allCases)
    func duckerGone(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let music = try await scene.peer("music", "playback default mixWithOthers")
            try await music.send("play 1000")
            let prompt = try await scene.peer("prompt", "playback spokenAudio duckOthers")
            try await prompt.send("activate")
            try await scene.wait(for: 1000, at: -32)
            let other = try await scene.peer("other", "playback default interruptSpokenAudioAndMixWithOthers")
            try await other.send("activate")
            try await prompt.waitForInterruption()
            try await scene.wait(for: 1000, at: -12)
            let killed = try await scene.peer("killed", "playback default duckOthers")
            try await killed.send("activate")
            try await scene.wait(for: 1000, at: -32)
            try await killed.kill()
            try await scene.wait(for: 1000, at: -12)
        }
    }

    @Test("Rule 5: a stopped ducker holds nobody down", arguments: HeadlessServer.Kind.allCases)
    func stoppedDucker(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let music = try await scene.peer("music", "playback")
            try await music.send("play 1000")
            let prompt = try await scene.peer("prompt", "playback default duckOthers")
            try await prompt.send("activate")
            try await scene.wait(for: 1000, at: -32)
            prompt.stop()
            try await scene.wait(for: 1000, at: -12)
            prompt.continue()
            try await scene.wait(for: 1000, at: -32)
        }
    }

    @Test(
        "A sound that begins after others were lowered, or let up, is as loud as it is to be from its first moment",
        .judges(.level(decibels: 2)), arguments: HeadlessServer.Kind.allCases)
    func soundsBetween(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let game = try await scene.peer("game", "ambient")
            try await game.send("activate")
            let music = try await scene.peer("music", "playback default mixWithOthers")
            try await music.send("play 3000")
            let prompt = try await scene.peer("prompt", "playback default duckOthers")
            try await expect(shots(by: game, in: scene), around: -12)
            try await prompt.send("activate")
            try await scene.wait(for: 3000, at: -32)
            try await expect(shots(by: game, in: scene), around: -32)
            try await prompt.send("deactivate")
            try await scene.wait(for: 3000, at: -12)
            try await expect(shots(by: game, in: scene), around: -12)
        }
    }

    @Test(
        "A sound that begins its session under a prompt is lowered from its first moment, with its output ready or not",
        arguments: HeadlessServer.Kind.allCases, [true, false])
    func firstSound(kind: HeadlessServer.Kind, isWarm: Bool) async throws {
        try await withScene(kind) { scene in
            let music = try await scene.peer("music", "playback default mixWithOthers")
            try await music.send("play 3000")
            let game = try await scene.peer("game", "ambient")
            if isWarm {
                try await game.send("warm-up")
                _ = try await scene.pactl.waitForSinkInput(of: game.processID) { $0.isCorked }
            }
            let prompt = try await scene.peer("prompt", "playback default duckOthers")
            try await prompt.send("activate")
            try await scene.wait(for: 3000, at: -32)
            try await expect(shots(by: game, in: scene), around: -32)
        }
    }

    /// How loud a sound of 0.15 s is, 10 ms at a time, while it is heard.
    private func shots(by game: Peer, in scene: Scene) async throws -> [Double] {
        let start = scene.monitor.frames
        try await game.send("play 1000 0.15")
        try await game.wait(for: "playerFinished")
        try await scene.letPass(0.3)
        let heard = scene.monitor.soFar(from: start)
        return stride(from: 0, to: heard.frames - 441, by: 441)
            .map { heard.level(ofFrequency: 1000, $0..<$0 + 441) }.filter { $0 > -45 }
    }

    private func expect(_ levels: [Double], around level: Double) {
        // The first and the last are not whole.
        let inner = levels.dropFirst().dropLast()
        #expect(inner.count > 8 && inner.allSatisfy { abs($0 - level) < 2 }, "\(levels)")
    }

    @Test(
        "Ramps, and no clicks: 0.2 s down, 0.5 s up", .judges(.level(decibels: 1, over: 0.01)),
        arguments: HeadlessServer.Kind.allCases)
    func ramps(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let music = try await scene.peer("music", "playback")
            try await music.send("play 1000")
            try await scene.wait(for: 1000, at: -12)
            let start = scene.monitor.frames
            let prompt = try await scene.peer("prompt", "playback default duckOthers")
            try await prompt.send("activate")
            try await scene.wait(for: 1000, at: -32)
            try await prompt.send("deactivate")
            try await scene.wait(for: 1000, at: -12)
            try await scene.letPass(0.3)
            let heard = scene.monitor.soFar(from: start)
            let levels = stride(from: 0, to: heard.frames - 441, by: 441).map {
                heard.level(ofFrequency: 1000, $0..<$0 + 441)
            }
            // From a decibel below the one level to a decibel above the other, 10 ms at a time.
            let down = try #require(levels.firstIndex { $0 < -13 })
            let low = try #require(levels.firstIndex { $0 < -31 })
            let up = try #require(levels.indices.first { $0 > low && levels[$0] > -31 })
            let high = try #require(levels.indices.first { $0 > up && levels[$0] > -13 })
            // In the sound's own time, which a busy machine does not stretch.
            #expect((8...25).contains(low - down), "\((low - down) * 10) ms down")
            #expect((20...55).contains(high - up), "\((high - up) * 10) ms up")
            #expect(heard.discontinuities(frequency: 1000, in: 441..<heard.frames - 441).isEmpty)
        }
    }

    @Test(
        "S23, rule 6: a session that only records mutes what mixes, while it is active",
        .judges(.level(decibels: 1)), arguments: HeadlessServer.Kind.allCases)
    func mutedByRecording(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let game = try await scene.peer("game", "ambient")
            try await game.send("play 1000")
            try await scene.wait(for: 1000, at: -12)
            let recorder = try await scene.peer("recorder", "record")
            try await recorder.send("activate")
            try await scene.wait(for: 1000, at: nil)
            #expect(game.interruptions == [])
            #expect(try await game.state().bool("isPlaying") == true)
            try await recorder.send("deactivate notify")
            try await scene.wait(for: 1000, at: -12)
            // One that plays as well leaves them alone.
            try await recorder.send("category playAndRecord")
            try await recorder.send("activate")
            try await scene.letPass()
            #expect(try await abs(scene.level(of: 1000) + 12) < 1)
        }
    }
}
