/// An event of the sound system, an input of ``SessionMachine``.
package enum HostEvent: Hashable, Sendable {
    /// The activation requested by the app, or with `implicitly` by a player or recorder, is in effect among other
    /// sessions.
    case activated(implicitly: Bool)
    /// An interruption of this cause began.
    case interruptionBegan(InterruptionCause, by: InterruptionOrigin? = nil)
    /// The interruption of this cause ended.
    case interruptionEnded(InterruptionCause, shouldResume: Bool)
    /// No call would refuse the activation any more that was refused.
    case refusalEnded
    /// An interrupter that does not allow resuming has ended; the interruption continues because of others.
    case resumingForbidden
    /// The timer of ``Effect/startResumptionTimer(number:seconds:)`` is due.
    case resumptionTimerFired(number: Int)
    /// The hint to silence secondary audio changed: another program's main sound began (true) or ended.
    case secondaryAudioHint(Bool)
    /// The route changed.
    case routeChanged(RouteChange)
    /// The list of available inputs changed.
    case availableInputsChanged
    /// The app's preferred input is gone.
    case preferredInputLost
    /// The app's override of the output to the speaker ended, since another output became the default.
    case overrideEnded
    /// The first player or recorder started.
    case ioStarted
    /// The last player or recorder stopped.
    case ioStopped
    /// The first stream began, or the last one ended, that belongs to the session and that it cannot stop itself: of
    /// another library in its process, or of a process that names the session as its owner.
    case unmanagedStreams(areRunning: Bool)
    /// The timer of ``Effect/startIdleTimer(number:seconds:)`` is due.
    ///
    /// `isAwaited`: a player of the session waits for more data of its stream, and will resume then.
    case idleTimerFired(number: Int, isAwaited: Bool = false)
    /// The sound server is gone.
    case servicesLost
    /// A sound server is there again.
    case servicesReset
}

/// The cause of an interruption; several may hold at once.
package enum InterruptionCause: Hashable, Sendable {
    /// Another session's claim.
    case session
    /// A call or an alarm of a program outside the library.
    case foreignCall
    /// The server's own policy corked or muted the session's streams: PulseAudio's `module-role-cork` during a call.
    case serverPolicy
    /// The session's stream was killed from a mixer. Only the app's next start ends this.
    case streamKilled
    /// The sink or source in use was suspended: another user's session became active, or another program took the card.
    case deviceSuspended
    /// The output in use was unplugged, and the session asks to be interrupted then. Only the app's next start ends
    /// this.
    case routeDisconnected
    /// The user muted the source that a session of category record captures.
    case inputMuted

    /// The reason that the app is told.
    package var reason: InterruptionReason {
        switch self {
        case .inputMuted: .builtInMicMuted
        case .routeDisconnected: .routeDisconnected
        case .session, .foreignCall, .serverPolicy, .streamKilled, .deviceSuspended: .default
        }
    }

    /// Whether only the app's own start ends it.
    var isEndless: Bool { self == .streamKilled || self == .routeDisconnected }
}

/// The reason of an interruption as apps are told it.
///
/// Apple: `AVAudioSession.InterruptionReason`, with the same raw values; the others are not used on Linux.
package enum InterruptionReason: UInt, Sendable {
    /// Another session, a call, or the sound system.
    case `default` = 0
    /// The user muted the microphone.
    case builtInMicMuted = 2
    /// The output was unplugged.
    case routeDisconnected = 4
}
