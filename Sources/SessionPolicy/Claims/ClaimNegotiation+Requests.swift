/// What the session asks.
extension ClaimNegotiation {
    /// Publishes an active claim; the request is complete, with an error if it must not be, when all others can see it.
    package func activate(_ settings: SessionSettings, request: Int) {
        whenUpToDate(.activate(settings), request: request)
    }

    /// Publishes other settings of an active session; the request is complete, with an error if they must not be.
    package func change(to settings: SessionSettings, request: Int) {
        whenUpToDate(.change(settings), request: request)
    }

    /// Publishes a step that needs no answer; during an activation, after that has failed.
    package func take(_ step: ClaimStep) {
        switch step {
        case .playing(let isPlaying): self.isPlaying = isPlaying
        case .foreign(let foreign): self.foreign = foreign
        // All sound was stopped before, and nobody says so of a session that is not active.
        case .interrupted, .idle: isPlaying = false
        case .process: break
        }
        guard pending == nil else { return postponed.append(step) }
        let new: Claim
        switch step {
        case .interrupted: new = claim.interrupted()
        case .idle(let notify):
            new = claim.idle(notify: notify)
            // Others must be able to read the difference between a session that ended and one that vanished; and what
            // was lowered for it is given back after its echo.
            if table.claims.count > 1 || claim.ducksOthers || claim.foreign != nil { perform(.linger) }
        case .playing(let isPlaying):
            guard claim.state == .active else { return }
            var playing = claim
            playing.isPlaying = isPlaying
            new = playing
        case .foreign(let foreign): new = claim.treating(foreign: foreign)
        case .process(let isSilent): new = claim.silencing(process: isSilent)
        }
        if new != claim { publish(new) }
    }

    /// Says whether this process can lower streams of others, which most can: so it is said before the server is known.
    package func tell(canDuck: Bool) {
        guard canDuck != claim.canDuck else { return }
        pending?.claim.canDuck = canDuck
        pending?.previous?.canDuck = canDuck
        claim.canDuck = canDuck
        publish(claim)
    }

    /// Why a claim must not be published; `nil` if nothing speaks against it.
    package func refusal(of new: Claim) -> SessionError? {
        id.flatMap { SessionPolicy.refusal(of: new, as: $0, among: participants) }
    }

    // MARK: Waiting until enough is known

    /// Decides at once if nothing was put off, or when everything is known that was announced so far.
    ///
    /// A ticket that is drawn without knowing the newest ones would make us older than those who were there before.
    private func whenUpToDate(_ wish: Wish, isSure: Bool = false, request: Int) {
        let changes = catchUp().filter { $0.key != id }
        guard !table.covers(changes) else { return decide(wish, isSure: isSure, request: request) }
        patiences += 1
        perform(.start(.patience(patiences), seconds: 1))
        patience.append(Patience(wish: wish, request: request, isSure: isSure, changes: changes, number: patiences))
    }

    /// Decides what waited, if enough is known by now; all of it if this is the last occasion.
    func decideWhatWaits(isLast: Bool = false) {
        guard !patience.isEmpty else { return }
        // What was in doubt while a question was under way needs another one.
        catchUp()
        let ready = patience.filter { isLast || table.covers($0.changes) }
        patience.removeAll { isLast || table.covers($0.changes) }
        for waiting in ready { perform(.cancel(.patience(waiting.number))) }
        for waiting in ready { decide(waiting.wish, isSure: waiting.isSure, request: waiting.request) }
    }

    /// Publishes what a request comes to now: much may have happened since it was made.
    private func decide(_ wish: Wish, isSure: Bool, request: Int) {
        // Our own last word may not have come back yet.
        let ticket = ClaimOrder.nextTicket(after: table.claims + [claim])
        switch wish {
        case .activate(let settings):
            guard isConnected, id != nil else {
                return perform(.complete(request, SessionError(.mediaServicesFailed, "There is no sound server.")))
            }
            var new = claim.activating(with: settings, ticket: ticket)
            new.isPlaying = isPlaying
            ask(for: new, of: wish, isSure: isSure, request: request)
        case .change(let settings):
            let new = claim.changing(to: settings, ticket: ticket)
            guard new != claim else { return perform(.complete(request, nil)) }
            ask(for: new, of: wish, isSure: isSure, request: request)
        }
    }

    /// Publishes a claim that no call refuses, and waits for what it comes to if it has another ticket.
    private func ask(for new: Claim, of wish: Wish, isSure: Bool, request: Int) {
        if let error = refusal(of: new) {
            return isSure ? perform(.complete(request, error)) : askCallsAgain(wish, request: request)
        }
        let isActivation = if case .activate = wish { true } else { false }
        guard isActivation || new.seq != claim.seq else {
            publish(new)
            return perform(.complete(request, nil))
        }
        let elders = Set(table.outstanding.keys).subtracting([id].compactMap(\.self))
        pending = Pending(
            claim: new, previous: claim, isActivation: isActivation, elders: elders, newsAhead: unannounced,
            request: request)
        catchUp()
        publish(new)
        perform(.start(.deadline, seconds: 2))
        grantIfReadable()
    }

    /// Decides when all calls have been asked whether they still live.
    ///
    /// The word that a call is over takes its time to everybody, and a recorder that starts right after it should not
    /// fail.
    private func askCallsAgain(_ wish: Wish, request: Int) {
        for call in participants where call.id != id && call.isLive && call.claim.isCall { table.doubt(call.id) }
        whenUpToDate(wish, isSure: true, request: request)
    }
}
