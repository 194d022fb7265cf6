/// The state of one app's session, as a value: every input returns what is to be done.
///
/// It has no clock, no lock and no I/O. Its owner feeds it one input at a time under a lock, and carries the effects
/// out after leaving the lock.
package struct SessionMachine: Sendable {
    /// Where the session stands.
    package enum State: Hashable, Sendable {
        /// Not active, and nobody interrupted it. Can move to: active.
        case inactive
        /// Active. Can move to: inactive (deactivated), interrupted, lost.
        case active
        /// Was active until it was interrupted, and has not heard of the end yet. Can move to: inactive (the end came,
        /// or the app deactivated), active (the app came back by itself), lost.
        case interrupted
        /// The sound server went away under it. Can move to: inactive, with default settings, when one is there again.
        case lost
    }

    /// Where the session stands.
    package private(set) var state: State = .inactive
    /// Category, mode, options and policy, whether active or not.
    package private(set) var settings: SessionSettings = .default
    /// Whether the app muted its output.
    package private(set) var isOutputMuted = false
    /// Whether the app muted its input.
    package private(set) var isInputMuted = false
    /// What the app was told of that last.
    private var toldInputMuted = false
    /// Whether a player or recorder activated the session, and not the app.
    package private(set) var isImplicit = false
    /// Whether the app wants an interruption where its output is pulled, if it is the one that plays.
    package var prefersInterruptionOnRouteDisconnect = true
    /// Whether the app ever said what its sound is for.
    private var isConfigured = false
    /// Why the session is interrupted: it is until all of these have ended.
    private var causes: Set<InterruptionCause> = []
    /// Whether every cause that has ended allows the app to resume.
    private var mayResume = true
    /// What those hear whom this session interrupted, if it does not come back from an interruption.
    private var passOn: Bool?
    /// Whether a call refused an activation, of which the app has not been told that it may try again (S38).
    private var isRefused = false
    /// Whether players of other programs were asked to pause.
    private var hasAskedForeignPlayers = false
    package private(set) var isIORunning = false
    /// How often it was stopped: what an app wished for before has ended with that.
    ///
    /// A session that ends since it is not used any more leaves all wishes as they are.
    package private(set) var stops = (interruptions: 0, deactivations: 0)
    /// Numbers the timers, so that one that was cancelled too late is recognised.
    private var idleTimer = 0
    private var patience = 0

    /// How long after the last player or recorder stopped a session that they activated stays active, in seconds.
    package static let idleSeconds = 3.0

    /// A fresh, inactive session with default settings.
    package init() {}

    /// Whether the session's claim says more than idle: it is active, interrupted, or has time to come back.
    package var isEngaged: Bool { state == .active || state == .interrupted || passOn != nil }

    // MARK: What the app asks

    /// Replaces category, mode, options and policy, which have been validated.
    package mutating func configure(_ new: SessionSettings) -> [Effect] {
        let old = settings
        settings = new
        isConfigured = true
        let unmuting = isOutputMuted && !new.allowsMutedOutput ? muteOutput(false) : []
        guard state == .active else { return unmuting }
        let input = tellInputMuted()
        let roles: [Effect] = old.role != new.role || old.captureRole != new.captureRole ? [.applyRoles] : []
        let silence: [Effect] = old.allowsOutput && !new.allowsOutput ? [.stopOutput] : []
        return unmuting + input + silence + roles + askForeignPlayers()
    }

    /// What others are told while the session is active.
    package var claimedSettings: SessionSettings { settings.claimed(isOutputMuted: isOutputMuted) }

    /// Mutes or unmutes the output, where the settings allow it.
    package mutating func setOutputMuted(_ muted: Bool) -> [Effect] {
        muted == isOutputMuted ? [] : muteOutput(muted) + (state == .active ? askForeignPlayers() : [])
    }

    /// Mutes or unmutes the input; everything that is captured is silence meanwhile.
    package mutating func setInputMuted(_ muted: Bool) -> [Effect] {
        guard muted != isInputMuted else { return [] }
        isInputMuted = muted
        return [.muteInput(muted)] + tellInputMuted()
    }

    /// The app hears of its muted input while the session is active and has one, or else at its next activation.
    private mutating func tellInputMuted() -> [Effect] {
        guard state == .active, settings.allowsInput, toldInputMuted != isInputMuted else { return [] }
        toldInputMuted = isInputMuted
        return [.post(.inputMuted(isInputMuted))]
    }

    private mutating func muteOutput(_ muted: Bool) -> [Effect] {
        isOutputMuted = muted
        return [.muteOutput(muted), .post(.outputMuted(muted))]
    }

    /// Whether activating needs the sound server; throws where it is hopeless.
    package func prepareActivation() throws(SessionError) -> Bool {
        switch state {
        case .lost:
            throw SessionError(.mediaServicesFailed, "The sound server is gone; wait for its return.")
        case .active: return false
        case .inactive, .interrupted: return true
        }
    }

    /// Activates a session that is active already; `nil` if the server has to be asked, see ``prepareActivation()``.
    ///
    /// One step, because an interruption that comes between a question and what follows from it would be undone.
    package mutating func joinActivation(implicitly: Bool) throws(SessionError) -> [Effect]? {
        try prepareActivation() ? nil : activated(implicitly: implicitly)
    }

    /// The sound server, and the other sessions' claims, accepted the session.
    ///
    /// An app that comes back during an interruption has ended it: it is not told of the end any more.
    package mutating func activated(implicitly: Bool) -> [Effect] {
        if state == .active {
            if !implicitly { isImplicit = false }
            // Whoever joins is about to need the session, and must not lose it to a timer that began long before.
            return askForeignPlayers() + awaitIdleness()
        }
        // These two last, and interrupt again what starts: it is the same interruption then.
        let isOver = state == .interrupted && causes.isDisjoint(with: [.serverPolicy, .deviceSuspended])
        isImplicit = implicitly
        isRefused = false
        state = .active
        causes = []
        mayResume = true
        forgetPatience()
        return (isOver ? [.forgetInterruptions] : []) + askForeignPlayers(isReturning: true) + awaitIdleness()
            + [.post(.activated)] + tellInputMuted()
    }

    /// A call refused the activation; a session that is interrupted by it hears of the end anyhow.
    package mutating func refused() { isRefused = state == .inactive }

    private mutating func refusalEnded() -> [Effect] {
        guard isRefused else { return [] }
        isRefused = false
        return state == .inactive ? [.post(.refusalEnded)] : []
    }

    /// Ends the session at the app's wish; with `notify`, those whom it interrupted may go on.
    ///
    /// With sound still running it ends all the same, and the caller is told with `isBusy`.
    package mutating func deactivate(notify: Bool) -> (effects: [Effect], error: SessionError?) {
        causes = []
        isRefused = false
        switch state {
        case .lost: return ([], nil)
        case .inactive: return (passOn == nil ? [] : leave(notify: notify) + [.closeIO], nil)
        case .interrupted:
            // Since the interruption began the app knows that it is not active.
            state = .inactive
            stops.deactivations += 1
            return (leave(notify: notify) + [.closeIO], nil)
        case .active:
            state = .inactive
            stops.deactivations += 1
            idleTimer += 1
            let farewell = leave(notify: notify) + [.closeIO, .post(.deactivated)]
            guard isIORunning else { return (farewell, nil) }
            let message = "The session was deactivated while players or recorders were running; they were stopped."
            return ([.stopIO] + farewell, SessionError(.isBusy, message))
        }
    }

    // MARK: What happens

    /// Something happened to the session's sound or server.
    package mutating func received(_ event: HostEvent) -> [Effect] {
        switch event {
        case .activated(let implicitly): return activated(implicitly: implicitly)
        case .interruptionBegan(let cause, let origin): return began(cause, by: origin)
        case .interruptionEnded(let cause, let shouldResume): return ended(cause, shouldResume: shouldResume)
        case .refusalEnded: return refusalEnded()
        case .resumingForbidden:
            mayResume = false
            passOn = passOn.map { _ in false }
            return []
        case .patienceEnded(let number): return number == patience ? patienceEnded() : []
        case .secondaryAudioHint(let hint): return state == .active ? [.post(.secondaryAudioHint(hint))] : []
        case .routeChanged(let change): return routeChanged(change)
        case .availableInputsChanged:
            return state == .active || state == .interrupted ? [.tellInputs] : []
        case .preferredInputLost: return [.forgetPreferredInput]
        case .overrideEnded: return [.forgetOverride]
        case .ioStarted:
            isIORunning = true
            idleTimer += 1
            return state == .active ? [.claim(.playing(true))] : []
        case .ioStopped:
            isIORunning = false
            guard state == .active else { return [] }
            return [.claim(.playing(false))] + awaitIdleness()
        case .idleTimerFired(let number, let isAwaited): return idle(number, isAwaited: isAwaited)
        case .servicesLost: return lost()
        case .servicesReset: return reset()
        }
    }

    private mutating func began(_ cause: InterruptionCause, by origin: InterruptionOrigin?) -> [Effect] {
        switch state {
        case .inactive, .lost: return []
        case .interrupted:
            // A stream that is killed now made no sound, and nothing would ever end that cause.
            if !cause.isEndless { causes.insert(cause) }
            return []
        case .active:
            state = .interrupted
            stops.interruptions += 1
            causes = [cause]
            mayResume = true
            idleTimer += 1
            let effects: [Effect] = [.interruptIO, .claim(.interrupted), .post(.interruptionBegan(cause, by: origin))]
            // Nothing ends a killed stream, so nobody would ever release those whom the session had interrupted.
            return cause.isEndless ? effects + wait(toPassOn: true) : effects
        }
    }

    private mutating func ended(_ cause: InterruptionCause, shouldResume: Bool) -> [Effect] {
        guard state == .interrupted, causes.remove(cause) != nil else {
            // Told of the end already, and interrupted again before it came back: this is the end of that.
            if cause == .session { passOn = passOn.map { $0 && shouldResume } }
            return []
        }
        mayResume = mayResume && shouldResume
        guard causes.isEmpty else { return [] }
        state = .inactive
        return [.post(.interruptionEnded(shouldResume: mayResume))] + wait(toPassOn: mayResume)
    }

    /// Whoever plays for somebody with headphones does not want to be heard by all others.
    ///
    /// An app that was told to resume, and has not done so yet, would else do it on what is left.
    private mutating func routeChanged(_ change: RouteChange) -> [Effect] {
        guard isEngaged else { return [] }
        guard change.reason == .oldDeviceUnavailable else { return [.tellRoute(change)] }
        if state == .interrupted { mayResume = false }
        let isInterrupting =
            state == .active && prefersInterruptionOnRouteDisconnect && isIORunning
            && settings.isInterruptedByDisconnect
        return (isInterrupting ? began(.routeDisconnected, by: nil) : []) + [.tellRoute(change)]
    }

    // MARK: After an interruption

    /// Gives the app time to come back, if it was told to; afterwards its own victims hear what it heard.
    private mutating func wait(toPassOn notify: Bool) -> [Effect] {
        passOn = notify
        patience += 1
        return notify ? [.startPatience(number: patience, seconds: InterruptionChange.patience)] : patienceEnded()
    }

    private mutating func patienceEnded() -> [Effect] {
        guard let notify = passOn else { return [] }
        if state == .interrupted { state = .inactive }
        causes = []
        return leave(notify: notify) + [.closeIO]
    }

    private mutating func forgetPatience() {
        passOn = nil
        patience += 1
    }

    /// The session wants nothing any more.
    private mutating func leave(notify: Bool) -> [Effect] {
        forgetPatience()
        guard hasAskedForeignPlayers else { return [.claim(.idle(notify: notify))] }
        hasAskedForeignPlayers = false
        return [.claim(.idle(notify: notify)), .foreignPlayers(.ended(notify: notify))]
    }

    /// An app that merely plays a sound, and never said what for, does not stop the user's music player.
    ///
    /// - Parameter isReturning: Whether the session was not active: the user may have started a player meanwhile.
    private mutating func askForeignPlayers(isReturning: Bool = false) -> [Effect] {
        let mayAsk = !claimedSettings.isMixable && (!isImplicit || isConfigured)
        guard mayAsk != hasAskedForeignPlayers || mayAsk && isReturning else { return [] }
        hasAskedForeignPlayers = mayAsk
        return [.foreignPlayers(mayAsk ? .began : .ended(notify: true))]
    }

    // MARK: Idleness and loss

    /// A session that a player activated ends some time after the last one ran.
    private mutating func awaitIdleness() -> [Effect] { isImplicit && !isIORunning ? startIdleTimer() : [] }

    private mutating func startIdleTimer() -> [Effect] {
        idleTimer += 1
        return [.startIdleTimer(number: idleTimer, seconds: Self.idleSeconds)]
    }

    private mutating func idle(_ number: Int, isAwaited: Bool) -> [Effect] {
        guard number == idleTimer, state == .active, isImplicit, !isIORunning else { return [] }
        guard !isAwaited else { return startIdleTimer() }
        state = .inactive
        return leave(notify: true) + [.closeIO, .post(.deactivated)]
    }

    private mutating func lost() -> [Effect] {
        guard state != .lost else { return [] }
        state = .lost
        isRefused = false
        causes = []
        isIORunning = false
        idleTimer += 1
        forgetPatience()
        // Players that were asked to pause wait with us: they have nothing to be heard on either.
        return [.abandonIO, .post(.servicesLost)]
    }

    private mutating func reset() -> [Effect] {
        guard state == .lost else { return [] }
        state = .inactive
        settings = .default
        isImplicit = false
        isConfigured = false
        // An app that begins anew keeps others paused, without a moment of them in between.
        return (isOutputMuted ? muteOutput(false) : []) + [.post(.servicesReset)]
            + (hasAskedForeignPlayers ? wait(toPassOn: true) : [])
    }
}
