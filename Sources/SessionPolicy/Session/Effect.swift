/// What the policy wants done; carried out in order, outside any lock.
package enum Effect: Hashable, Sendable {
    /// Pause all players and recorders at once, against the app's wish; their positions stay.
    case interruptIO
    /// Pause all players and recorders at once, because the app said so; their positions stay.
    case stopIO
    /// Pause all players at once, because the session has no output any more; recorders go on.
    case stopOutput
    /// Release the session's streams.
    case closeIO
    /// What stopped players and recorders is over, and they have not heard of an end: those that the app does not start
    /// again have no part in what comes.
    case forgetInterruptions
    /// Players and recorders are dead, and so are their streams.
    case abandonIO
    /// The running streams carry another role from now on.
    case applyRoles
    /// The session's output is silent from now on, or is not any more; players go on.
    case muteOutput(Bool)
    /// What the session captures is silence from now on, or is not any more; recorders go on.
    case muteInput(Bool)
    /// Tell the other sessions where this one stands.
    case claim(ClaimStep)
    /// Keep other programs from being heard beside the session, or end that.
    case foreignPlayers(ForeignStep)
    /// Call back with ``HostEvent/idleTimerFired(number:isAwaited:)`` after so many seconds.
    case startIdleTimer(number: Int, seconds: Double)
    /// Call back with ``HostEvent/patienceEnded(number:)`` after so many seconds.
    case startPatience(number: Int, seconds: Double)
    /// Tell the app of another route, on a thread of its own, and then let go on what was silenced for it.
    case tellRoute(RouteChange)
    /// Tell the app, in order with the routes, that there are other things to record from.
    case tellInputs
    /// Forgets what the app preferred to record from.
    case forgetPreferredInput
    /// Forgets that the app chose the speaker.
    case forgetOverride
    /// Tell the app, on the main queue.
    case post(SessionNotification)
}

/// A change of the session's claim that needs no answer.
package enum ClaimStep: Hashable, Sendable {
    /// It was interrupted; others that it interrupted stay so.
    case interrupted
    /// It wants nothing any more; with `notify`, those whom it interrupted may go on.
    case idle(notify: Bool)
    /// Its players or recorders run now, or do not.
    case playing(Bool)
    /// Streams of programs outside the library are silenced or lowered for it from now on, or are not any more.
    case foreign(Claim.Foreign?)
    /// Streams that the session cannot stop itself are silenced from now on, or are heard again.
    case process(isSilent: Bool)
}

/// What this session means to programs outside the library; the user decides how they are met (``UserPolicy/foreign``).
package enum ForeignStep: Hashable, Sendable {
    /// It does not mix, and its app said so: they are to pause, or to be silent.
    case began
    /// It is over; those that it paused may go on, or not, and all others are heard as before.
    case ended(notify: Bool)
}

/// What an app is told.
package enum SessionNotification: Hashable, Sendable {
    /// The session was interrupted; its players and recorders are paused already.
    case interruptionBegan(InterruptionCause, by: InterruptionOrigin?)
    /// The interruption is over.
    case interruptionEnded(shouldResume: Bool)
    /// A call had refused an activation, and is over: the app may try again.
    case refusalEnded
    /// The session is active.
    case activated
    /// The session is inactive because the app, or the library for it, deactivated it.
    case deactivated
    /// Another session's main sound began to be heard (true), or is over.
    case secondaryAudioHint(Bool)
    /// The app muted its output, or it is muted no more.
    case outputMuted(Bool)
    /// The app muted its input, or it is muted no more.
    case inputMuted(Bool)
    /// The sound server went away.
    case servicesLost
    /// A sound server is there again: everything is to be made anew.
    case servicesReset
}
