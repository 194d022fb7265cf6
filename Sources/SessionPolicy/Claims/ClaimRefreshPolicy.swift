/// Whose changes a session asks about at once, while it takes its time with all others'.
///
/// A change of one claim wakes every session. If all of fifty asked at that moment, the few whom it concerns would
/// stand in a queue with those who have nothing to decide.
///
/// | a session that | asks at once about |
/// |---|---|
/// | is active, or lowers streams for all | everybody |
/// | is interrupted | its culprit |
/// | is inactive | nobody; everybody, while players outside that it paused wait for the end of another session |
///
/// An activation is decided after all that was announced before it is known, put off or not.
package enum Attention: Hashable, Sendable {
    case everybody
    case only(UInt32)
    case nobody

    /// What `own` must attend to, given everybody's claims.
    package init(of own: UInt32, in arbitration: Arbitration) {
        if executor(of: arbitration.participants) == own {
            self = .everybody
            return
        }
        switch arbitration.verdict(on: own).standing {
        case .active: self = .everybody
        case .interrupted(let interruption): self = .only(interruption.culprit)
        case .inactive: self = .nobody
        }
    }

    /// Whether a change of this client is asked about at once.
    func includes(_ client: UInt32) -> Bool {
        switch self {
        case .everybody: true
        case .only(let culprit): client == culprit
        case .nobody: false
        }
    }

    /// How many seconds questions are put off, not the same for all: 20 to 60 ms of an interrupted session, which must
    /// read whether it may resume within the 100 ms for which a session that turned idle stays on the server; 0.2 to
    /// 0.6 s of an inactive one.
    package func leisure(of own: UInt32?) -> Double {
        let share = Double((own ?? 0) % 41) / 40
        return self == .nobody ? 0.2 + 0.4 * share : 0.02 + 0.04 * share
    }
}
