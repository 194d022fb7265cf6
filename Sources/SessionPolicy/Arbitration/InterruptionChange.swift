/// The change of a session's interruption by new claims, for its app.
///
/// | it was | it is | change |
/// |---|---|---|
/// | not interrupted, or under another ticket | interrupted | began |
/// | interrupted | interrupted, and an interrupter left that forbids resuming | forbidsResuming |
/// | interrupted | interrupted otherwise, whoever interrupts it now | nothing |
/// | interrupted | active | ended; shouldResume if all that left allow it (``ResumptionRules``) |
/// | any | inactive, or under another ticket and active | nothing: its app did that itself |
package enum InterruptionChange: Hashable, Sendable {
    /// No change.
    case nothing
    /// The session is interrupted.
    case began(Interruption)
    /// The session stays interrupted, and must not receive `shouldResume` at the end.
    case forbidsResuming
    /// The interruption is over.
    case ended(shouldResume: Bool)
}

extension Arbitration {
    /// The participants that interrupt this one, each of which would do so alone.
    package func interrupters(of id: UInt32) -> [Participant] {
        guard let participant = participant(id) else { return [] }
        return participants.filter { rules.rule(by: $0, against: participant) != nil }
    }

    /// The change of the interruption of the participant with this client index, compared to an earlier arbitration.
    package func interruptionChange(of id: UInt32, since old: Arbitration) -> InterruptionChange {
        guard let participant = participant(id), participant.isLive else { return .nothing }
        let isSameActivation = old.participant(id)?.claim.order == participant.claim.order
        let before = isSameActivation ? old.interrupters(of: id) : []
        let mayResume = before.allSatisfy { ResumptionRules.allowsResuming($0, now: self.participant($0.id)) }
        switch verdict(on: id).standing {
        case .inactive: return .nothing
        case .active: return before.isEmpty ? .nothing : .ended(shouldResume: mayResume)
        case .interrupted(let interruption):
            if before.isEmpty { return .began(interruption) }
            return mayResume ? .nothing : .forbidsResuming
        }
    }
}
