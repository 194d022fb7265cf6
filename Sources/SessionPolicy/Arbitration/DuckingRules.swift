/// The rules for ducking: the participants whose sound is ducked while a session with `duckOthers` is active (rule 5).
///
/// | participant | ducked while another session ducks |
/// |---|---|
/// | a call | never |
/// | has `duckOthers` itself | never |
/// | active otherwise | yes, by one depth however many duck |
/// | interrupted, inactive | no: it is not heard |
///
/// A session ducks from activation to deactivation, whether or not it plays, if it is active by its verdict *and* its
/// claim: a session that was interrupted and has not resumed yet does not keep others ducked. Sessions of one process
/// do not duck each other.
enum DuckingRules {
    static func apply(to verdicts: inout [Verdict], of participants: [Participant]) {
        // Sessions that duck are never ducked, so a session never ducks itself.
        var duckers = TwoProcesses()
        for (participant, verdict) in zip(participants, verdicts) where isDucking(participant, verdict) {
            duckers.add(participant)
        }
        guard !duckers.all.isEmpty else { return }
        for (index, participant) in participants.enumerated() {
            verdicts[index].isDucked =
                verdicts[index].standing == .active && !participant.claim.isCall && !participant.claim.ducksOthers
                && duckers.hasAny(besideProcessOf: participant)
        }
    }

    static func isDucking(_ participant: Participant, _ verdict: Verdict) -> Bool {
        participant.claim.ducksOthers && verdict.isInEffect(for: participant)
    }
}

extension Arbitration {
    /// The client indexes of the sessions that duck at present; with any, streams outside the library are ducked too.
    package var duckers: [UInt32] { zip(participants, verdicts).filter(DuckingRules.isDucking).map(\.0.id) }

    /// The participants for which programs outside the library are silenced or ducked at present, by the user's settings.
    package func treating(foreign: Claim.Foreign) -> [Participant] {
        zip(participants, verdicts).filter { $0.claim.foreign == foreign && $1.isInEffect(for: $0) }.map(\.0)
    }

    /// Whether streams of programs outside the library may have to be ducked or silenced.
    package var concernsForeignStreams: Bool {
        zip(participants, verdicts).contains {
            DuckingRules.isDucking($0, $1) || $0.claim.foreign != nil && $1.isInEffect(for: $0)
        }
    }

    /// Whether streams that no session can stop itself may have to be ducked or silenced: those of programs outside, of
    /// other libraries in the process of a session, and of a command of `audiosession run`.
    package var concernsStreamsOfOthers: Bool {
        concernsForeignStreams || participants.contains(where: \.isProcessSilent)
    }

    /// Whether the streams that a participant cannot stop itself are to be silent, by the claims: the participant is
    /// interrupted, or muted by a recording.
    package func silencesProcess(of id: UInt32) -> Bool {
        guard let participant = participant(id), participant.isLive else { return false }
        let verdict = verdict(on: id)
        return verdict.standing != .active || verdict.isMutedByRecording
    }
}

extension Participant {
    /// Whether the streams that the session cannot stop itself are to be silent; a stopped process does not count.
    var isProcessSilent: Bool { claim.isProcessSilent && !isStopped }
}

extension Verdict {
    /// Whether a participant is active by the verdict and by its claim.
    func isInEffect(for participant: Participant) -> Bool { standing == .active && participant.claim.state == .active }
}
