/// Who is muted while a session of category `record` is active (rule 6).
///
/// | participant | muted while somebody else records |
/// |---|---|
/// | active, mixable | yes |
/// | active, not mixable | no such: the recording interrupted it, or was interrupted by it |
/// | interrupted, inactive | no: it is not heard |
///
/// System sounds are the business of the process that plays them.
enum RecordingRules {
    static func apply(to verdicts: inout [Verdict], of participants: [Participant]) {
        // A recording is not mixable, so there is no need to ask whether the recorder is the participant itself.
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
