/// The last participants seen of two different processes: enough to tell whether one of another process was seen.
///
/// A claim without a process ID counts as a process of its own.
struct TwoProcesses {
    private var last: Participant?
    /// The last one seen that is not of the process of ``last``.
    private var other: Participant?

    /// The two, as far as there are any.
    var all: [Participant] { [last, other].compactMap { $0 } }

    /// Notes a participant, the last one seen from now on.
    mutating func add(_ participant: Participant) {
        if let last, !last.claim.isOfSameProcess(as: participant.claim) { other = last }
        last = participant
    }

    /// Whether one was seen that is not of the process of a participant.
    func hasAny(besideProcessOf participant: Participant) -> Bool {
        all.contains { !$0.claim.isOfSameProcess(as: participant.claim) }
    }
}
