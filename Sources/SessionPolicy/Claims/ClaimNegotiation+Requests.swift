/// Requests and steps of the session.
extension ClaimNegotiation {
    /// Publishes an active claim.
    ///
    /// The request completes, with an error if it is refused, when all others can see the claim.
    package mutating func activate(_ settings: SessionSettings, request: Int) -> [ClaimEffect] {
        decideWhenCurrent(.activate(settings), request: request)
        return flush()
    }

    /// Publishes other settings of an active session; the request completes with an error if they are refused.
    package mutating func change(to settings: SessionSettings, request: Int) -> [ClaimEffect] {
        decideWhenCurrent(.change(settings), request: request)
        return flush()
    }

    /// Publishes a step that needs no answer; during a pending claim, after its end.
    package mutating func apply(_ step: ClaimStep) -> [ClaimEffect] {
        publishStep(step)
        return flush()
    }

    /// Publishes a step that needs no answer; during a pending claim, after its end.
    mutating func publishStep(_ step: ClaimStep) {
        switch step {
        case .playing(let isPlaying): self.isPlaying = isPlaying
        case .foreign(let foreign): self.foreign = foreign
        // All players have stopped, and no further step reports that for a session that is not active.
        case .interrupted, .idle: isPlaying = false
        case .process: break
        }
        guard pending == nil else { return postponed.append(step) }
        let new: Claim
        switch step {
        case .interrupted: new = claim.interrupted()
        case .idle(let notify):
            new = claim.idle(notify: notify)
            // Others must be able to distinguish an ended session from a vanished process, and streams that were ducked
            // for it are restored after its echo.
            if table.claims.count > 1 || claim.ducksOthers || claim.foreign != nil { emit(.linger) }
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

    /// Sets whether this process can duck streams of others.
    ///
    /// Most processes can, so the first claim states it before the server is known.
    package mutating func setCanDuck(_ canDuck: Bool) -> [ClaimEffect] {
        guard canDuck != claim.canDuck else { return [] }
        pending?.claim.canDuck = canDuck
        pending?.previous?.canDuck = canDuck
        claim.canDuck = canDuck
        publish(claim)
        return flush()
    }

    /// The reason why a claim must not be published; `nil` if it may be.
    package func refusal(of new: Claim) -> SessionError? {
        id.flatMap { SessionPolicy.refusal(of: new, as: $0, among: participants) }
    }

    // MARK: Waiting until enough is known

    /// Decides at once if no answer is pending, or else when every change announced so far is known.
    ///
    /// A ticket drawn without the newest ones would make this session older than earlier ones.
    private mutating func decideWhenCurrent(_ kind: RequestKind, isSure: Bool = false, request: Int) {
        askAboutDelayed()
        let changes = table.outstanding.filter { $0.key != id }
        guard !table.covers(changes) else { return decide(kind, isSure: isSure, request: request) }
        deferrals += 1
        emit(.start(.deferral(deferrals), seconds: 1))
        deferred.append(
            DeferredRequest(kind: kind, request: request, isSure: isSure, changes: changes, number: deferrals))
    }

    /// Decides the deferred requests for which enough is known; see ``ClaimEffect/decideDeferred``.
    package mutating func decideDeferred() -> [ClaimEffect] {
        decideReady()
        return flush()
    }

    /// Decides the deferred requests for which enough is known, or all of them if this is the last occasion.
    mutating func decideReady(isLast: Bool = false) {
        guard !deferred.isEmpty else { return }
        // A client marked as stale while a request was pending needs another one.
        askAboutDelayed()
        let ready = deferred.filter { isLast || table.covers($0.changes) }
        deferred.removeAll { isLast || table.covers($0.changes) }
        for waiting in ready { emit(.cancel(.deferral(waiting.number))) }
        for waiting in ready { decide(waiting.kind, isSure: waiting.isSure, request: waiting.request) }
    }

    /// Publishes the result of a request, evaluated now: much may have happened since it was made.
    private mutating func decide(_ kind: RequestKind, isSure: Bool, request: Int) {
        // The echo of the last claim may still be missing.
        let ticket = ClaimOrder.nextTicket(after: table.claims + [claim])
        switch kind {
        case .activate(let settings):
            guard isConnected, id != nil else {
                return emit(.complete(request, SessionError(.mediaServicesFailed, "There is no sound server.")))
            }
            var new = claim.activating(with: settings, ticket: ticket)
            new.isPlaying = isPlaying
            ask(for: new, of: kind, isSure: isSure, request: request)
        case .change(let settings):
            let new = claim.changing(to: settings, ticket: ticket)
            guard new != claim else { return emit(.complete(request, nil)) }
            ask(for: new, of: kind, isSure: isSure, request: request)
        }
    }

    /// Publishes a claim that no call refuses; if it has another ticket, the request completes after its verdict.
    private mutating func ask(for new: Claim, of kind: RequestKind, isSure: Bool, request: Int) {
        if let error = refusal(of: new) {
            return isSure ? emit(.complete(request, error)) : askCallsAgain(kind, request: request)
        }
        let isActivation = if case .activate = kind { true } else { false }
        guard isActivation || new.seq != claim.seq else {
            publish(new)
            return emit(.complete(request, nil))
        }
        pending = Pending(
            claim: new, previous: claim, isActivation: isActivation,
            earlierChanges: table.makeOutstandingUrgent().mapValues { _ in .init() },
            ownEventsBeforeEcho: ownEventsPending, request: request)
        askAboutDelayed()
        publish(new)
        emit(.start(.deadline, seconds: 2))
        grantIfReadable()
    }

    /// Decides once it is confirmed that all calls are still in progress.
    ///
    /// The end of a call takes time to reach all sessions, and a recording right after it should not be refused.
    private mutating func askCallsAgain(_ kind: RequestKind, request: Int) {
        for call in participants where call.id != id && call.isLive && call.claim.isCall { table.markStale(call.id) }
        decideWhenCurrent(kind, isSure: true, request: request)
    }
}
