import HeadlessServer
import TestSupport
import Testing

/// What the project promises first of all: apps that play take turns.
@Suite("Two apps that do not mix, and a call", .limited)
struct ThreeDeepTests {
    @Test(
        "The start of the second silences the first, its end resumes it", arguments: HeadlessServer.Kind.allCases)
    func takesTurns(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let first = try await scene.peer("first", "playback")
            let second = try await scene.peer("second", "playback")
            try await first.send("play 440")
            try await scene.wait(for: 440, at: -12)
            try await second.send("play 1000")
            try await first.waitForInterruption()
            try await scene.wait(for: 440, at: nil)
            try await scene.wait(for: 1000, at: -12)
            #expect(try await first.state().bool("isPlaying") == false)
            try await second.attempt("deactivate notify")
            #expect(try await first.waitForEnd().number("option") == 1)
            try await scene.wait(for: 1000, at: nil)
            try await first.send("resume")
            try await scene.wait(for: 440, at: -12)
            #expect(first.interruptions == ["began", "ended 1"])
            #expect(second.interruptions == [])
        }
    }

    @Test(
        "An interruption loses no frame and repeats none, however often", arguments: HeadlessServer.Kind.allCases)
    func position(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let first = try await scene.peer("first", "playback")
            // Silent, so that what is heard is the first alone, bit by bit.
            let second = try await scene.peer("second", "playback")
            try await first.send("play counter")
            try await scene.monitor.waitForSound()
            for _ in 0..<5 {
                try await scene.letPass(0.3)
                try await second.send("activate")
                try await first.waitForInterruption()
                let silent = try await scene.monitor.waitForSilence(from: scene.monitor.frames)
                let last = try #require(scene.monitor.soFar().counterPositions(0..<silent).max())
                let position = try #require(try await first.send("position").number("value")) * 44_100
                #expect(Int(position.rounded()) == last + 1, "the player knows which frame was heard last")
                try await second.send("deactivate notify")
                try await first.waitForEnd()
                try await first.send("resume")
                try await scene.monitor.waitForSound(from: scene.monitor.frames)
            }
            try await scene.letPass(0.3)
            try await first.send("stop")
            let heard = scene.monitor.soFar().counterPositions().filter { $0 > 0 }
            let jumps = zip(heard, heard.dropFirst()).map { $1 - $0 }.filter { $0 != 1 }
            #expect(jumps.isEmpty, "jumps of \(jumps) frames")
        }
    }

    @Test(
        "Three deep: A, then B, then a call; the call's end resumes B only, B's end resumes A",
        arguments: HeadlessServer.Kind.allCases)
    func threeDeep(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let a = try await scene.peer("A", "playback")
            let b = try await scene.peer("B", "playback")
            let call = try await scene.peer("call", "playAndRecord voiceChat")
            try await a.send("play 440")
            try await b.send("play 1000")
            try await a.waitForInterruption()
            try await call.send("play 2000")
            try await b.waitForInterruption()
            try await scene.wait(for: 1000, at: nil)
            try await scene.wait(for: 2000, at: -12)
            try await call.attempt("deactivate notify")
            #expect(try await b.waitForEnd().number("option") == 1)
            try await b.send("resume")
            try await scene.wait(for: 1000, at: -12)
            try await scene.letPass()
            #expect(a.interruptions == ["began"], "B is back")
            try await b.attempt("deactivate notify")
            #expect(try await a.waitForEnd().number("option") == 1)
            try await a.send("resume")
            try await scene.wait(for: 440, at: -12)
            #expect(a.interruptions == ["began", "ended 1"])
            #expect(b.interruptions == ["began", "ended 1"])
            #expect(call.interruptions == [])
        }
    }

    @Test(
        "The interrupter of an interrupter does not free the first victim, and the first to forbid resuming counts",
        arguments: HeadlessServer.Kind.allCases)
    func middleLeaves(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let a = try await scene.peer("A", "playback")
            let b = try await scene.peer("B", "playback")
            let c = try await scene.peer("C", "playback")
            try await a.send("activate")
            try await b.send("activate")
            try await a.waitForInterruption()
            try await c.send("activate")
            try await b.waitForInterruption()
            // B wants nothing any more, and A stays interrupted by C.
            try await b.send("deactivate")
            try await scene.letPass()
            #expect(a.interruptions == ["began"])
            try await c.send("deactivate notify")
            #expect(try await a.waitForEnd().number("option") == 0, "B said no")
        }
    }
}
