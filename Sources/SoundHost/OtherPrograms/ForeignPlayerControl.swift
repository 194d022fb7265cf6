internal import DesktopBus
internal import PulseClient
internal import SessionPolicy

/// The pausing of other programs' media players (MPRIS) while the session is active, as their user wants it.
///
/// Players are asked here; the claim says what is to become of streams, so that one process does it for all sessions.
///
/// Use it with the main loop's lock held.
final class ForeignPlayerControl {
    private let claims: SessionClaims
    private let board: ClaimBoard
    private let policy: UserPolicy
    private let mainloop: Mainloop
    private var players: ForeignPlayers?

    init(claims: SessionClaims, board: ClaimBoard, policy: UserPolicy, mainloop: Mainloop) {
        self.claims = claims
        self.board = board
        self.policy = policy
        self.mainloop = mainloop
    }

    /// Keeps programs outside the library from being heard beside the session, or ends that.
    func handle(_ step: ForeignStep) {
        switch (step, policy.foreign) {
        case (.began, .pause): playersToAsk.sessionBegan()
        case (.began, .silence): claims.take(.foreign(.silence))
        case (.began, .duck): claims.take(.foreign(.duck))
        case (.began, .ignore): break
        case (.ended(let notify), _):
            claims.take(.foreign(nil))
            knownPlayers?.sessionEnded(notify: notify)
        }
    }

    /// Looks again at who takes part; with the lock held.
    func participantsChanged() { players?.participantsChanged() }

    private var knownPlayers: ForeignPlayers? { mainloop.withLock { players } }

    /// The players; the bus is asked for them when the first one is to pause.
    private var playersToAsk: ForeignPlayers {
        mainloop.withLock {
            if let players { return players }
            let made = makePlayers()
            players = made
            // A program that exits has still to ask them to go on.
            ProcessExitDelay.before(exit: { [weak made] in
                made?.processEnds()
                made?.settle(seconds: 1)
            })
            return made
        }
    }

    private func makePlayers() -> ForeignPlayers {
        let (claims, board, mainloop) = (claims, board, mainloop)
        return ForeignPlayers(
            bus: SessionBus(), own: board.claim.uid,
            streams: { [weak claims] in claims?.allStreams ?? [] },
            participants: { [weak board] in mainloop.withLock { board?.arbitration.participants ?? [] } },
            onWaiting: { [weak board] waits in
                // The last word of those that are waited for can be read for a tenth of a second only.
                mainloop.withLock { board?.setRefreshesAll(waits) }
            })
    }
}
