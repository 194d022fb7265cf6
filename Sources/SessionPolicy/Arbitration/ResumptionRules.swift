/// The rules for resumption: whether a session may resume when a participant stops interrupting it.
///
/// | the interrupter | resume |
/// |---|---|
/// | interrupts still | yes: its answer is still to come |
/// | turned idle | as its claim says (`notify`) |
/// | vanished without turning idle | yes: a crash must not silence others for good |
/// | was stopped | yes, for the same reason |
/// | mixes now | yes |
///
/// At the end of its interruption a session receives `shouldResume` if all that interrupted it since the beginning
/// allow it.
package enum ResumptionRules {
    /// The time for a session to resume after `shouldResume`, in seconds; then it becomes idle.
    ///
    /// Without `shouldResume` a session becomes idle at once. Either way its idle claim carries the flag it received,
    /// for the sessions it had interrupted.
    package static let gracePeriod = 5.0

    /// Whether a participant that interrupted another one allows it to resume; `now` is the participant that now has
    /// its index.
    static func allowsResuming(_ interrupter: Participant, now: Participant?) -> Bool {
        // The server may assign the index to another process later, which has other random bits.
        guard let now, now.claim.uid == interrupter.claim.uid else { return true }
        return now.claim.state != .idle || now.claim.notify
    }
}
