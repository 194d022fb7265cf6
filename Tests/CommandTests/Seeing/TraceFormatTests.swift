import Foundation
import SessionHistory
import TestSupport
import Testing

/// A trace in the Chrome trace format and as lines, from events and steps that a test has written.
@Suite("A trace", .limited) struct TraceFormatTests {
    private static let film = "1;seq=8;uid=00000000000000f1;state=active;category=playback"

    private func step(
        _ name: String, _ begin: Double, _ seconds: Double, _ process: Int, _ thread: Int, _ more: String = ""
    ) -> TraceStep {
        let line = """
            {"t":\(begin),"event":"step","step":"\(name)","seconds":\(seconds),"pid":\(process),"thread":\(thread)\(more)}
            """
        return TraceStep(line: Array(line.utf8))!
    }

    /// An event of a session whose process and client have the same number.
    private func event(
        _ seconds: Double, _ name: String, _ app: String, _ number: Int, _ fields: [String: HistoryValue] = [:]
    ) -> HistoryEvent {
        let identity: [String: HistoryValue] = [
            "app": .text(app), "pid": .number(Double(number)), "client": .number(Double(number)),
        ]
        let moment = Moment(wall: 1_790_000_000 + seconds, monotonic: 1_000 + seconds, boot: "b")
        return HistoryEvent(name, at: moment, identity.merging(fields) { $1 })
    }

    /// A film that interrupts music: the server's view, and the steps of both libraries.
    private var trace: Trace {
        let cause: [String: HistoryValue] = [
            "type": "began", "by": "Film", "byPid": .number(2), "rule": "newerSession",
        ]
        let events = [
            event(0, "active", "Music", 1), event(0, "started", "Music", 1), event(5, "active", "Film", 2),
            event(5, "interruption", "Music", 1, cause),
            event(6, "routeChange", "", 0, ["previous": "a", "current": "b"]),
            event(9, "inactive", "Film", 2, ["notify": .flag(true)]),
            event(9, "interruption", "Music", 1, ["type": "ended", "shouldResume": .flag(true)]),
        ]
        let steps = [
            step("activate", 1_004.99, 0.02, 2, 2),
            step("claim", 1_004.995, 0.0001, 2, 2, ",\"claim\":\"\(Self.film)\""),
            step("seen", 1_004.999, 0.004, 1, 11, ",\"claim\":\"\(Self.film)\""),
            step("verdict", 1_004.9991, 0.003, 1, 11, ",\"by\":\"\(Self.film)\""),
            step("decision", 1_004.9992, 0.002, 1, 11, ",\"word\":\"interruptionBegan session\""),
            step("cork", 1_004.9993, 0.0005, 1, 11),
            step("delivery", 1_005.002, 0.001, 1, 1, ",\"word\":\"interruptionBegan\",\"decided\":1004.9995"),
        ]
        return Trace(events: events, steps: steps)
    }

    private func data(_ events: [[String: Any]]) throws -> Data {
        try JSONSerialization.data(withJSONObject: ["traceEvents": events])
    }

    private func events(_ trace: Trace) throws -> [[String: Any]] {
        try #require(ChromeTraceCheck.events(of: Data(ChromeTrace(trace).text.utf8))).map(\.fields)
    }

    @Test("it is right by the format's description, also when states end as others begin, and steps take no time")
    func right() throws {
        #expect(ChromeTraceCheck.problems(of: Data(ChromeTrace(trace).text.utf8)) == [])
        let events = (0..<40).flatMap { number in
            ["active", number % 2 == 0 ? "inactive" : "ducked", "active"].map {
                event(Double(number / 4), $0, "App \"\(number)\" \u{7}", number)
            }
        }
        let steps = (0..<40).map { step("seen", 1_000 + Double($0 / 8), Double($0 % 3), 7, 7 + $0 % 2) }
        let crowd = Trace(events: events, steps: steps)
        #expect(ChromeTraceCheck.problems(of: Data(ChromeTrace(crowd).text.utf8)) == [])
        #expect(ChromeTraceCheck.problems(of: Data(ChromeTrace(Trace(events: [], steps: [])).text.utf8)) == [])
    }

