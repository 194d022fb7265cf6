/// The library's own steps, written to the file that `AVAUDIOSESSION_TRACE` names, for `audiosession trace`.
///
/// Without the variable a step is its body alone, and nothing is evaluated for it. With it, a step looks at the clock twice
/// and goes into a ring; another thread writes the file. The variable is ignored in programs with the rights of another
/// user than their caller. docs/seeing.md has the lines.
package enum StepTrace {
    /// A kind of step.
    package enum Step: String, Sendable {
        /// The app's activation, from its call to its return.
        case activate
        /// The app's deactivation, from its call to its return.
        case deactivate
        /// The process's claim handed to the server.
        case claim
        /// The server's answer that shows the process's own claim.
        case echo
        /// The server's answer that shows another process's claim.
        case seen
        /// The outcome of the rules for this session.
        case verdict
        /// The session's decision about an event of its host.
        case decision
        /// The stop of players and recorders.
        case cork
        /// Code of the app that runs for a notification.
        case delivery
    }

    /// What a step says besides its times and its thread.
    package struct Detail: Sendable {
        /// A word, such as the event of a decision.
        package var word = ""
        /// The claim that is written or seen.
        package var claim = ""
        /// The claim of the session that causes a verdict.
        package var by = ""
        /// The time at which a delivery was decided, in seconds of CLOCK_MONOTONIC; 0 for other steps.
        package var decided = 0.0

        /// A detail; empty texts are left out of the file.
        package init(_ word: String = "", claim: String = "", by: String = "", decided: Double = 0) {
            (self.word, self.claim, self.by, self.decided) = (word, claim, by, decided)
        }
    }

    private static let ring = AppIdentity.environment("AVAUDIOSESSION_TRACE").flatMap(StepRing.opened)

    /// The present time in seconds of CLOCK_MONOTONIC for a later step's ``Detail/decided``; 0 while nothing is traced.
    package static var now: Double { ring == nil ? 0 : MonotonicClock.seconds }

    /// Runs `body` as a step; takes a leaf lock for a few lines after it, if steps are traced.
    package static func measure<Result, E: Error>(
        _ step: Step, _ detail: @autoclosure () -> Detail = Detail(), _ body: () throws(E) -> Result
    ) throws(E) -> Result {
        guard let ring else { return try body() }
        let detail = detail()
        let begin = MonotonicClock.seconds
        defer { ring.append(StepRecord(step: step, begin: begin, end: MonotonicClock.seconds, detail: detail)) }
        return try body()
    }
}
