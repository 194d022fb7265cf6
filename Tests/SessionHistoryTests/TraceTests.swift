import Foundation
import SessionHistory
import TestSupport
import Testing

/// A trace's interruptions and lines, from events and steps that a test has written.
@Suite("A trace", .limited) struct TraceTests {
    private static let film = "1;seq=8;uid=00000000000000f1;state=active;category=playback"
    private static let music = "1;seq=7;uid=00000000000000e1;state=active;category=playback"

    private func step(
        _ name: String, _ begin: Double, _ seconds: Double, _ process: Int, _ thread: Int, _ more: String = ""
    ) -> TraceStep {
        let line = """
            {"t":\(begin),"event":"step","step":"\(name)","seconds":\(seconds),"pid":\(process),"thread":\(thread)\(more)}
            """
        return TraceStep(line: Array(line.utf8))!
    }

    /// A film that interrupts music: the server's view, and the steps of both libraries.
    private var trace: Trace {
        var script = Script()
        script.at(0, "active", "Music", 1, ["playing": .flag(true)])
        script.at(0, "started", "Music", 1)
        script.at(5, "active", "Film", 2)
        let cause: [String: HistoryValue] = ["by": "Film", "byPid": .number(2), "rule": "newerSession"]
        script.at(5, "interruption", "Music", 1, cause.merging(["type": "began"]) { $1 })
        script.at(6, "routeChange", ["previous": "a", "current": "b"])
        script.at(9, "inactive", "Film", 2, ["notify": .flag(true)])
        script.at(9, "interruption", "Music", 1, ["type": "ended", "shouldResume": .flag(true)])
        let steps = [
            step("activate", 1_004.99, 0.02, 2, 2),
            step("claim", 1_004.995, 0.0001, 2, 2, ",\"claim\":\"\(Self.film)\""),
            step("echo", 1_004.998, 0.0001, 2, 22, ",\"claim\":\"\(Self.film)\""),
            step("seen", 1_004.999, 0.004, 1, 11, ",\"claim\":\"\(Self.film)\""),
            step("verdict", 1_004.9991, 0.003, 1, 11, ",\"by\":\"\(Self.film)\""),
            step("decision", 1_004.9992, 0.002, 1, 11, ",\"word\":\"interruptionBegan session\""),
            step("cork", 1_004.9993, 0.0005, 1, 11),
            step("delivery", 1_005.002, 0.001, 1, 1, ",\"word\":\"interruptionBegan\",\"decided\":1004.9995"),
        ]
        return Trace(events: script.events, steps: steps)
    }

    @Test("an interruption is the way from the culprit's claim to the victim's app")
    func passage() throws {
        let way = try #require(trace.passages.first)
        #expect(trace.passages.count == 1 && way.culprit == 2 && way.victim == 1)
        #expect(way.steps.map(\.name) == ["claim", "seen", "verdict", "cork", "delivery"])
        #expect(abs((way.seconds(to: "delivery") ?? 0) - 0.007) < 1e-6)
    }

    @Test("what the session did not act on is no interruption, and a call of another program has no claim")
    func otherPassages() {
        let ignored = [step("decision", 1, 0.1, 1, 1, ",\"word\":\"interruptionBegan serverPolicy\"")]
        #expect(Passage.all(in: ignored).isEmpty)
        let call = [
            step("decision", 1, 0.1, 1, 1, ",\"word\":\"interruptionBegan foreignCall\""),
            step("cork", 1.05, 0.01, 1, 1),
            // Of an earlier interruption, and of another process.
            step("delivery", 1.2, 0.01, 1, 1, ",\"word\":\"interruptionBegan\",\"decided\":0.9"),
            step("delivery", 1.2, 0.01, 2, 2, ",\"word\":\"interruptionBegan\",\"decided\":1.05"),
        ]
        let passages = Passage.all(in: call)
        #expect(passages.map { $0.steps.map(\.name) } == [["decision", "cork"]] && passages.first?.culprit == nil)
    }

    @Test("as lines it is in the order of times, with the passages")
    func lines() throws {
        let lines = trace.lines.split(separator: "\n").enumerated().compactMap { JSONLine(String($1), number: $0) }
        let times = lines.compactMap { $0.number("t") }
        #expect(lines.count == trace.events.count + trace.steps.count + 1 && times == times.sorted())
        let passage = try #require(lines.first { $0.string("event") == "passage" })
        #expect(passage.number("byPid") == 2 && passage.number("pid") == 1)
        #expect(abs((passage.number("cork") ?? 0) - 0.0043) < 1e-6)
    }

    @Test("lines that are none of a step are counted and left out")
    func damage() {
        let text = """
            {"t":1,"event":"step","step":"cork","seconds":0.1,"pid":1,"thread":1}
            {"t":1,"event":"step","step":"co
            {"t":1,"event":"stepsLost","count":3,"pid":1}
            {"t":-1,"event":"step","step":"cork","seconds":0.1,"pid":1,"thread":1}

            """
        let (steps, others) = Trace.steps(in: Array(text.utf8))
        #expect(steps.map(\.name) == ["cork"] && others == 3)
    }
}
