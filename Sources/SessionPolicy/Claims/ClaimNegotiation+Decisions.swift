/// What follows from what is known.
extension ClaimNegotiation {
    /// Decides about a claim whose echo has come, once all is known that was announced before it.
    func concludeIfPossible() {
        guard let decided = pending, table.isBarrierReached else { return }
        table.lowerBarrier()
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
        // Two calls at the same moment: the older lives. What was there before comes back.
        let back = Self.wayBack(from: decided.claim, to: previous)
        pending = Pending(claim: back, previous: nil, failure: error, request: decided.request)
        publish(back)
    }

    /// What to say instead of a claim that failed: those that it interrupted meanwhile may go on.
    private static func wayBack(from failed: Claim, to previous: Claim) -> Claim {
        previous.state == .idle ? failed.idle(notify: true) : previous
    }

    /// The same with a higher ticket, if others whom we did not know of when we drew ours are newer.
    ///
    /// Another session may have been activated so shortly before that its ticket was still on its way to us. An app
    /// that asks after another one has been told yes interrupts that one, and not itself. Once: of two that ask at the
    /// same moment either may be the last. But who drew a higher ticket than ours, when our app had been told yes, came
    /// after it: unless its word was on the way before the server had ours, of one that knew others of whom we did not.
    private func renewal(of decided: Pending) -> Claim? {
        guard !decided.isRenewed, let id,
            case .interrupted(let interruption) = Arbitration(participants).verdict(on: id).standing
        else { return nil }
        let newer = participants.first { $0.id == interruption.culprit }?.claim.seq ?? 0
        if decided.isGranted, newer > decided.claim.seq, !decided.elders.contains(interruption.culprit) { return nil }
        switch interruption.rule {
        case .call, .refusedByCall: return nil
        case .newerSession, .spokenAudio:
            let ticket = ClaimOrder.nextTicket(after: table.claims)
            return ticket > decided.claim.seq ? decided.claim.renewed(ticket: ticket) : nil
        }
    }

    /// The server did not answer in time, but may yet do so: what was there before is to be what it ends with.
    func giveUp() {
        guard let given = pending else { return }
        table.lowerBarrier()
        if given.isGranted { return finish(nil) }
        if let previous = given.previous { publish(Self.wayBack(from: given.claim, to: previous)) }
        finish(SessionError(.mediaServicesFailed, "The sound server does not answer."))
    }

    func finish(_ error: SessionError?) {
        guard let finished = pending else { return }
        pending = nil
        perform(.cancel(.deadline))
        if !finished.isGranted { perform(.complete(finished.request, finished.failure ?? error)) }
        let steps = error == nil && finished.isActivation && !finished.isGranted ? lasting : postponed
        postponed = []
        for step in steps { take(step) }
        decide()
        perform(.signal)
    }

    /// Judges all claims again, and tells the session what changed for it.
    package func decide() {
        guard pending == nil, let id, !isOutdated else { return }
        let old = arbitration
        let new = Arbitration(participants)
        guard isKnownWell(new, after: old, by: id) else { return }
        arbitration = new
        attend()
        switch arbitration.interruptionChange(of: id, since: old) {
        case .nothing: break
        case .began(let interruption):
            perform(.report(.interruptionBegan(.session, by: origin(interruption.culprit))))
        case .forbidsResuming: perform(.report(.resumingForbidden))
        case .ended(let shouldResume): perform(.report(.interruptionEnded(.session, shouldResume: shouldResume)))
        }
        // What stood at the activation is not news: the app asks for it (S44).
        if old.verdict(on: id).standing != .active { hint = isSecondaryAudioToBeSilenced }
        if !isSettling || isSecondaryAudioToBeSilenced { reportHint() }
        perform(.judged)
    }

    /// Whether the server has not told us yet of the ticket that we have: it did not in time, and we gave up waiting.
    private var isOutdated: Bool {
        guard let known = id.flatMap({ table.rows[$0]?.claim }) else { return false }
        return known.order != claim.order
    }

    /// Whether nothing that was put off may yet say otherwise: whoever goes on must not be told so in vain.
    private func isKnownWell(_ new: Arbitration, after old: Arbitration, by id: UInt32) -> Bool {
        guard case .interrupted = old.verdict(on: id).standing, new.verdict(on: id).standing == .active else {
            awaited = nil
            return true
        }
        let changes = awaited ?? catchUp()
        awaited = table.covers(changes) ? nil : changes
        return awaited == nil
    }
}

/// An activation that nobody can refuse, told to the app before it counts.
///
/// Servers tell all clients of a change before they answer the question that our own news leads to, and PipeWire does so
/// two round trips late, one for each of them: with fifty sessions that is most of an activation. Asked, it says what it
/// has sent already, though not what else has changed; PulseAudio answers at once. So the app hears that its session is
/// active as soon as the server shows our claim, if no call can forbid it. What the claim means, to us and to others, is
/// decided after its echo as ever.
extension ClaimNegotiation {
    /// How often the server is asked; each question waits for the answer to the one before.
    private static let mostLooks = 64

    /// Whether a claim is published of which it is not known yet what it means.
    package var isDeciding: Bool { pending != nil }

    /// Whether the app has been told that its session is active, which does not count yet.
    package var isGranted: Bool { pending?.isGranted == true }

    /// An activation that succeeded makes what was said before it void, but for what goes on beside it.
    private var lasting: [ClaimStep] { [.playing(isPlaying), .foreign(foreign)] }

    /// Whether the app has ended the session since it was told of its success.
    private var hasEnded: Bool {
        guard isGranted else { return false }
        return postponed.contains { if case .idle = $0 { true } else { false } }
    }

    /// What the verdict on this session will be, as far as can be known, while its claim is pending.
    package var expectedVerdict: Verdict {
        guard let id, let pending else { return verdict }
        let others = participants.filter { $0.id != id }
        return Arbitration(others + [Participant(id: id, claim: pending.claim)]).verdict(on: id)
    }

    /// Asks the server for our claim until it shows the pending one.
    func grantIfReadable(asked: Int = 0) {
        guard asked < Self.mostLooks, isConnected, id != nil, let pending, isGrantable(pending) else { return }
        perform(.look(ClaimLook(text: pending.claim.encoded, asked: asked)))
    }

    /// The server shows this of our client.
    package func looked(_ look: ClaimLook, text: String?) {
        guard text == look.text else { return grantIfReadable(asked: look.asked + 1) }
        guard let granted = pending, isGrantable(granted), granted.claim.encoded == text else { return }
        pending?.isGranted = true
        postponed = lasting
        perform(.complete(granted.request, nil))
        perform(.signal)
    }

    private func isGrantable(_ pending: Pending) -> Bool {
        pending.isActivation && !pending.isGranted && !pending.claim.settings.isRefusedDuringCalls
    }
}
