/// The decisions: whether the pending claim takes effect, and the consequences of new verdicts for the session.
extension ClaimNegotiation {
    /// Decides about a claim whose echo has come, once every change announced before it is known.
    mutating func concludeIfPossible() {
        guard let decided = pending, table.isBarrierReached, isConfirmed(decided) else { return }
        defer { table.lowerBarrier() }
        guard let previous = decided.previous else { return finish(nil) }
        guard let error = refusal(of: decided.claim) else {
            if !hasEnded, let renewed = renewal(of: decided) {
                pending?.claim = renewed
                pending?.isRenewed = true
                publish(renewed)
            } else {
                finish(nil)
            }
            return
        }
        // Of two simultaneous calls the older one stays. The earlier claim is restored.
        let back = Self.wayBack(from: decided.claim, to: previous)
        pending = Pending(claim: back, previous: nil, failure: error, request: decided.request)
        publish(back)
    }

    /// The claim to publish after one that failed: the sessions that it interrupted meanwhile may resume.
    private static func wayBack(from failed: Claim, to previous: Claim) -> Claim {
        previous.state == .idle ? failed.idle(notify: true) : previous
    }

    /// The claim with a higher ticket, if a newer session was unknown when this ticket was drawn; at most once.
    ///
    /// Another session may have been activated so shortly before that its ticket was still on its way. An app that
    /// activates after it must interrupt it, rather than be interrupted. Of two simultaneous activations either may be
    /// the last, hence once. A session that came after this app's activation had returned wins.
    private func renewal(of decided: Pending) -> Claim? {
        guard !decided.isRenewed, let id,
            case .interrupted(let interruption) = Arbitration(participants).verdict(on: id).standing
        else { return nil }
        if decided.isGranted, !cameBefore(decided, interruption.culprit) { return nil }
        switch interruption.rule {
        case .call, .refusedByCall: return nil
        case .newerSession, .spokenAudio:
            let ticket = ClaimOrder.nextTicket(after: table.claims)
            return ticket > decided.claim.seq ? decided.claim.renewed(ticket: ticket) : nil
        }
    }

    /// Whether no further answer is needed before a renewal; requests it otherwise.
    private mutating func isConfirmed(_ decided: Pending) -> Bool {
        if case .asked = decided.confirmation { return false }
        guard decided.confirmation == .none, decided.isGranted, !decided.isRenewed, let id,
            case .interrupted(let why) = Arbitration(participants).verdict(on: id).standing,
            decided.earlierChanges[why.culprit]?.isBeforeGrant == false, cameBefore(decided, why.culprit)
        else { return true }
        pending?.confirmation = .asked(why.culprit)
        emit(.ask(why.culprit))
        return false
    }

    /// Whether the server had a newer session's claim before this claim, which the app was granted early.
    ///
    /// The server reports that a client has changed, not how. A change announced before this claim may be the end of
    /// that session's last activation, and the new claim may have come later. So each such change is fetched at once.
    ///
    /// | the answer | the newer claim came |
    /// |---|---|
    /// | none, as there was no such change | after ours |
    /// | shows another claim | after ours |
    /// | shows it, before the activation returned | before ours, or at the same moment |
    /// | shows it, after the activation returned (PipeWire), and then another change | after ours, as a rule |
    /// | shows it, after the activation returned, and then no other change | before ours |
    private func cameBefore(_ decided: Pending, _ newer: UInt32) -> Bool {
        guard let earlier = decided.earlierChanges[newer], earlier.order == table.rows[newer]?.claim?.order else {
            return false
        }
        return earlier.isBeforeGrant || !table.hasChangedSinceUrgent(newer)
    }

    /// Ends the pending claim without an echo.
    ///
    /// The server may still accept it, so the earlier claim is published after it.
    mutating func giveUp() {
        guard let given = pending else { return }
        table.lowerBarrier()
        if given.isGranted { return finish(nil) }
        if let previous = given.previous { publish(Self.wayBack(from: given.claim, to: previous)) }
        finish(SessionError(.mediaServicesFailed, "The sound server does not answer."))
    }

    /// Ends the pending claim, applies the postponed steps, and evaluates all claims again.
    mutating func finish(_ error: SessionError?) {
        guard let finished = pending else { return }
        pending = nil
        emit(.cancel(.deadline))
        if !finished.isGranted { emit(.complete(finished.request, finished.failure ?? error)) }
        let steps = error == nil && finished.isActivation && !finished.isGranted ? lasting : postponed
        postponed = []
        for step in steps { publishStep(step) }
        judge()
        emit(.signal)
    }

