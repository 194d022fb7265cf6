internal import Foundation

/// What a server told and what libraries did, as lines or in the Chrome trace format.
package struct Trace: Sendable {
    /// The server's events, in their order.
    package let events: [HistoryEvent]
    /// The steps of libraries, by their beginnings.
    package let steps: [TraceStep]
    /// The interruptions among the steps.
    package let passages: [Passage]

    /// A trace of events in their order and steps in any order.
    package init(events: [HistoryEvent], steps: [TraceStep]) {
        self.events = events
        self.steps = steps.sorted { $0.begin < $1.begin }
        passages = Passage.all(in: self.steps)
    }

    /// The steps in the text of a file of `AVAUDIOSESSION_TRACE`, and the number of lines that are none.
    package static func steps(in text: some Collection<UInt8>) -> (steps: [TraceStep], otherLines: Int) {
        let lines = text.split(separator: UInt8(ascii: "\n"))
        let steps = lines.compactMap { TraceStep(line: $0) }
        return (steps, lines.count - steps.count)
    }

    // MARK: Lines

    /// The trace as lines of JSON, by their `t`: the events of a history, `step`, and `passage` at its first step.
    package var lines: String {
        var lines = events.map { ($0.moment.monotonic, String(decoding: $0.line.dropLast(), as: UTF8.self)) }
        lines += steps.map { ($0.begin, Self.line("step", at: $0.begin, $0.fields)) }
        lines += passages.map { ($0.steps[0].begin, Self.line("passage", at: $0.steps[0].begin, $0.fields)) }
        return lines.enumerated().sorted { ($0.element.0, $0.offset) < ($1.element.0, $1.offset) }
            .map { $0.element.1 + "\n" }.joined()
    }

    private static func line(_ event: String, at time: Double, _ fields: [String: HistoryValue]) -> String {
        var values = fields
        values["event"] = .text(event)
        values["t"] = .number(time)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // All numbers are finite, so that none is refused.
        return (try? encoder.encode(values)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}

extension TraceStep {
    /// The texts of the step for its line, without empty ones.
    var texts: [String: HistoryValue] {
        let texts = ["word": word, "claim": claim, "by": by].filter { !$0.value.isEmpty }
        return texts.mapValues { .text($0) }
    }

    fileprivate var fields: [String: HistoryValue] {
        var fields = texts
        fields["step"] = .text(name)
        fields["seconds"] = .seconds(end - begin)
        fields["pid"] = .number(Double(process))
        fields["thread"] = .number(Double(thread))
        if decided > 0 { fields["decided"] = .number(decided) }
        return fields
    }
}

extension Passage {
    /// The processes, and the seconds from the first step to each later one.
    fileprivate var fields: [String: HistoryValue] {
        var fields: [String: HistoryValue] = ["pid": .number(Double(victim)), "first": .text(steps[0].name)]
        if let culprit { fields["byPid"] = .number(Double(culprit)) }
        for step in steps.dropFirst() { fields[step.name] = .seconds(step.begin - steps[0].begin) }
        return fields
    }
}

extension HistoryValue {
    /// Seconds, to the nanosecond.
    fileprivate static func seconds(_ seconds: Double) -> HistoryValue { .number((seconds * 1e9).rounded() / 1e9) }
}
