import Foundation
import HeadlessServer
import TestSupport
import Testing

@Suite("Who interrupts whom", .limited)
struct InterruptionTests {
    @Test(
        "S15, S17, rule 1: whatever does not mix interrupts what does not mix",
        arguments: HeadlessServer.Kind.allCases)
    func nonMixable(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let first = try await scene.peer("first", "playback")
            let second = try await scene.peer("second")
            for category in ["soloAmbient", "playback", "record", "playAndRecord", "multiRoute"] {
                try await second.send("category \(category)")
                try await first.send("activate")
                try await second.send("activate")
                try await first.waitForInterruption()
                try await second.send("deactivate notify")
                try await first.waitForEnd()
            }
            for category in ["soloAmbient", "record", "playAndRecord", "multiRoute"] {
                try await first.send("category \(category)")
                try await first.send("activate")
                try await second.send("category playback")
                try await second.send("activate")
                try await first.waitForInterruption()
                try await second.send("deactivate notify")
                try await first.waitForEnd()
            }
            #expect(first.interruptions.count == 18)
            #expect(second.interruptions == [])
        }
    }

    @Test(
        "S16, S17, rule 1: what mixes interrupts nobody, and nobody interrupts it",
        arguments: HeadlessServer.Kind.allCases)
    func mixable(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let music = try await scene.peer("music", "playback")
            try await music.send("play 440")
            let categories = [
                "ambient", "playback default mixWithOthers", "playAndRecord default mixWithOthers",
                "multiRoute default mixWithOthers",
            ]
            var others: [Peer] = []
            for (number, category) in categories.enumerated() {
                let other = try await scene.peer("other \(number)", category)
                #expect(try await other.send("play \(1000 + 400 * number)").bool("value") == true)
                others.append(other)
            }
            try await scene.wait(for: 440, at: -12)
            for number in categories.indices { try await scene.wait(for: Double(1000 + 400 * number), at: -12) }
            // Ordinary music of somebody else, once they are there.
            let more = try await scene.peer("more", "playback")
            try await more.send("play 3000")
            try await music.waitForInterruption()
            for number in categories.indices { try await scene.wait(for: Double(1000 + 400 * number), at: -12) }
            for other in others { #expect(other.interruptions == []) }
            #expect(music.interruptions == ["began"] && more.interruptions == [])
        }
    }

    @Test(
        "Rule 1: of many that do not mix, in whatever order they come, the newest is active at rest",
        arguments: HeadlessServer.Kind.allCases)
    func newestOfMany(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            var peers: [Peer] = []
            for number in 0..<4 { peers.append(try await scene.peer("app \(number)", "playback")) }
            for turn in [[0, 1, 2, 3], [2, 0, 3, 1]] {
                for number in turn { try await peers[number].send("play \(400 * (number + 1))") }
                let newest = try #require(turn.last)
                try await scene.wait(for: Double(400 * (newest + 1)), at: -12)
                for number in turn.dropLast() {
                    try await scene.wait(for: Double(400 * (number + 1)), at: nil)
                    #expect(try await peers[number].state().bool("active") == false)
                }
                #expect(try await peers[newest].state().bool("active") == true)
            }
        }
    }

    @Test("S28: two that take turns interrupt each other each time", arguments: HeadlessServer.Kind.allCases)
    func alternate(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let first = try await scene.peer("first", "playback")
            let second = try await scene.peer("second", "playback")
            try await first.send("activate")
            for _ in 0..<5 {
                try await second.send("activate")
                try await first.waitForInterruption()
                try await first.send("activate")
                try await second.waitForInterruption()
            }
            #expect(first.interruptions == Array(repeating: "began", count: 5))
            #expect(second.interruptions == Array(repeating: "began", count: 5))
        }
    }

    @Test(
        "S28: who was activated last is active, and not who is quicker to hear of it",
        arguments: HeadlessServer.Kind.allCases)
    func lastWins(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let peers = [try await scene.peer("first", "playback"), try await scene.peer("second", "playback")]
            for turn in 0..<30 {
                // The one has been told yes, and the other one may not have heard of it when it asks.
                for number in [turn % 2, (turn + 1) % 2] { try await peers[number].send("activate") }
                let (loser, winner) = (peers[turn % 2], peers[(turn + 1) % 2])
                try await waitUntil("turn \(turn)", timeout: hangLimit) {
                    try await loser.state().bool("active") == false
                }
                #expect(try await winner.state().bool("active") == true)
                try await winner.send("deactivate")
                try await loser.send("deactivate")
            }
        }
    }

    @Test(
        "S28: two that activate at the same moment agree on who is active", arguments: HeadlessServer.Kind.allCases)
    func race(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let first = try await scene.peer("first", "playback")
            let second = try await scene.peer("second", "playback")
            for _ in 0..<20 {
                async let one = first.send("activate")
                async let other = second.send("activate")
                _ = try await (one, other)
                try await waitUntil("one of them active", timeout: hangLimit) {
                    try await first.state().bool("active") != second.state().bool("active")
                }
                // Whoever ends lets the other one go on, which is told so only if it was interrupted.
                try await first.send("deactivate")
                try await second.send("deactivate")
            }
        }
    }

    @Test("S25: players of one app never interrupt each other", arguments: HeadlessServer.Kind.allCases)
    func onePerApp(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let peer = try await scene.peer("app", "playback")
            try await peer.send("play 440")
            try await peer.send("also 1000")
            try await scene.wait(for: 440, at: -12)
            try await scene.wait(for: 1000, at: -12)
            #expect(peer.interruptions == [])
        }
    }

    @Test(
        "S26, S36: when an interruption is told, players and recorders are paused and the session is inactive",
        arguments: HeadlessServer.Kind.allCases)
    func pausedBefore(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let first = try await scene.peer("first", "playAndRecord")
            let second = try await scene.peer("second", "playback")
            try await first.send("play 440")
            try await first.send("record \(scene.file("take.wav").path)")
            try await scene.wait(for: 440, at: -12)
            try await second.send("activate")
            let began = try await first.waitForInterruption()
            #expect(began.bool("isPlaying") == false && began.bool("isRecording") == false)
            try await scene.wait(for: 440, at: nil)
            let state = try await first.state()
            #expect(state.bool("active") == false)
            let position = state.number("position")
            try await scene.letPass()
            #expect(try await first.state().number("position") == position)
            // And all of it can go on.
            try await second.send("deactivate notify")
            try await first.waitForEnd()
            try await first.send("resume")
            #expect(try await first.state().bool("isRecording") == true)
        }
    }

    @Test(
        "An app that does not come back after an interruption has no stream any more, and may play from where it was",
        arguments: HeadlessServer.Kind.allCases)
    func givesUp(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let music = try await scene.peer("music", "playback")
            let other = try await scene.peer("other", "playback")
            for end in ["deactivate", "deactivate notify"] {
                try await music.send(end == "deactivate" ? "play 440 60" : "resume")
                try await scene.wait(for: 440, at: -12)
                try await other.send("activate")
                try await music.waitForInterruption()
                let position = try #require(try await music.state().number("position"))
                try await other.send(end)
                try await music.waitForEnd()
                // Told to go on, it has time for that, unless it says that it will not.
                if end != "deactivate" { try await music.send("deactivate") }
                try await waitUntil("no stream", timeout: hangLimit) {
                    try await scene.pactl.sinkInputs(of: music.processID).isEmpty
                }
                #expect(try await music.state().number("position") == position)
            }
            #expect(try await music.send("resume").bool("value") == true)
            try await scene.wait(for: 440, at: -12)
        }
    }

    @Test(
        "Rule 2, S19, S20: a prompt interrupts what speaks, not music; its end lets that go on",
        arguments: HeadlessServer.Kind.allCases)
    func spokenAudio(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let podcast = try await scene.peer("podcast", "playback spokenAudio mixWithOthers")
            let music = try await scene.peer("music", "playback default mixWithOthers")
            let prompt = try await scene.peer("prompt", "playback voicePrompt interruptSpokenAudioAndMixWithOthers")
            try await podcast.send("play 440")
            try await music.send("play 1000")
            try await scene.wait(for: 440, at: -12)
            try await prompt.send("play 2000")
            try await podcast.waitForInterruption()
            try await scene.wait(for: 440, at: nil)
            try await scene.wait(for: 1000, at: -12)
            try await scene.wait(for: 2000, at: -12)
            try await prompt.send("pause")
            try await prompt.attempt("deactivate notify")
            #expect(try await podcast.waitForEnd().number("option") == 1)
            #expect(music.interruptions == [])
        }
    }

    @Test(
        "A navigation prompt interrupts a podcast and ducks music (S18, S19, S20)",
        arguments: HeadlessServer.Kind.allCases)
    func navigation(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let podcast = try await scene.peer("podcast", "playback spokenAudio mixWithOthers")
            let music = try await scene.peer("music", "playback")
            let prompt = try await scene.peer(
                "navigation", "playback spokenAudio duckOthers,interruptSpokenAudioAndMixWithOthers")
            try await podcast.send("play 440")
            try await music.send("play 1000")
            try await scene.wait(for: 1000, at: -12)
            try await prompt.send("play 2000")
            try await podcast.waitForInterruption()
            try await scene.wait(for: 440, at: nil)
            try await scene.wait(for: 1000, at: -32)
            try await scene.wait(for: 2000, at: -12)
            try await prompt.attempt("deactivate notify")
            #expect(try await podcast.waitForEnd().number("option") == 1)
            try await scene.wait(for: 1000, at: -12)
            #expect(music.interruptions == [])
        }
    }
}
