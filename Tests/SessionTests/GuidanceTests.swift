import HeadlessServer
import TestSupport
import Testing

/// What Apple advises apps of each kind to do, and what their users hear of it.
@Suite("Apps of each kind among others", .limited)
struct GuidanceTests {
    @Test(
        "S88: an app with the default session stops the background audio of others when it plays",
        arguments: HeadlessServer.Kind.allCases)
    func defaultSession(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let music = try await scene.peer("music", "playback")
            try await music.send("play 440")
            try await scene.wait(for: 440, at: -12)
            let app = try await scene.peer("app")
            try await app.send("play 1000")
            try await music.waitForInterruption()
            try await scene.wait(for: 1000, at: -12)
            try await scene.wait(for: 440, at: nil)
            let state = try await app.state()
            #expect(state.string("category") == "soloAmbient" && state.string("mode") == "default")
        }
    }

    @Test(
        "S89: a game mixes, a media player and a film interrupt, and those are told when it is over",
        arguments: HeadlessServer.Kind.allCases)
    func gamesAndPlayers(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let music = try await scene.peer("music", "playback")
            try await music.send("play 440")
            try await scene.wait(for: 440, at: -12)
            let game = try await scene.peer("game", "ambient")
            try await game.send("play 1000")
            try await scene.wait(for: 1000, at: -12)
            try await scene.wait(for: 440, at: -12)
            #expect(music.interruptions == [])
            try await game.exit()

            // As a browser does it: it tells others when the video is over.
            let video = try await scene.peer("video", "playback moviePlayback")
            try await video.send("play 1760")
            try await music.waitForInterruption()
            try await scene.wait(for: 1760, at: -12)
            try await scene.wait(for: 440, at: nil)
            try await video.send("stop")
            try await video.send("deactivate notify")
            #expect(try await music.waitForEnd().number("option") == 1)
        }
    }

    @Test(
        "S89: a spoken prompt lowers others for as long as it is active, and a call interrupts them until it ends",
        arguments: HeadlessServer.Kind.allCases)
    func promptsAndCalls(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let music = try await scene.peer("music", "playback")
            try await music.send("play 440")
            try await scene.wait(for: 440, at: -12)
            let navigation = try await scene.peer("navigation", "playback voicePrompt duckOthers")
            try await navigation.send("activate")
            try await navigation.send("play 1000 120")
            try await scene.wait(for: 440, at: -32)
            try await scene.wait(for: 1000, at: -12)
            try await navigation.send("stop")
            try await navigation.send("deactivate notify")
            try await scene.wait(for: 440, at: -12)
            #expect(music.interruptions == [])

            let call = try await scene.peer("call", "playAndRecord voiceChat")
            try await call.send("activate")
            try await music.waitForInterruption()
            try await scene.wait(for: 440, at: nil)
            try await call.send("deactivate notify")
            #expect(try await music.waitForEnd().number("option") == 1)
        }
    }
}
