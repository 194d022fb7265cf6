import Foundation
import SessionHistory
import TestSupport
import Testing

/// Sentences about sessions, and their judgement on stories that a test has written.
@Suite("Sentences about sessions", .limited) struct AssertionTests {
    /// Music that a call interrupts for two seconds, 0.03 s after the call's stream; a game lowered by a prompt.
    private func trace(toldAfter: Double? = nil) -> Trace {
        var script = Script()
        script.at(0, "active", "Music", 1)
        script.at(0, "active", "Game", 3)
        let stream: [String: HistoryValue] = ["app": "Simulated call", "pid": .number(2), "stream": .number(9)]
        script.at(5, "started", stream)
        let cause: [String: HistoryValue] = [
            "by": "Simulated call", "byPid": .number(2), "byStream": .number(9), "rule": "foreignCall",
        ]
        script.at(5.03, "interruption", "Music", 1, cause.merging(["type": "began"]) { $1 })
        script.at(7, "interruption", "Music", 1, ["type": "ended", "shouldResume": .flag(true)])
        script.at(7.4, "active", "Music", 1)
        script.at(8, "active", "Prompt", 4)
        script.at(8.2, "ducked", "Game", 3, ["by": .list(["Prompt"]), "byPid": .number(4), "rule": "duckOthers"])
        let steps = toldAfter.map { seconds in
            [
                "{\"t\":1005.01,\"event\":\"step\",\"step\":\"decision\",\"word\":\"interruptionBegan foreignCall\",\"seconds\":0.01,\"pid\":1,\"thread\":1}",
                "{\"t\":\(1005 + seconds),\"event\":\"step\",\"step\":\"delivery\",\"word\":\"interruptionBegan\",\"seconds\":0.01,\"decided\":1005.015,\"pid\":1,\"thread\":1}",
            ].compactMap { TraceStep(line: Array($0.utf8)) }
        }
        return Trace(events: script.events, steps: steps ?? [])
    }

    @Test(
        "sentences that hold",
        arguments: [
            "music interrupted", "Music interrupted-by call", "music interrupted-by \"simulated call\" within 50ms",
            "never music interrupted-by game", "never music interrupted within 20ms", "music resumes within 0.5s",
            "music active",
            "never music plays", "'Simulated call' plays", "game ducked-by prompt within 201ms", "never game muted",
        ])
    func right(text: String) throws {
        let judgement = try Assertion(text).judge(trace())
        #expect(judgement.holds, "\(judgement.words)")
    }

    @Test(
        "sentences that do not hold say what happened instead",
        arguments: [
            ("music interrupted-by game", "Music (1) interrupted by Simulated call"),
            ("music interrupted-by call within 20ms", "after 30.0 ms"),
            ("never music interrupted", "interrupted by Simulated call after 30.0 ms"),
            ("music resumes within 300ms", "after 400.0 ms"), ("game ducked within 100ms", "after 200.0 ms"),
            ("music plays", "Music (1) active"), ("never film plays", "there was no session and no stream of 'film'"),
            ("film plays", "there was no session"),
        ])
    func wrong(text: String, words: String) throws {
        let judgement = try Assertion(text).judge(trace())
        #expect(!judgement.holds && judgement.words.contains(words), "\(judgement.words)")
    }

    @Test("an interruption's time is that until the app was told, where its library wrote it")
    func told() throws {
        let late = trace(toldAfter: 0.12)
        #expect(try !Assertion("music interrupted-by call within 100ms").judge(late).holds)
        #expect(try Assertion("music interrupted-by call within 121ms").judge(late).holds)
    }

    @Test(
        "what is no sentence is refused",
        arguments: [
            "", "music", "never", "music sings", "music interrupted-by", "music plays-by game", "music plays within 2s",
            "music interrupted within", "music interrupted within 5", "music interrupted within -1s",
            "music interrupted within nans", "music interrupted soon", "music interrupted-by game soon", "'music plays",
            "'' plays",
        ])
    func refused(text: String) {
        #expect(throws: Assertion.Mistake.self) { try Assertion(text) }
    }
}
