import Foundation
import HeadlessServer
import TestSupport
import Testing

@Suite("An active app that becomes something else", .limited)
struct CategoryChangeTests {
    @Test(
        "What mixed and does not any more interrupts; what mixes from now on lets others go on",
        arguments: HeadlessServer.Kind.allCases)
    func mixing(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let first = try await scene.peer("first", "playback")
            let second = try await scene.peer("second", "playback default mixWithOthers")
            try await second.send("activate")
            // Newer than the other one, until that draws a new ticket.
            try await first.send("activate")
            try await scene.letPass(0.2)
            #expect(first.interruptions == [] && second.interruptions == [])
            try await second.send("category playback")
            try await first.waitForInterruption()
            try await second.send("category playback default mixWithOthers")
            #expect(try await first.waitForEnd().number("option") == 1)
            #expect(second.interruptions == [])
        }
    }

    @Test(
        "Whose category has no output any more is silent at once, and records on",
        arguments: HeadlessServer.Kind.allCases)
    func noOutput(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let peer = try await scene.peer("app", "playAndRecord")
            try await peer.send("play 1000")
            try await peer.send("record \(scene.file("take.wav").path)")
            try await scene.wait(for: 1000, at: -12)
            try await peer.send("category record")
            try await scene.wait(for: 1000, at: nil)
            let state = try await peer.state()
            #expect(state.bool("isPlaying") == false && state.bool("isRecording") == true)
        }
    }

    @Test(
        "A ticket is kept by what stays as it was to others, and renewed by what is more to them",
        arguments: HeadlessServer.Kind.allCases)
    func tickets(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let peer = try await scene.peer("app", "playback")
            try await peer.send("activate")
            func ticket() async throws -> Int {
                try #require(try await scene.claim(of: peer)["seq"].flatMap { Int($0) })
            }
            var last = try await ticket()
            for (command, field, value, isNew) in [
                ("mode moviePlayback", "mode", "moviePlayback", false),
                ("category soloAmbient", "category", "soloAmbient", false),
                ("category ambient", "category", "ambient", false),
                ("category playback default mixWithOthers", "category", "playback", false),
                ("category playback", "options", "0", true),
                ("category playback default interruptSpokenAudioAndMixWithOthers", "options", "17", true),
                ("category playAndRecord voiceChat", "mode", "voiceChat", true),
            ] {
                try await peer.send(command)
                try await waitUntil(command, timeout: hangLimit) {
                    try await scene.claim(of: peer)[field] == value
                }
                let now = try await ticket()
                #expect(isNew ? now > last : now == last, "\(command): \(last), then \(now)")
                last = now
            }
        }
    }

    @Test(
        "A prompt that begins to interrupt spoken audio while it is active does so",
        arguments: HeadlessServer.Kind.allCases)
    func becomesPrompt(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let prompt = try await scene.peer("prompt", "playback default mixWithOthers")
            try await prompt.send("activate")
            let podcast = try await scene.peer("podcast", "playback spokenAudio")
            try await podcast.send("activate")
            try await prompt.send("category playback default interruptSpokenAudioAndMixWithOthers")
            try await podcast.waitForInterruption()
            try await prompt.send("category playback default mixWithOthers")
            try await podcast.waitForEnd()
        }
    }

    @Test(
        "2.3.7: what plays goes on over a change, and others see the new category",
        arguments: HeadlessServer.Kind.allCases)
    func playsOn(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let peer = try await scene.peer("app", "playback")
            try await peer.send("play 440")
            try await scene.wait(for: 440, at: -12)
            try await peer.send("category ambient")
            try await scene.wait(for: 440, at: -12)
            #expect(try await scene.claim(of: peer)["category"] == "ambient")
            #expect(peer.interruptions == [])
        }
    }
}
