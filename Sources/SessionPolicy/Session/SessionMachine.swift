/// The state of one app's session, as a value: every input returns its effects (``Effect``).
///
/// It has no clock, no lock and no I/O. Its owner feeds it one input at a time under a lock, and carries the effects
/// out after leaving the lock.
package struct SessionMachine: Sendable {
    /// The state of the session.
    package enum State: Hashable, Sendable {
        /// Not active, and not interrupted. Can move to: active.
        case inactive
        /// Active. Can move to: inactive (deactivated), interrupted, lost.
        case active
        /// Interrupted while it was active. Can move to: inactive (the interruption ended, or the app deactivated),
        /// active (the app resumed by itself), lost.
        case interrupted
        /// Without a sound server, which went away. Can move to: inactive, with default settings, when one is there again.
        case lost
    }

    /// The state of the session.
    package private(set) var state: State = .inactive
    /// Category, mode, options and policy, whether active or not.
    package private(set) var settings: SessionSettings = .default
    /// Whether the app muted its output.
    package private(set) var isOutputMuted = false
    /// Whether the app muted its input.
    package private(set) var isInputMuted = false
    /// The input mute that the app was last notified of.
    private var notifiedInputMuted = false
    /// Whether a player or recorder activated the session, rather than the app.
    package private(set) var isImplicit = false
    /// Whether the session is interrupted when the output that it plays on is unplugged, as the app prefers.
    package var prefersInterruptionOnRouteDisconnect = true
    /// Whether the app ever set a category.
    private var isConfigured = false
    /// The causes of the interruption, which lasts until all of them have ended.
    private var causes: Set<InterruptionCause> = []
    /// Whether every cause that has ended allows the app to resume.
    private var mayResume = true
    /// The `notify` flag of the idle claim that follows if the session does not resume after its interruption; nil if
    /// none is pending.
    private var pendingNotify: Bool?
    /// Whether a call refused an activation, and the app has not been notified yet that it may try again (S38).
    private var isRefused = false
    /// Whether players of other programs were asked to pause.
    private var hasAskedForeignPlayers = false
    /// Whether a player or recorder runs.
    package private(set) var isIORunning = false
    /// Whether a stream runs that belongs to the session and that it cannot stop itself.
    private var areUnmanagedStreamsRunning = false
    /// The number of interruptions and deactivations so far: either ends what the app asked for before, such as a
    /// delayed start.
    ///
    /// A session that ends because it is idle does not count.
    package private(set) var stops = (interruptions: 0, deactivations: 0)
    /// The numbers of the current timers, which identify timers that were cancelled too late.
    private var idleTimer = 0
    private var resumptionTimer = 0

    /// The time that a session activated by a player or recorder stays active after the last one stopped, in seconds.
    package static let idleSeconds = 3.0

    /// A fresh, inactive session with default settings.
    package init() {}

    /// Whether the session's claim is not idle: it is active, interrupted, or may still resume.
    package var isEngaged: Bool { state == .active || state == .interrupted || pendingNotify != nil }

    // MARK: Requests of the app

    /// Replaces category, mode, options and policy, which have been validated.
    package mutating func configure(_ new: SessionSettings) -> [Effect] {
        let old = settings
        settings = new
        isConfigured = true
        let unmuting = isOutputMuted && !new.allowsMutedOutput ? muteOutput(false) : []
        guard state == .active else { return unmuting }
        let input = notifyInputMuted()
        let roles: [Effect] = old.role != new.role || old.captureRole != new.captureRole ? [.applyRoles] : []
        let silence: [Effect] = old.allowsOutput && !new.allowsOutput ? [.stopOutput] : []
        return unmuting + input + silence + roles + askForeignPlayers()
    }

    /// The settings of the session's claim while it is active.
    package var claimedSettings: SessionSettings { settings.claimed(isOutputMuted: isOutputMuted) }

    /// Mutes or unmutes the output, where the settings allow it.
    package mutating func setOutputMuted(_ muted: Bool) -> [Effect] {
        muted == isOutputMuted ? [] : muteOutput(muted) + (state == .active ? askForeignPlayers() : [])
    }

    /// Mutes or unmutes the input; all captured sound is silence while it is muted.
    package mutating func setInputMuted(_ muted: Bool) -> [Effect] {
        guard muted != isInputMuted else { return [] }
        isInputMuted = muted
        return [.muteInput(muted)] + notifyInputMuted()
    }

    /// Notifies the app of its muted input while the session is active and has one, or else at its next activation.
    private mutating func notifyInputMuted() -> [Effect] {
        guard state == .active, settings.allowsInput, notifiedInputMuted != isInputMuted else { return [] }
        notifiedInputMuted = isInputMuted
        return [.post(.inputMuted(isInputMuted))]
    }

    private mutating func muteOutput(_ muted: Bool) -> [Effect] {
        isOutputMuted = muted
        return [.muteOutput(muted), .post(.outputMuted(muted))]
    }

    /// Whether an activation needs the sound server; throws `mediaServicesFailed` without one.
    package func prepareActivation() throws(SessionError) -> Bool {
        switch state {
        case .lost:
            throw SessionError(.mediaServicesFailed, "The sound server is gone; wait for its return.")
        case .active: return false
        case .inactive, .interrupted: return true
        }
    }

    /// Activates a session that is active already; `nil` if the server must be queried, see ``prepareActivation()``.
    ///
    /// One step, because an interruption between a query and its consequence would be lost.
    package mutating func joinActivation(implicitly: Bool) throws(SessionError) -> [Effect]? {
        try prepareActivation() ? nil : activated(implicitly: implicitly)
    }

    /// Makes the session active, which the server and the other sessions' claims accepted.
    ///
    /// An app that resumes during an interruption has ended it, and is not notified of the end.
    package mutating func activated(implicitly: Bool) -> [Effect] {
        if state == .active {
            if !implicitly { isImplicit = false }
            // A joining player is about to need the session, and an earlier timer must not end it.
            return askForeignPlayers() + awaitIdleness()
        }
        // These two causes persist, and interrupt a resumed session again: it is the same interruption then.
        let isOver = state == .interrupted && causes.isDisjoint(with: [.serverPolicy, .deviceSuspended])
        isImplicit = implicitly
        isRefused = false
        state = .active
        causes = []
        mayResume = true
        cancelResumption()
        return (isOver ? [.forgetInterruptions] : []) + askForeignPlayers(isReturning: true) + awaitIdleness()
            + [.post(.activated)] + notifyInputMuted()
            // These streams run on through an interruption, after which no event reports them again.
            + (areUnmanagedStreamsRunning ? [.claim(.playing(true))] : [])
    }

    /// Notes that a call refused the activation; an interrupted session is notified of the call's end anyway.
    package mutating func refused() { isRefused = state == .inactive }

    private mutating func refusalEnded() -> [Effect] {
        guard isRefused else { return [] }
        isRefused = false
        return state == .inactive ? [.post(.refusalEnded)] : []
    }

    /// Ends the session for the app; with `notify`, the sessions that it interrupted may resume.
    ///
    /// A session whose players or recorders still run ends as well; the error is `isBusy` then.
    package mutating func deactivate(notify: Bool) -> (effects: [Effect], error: SessionError?) {
        causes = []
        isRefused = false
        switch state {
        case .lost: return ([], nil)
        case .inactive: return (pendingNotify == nil ? [] : leave(notify: notify) + [.closeIO], nil)
        case .interrupted:
            // The app knows since the beginning of the interruption that the session is not active.
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

    // MARK: Events

    /// Handles an event of the sound system.
    package mutating func received(_ event: HostEvent) -> [Effect] {
        switch event {
        case .activated(let implicitly): return activated(implicitly: implicitly)
        case .interruptionBegan(let cause, let origin): return began(cause, by: origin)
        case .interruptionEnded(let cause, let shouldResume): return ended(cause, shouldResume: shouldResume)
        case .refusalEnded: return refusalEnded()
        case .resumingForbidden:
            mayResume = false
            pendingNotify = pendingNotify.map { _ in false }
            return []
        case .resumptionTimerFired(let number): return number == resumptionTimer ? giveUpResuming() : []
        case .secondaryAudioHint(let hint): return state == .active ? [.post(.secondaryAudioHint(hint))] : []
        case .routeChanged(let change): return routeChanged(change)
        case .availableInputsChanged:
            return state == .lost ? [] : [.notifyInputs]
        case .preferredInputLost: return [.forgetPreferredInput]
        case .overrideEnded: return [.forgetOverride]
        case .ioStarted:
            isIORunning = true
            idleTimer += 1
            return state == .active ? [.claim(.playing(true))] : []
        case .ioStopped:
            isIORunning = false
            guard state == .active else { return [] }
            return [.claim(.playing(isSounding))] + awaitIdleness()
        case .unmanagedStreams(let areRunning):
            areUnmanagedStreamsRunning = areRunning
            return state == .active ? [.claim(.playing(isSounding))] : []
        case .idleTimerFired(let number, let isAwaited): return idle(number, isAwaited: isAwaited)
        case .servicesLost: return lost()
        case .servicesReset: return reset()
        }
    }

    /// Whether the session's claim says that it plays.
    private var isSounding: Bool { isIORunning || areUnmanagedStreamsRunning }

    private mutating func began(_ cause: InterruptionCause, by origin: InterruptionOrigin?) -> [Effect] {
        switch state {
        case .inactive, .lost: return []
        case .interrupted:
            // A stream killed now made no sound, and nothing would ever end that cause.
            if !cause.isEndless { causes.insert(cause) }
            return []
        case .active:
            state = .interrupted
            stops.interruptions += 1
            causes = [cause]
            mayResume = true
            idleTimer += 1
            let effects: [Effect] = [.interruptIO, .claim(.interrupted), .post(.interruptionBegan(cause, by: origin))]
            // A killed stream has no end, so the sessions that this one interrupted would never be released.
            return cause.isEndless ? effects + awaitResumption(notify: true) : effects
        }
    }

    private mutating func ended(_ cause: InterruptionCause, shouldResume: Bool) -> [Effect] {
        guard state == .interrupted, causes.remove(cause) != nil else {
            // The session was notified of the end, and interrupted again before it resumed: this is the end of that
            // interruption.
            if cause == .session { pendingNotify = pendingNotify.map { $0 && shouldResume } }
            return []
        }
        mayResume = mayResume && shouldResume
        guard causes.isEmpty else { return [] }
        state = .inactive
        return [.post(.interruptionEnded(shouldResume: mayResume))] + awaitResumption(notify: mayResume)
    }

    /// Notifies the app of a route change, whether or not the session is active; an unplugged output interrupts, so that
    /// headphones do not turn into speakers.
    ///
    /// An interrupted app does not receive `shouldResume` after that: it would play on the remaining output.
    private mutating func routeChanged(_ change: RouteChange) -> [Effect] {
        guard state != .lost else { return [] }
        guard change.reason == .oldDeviceUnavailable else { return [.notifyRoute(change)] }
        if state == .interrupted { mayResume = false }
        let isInterrupting =
            state == .active && prefersInterruptionOnRouteDisconnect && isSounding
            && settings.isInterruptedByDisconnect
        return (isInterrupting ? began(.routeDisconnected, by: nil) : []) + [.notifyRoute(change)]
    }

    // MARK: After an interruption

    /// Gives the app time to resume if `notify`; then the session becomes idle and passes the flag on.
    private mutating func awaitResumption(notify: Bool) -> [Effect] {
        pendingNotify = notify
        resumptionTimer += 1
        guard notify else { return giveUpResuming() }
        return [.startResumptionTimer(number: resumptionTimer, seconds: ResumptionRules.gracePeriod)]
    }

    private mutating func giveUpResuming() -> [Effect] {
        guard let notify = pendingNotify else { return [] }
        if state == .interrupted { state = .inactive }
        causes = []
        return leave(notify: notify) + [.closeIO]
    }

    private mutating func cancelResumption() {
        pendingNotify = nil
        resumptionTimer += 1
    }

    /// Publishes the end of the session.
    private mutating func leave(notify: Bool) -> [Effect] {
        cancelResumption()
        guard hasAskedForeignPlayers else { return [.claim(.idle(notify: notify))] }
        hasAskedForeignPlayers = false
        return [.claim(.idle(notify: notify)), .foreignPlayers(.ended(notify: notify))]
    }

    /// Pauses media players, or resumes them; not for an app that plays a sound and never set a category.
    ///
    /// - Parameter isReturning: Whether the session was not active: the user may have started a player meanwhile.
    private mutating func askForeignPlayers(isReturning: Bool = false) -> [Effect] {
        let mayAsk = !claimedSettings.isMixable && (!isImplicit || isConfigured)
        guard mayAsk != hasAskedForeignPlayers || mayAsk && isReturning else { return [] }
        hasAskedForeignPlayers = mayAsk
        return [.foreignPlayers(mayAsk ? .began : .ended(notify: true))]
    }

    // MARK: Idleness and loss

    /// Starts the idle timer of a session that a player or recorder activated, if none runs.
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
        areUnmanagedStreamsRunning = false
        idleTimer += 1
        cancelResumption()
        // Paused players of other programs stay paused: they have no server to play on either.
        return [.abandonIO, .post(.servicesLost)]
    }

    private mutating func reset() -> [Effect] {
        guard state == .lost else { return [] }
        state = .inactive
        settings = .default
        isImplicit = false
        isConfigured = false
        // If the app starts again, others stay paused without a short resumption in between.
        return (isOutputMuted ? muteOutput(false) : []) + [.post(.servicesReset)]
            + (hasAskedForeignPlayers ? awaitResumption(notify: true) : [])
    }
}
