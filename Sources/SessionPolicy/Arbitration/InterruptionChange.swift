/// What a session is to be told when the claims have changed.
///
/// | it was | it is | told |
/// |---|---|---|
/// | not interrupted, or under another ticket | interrupted | began |
/// | interrupted | interrupted, and somebody who forbids to resume left | forbidsResuming: the end, when it comes, is without |
/// | interrupted | interrupted, otherwise | nothing, whoever it is by |
/// | interrupted | active | ended; shouldResume if all who left allow it |
/// | any | inactive, or under another ticket and active | nothing: it knows |
package enum InterruptionChange: Hashable, Sendable {
    /// Nothing that the session has to know.
    case nothing
    /// The session is interrupted.
    case began(Interruption)
    /// The session stays interrupted, and must not be told to resume when that ends.
    case forbidsResuming
    /// The interruption is over.
    case ended(shouldResume: Bool)

    /// How long a session that was told to resume has time to come back before it turns idle, in seconds.
    ///
    /// One that was told the end without `shouldResume` turns idle at once. Both pass on the flag that they were told,
    /// so that those whom they had interrupted get theirs.
    package static let patience = 5.0
}

extension Arbitration {
    /// All who interrupt the participant, each of which would do so alone.
    package func interrupters(of id: UInt32) -> [Participant] {
        guard let participant = participant(id) else { return [] }
        return participants.filter { rules.rule(by: $0, against: participant) != nil }
    }

    /// What the participant with this client index is to be told, given what was before.
    package func interruptionChange(of id: UInt32, since old: Arbitration) -> InterruptionChange {
        guard let participant = participant(id), participant.isLive else { return .nothing }
        let isSameActivation = old.participant(id)?.claim.order == participant.claim.order
        let before = isSameActivation ? old.interrupters(of: id) : []
        let mayResume = before.allSatisfy { allowsResuming($0, participant) }
        switch verdict(on: id).standing {
        case .inactive: return .nothing
        case .active: return before.isEmpty ? .nothing : .ended(shouldResume: mayResume)
        case .interrupted(let interruption):
            if before.isEmpty { return .began(interruption) }
            return mayResume ? .nothing : .forbidsResuming
        }
    }

    /// Whether somebody who interrupted the participant lets it go on, as far as one can tell.
    ///
    /// | the interrupter | resume |
    /// |---|---|
    /// | interrupts still | yes: the word is not spoken yet |
    /// | turned idle | as its claim says (`notify`) |
    /// | vanished without turning idle | yes: a crash must not silence others for good |
    /// | was stopped | yes, for the same reason |
    /// | mixes now | yes |
    private func allowsResuming(_ interrupter: Participant, _ participant: Participant) -> Bool {
        // An index may be given again to another process, hence the look at the random bits.
        guard let now = self.participant(interrupter.id), now.claim.uid == interrupter.claim.uid else { return true }
        return now.claim.state != .idle || now.claim.notify
    }
}
