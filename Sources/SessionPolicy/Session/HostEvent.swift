/// What the sound system tells the policy.
package enum HostEvent: Hashable, Sendable {
    /// The session has its place among others, as the app, or with `implicitly` a player or recorder, asked for.
    case activated(implicitly: Bool)
    /// Something silenced the session's sound, or must.
    case interruptionBegan(InterruptionCause, by: InterruptionOrigin? = nil)
    /// That something is over.
    case interruptionEnded(InterruptionCause, shouldResume: Bool)
    /// No call keeps an activation away any more that one has refused.
    case refusalEnded
    /// The interruption goes on, but whoever ended a part of it does not want us to resume.
    case resumingForbidden
    /// The timer of ``Effect/startPatience(number:seconds:)`` is due.
    case patienceEnded(number: Int)
    /// Another session's main sound began to be heard, or is over.
    case secondaryAudioHint(Bool)
    /// The route is another one; while the session is active or interrupted.
    case routeChanged(RouteChange)
    /// There are other things to record from.
    case availableInputsChanged
    /// What the app preferred to record from is not there any more.
    case preferredInputLost
    /// Another output became the default one while the app had chosen the speaker, which is over with that.
    case overrideEnded
    /// The first player or recorder runs.
    case ioStarted
    /// None runs any more.
    case ioStopped
    /// The timer of ``Effect/startIdleTimer(number:seconds:)`` is due.
    ///
    /// `isAwaited`: a player of the session waits for more of its stream, and is to be heard when that comes.
    case idleTimerFired(number: Int, isAwaited: Bool = false)
    /// The sound server is gone.
    case servicesLost
    /// A sound server is there again.
    case servicesReset
}

/// Why a session is interrupted; several may hold at once.
package enum InterruptionCause: Hashable, Sendable {
    /// Another session's claim.
    case session
    /// A call or an alarm of a program outside the library.
    case foreignCall
    /// The server's own policy asked us to cork, or muted us: PulseAudio's `module-role-cork` during a call.
    case serverPolicy
    /// The user ended our stream from a mixer. Nothing ends this but the app's next start.
    case streamKilled
    /// The sink or source in use was suspended: another user's turn at the screen, or another program took the card.
    case deviceSuspended
    /// What the session played on is not there any more, and it wants to be interrupted then. Nothing ends this but the
    /// app's next start.
    case routeDisconnected
    /// The user muted the source that a `record` session takes sound from.
    case inputMuted

    /// Whether nothing but the app's own start ends it.
    var isEndless: Bool { self == .streamKilled || self == .routeDisconnected }
}
