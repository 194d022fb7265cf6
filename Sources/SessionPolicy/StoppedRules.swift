/// Whose processes a session asks about now and then, because a stopped one cannot undo what it did to others.
///
/// | somebody else on the same machine, not idle | is asked about |
/// |---|---|
/// | while we are not idle either | yes |
/// | while anybody says that it lowers others, and we may have to lower streams for it | yes |
/// | while anybody else is in a call, which refuses those that want to begin | yes |
/// | otherwise | no: idle processes do not wake up |
///
/// What is stopped already counts too: whoever is not asked about any more is taken for running.
extension Arbitration {
    /// The participants to look after for a process with a claim and a client index.
    package func participantsToWatch(for own: Claim, as id: UInt32) -> [Participant] {
        let engaged = participants.filter { $0.id != id && $0.claim.state != .idle }
        let isWorthIt =
            own.state != .idle || engaged.contains { $0.claim.isCall }
            || own.canDuck && engaged.contains { $0.claim.ducksOthers && $0.claim.state == .active }
        return isWorthIt ? engaged.filter { $0.claim.host == own.host && $0.claim.pid > 0 } : []
    }
}
