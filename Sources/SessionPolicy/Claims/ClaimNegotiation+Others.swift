/// Other participants' claims beyond interruptions: which are fetched at once, their names, and the hint about their
/// main sound.
extension ClaimNegotiation {
    /// Sets which clients' changes are fetched at once, and fetches the ones that this makes urgent.
    mutating func updateRefreshPolicy() {
        guard let id else { return }
        table.refreshPolicy = refreshesAll ? .all : ClaimRefreshPolicy(of: id, in: arbitration)
        for client in table.overdue { ask(about: client) }
    }

    /// Fetches all clients' changes at once from now on, beginning with the delayed ones; or stops doing so.
    package mutating func setRefreshesAll(_ isNeeded: Bool) -> [ClaimEffect] {
        refreshesAll = isNeeded
        updateRefreshPolicy()
        if isNeeded { askAboutDelayed() }
        return flush()
    }

    /// The name and process of a participant, to display.
    func origin(_ client: UInt32) -> InterruptionOrigin {
        let row = table.rows[client]
        return InterruptionOrigin(name: row?.name, pid: row?.claim.flatMap { $0.pid > 0 ? $0.pid : nil })
    }

    /// Whether another program's main sound is heard, of a session or of a program outside the library.
    package var isSecondaryAudioToBeSilenced: Bool {
        id.map { arbitration.secondaryAudioShouldBeSilenced(for: $0) } == true || isForeignMainSoundHeard
    }

    /// Sets whether the main sound of a program outside the library is heard; reports the hint only if `isNews`.
    ///
    /// An end is reported after a delay: PipeWire shows a stream as corked for a moment while it relinks it.
    package mutating func noteForeignMainSound(_ isHeard: Bool, isNews: Bool) -> [ClaimEffect] {
        isForeignMainSoundHeard = isHeard
        if !isNews || isSecondaryAudioToBeSilenced {
            isSettling = false
            emit(.cancel(.silence))
            if isNews { reportHint() } else { hint = isSecondaryAudioToBeSilenced }
        } else if hint, !isSettling {
            isSettling = true
            emit(.start(.silence, seconds: ForeignCallHistory.settling))
        }
        return flush()
    }

    mutating func reportHint() {
        let new = isSecondaryAudioToBeSilenced
        guard new != hint else { return }
        hint = new
        emit(.report(.secondaryAudioHint(new)))
    }
}