    @Test("an interruption is one arrow through both processes, with the times between its steps")
    func passage() throws {
        let events = try #require(ChromeTraceCheck.events(of: Data(ChromeTrace(trace).text.utf8)))
        let arrow = events.filter { ["s", "t", "f"].contains($0.text("ph")) && $0.text("name") == "interruption" }
        #expect(arrow.map { $0.number("pid") } == [2, 1, 1, 1, 1])
        let begins = events.filter { $0.text("ph") == "B" && $0.number("pid") == 1 }
        let cork = try #require(begins.first { $0.text("name") == "cork" })
        let delivery = try #require(begins.first { $0.text("name") == "delivery interruptionBegan" })
        #expect(abs((cork.arguments["msSincePreviousStep"] as? Double ?? 0) - 0.2) < 1e-3)
        #expect(abs((delivery.arguments["msSinceFirstStep"] as? Double ?? 0) - 7) < 1e-3)
        // And the same on the server's rows, from the culprit to the victim.
        let rule = events.filter { ["s", "f"].contains($0.text("ph")) && $0.text("name") == "newerSession" }
        #expect(rule.count == 2 && rule[0].number("tid") != rule[1].number("tid"))
        let way = try #require(trace.passages.first)
        #expect(trace.passages.count == 1 && way.culprit == 2 && way.victim == 1)
        #expect(way.steps.map(\.name) == ["claim", "seen", "verdict", "cork", "delivery"])
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

    /// A way to break a trace.
    enum Damage: CaseIterable {
        case noList, unknownPhase, timeIsText, processIsMissing, endIsMissing, endIsOfAnother, timeFalls, flowHasNoEnd
        case flowHasNoBeginning, flowIsOutside, argumentsAreText, flagAsNumber

        /// What the check says of it.
        var problem: String {
            switch self {
            case .noList: "no list of events"
            case .unknownPhase: "no known phase"
            case .timeIsText: "ts is no number"
            case .processIsMissing: "pid is no number"
            case .endIsMissing: "a beginning without an end on"
            case .endIsOfAnother: "other ends"
            case .timeFalls: "time falls at"
            case .flowHasNoEnd, .flowHasNoBeginning: "does not meet"
            case .flowIsOutside: "a flow outside of any slice on"
            case .argumentsAreText: "args is no object"
            case .flagAsNumber: "tid is no number"
            }
        }
    }

    @Test("the check rejects each of twelve broken traces", arguments: Damage.allCases)
    func broken(damage: Damage) throws {
        var events = try events(trace)
        func place(_ phase: String) throws -> Int { try #require(events.firstIndex { $0["ph"] as? String == phase }) }
        switch damage {
        case .noList:
            #expect(ChromeTraceCheck.problems(of: Data("{\"traceEvents\":[{]}".utf8)) == [damage.problem])
            return
        case .unknownPhase: events[try place("B")]["ph"] = "?"
        case .timeIsText: events[try place("i")]["ts"] = "12"
        case .processIsMissing: events[try place("i")]["pid"] = nil
        case .endIsMissing: events.remove(at: try place("E"))
        case .endIsOfAnother: events[try place("E")]["name"] = "other"
        case .timeFalls: events.swapAt(try place("i"), events.count - 1)
        case .flowHasNoEnd: events.remove(at: try place("f"))
        case .flowHasNoBeginning: events.remove(at: try place("s"))
        case .flowIsOutside: events[try place("s")]["tid"] = 99
        case .argumentsAreText: events[try place("B")]["args"] = "text"
        case .flagAsNumber: events[try place("i")]["tid"] = true
        }
        let problems = ChromeTraceCheck.problems(of: try data(events))
        #expect(problems.contains { $0.contains(damage.problem) }, "\(problems)")
    }
}
