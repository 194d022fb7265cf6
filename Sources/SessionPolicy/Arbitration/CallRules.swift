extension SessionSettings {
    /// Whether a session with these settings cannot become active during another session's call.
    ///
    /// | category | during a call |
    /// |---|---|
    /// | record, playAndRecord, multiRoute | refused, mixable or not; another call too |
    /// | playback, ambient, soloAmbient, audioProcessing | may start, and counts as mixable while the call lives |
    package var isRefusedDuringCalls: Bool { allowsInput }
}

/// The error with which an activation, or a change of an active session's settings, must fail; `nil` if it is allowed.
///
/// Checked twice: before the claim is published, because a refused claim must not interrupt others; and after its echo,
/// for calls that were published at the same time, of which the older wins.
///
/// - Parameters:
///   - claim: The claim as it would be published, with its ticket.
///   - id: The client index of the requesting session; its own entry among the participants is ignored.
///   - participants: All participants; a call in the session's own process refuses nothing.
package func refusal(of claim: Claim, as id: UInt32, among participants: [Participant]) -> SessionError? {
    guard claim.settings.isRefusedDuringCalls else { return nil }
    let asking = Participant(id: id, claim: claim)
    let call = participants.first { other in
        other.id != id && other.isLive && other.claim.isCall && other.isOlder(than: asking)
            && !other.claim.isOfSameProcess(as: claim)
    }
    guard call != nil else { return nil }
    let name = claim.settings.category.name
    return SessionError(.insufficientPriority, "A call is in progress; until it ends, \(name) cannot be activated.")
}
