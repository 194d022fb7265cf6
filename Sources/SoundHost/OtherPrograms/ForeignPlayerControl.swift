internal import DesktopBus
internal import PulseClient
internal import SessionPolicy

/// The pausing of other programs' media players (MPRIS) while the session is active, as set by the user.
///
/// Players are commanded directly. Streams are silenced through the claim, so that one process does it for all
/// sessions.
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

    /// Begins or ends the silencing of programs outside the library.
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

    /// Evaluates the participants after a change; the caller holds the lock.
    func participantsChanged() { players?.participantsChanged() }

    private var knownPlayers: ForeignPlayers? { mainloop.withLock { players } }

    /// The players; created before the first pause.
    private var playersToAsk: ForeignPlayers {
        mainloop.withLock {
            if let players { return players }
            let made = makePlayers()
            players = made
            // A process that exits still has to resume the players.
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
                // A session that ends is visible for a tenth of a second only, so every change is fetched at once while
                // players wait.
                mainloop.withLock { board?.setRefreshesAll(waits) }
            })
    }
}
