/// The rules for interruption, between two live claims x and y.
///
/// The first row that holds decides. docs/claims.md has the same table.
///
/// | x | y | x interrupts y | rule |
/// |---|---|---|---|
/// | any | the call | never | |
/// | any | of the same process | never | |
/// | the call | older | yes, mixable or not | `call` |
/// | the call | newer, `record`, `playAndRecord` or `multiRoute` | yes: such claims are refused | `refusedByCall` |
/// | refused | any | no | |
/// | interrupts spoken audio | older, mode `spokenAudio` | yes | `spokenAudio` |
/// | not mixable | older, not mixable; neither is newer than the call | yes | `newerSession` |
/// | any other | | no | |
///
/// The age of a claim is its ``ClaimOrder``, a call is ``Claim/isCall``, and *the* call is the oldest live one. Whether x
/// is interrupted itself does not matter: the interrupter of an interrupter does not free the first victim.
struct InterruptionRules: Sendable {
    /// The call: the oldest live one; `nil` without one.
    let call: Participant?

    /// Creates the rules among these participants.
    init(among participants: [Participant]) {
        call = participants.lazy.filter { $0.isLive && $0.claim.isCall }.min { $0.isOlder(than: $1) }
    }

    /// The rule by which `x` interrupts `y`; `nil` if it does not.
    func rule(by x: Participant, against y: Participant) -> Interruption.Rule? {
        guard x.isLive, y.isLive, x.id != y.id, y.id != call?.id else { return nil }
        guard !x.claim.isOfSameProcess(as: y.claim) else { return nil }
        if x.id == call?.id {
            if y.isOlder(than: x) { return .call }
            return isRefused(y) ? .refusedByCall : nil
        }
        guard y.isOlder(than: x), !isRefused(x) else { return nil }
        if x.claim.interruptsSpokenAudio && y.claim.isSpokenAudio { return .spokenAudio }
        return countsAsMixable(x) || countsAsMixable(y) ? nil : .newerSession
    }

    /// Whether a call keeps the participant from being active at all.
    func isRefused(_ participant: Participant) -> Bool {
        startedDuringCall(participant) && participant.claim.settings.isRefusedDuringCalls
    }

    /// Whether the participant mixes: by its settings, or because it started during another process's call, as long as
    /// that lives.
    private func countsAsMixable(_ participant: Participant) -> Bool {
        participant.claim.isMixable || startedDuringCall(participant)
    }

    private func startedDuringCall(_ participant: Participant) -> Bool {
        guard let call, call.id != participant.id, !call.claim.isOfSameProcess(as: participant.claim) else {
            return false
        }
        return call.isOlder(than: participant)
    }
}
