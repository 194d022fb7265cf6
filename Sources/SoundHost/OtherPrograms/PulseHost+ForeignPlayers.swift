internal import DesktopBus
internal import PulseClient
package import SessionPolicy

extension PulseHost {
    /// Keeps programs outside the library from being heard beside the session as their user wants it, or ends that.
    ///
    /// Players are asked here; the claim says what is to become of streams, so that one process does it for all
    /// sessions.
    package func meetForeignPlayers(_ step: ForeignStep) {
        switch (step, policy.foreign) {
        case (.began, .pause): mainloop.withLock { playersToAsk() }.sessionBegan()
        case (.began, .silence): take(.foreign(.silence))
        case (.began, .duck): take(.foreign(.duck))
        case (.began, .ignore): break
        case (.ended(let notify), _):
            take(.foreign(nil))
            mainloop.withLock { foreignPlayers }?.sessionEnded(notify: notify)
        }
    }

    /// Pauses the players of a command that belongs to the session, and of its children; they go on with
    /// ``resumePlayers()``.
    package func pausePlayers(ofProcesses processes: [Int32]) {
        mainloop.withLock { playersToAsk() }.pausePlayers(ofPids: processes)
    }

    /// Has those go on that ``pausePlayers(ofProcesses:)`` paused, and that nobody touched since.
    package func resumePlayers() { mainloop.withLock { foreignPlayers }?.resumePlayers() }

    /// All with a claim, this process included; for threads that may wait.
    package var participants: [Participant] { mainloop.withLock { board.arbitration.participants } }

    /// Players outside the library that are paused for this session.
    package var pausedPlayers: [ForeignPlayerPause.Entry] { mainloop.withLock { foreignPlayers }?.paused ?? [] }

    private func playersToAsk() -> ForeignPlayers {
        if let foreignPlayers { return foreignPlayers }
        let players = ForeignPlayers(
            bus: SessionBus(), own: board.claim.uid, streams: { [weak self] in self?.allStreams ?? [] },
            participants: { [weak self] in self?.participants ?? [] },
            onWaiting: { [weak self] waits in
                // The last word of those that are waited for can be read for a tenth of a second only.
                self?.mainloop.withLock { self?.board.setRefreshesAll(waits) }
            })
        foreignPlayers = players
        // A program that exits has still to ask them to go on.
        ProcessExitDelay.before(exit: { [weak players] in
            players?.processEnds()
            players?.settle(seconds: 1)
        })
        return players
    }

    /// All streams on the server, calls with the role of one, once they are known; for threads that may wait.
    private var allStreams: [ServerStream] {
        mainloop.withLock {
            guard let surroundings else { return [] }
            // A session that ended meanwhile has nobody to ask.
            _ = mainloop.wait(timeout: .seconds(1)) {
                surroundings.isCurrent || !(surroundings.isListening || board.isDeciding)
            }
            return surroundings.streams
        }
    }
}
