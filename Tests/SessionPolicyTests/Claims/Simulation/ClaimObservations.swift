@testable import SessionPolicy

/// What can be said of one step of a process without knowing the others.
extension SimulatedProcess {
    /// Lets something happen, and notes what came of it.
    func observe(isGivingUp: Bool = false, _ body: () -> Void) {
        let (before, told) = (negotiation.pending, ends)
        isAwaiting = negotiation.awaited != nil
        said = []
        body()
        if ends > told, !isAwaiting { note { $0.endedAtOnce = claimAtEnd } }
        if let before, before.failure == nil { check(before, isGivingUp: isGivingUp) }
        if isGivingUp { note { $0.gaveUp = true } }
        if negotiation.pending == nil { activation = nil }
        expect(operation == nil || !timeouts.isEmpty, "would wait for ever for a server that does not answer")
    }

    /// Whoever is told of an end at once knows all that was announced.
    func checkEnd() {
        claimAtEnd = claim
        let open = negotiation.table.outstanding.keys.filter { $0 != id }
        expect(isAwaiting || open.isEmpty, "told of an end before it knew about \(open)")
    }

    /// What has become of a claim that was pending.
    private func check(_ before: PendingClaim, isGivingUp: Bool) {
        let after = negotiation.pending
        if after?.failure != nil {
            refusals += 1
            checkWayBack(from: before)
        } else if let after {
            if after.claim.order != before.claim.order { checkRenewal(of: before) }
        } else if isGivingUp {
            if !before.isGranted { checkWayBack(from: before) }
        } else {
            checkEcho(of: before.claim)
            checkWord()
            note { $0.accepted = (before.claim, activation, before.isGranted) }
        }
    }

    /// What failed is followed by what was there before, or by an idle claim that lets others go on.
    private func checkWayBack(from failed: PendingClaim) {
        guard let previous = failed.previous, let back = said.first else { return expect(false, "no way back") }
        let isRight =
            previous.state == .idle
            ? back.state == .idle && back.notify
            : back.order == previous.order && back.state == previous.state && back.settings == previous.settings
        expect(isRight && back.canDuck == canDuck, "went back to \(back) from \(failed.claim)")
    }

    /// Nothing is decided before what was said has come back, but for whether streams can be lowered.
    private func checkEcho(of claim: Claim) {
        let shown = negotiation.table.rows[id]?.claim
        expect(shown?.order == claim.order && shown?.settings == claim.settings, "decided before the echo of \(claim)")
    }

    /// What it says is what its session is, whatever was said before that and meanwhile.
    private func checkWord() {
        guard machine.state == .active else { return }
        let isSaid = claim.state == .active && claim.foreign == foreign && claim.isPlaying == machine.isIORunning
        expect(isSaid, "is active, does \(String(describing: foreign)), plays \(machine.isIORunning), says \(claim)")
    }

    /// Another ticket is drawn once, against newer sessions and not against calls, and not for a session that has ended.
    private func checkRenewal(of old: PendingClaim) {
        expect(renewed != old.request, "another ticket once more")
        renewed = old.request
        expect(!old.isGranted || machine.isEngaged, "another ticket for what has ended")
        guard case .interrupted(let why) = Arbitration(negotiation.participants).verdict(on: id).standing else {
            return expect(false, "another ticket against nobody")
        }
        expect(why.rule != .call && why.rule != .refusedByCall, "another ticket against a call")
        if old.isGranted { note { $0.outbid = (why.culprit, old.claim.order) } }
    }

    /// Settings are changed under the ticket that they need, and not to what a call is known to refuse.
    func checkPublished(_ claim: Claim) {
        defer { published = claim }
        said.append(claim)
        guard let operation, case .change = operation.kind, negotiation.pending?.failure == nil,
            let old = published, old.state == .active, claim.state == .active, old.settings != claim.settings
        else { return }
        // What it goes back to without an answer may have been refused meanwhile.
        guard !operation.isHasty else { return }
        expect(negotiation.refusal(of: claim) == nil, "published settings of which it knew that a call refuses them")
        expect(
            claim.seq > old.seq || !old.settings.needsNewTicket(for: claim.settings), "changed under the old ticket")
    }

    func note(_ change: (inout Events) -> Void) {
        var noted = events ?? Events()
        change(&noted)
        events = noted
    }
}
