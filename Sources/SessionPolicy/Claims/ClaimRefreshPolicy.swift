/// The peers whose claim changes a session fetches at once; the others' are fetched after a delay.
///
/// A change of one claim wakes every session. If fifty sessions sent requests at that moment, the few concerned by the
/// change would wait behind sessions without a decision to make.
///
/// | session | fetches at once |
/// |---|---|
/// | active, or lowers streams for all | all clients |
/// | interrupted | its interrupter |
/// | inactive | no client; all, while media players that it paused wait for the end of another session |
///
/// An activation is decided when every change announced before it is known, delayed or not.
package enum ClaimRefreshPolicy: Hashable, Sendable {
    /// All clients.
    case all
    /// The client with this index.
    case only(UInt32)
    /// No client.
    case noClient

    /// The policy for the session with this client index, given the verdicts on all claims.
    package init(of own: UInt32, in arbitration: Arbitration) {
        if executor(of: arbitration.participants) == own {
            self = .all
            return
        }
        switch arbitration.verdict(on: own).standing {
        case .active: self = .all
        case .interrupted(let interruption): self = .only(interruption.culprit)
        case .inactive: self = .noClient
        }
    }

    /// Whether a change of this client is fetched at once.
    func includes(_ client: UInt32) -> Bool {
        switch self {
        case .all: true
        case .only(let culprit): client == culprit
        case .noClient: false
        }
    }

    /// The delay of all other requests in seconds, spread by client index so that sessions do not send them all at
    /// once.
    ///
    /// 20 to 60 ms for an interrupted session, which must read whether it may resume within the 100 ms for which an
    /// ended session stays on the server; 0.2 to 0.6 s for an inactive one.
    package func refreshDelay(for own: UInt32?) -> Double {
        let share = Double((own ?? 0) % 41) / 40
        return self == .noClient ? 0.2 + 0.4 * share : 0.02 + 0.04 * share
    }
}