    /// Evaluates all claims again, and reports the changes to the session.
    package mutating func decide() -> [ClaimEffect] {
        judge()
        return flush()
    }

    /// Evaluates all claims again, and reports the changes to the session.
    mutating func judge() {
        guard pending == nil, let id, !isOutdated else { return }
        let old = arbitration
        let new = Arbitration(participants)
        guard isKnownWell(new, after: old, by: id) else { return }
        arbitration = new
        updateRefreshPolicy()
        switch arbitration.interruptionChange(of: id, since: old) {
        case .nothing: break
        case .began(let interruption):
            emit(.report(.interruptionBegan(.session, by: origin(interruption.culprit))))
        case .forbidsResuming: emit(.report(.resumingForbidden))
        case .ended(let shouldResume): emit(.report(.interruptionEnded(.session, shouldResume: shouldResume)))
        }
        // The state at the activation is not reported: the app queries it (S44).
        if old.verdict(on: id).standing != .active { hint = isSecondaryAudioToBeSilenced }
        if !isSettling || isSecondaryAudioToBeSilenced { reportHint() }
        emit(.judged)
    }

    /// Whether the table shows an older ticket of this session: the server did not announce the new one before the
    /// deadline.
    private var isOutdated: Bool {
        guard let known = id.flatMap({ table.rows[$0]?.claim }) else { return false }
        return known.order != claim.order
    }

    /// Whether no delayed answer can still change the end of an interruption: a session must not resume in vain.
    private mutating func isKnownWell(_ new: Arbitration, after old: Arbitration, by id: UInt32) -> Bool {
        guard case .interrupted = old.verdict(on: id).standing, new.verdict(on: id).standing == .active else {
            awaited = nil
            return true
        }
        if awaited == nil { askAboutDelayed() }
        let changes = awaited ?? table.outstanding
        awaited = table.covers(changes) ? nil : changes
        return awaited == nil
    }
}

/// The early grant: an activation that no call can refuse returns to the app before its claim is in effect.
///
/// Servers send the event about a change to all clients before they answer the requests that follow from it; PipeWire
/// takes two more round trips for each client. With fifty sessions that is most of an activation's time. A request
/// about the own client is answered sooner, so the activation returns as soon as the server shows the claim. All
/// verdicts are still decided after the echo.
extension ClaimNegotiation {
    /// The largest number of questions; each waits for the answer to the one before.
    private static let mostLooks = 64

    /// Whether a published claim still waits for its verdict.
    package var isDeciding: Bool { pending != nil }

    /// Whether the app's activation has returned while the claim is not in effect yet.
    package var isGranted: Bool { pending?.isGranted == true }

    /// The steps that stay valid after a successful activation; all other earlier ones are void.
    private var lasting: [ClaimStep] { [.playing(isPlaying), .foreign(foreign)] }

    /// Whether the app has ended the session since the early grant.
    private var hasEnded: Bool {
        guard isGranted else { return false }
        return postponed.contains { if case .idle = $0 { true } else { false } }
    }

    /// The verdict on this session as its pending claim would have it, given the claims that are known so far.
    package var expectedVerdict: Verdict {
        guard let id, let pending else { return verdict }
        let others = participants.filter { $0.id != id }
        return Arbitration(others + [Participant(id: id, claim: pending.claim)]).verdict(on: id)
    }

    /// Requests the own claim from the server until it shows the pending one.
    mutating func grantIfReadable(asked: Int = 0) {
        guard asked < Self.mostLooks, isConnected, id != nil, let pending, isGrantable(pending) else { return }
        emit(.look(ClaimLook(text: pending.claim.encoded, asked: asked)))
    }

    /// The answer to ``ClaimEffect/look(_:)``: the claim that the server shows of our client.
    package mutating func looked(_ look: ClaimLook, text: String?) -> [ClaimEffect] {
        // Earlier changes of others are read first, to distinguish them from those after the activation has returned.
        if text != look.text || table.hasUrgent {
            grantIfReadable(asked: look.asked + 1)
        } else if let granted = pending, isGrantable(granted), granted.claim.encoded == text {
            pending?.isGranted = true
            postponed = lasting
            emit(.complete(granted.request, nil))
            emit(.signal)
        }
        return flush()
    }

    private func isGrantable(_ pending: Pending) -> Bool {
        pending.isActivation && !pending.isGranted && !pending.claim.settings.isRefusedDuringCalls
    }
}
