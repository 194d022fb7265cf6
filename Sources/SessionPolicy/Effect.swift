/// What the policy wants done; carried out in order, outside any lock.
package enum Effect: Hashable, Sendable {
    /// Pause all players and recorders at once, against the app's wish; their positions stay.
    case interruptIO
    /// Pause all players and recorders at once, because the app said so; their positions stay.
    case stopIO
    /// Release the session's streams.
    case closeIO
    /// Players and recorders are dead, and so are their streams.
    case abandonIO
    /// The running streams carry another role from now on.
    case applyRoles
    /// Call back with ``HostEvent/idleTimerFired(number:)`` after so many seconds.
    case startIdleTimer(number: Int, seconds: Double)
    /// Tell the app, on the main queue.
    case post(SessionNotification)
}

/// What an app is told.
package enum SessionNotification: Hashable, Sendable {
    /// The session was interrupted; its players and recorders are paused already.
    case interruptionBegan(InterruptionCause, by: InterruptionOrigin?)
    /// The interruption is over.
    case interruptionEnded(shouldResume: Bool)
    /// The sound server went away.
    case servicesLost
    /// A sound server is there again: everything is to be made anew.
    case servicesReset
}
