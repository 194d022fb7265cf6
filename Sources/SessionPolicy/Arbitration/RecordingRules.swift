/// The rules for muting: the participants whose sound is muted while a session of category `record` is active (rule 6).
///
/// | participant | muted while another session records |
/// |---|---|
/// | active, mixable | yes |
/// | active, not mixable | does not occur: the recording interrupted it, or was interrupted by it |
/// | interrupted, inactive | no: it is not heard |
///
/// Sessions of one process do not mute each other. Each process mutes its own system sounds.
enum RecordingRules {
    static func apply(to verdicts: inout [Verdict], of participants: [Participant]) {
        // A recording session is not mixable, so it never mutes itself.
        var recorders = TwoProcesses()
        for (participant, verdict) in zip(participants, verdicts) where isRecording(participant, verdict) {
            recorders.add(participant)
        }
        guard !recorders.all.isEmpty else { return }
        for (index, participant) in participants.enumerated() {
            verdicts[index].isMutedByRecording =
                verdicts[index].standing == .active && participant.claim.isMixable
                && recorders.hasAny(besideProcessOf: participant)
        }
    }

    private static func isRecording(_ participant: Participant, _ verdict: Verdict) -> Bool {
        participant.claim.isRecordingOnly && verdict.isInEffect(for: participant)
    }
}
