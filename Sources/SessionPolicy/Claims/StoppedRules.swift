/// Whose processes a session asks about now and then, because a stopped one cannot undo what it did to others.
///
/// | somebody else on the same machine, not idle but for the ones that lower | is asked about |
/// |---|---|
/// | interrupts us, and is the nearest who does | yes; behind a stopped one others come to light, one at a time |
/// | plays, or records alone, while we are not idle | yes: it makes a hint, or mutes us |
/// | says that it lowers others, or has others lowered for it, while we are not idle or may have to lower streams for it | yes |
/// | is to lower those streams | yes, as long |
/// | is in a call, which refuses those that want to begin | yes |
/// | is stopped, while we are not idle | yes: whoever is not asked about any more is taken for running |
/// | is stopped, and may have to lower streams if it runs, while that is to be done, or we still give them back | yes: it is ours to do |
/// | any other | no: idle processes do not wake up, and fifty sessions do not look at forty-nine others each |
///
/// What is stopped already counts too.
extension Arbitration {
    /// The participants to look after for a process with a claim and a client index.
    ///
    /// - Parameter isLowering: Whether it has lowered streams that are not given back yet.
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
