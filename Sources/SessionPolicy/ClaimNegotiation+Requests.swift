/// What the session asks.
extension ClaimNegotiation {
    /// Publishes an active claim; the request is complete, with an error if it must not be, when all others can see it.
    package func activate(_ settings: SessionSettings, request: Int) {
        whenUpToDate(.activate(settings, request: request))
    }

    /// Publishes other settings of an active session; the request is complete, with an error if they must not be.
    package func change(to settings: SessionSettings, request: Int) {
        whenUpToDate(.change(settings, isSure: false, request: request))
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
    private func whenUpToDate(_ wish: Wish) {
        let changes = catchUp().filter { $0.key != id }
        guard !table.covers(changes) else { return decide(wish) }
        patiences += 1
        perform(.start(.patience(patiences), seconds: 1))
        patience.append(Patience(wish: wish, changes: changes, number: patiences))
    }

    /// Decides when all calls have been asked whether they still live.
    ///
    /// The word that a call is over takes its time to everybody, and a recorder that starts right after it should not
    /// fail.
    private func askCallsAgain(_ wish: Wish) {
        for call in participants where call.id != id && call.isLive && call.claim.isCall { table.doubt(call.id) }
        whenUpToDate(wish)
    }

    /// Decides what waited, if enough is known by now; all of it if this is the last occasion.
    func decideWhatWaits(isLast: Bool = false) {
        guard !patience.isEmpty else { return }
        // What was in doubt while a question was under way needs another one.
        catchUp()
        let ready = patience.filter { isLast || table.covers($0.changes) }
        patience.removeAll { isLast || table.covers($0.changes) }
        for waiting in ready { perform(.cancel(.patience(waiting.number))) }
        for waiting in ready { decide(waiting.wish) }
    }

    private func decide(_ wish: Wish) {
        switch wish {
        case .activate(let settings, let request):
            var new = claim.activating(with: settings, ticket: ClaimOrder.nextTicket(after: table.claims))
            new.isPlaying = isPlaying
            ask(for: new, isActivation: true, request: request)
        case .change(let settings, let isSure, let request):
            decideChange(to: settings, isSure: isSure, request: request)
        case .changeAgain(let settings, let request):
            whenUpToDate(.change(settings, isSure: true, request: request))
        case .publish(let new, let isActivation, let request):
            ask(for: new, isActivation: isActivation, isSure: true, request: request)
        }
    }

    private func decideChange(to settings: SessionSettings, isSure: Bool, request: Int) {
        let new = claim.changing(to: settings, ticket: ClaimOrder.nextTicket(after: table.claims))
        guard new != claim else { return perform(.complete(request, nil)) }
        guard new.seq == claim.seq else { return ask(for: new, isActivation: false, request: request) }
        if let error = refusal(of: new) {
            if isSure { return perform(.complete(request, error)) }
            return askCallsAgain(.changeAgain(settings, request: request))
        }
        publish(new)
        perform(.complete(request, nil))
    }

    /// Publishes a claim, and waits for what it comes to.
    private func ask(for new: Claim, isActivation: Bool, isSure: Bool = false, request: Int) {
        guard isConnected, id != nil else {
            return perform(.complete(request, SessionError(.mediaServicesFailed, "There is no sound server.")))
        }
        if let error = refusal(of: new) {
            if isSure { return perform(.complete(request, error)) }
            return askCallsAgain(.publish(new, isActivation: isActivation, request: request))
        }
        pending = Pending(claim: new, previous: claim, isActivation: isActivation, request: request)
        catchUp()
        publish(new)
        perform(.start(.deadline, seconds: 2))
        grantIfReadable()
    }
}
