internal import SessionPolicy

/// What an app is told whose activation a call refused (S38): that it may try again.
extension OtherProgramsMonitor {
    /// A call refused an activation: everybody is listened to until none would.
    func sessionRefused(_ settings: SessionSettings) {
        if refused == nil { setAwaited(true) }
        refused = settings
        // It may have ended since it was asked.
        endRefusal()
    }

    /// The app has what it wanted.
    func forgetRefusal() {
        guard refused != nil else { return }
        refused = nil
        setAwaited(false)
    }

    /// Tells, once, that no call of anybody would refuse the activation any more.
    func endRefusal() {
        guard let settings = refused, isCurrent, !board.isDeciding, blocksInput == nil else { return }
        let ticket = ClaimOrder.nextTicket(after: board.table.claims)
        guard board.refusal(of: board.claim.activating(with: settings, ticket: ticket)) == nil else { return }
        forgetRefusal()
        report(.refusalEnded)
    }
}
