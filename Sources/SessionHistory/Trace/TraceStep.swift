internal import Foundation

/// One line of the file that a program's library writes for `AVAUDIOSESSION_TRACE`: a step of the library.
package struct TraceStep: Hashable, Sendable {
    /// The ticket of a claim, by which writers and readers of the same claim are found.
    package struct Ticket: Hashable, Sendable {
        /// The random bits of the process.
        package let uid: String
        /// The ticket's number.
        package let seq: String
    }

    /// The kind of the step, such as `verdict`.
    package let name: String
    /// The beginning, in seconds of CLOCK_MONOTONIC.
    package let begin: Double
    /// The end, in seconds of CLOCK_MONOTONIC.
    package let end: Double
    /// The process ID.
    package let process: Int
    /// The thread's ID; the process ID for its main thread.
    package let thread: Int
    /// The event that is decided or delivered; may be empty.
    package let word: String
    /// The claim that is written or seen; may be empty.
    package let claim: String
    /// The claim of the session that causes a verdict; may be empty.
    package let by: String
    /// The time at which a delivery was decided; 0 for other steps.
    package let decided: Double

    /// Reads a line; nil if it is none of a step.
    package init?(line: some Sequence<UInt8>) {
        guard let values = try? JSONDecoder().decode([String: HistoryValue].self, from: Data(line)),
            values["event"] == "step", case .text(let name)? = values["step"],
            let begin = values.number("t"), let seconds = values.number("seconds"),
            let process = values.number("pid").flatMap(Int.init(exactly:)),
            let thread = values.number("thread").flatMap(Int.init(exactly:)), begin >= 0, seconds >= 0
        else { return nil }
        (self.name, self.begin, end, self.process, self.thread) = (name, begin, begin + seconds, process, thread)
        (word, claim, by) = (values.text("word"), values.text("claim"), values.text("by"))
        decided = values.number("decided") ?? 0
    }

    /// The ticket of a claim's text; nil if it has none, or if the claim is not active.
    static func ticket(of claim: String) -> Ticket? {
        var values: [Substring: Substring] = [:]
        for field in claim.split(separator: ";") {
            let parts = field.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { values[parts[0]] = parts[1] }
        }
        guard let uid = values["uid"], let seq = values["seq"], values["state"] == "active" else { return nil }
        return Ticket(uid: String(uid), seq: String(seq))
    }

    /// Whether another step of the same thread ran within this one.
    func encloses(_ other: TraceStep) -> Bool {
        process == other.process && thread == other.thread && begin <= other.begin && other.end <= end
    }
}

extension [String: HistoryValue] {
    fileprivate func number(_ key: String) -> Double? {
        if case .number(let number)? = self[key] { number } else { nil }
    }

    fileprivate func text(_ key: String) -> String {
        if case .text(let text)? = self[key] { text } else { "" }
    }
}
