/// Who resumes whom: whether a session may resume when a participant stops interrupting it.
///
/// | the interrupter | resume |
/// |---|---|
/// | interrupts still | yes: its answer is still to come |
/// | turned idle | as its claim says (`notify`) |
/// | vanished without turning idle | yes: a crash must not silence others for good |
/// | was stopped | yes, for the same reason |
/// | mixes now | yes |
///
/// At the end of its interruption a session is told to resume if all that interrupted it since the beginning allow it.
package enum ResumptionRules {
    /// The time that a session has to come back after it was told to resume, in seconds; then it turns idle.
    ///
    /// A session that was told the end without `shouldResume` turns idle at once. Either way its idle claim carries the
    /// flag that it was told, so that the sessions it had interrupted get theirs.
    package static let gracePeriod = 5.0

    /// Whether a participant that interrupted another one allows that one to resume; `now` is the participant that has
    /// its index now.
    static func allowsResuming(_ interrupter: Participant, now: Participant?) -> Bool {
        // The server may give an index to another process later, which the random bits show.
        guard let now, now.claim.uid == interrupter.claim.uid else { return true }
        return now.claim.state != .idle || now.claim.notify
    }
}
