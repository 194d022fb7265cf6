@testable import SessionPolicy

/// The app and its session, and what they have done.
extension SimulatedProcess {
    // MARK: The app

    /// Activates the session, with other settings if it is to have some; whether somebody has to be asked.
    func activate(_ settings: SessionSettings?, isImplicit: Bool) {
        if let settings { perform(machine.configure(settings)) }
        let effects = try? machine.joinActivation(implicitly: isImplicit)
        if let effects = effects ?? nil { return perform(effects) }
        ask(.activation(isImplicit: isImplicit))
    }

    func change(to settings: SessionSettings) { ask(.change(settings)) }

    private func ask(_ kind: SimulatedOperation.Kind) {
        operations += 1
        let asked = SimulatedOperation(kind, number: operations)
        operation = asked
        observe {
            switch kind {
            case .activation: run(negotiation.activate(machine.claimedSettings, request: asked.number))
            case .change(let settings): run(negotiation.change(to: settings, request: asked.number))
            }
        }
    }

    func deactivate(notify: Bool) {
        (isToldInterrupted, isSuspended) = (false, false)
        perform(machine.deactivate(notify: notify).effects)
    }

    /// Its players run now, or do not.
    func play(_ running: Bool) {
        guard running != machine.isIORunning else { return }
        perform(machine.received(running ? .ioStarted : .ioStopped))
    }

    func suspend() {
        isSuspended = true
        perform(machine.received(.interruptionBegan(.deviceSuspended)))
    }

    func wakeDevice(shouldResume: Bool = true) {
        isSuspended = false
        perform(machine.received(.interruptionEnded(.deviceSuspended, shouldResume: shouldResume)))
    }

    /// It has found out whether it can lower streams.
    func tell(canDuck: Bool) {
        self.canDuck = canDuck
        run(negotiation.setCanDuck(canDuck))
    }

    /// It says something else about its client, and the same of itself.
    func mention() { outbox.append(.publish(claim.encoded)) }

    func resumptionIsOver() {
        perform(machine.received(.resumptionTimerFired(number: resumptions.removeFirst())))
    }

    func idleTimerFires() {
        perform(machine.received(.idleTimerFired(number: idleTimers.removeFirst())))
    }

    // MARK: What claims come to

    /// Carries effects out as `ClaimBoard` does.
    func run(_ decided: [ClaimEffect]) {
        guard effects.append(decided) else { return }
        while let effect = effects.popFirst() { carryOut(effect) }
    }

    private func carryOut(_ effect: ClaimEffect) {
        switch effect {
        case .publish(let text): publish(text)
        case .ask(let client): outbox.append(.ask(client))
        case .look(let look): outbox.append(.look(look))
        case .start(.inquiry(let client), let seconds): inquiries[client] = clock + seconds
        case .cancel(.inquiry(let client)): inquiries[client] = nil
        case .start(let timer, let seconds): start(timer, after: seconds)
        case .cancel(let timer): timeouts[timer] = nil
        case .complete(let number, let error): complete(number, error)
        case .report(let event): report(event)
        case .decideDeferred: run(negotiation.decideDeferred())
        case .clientUpdated, .judged, .linger, .signal: break
        }
    }

    private func publish(_ text: String) {
        outbox.append(.publish(text))
        if let claim = Claim(text) { checkPublished(claim) }
    }

    private func start(_ timer: ClaimTimer, after seconds: Double) {
        timeouts[timer] = clock + seconds
        guard timer == .deadline, let operation else { return }
        expect(negotiation.refusal(of: claim) == nil, "published a claim of which it knew that a call refuses it")
        operation.isPublished = true
        guard case .activation = operation.kind else { return }
        activation = operation
        lastActivation = operation
    }

    /// What the app asked for has been done, or was refused.
    private func complete(_ number: Int, _ error: SessionError?) {
        guard let done = operation, done.number == number else {
            return expect(false, "an answer to what nobody waits for")
        }
        operation = nil
        if error?.code == .insufficientPriority, !done.isPublished, !done.isHasty {
            note { $0.refusedUnpublished = done }
        }
        switch done.kind {
        case .activation(let isImplicit):
            guard error == nil else { return machine.refused() }
            note { $0.isTold = true }
            (isToldInterrupted, isSuspended) = (false, false)
            perform(machine.activated(implicitly: isImplicit))
        case .change(let settings): if error == nil { perform(machine.configure(settings)) }
        }
    }

    private func report(_ event: HostEvent) {
        if case .interruptionEnded = event { checkEnd() }
        switch event {
        case .interruptionBegan(.session, _): noteInterruptedCall()
        case .resumingForbidden, .interruptionEnded(.session, shouldResume: false): note { $0.mustNotResume = true }
        default: break
        }
        perform(machine.received(event))
    }

    private func noteInterruptedCall() {
        guard machine.state == .active, claim.isCall,
            case .interrupted(let interruption) = negotiation.verdict.standing
        else { return }
        interruptedCalls += 1
        expect(interruption.rule == .call || interruption.rule == .refusedByCall, "a call gave way to \(interruption)")
    }

    // MARK: The session

    func perform(_ effects: [Effect]) {
        for effect in effects {
            switch effect {
            case .interruptIO, .stopIO, .closeIO: play(false)
            case .claim(let step): run(negotiation.apply(step))
            case .foreignPlayers(let step): meetForeignPlayers(step)
            case .startResumptionTimer(let number, _): resumptions.append(number)
            case .startIdleTimer(let number, _): idleTimers.append(number)
            case .post(let notification): told(notification)
            default: break
            }
        }
    }

    private func meetForeignPlayers(_ step: ForeignStep) {
        // Some users have players asked to pause, of which the claim says nothing.
        let choices: [Claim.Foreign?] = [.silence, .duck, nil]
        foreign = if case .began = step { choices[Int(uid % 3)] } else { nil }
        guard uid % 3 != 2 else { return }
        run(negotiation.apply(.foreign(foreign)))
    }

    /// Whether anything interrupts it, as far as it knows; the verdict may be one on an earlier activation still.
    private var isHeld: Bool {
        let judged = negotiation.arbitration
        let isJudged = !negotiation.isDeciding && judged.participant(id)?.claim.order == claim.order
        if isJudged, case .interrupted = judged.verdict(on: id).standing { return true }
        return isSuspended
    }

    private func told(_ notification: SessionNotification) {
        switch notification {
        case .interruptionBegan:
            expect(!isToldInterrupted, "began twice")
            isToldInterrupted = true
        case .interruptionEnded:
            expect(isToldInterrupted, "ended without began")
            expect(!isHeld, "ended, and still interrupted")
            isToldInterrupted = false
            ends += 1
        case .servicesLost: (isToldInterrupted, isSuspended, foreign) = (false, false, nil)
        default: break
        }
    }
}
