/// What a session wants to know of others beside whether they interrupt it.
extension ClaimNegotiation {
    /// Decides whose changes are asked about at once.
    func attend() {
        guard let id else { return }
        table.attention = attendsToAll ? .everybody : Attention(of: id, in: arbitration)
        for client in table.overdue { ask(about: client) }
    }

    /// Has everybody's changes asked about at once, beginning with those that were put off; or not any more.
    package func attend(toAll isAwaited: Bool) {
        attendsToAll = isAwaited
        attend()
        if isAwaited { catchUp() }
    }

    /// Who a participant is, for people.
    func origin(_ client: UInt32) -> InterruptionOrigin {
        let row = table.rows[client]
        return InterruptionOrigin(name: row?.name, pid: row?.claim.flatMap { $0.pid > 0 ? $0.pid : nil })
    }

    /// Whether the main sound of others is heard, of programs outside the library too.
    package var isSecondaryAudioToBeSilenced: Bool {
        id.map { arbitration.secondaryAudioShouldBeSilenced(for: $0) } == true || isForeignMainSoundHeard
    }

    /// Says whether programs outside the library are heard; what is no news is not told.
    ///
    /// PipeWire shows a stream as corked for a moment while it is linked anew, and that is no end.
    package func noteForeignMainSound(_ isHeard: Bool, isNews: Bool) {
        isForeignMainSoundHeard = isHeard
        guard isNews, !isSecondaryAudioToBeSilenced else {
            isSettling = false
            perform(.cancel(.silence))
            if isNews { reportHint() } else { hint = isSecondaryAudioToBeSilenced }
            return
        }
        guard hint, !isSettling else { return }
        isSettling = true
        perform(.start(.silence, seconds: ForeignCallHistory.settling))
    }

    func reportHint() {
        let new = isSecondaryAudioToBeSilenced
        guard new != hint else { return }
        hint = new
        perform(.report(.secondaryAudioHint(new)))
    }
}
