import HeadlessServer
import TestSupport
import Testing

/// What the project promises first of all: apps that play take turns.
@Suite("Two apps that do not mix, and a call", .timeLimit(.minutes(10)))
struct ThreeDeepTests {
    @Test(
        "The start of the second silences the first, its end resumes it, at the frame where it stopped",
        arguments: HeadlessServer.Kind.allCases)
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
}
