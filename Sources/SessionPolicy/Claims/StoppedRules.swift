/// The participants whose processes a session polls for being stopped, as a stopped one cannot undo its effect on
/// others.
///
/// | another participant on the same machine, not idle unless it ducks | polled |
/// |---|---|
/// | the nearest interrupter of this session | yes; others behind a stopped one come to light one at a time |
/// | plays, or is of category record, while this session is not idle | yes: it causes a hint, or mutes this session |
/// | ducks others, or has others ducked for it, while this session is not idle or may have to duck streams for it | yes |
/// | is the one that ducks those streams | yes, as long |
/// | is a call, which refuses activations | yes |
/// | is stopped, while this session is not idle | yes: a process that is not polled counts as running |
/// | is stopped, and would duck streams if it ran, while that is needed or this process still restores them | yes |
/// | any other | no: idle processes do not wake up, and fifty sessions do not poll forty-nine others each |
///
/// Participants that are known to be stopped count too.
extension Arbitration {
    /// The participants to poll, for the session with this claim and client index.
    ///
    /// - Parameter isLowering: Whether the process has ducked streams that are not restored yet.
    package func participantsToWatch(for own: Claim, as id: UInt32, isLowering: Bool = false) -> [Participant] {
        let isEngaged = own.state != .idle
        let duckers = Set(
            participants.filter { other in
                let asks = other.claim.ducksOthers || other.claim.foreign != nil
                return asks && other.claim.state == .active || other.claim.isProcessSilent
            }.map(\.id))
        let lowering = isEngaged || own.canDuck ? duckers : []
        let executor = lowering.isEmpty ? nil : executor(of: participants)
        var culprit: UInt32?
        if case .interrupted(let interruption) = verdict(on: id).standing { culprit = interruption.culprit }
        return participants.filter { other in
            let claim = other.claim
            guard other.id != id, claim.host == own.host, claim.pid > 0 else { return false }
            if isLowering || !lowering.isEmpty, other.isStopped, claim.canDuck { return true }
            if other.id == executor { return true }
            guard claim.state != .idle else { return false }
            if claim.isCall || lowering.contains(other.id) { return true }
            return isEngaged
                && (other.isStopped || other.id == culprit || claim.isPlaying || claim.isRecordingOnly)
        }
    }
}
