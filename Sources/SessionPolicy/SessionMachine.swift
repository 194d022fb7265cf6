/// The state of one app's session, as a value: every input returns what is to be done.
///
/// It has no clock, no lock and no I/O. Its owner feeds it one input at a time under a lock, and carries the effects out
/// after leaving the lock.
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
    /// Whether a player or recorder activated the session, and not the app.
    package private(set) var isImplicit = false
    /// Why the session is interrupted: it is until all of these have ended.
    private var causes: Set<InterruptionCause> = []
    /// Whether every cause that has ended allows the app to resume.
    private var mayResume = true
    private var isIORunning = false
    /// Numbers the idle timers, so that one that was cancelled too late is recognised.
    private var idleTimer = 0

    /// How long after the last player or recorder stopped a session that they activated stays active, in seconds.
    package static let idleSeconds = 3.0

    /// A fresh, inactive session with default settings.
    package init() {}

    // MARK: What the app asks

    /// Replaces category, mode, options and policy, which have been validated.
    package mutating func configure(_ new: SessionSettings) -> [Effect] {
        let old = settings
        settings = new
        guard state == .active, old.role != new.role || old.captureRole != new.captureRole else { return [] }
        return [.applyRoles]
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

    /// The sound server accepted the session.
    ///
    /// An app that comes back during an interruption has ended it: it is not told of the end any more.
    package mutating func activated(implicitly: Bool) -> [Effect] {
        if state == .active {
            if !implicitly { isImplicit = false }
            return []
        }
        isImplicit = implicitly
        state = .active
        causes = []
        mayResume = true
        return implicitly && !isIORunning ? startIdleTimer() : []
    }

    /// Ends the session at the app's wish.
    ///
    /// With sound still running it ends all the same, and the caller is told with `isBusy`.
    package mutating func deactivate() -> (effects: [Effect], error: SessionError?) {
        causes = []
        switch state {
        case .lost, .inactive: return ([], nil)
        case .interrupted:
            state = .inactive
            return ([.closeIO], nil)
        case .active:
            state = .inactive
            idleTimer += 1
            guard isIORunning else { return ([.closeIO], nil) }
            let message = "The session was deactivated while players or recorders were running; they were stopped."
            return ([.stopIO, .closeIO], SessionError(.isBusy, message))
        }
    }

    // MARK: What happens

    /// Something happened to the session's sound or server.
    package mutating func received(_ event: HostEvent) -> [Effect] {
        switch event {
        case .interruptionBegan(let cause, let origin): return began(cause, by: origin)
        case .interruptionEnded(let cause, let shouldResume): return ended(cause, shouldResume: shouldResume)
        case .ioStarted:
            isIORunning = true
            idleTimer += 1
            return []
        case .ioStopped:
            isIORunning = false
            return state == .active && isImplicit ? startIdleTimer() : []
        case .idleTimerFired(let number): return idle(number)
        case .servicesLost: return lost()
        case .servicesReset: return reset()
        }
    }

    private mutating func began(_ cause: InterruptionCause, by origin: InterruptionOrigin?) -> [Effect] {
        switch state {
        case .inactive, .lost: return []
        case .interrupted:
            causes.insert(cause)
            return []
        case .active:
            state = .interrupted
            causes = [cause]
            mayResume = true
            idleTimer += 1
            return [.interruptIO, .post(.interruptionBegan(cause, by: origin))]
        }
    }

    private mutating func ended(_ cause: InterruptionCause, shouldResume: Bool) -> [Effect] {
        guard state == .interrupted, causes.remove(cause) != nil else { return [] }
        mayResume = mayResume && shouldResume
        guard causes.isEmpty else { return [] }
        state = .inactive
        return [.post(.interruptionEnded(shouldResume: mayResume))]
    }

    private mutating func startIdleTimer() -> [Effect] {
        idleTimer += 1
        return [.startIdleTimer(number: idleTimer, seconds: Self.idleSeconds)]
    }

    private mutating func idle(_ number: Int) -> [Effect] {
        guard number == idleTimer, state == .active, isImplicit, !isIORunning else { return [] }
        state = .inactive
        return [.closeIO]
    }

    private mutating func lost() -> [Effect] {
        guard state != .lost else { return [] }
        state = .lost
        causes = []
        isIORunning = false
        idleTimer += 1
        return [.abandonIO, .post(.servicesLost)]
    }

    private mutating func reset() -> [Effect] {
        guard state == .lost else { return [] }
        state = .inactive
        settings = .default
        isImplicit = false
        return [.post(.servicesReset)]
    }
}
