/// The rules for muting: the participants whose sound is muted while a session of category `record` is active (rule 6).
///
/// | participant | muted while another session records |
/// |---|---|
/// | active, mixable | yes |
/// | active, not mixable | does not occur: the recording interrupted it, or was interrupted by it |
/// | interrupted, inactive | no: it is not heard |
///
/// Each process mutes its own system sounds.
enum RecordingRules {
    static func apply(to verdicts: inout [Verdict], of participants: [Participant]) {
        // A recording session is not mixable, so it never mutes itself.
        guard zip(participants, verdicts).contains(where: isRecording) else { return }
        for (index, participant) in participants.enumerated() {
            verdicts[index].isMutedByRecording =
                verdicts[index].standing == .active && participant.claim.isMixable
        }
    }

    private static func isRecording(_ participant: Participant, _ verdict: Verdict) -> Bool {
        participant.claim.isRecordingOnly && verdict.isInEffect(for: participant)
    }
}
