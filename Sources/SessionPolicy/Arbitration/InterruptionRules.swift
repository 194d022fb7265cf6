/// Who interrupts whom, between two live claims x and y; "older" is ``ClaimOrder``, and a call is ``Claim/isCall``.
///
/// | x | y | x interrupts y |
/// |---|---|---|
/// | any | the oldest call | never |
/// | the oldest call | older | yes, mixable or not (`call`) |
/// | the oldest call | newer, with input | yes (`refusedByCall`) |
/// | newer than the oldest call, with input | any | no: it is refused itself |
/// | interrupts spoken audio | older, mode spokenAudio | yes (`spokenAudio`) |
/// | not mixable | older, not mixable, no call lives that is older than either | yes (`newerSession`) |
/// | any other | | no |
///
/// It does not matter whether x is interrupted itself: the interrupter of an interrupter does not free the first
/// victim.
struct InterruptionRules: Sendable {
    /// The call that lives: the oldest one, should there be several.
    let call: Participant?

    /// The rules among these participants.
    init(among participants: [Participant]) {
        call = participants.lazy.filter { $0.isLive && $0.claim.isCall }.min { $0.isOlder(than: $1) }
    }

    /// The rule by which `x` interrupts `y`; `nil` if it does not.
    func rule(by x: Participant, against y: Participant) -> Interruption.Rule? {
        guard x.isLive, y.isLive, x.id != y.id, y.id != call?.id else { return nil }
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

    /// Whether the participant mixes: by its settings, or because it started during a call, as long as that lives.
    private func countsAsMixable(_ participant: Participant) -> Bool {
        participant.claim.isMixable || startedDuringCall(participant)
    }

    private func startedDuringCall(_ participant: Participant) -> Bool {
        guard let call, call.id != participant.id else { return false }
        return call.isOlder(than: participant)
    }
}
