import Foundation
import HeadlessServer
import TestSupport
import Testing

@Suite("What an app may know of the sound of others", .limited)
struct SecondaryAudioTests {
    @Test(
        "S41: other audio plays if any other app is heard, one that mixes and one without a session too",
        arguments: HeadlessServer.Kind.allCases)
    func other(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let app = try await scene.peer("app", "ambient")
            func answers(_ expected: Bool) async throws {
                try await waitUntil("other audio \(expected)", timeout: hangLimit) {
                    try await app.send("other").bool("value") == expected
                }
            }
            try await app.send("play 440")
            try await answers(false)
            let game = try await scene.peer("game", "ambient")
            try await game.send("activate")
            try await answers(false)
            try await game.send("play 1000")
            try await answers(true)
            try await game.send("pause")
            try await answers(false)
            let foreign = try await ForeignStream.start(on: scene.server)
            try await answers(true)
            try await foreign.stop()
            try await answers(false)
            // What the server does within itself is nobody's sound.
            let loopback = try await scene.pactl.loadModule("module-loopback")
            // A filter in a process of its own has a client like any program, and PipeWire's word for what it is.
            let filter =
                kind == .pipeWire
                ? try await ForeignStream.start(on: scene.server, properties: ["node.link-group": "filter"]) : nil
            try await waitUntil("the loopback", timeout: hangLimit) {
                try await scene.pactl.sinkInputs().contains { !$0.isCorked && $0.processID != app.processID }
            }
            try await answers(false)
            try await filter?.stop()
            try await scene.pactl.unloadModule(loopback)
        }
    }

    @Test(
        "S42, S44: secondary audio is to be silenced only while somebody's main sound plays; that is known at launch",
        arguments: HeadlessServer.Kind.allCases)
    func hint(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let music = try await scene.peer("music", "playback default mixWithOthers")
            let game = try await scene.peer("game", "ambient")
            func answers(_ expected: Bool, _ peer: Peer) async throws {
                try await waitUntil("the hint \(expected)", timeout: hangLimit) {
                    try await peer.send("hint").bool("value") == expected
                }
            }
            try await music.send("play 440")
            try await scene.wait(for: 440, at: -12)
            try await answers(false, game)
            try await music.send("stop")
            try await music.send("category playback")
            try await music.send("activate")
            try await answers(false, game)
            try await music.send("play 440")
            try await answers(true, game)
            // Its own main sound does not count.
            try await answers(false, music)
            let late = try await scene.peer("late", "ambient")
            #expect(try await late.send("hint").bool("value") == true, "no notification covers the start")
            #expect(late.events("hint").isEmpty)
            try await music.attempt("deactivate notify")
            try await answers(false, game)
        }
    }

    @Test(
        "S43: begin and end of somebody's main sound are told to those that are active and mix",
        arguments: HeadlessServer.Kind.allCases)
    func notification(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let game = try await scene.peer("game", "ambient")
            let idle = try await scene.peer("idle", "ambient")
            let music = try await scene.peer("music", "playback")
            try await game.send("activate")
            // Connected, but not active.
            try await idle.send("hint")
            for _ in 0..<3 {
                try await music.send("play 440")
                let begin = try await game.wait(for: "hint")
                #expect(begin.number("type") == 1 && begin.bool("main") == true)
                try await music.send("pause")
                #expect(try await game.wait(for: "hint").number("type") == 0)
            }
            #expect(idle.events("hint").isEmpty && music.events("hint").isEmpty)
        }
    }

    @Test(
        "S43: main sound that goes over to another output has not ended, and nothing is told of it",
        arguments: HeadlessServer.Kind.allCases)
    func movedSound(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let game = try await scene.peer("game", "ambient")
            try await game.send("activate")
            let places = ["first", "second"]
            for place in places { _ = try await scene.pactl.loadModule("module-null-sink", ["sink_name=\(place)"]) }
            let music = try await ForeignStream.start(on: scene.server, role: "music")
            #expect(try await game.wait(for: "hint").number("type") == 1)
            for place in Array(repeating: places, count: 8).joined() {
                let sink = try await scene.pactl.sink(place)
                try await waitUntil("the music on \(place)", timeout: hangLimit) {
                    let stream = try await scene.pactl.sinkInputs().first { $0.index == music.index }
                    if stream?.isCorked == false && stream?.device == sink?.index { return true }
                    // PipeWire forgets one now and then.
                    try await scene.pactl.move(sinkInput: music.index, to: place)
                    return false
                }
            }
            try await music.stop()
            try await waitUntil("the end", timeout: hangLimit) { game.events("hint").last?.number("type") == 0 }
            #expect(game.events("hint").map { $0.number("type") } == [1, 0])
        }
    }
}
