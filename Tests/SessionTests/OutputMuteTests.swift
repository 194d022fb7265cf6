import HeadlessServer
import TestSupport
import Testing

/// An app that mutes its own output.
@Suite("A muted output", .limited)
struct OutputMuteTests {
    @Test(
        "S29: a muted session in shortFormVideo starts beside others, and interrupts them when it is unmuted",
        arguments: HeadlessServer.Kind.allCases)
    func shortFormVideo(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let music = try await scene.peer("music", "playback")
            try await music.send("play 440")
            try await scene.wait(for: 440, at: -12)
            let video = try await scene.peer("video", "playback shortFormVideo")
            try await video.send("mute-output 1")
            try await video.send("play 1000")
            try await scene.letPass()
            try await scene.wait(for: 440, at: -12)
            try await scene.wait(for: 1000, at: nil)
            #expect(music.interruptions == [])
            #expect(try await video.state().bool("isPlaying") == true, "its player goes on")
            try await video.send("mute-output 0")
            try await music.waitForInterruption()
            try await scene.wait(for: 1000, at: -12)
            try await scene.wait(for: 440, at: nil)
            // Muted again it mixes, and the music may go on.
            try await video.send("mute-output 1")
            try await music.waitForEnd()
        }
    }

    @Test("A muted session in another mode interrupts as ever, in silence", arguments: HeadlessServer.Kind.allCases)
    func otherModes(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let music = try await scene.peer("music", "playback")
            try await music.send("play 440")
            try await scene.wait(for: 440, at: -12)
            let film = try await scene.peer("film", "playback moviePlayback")
            try await film.send("mute-output 1")
            try await film.send("play 1000")
            try await music.waitForInterruption()
            try await scene.wait(for: 440, at: nil)
            try await scene.wait(for: 1000, at: nil)
            try await film.send("mute-output 0")
            try await scene.wait(for: 1000, at: -12)
        }
    }

    @Test("playAndRecord cannot be muted in a mode of its own, and a change to such a mode unmutes")
    func impossible() async throws {
        try await withScene(.pulseAudio) { scene in
            let peer = try await scene.peer("app", "playAndRecord voiceChat")
            #expect(try await peer.attempt("mute-output 1").string("fourCC") == "!cat")
            try await peer.send("mode default")
            try await peer.send("mute-output 1")
            try await peer.send("mode voiceChat")
            _ = try await peer.state()
            #expect(peer.events("outputMute").map { $0.number("muted") } == [1, 0])
        }
    }
}
