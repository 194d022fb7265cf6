/// An action that ``SessionMachine`` asks of its owner; carried out in order, outside any lock.
package enum Effect: Hashable, Sendable {
    /// Pause all players and recorders at once because of an interruption; their positions stay.
    case interruptIO
    /// Pause all players and recorders at once because the app deactivated the session; their positions stay.
    case stopIO
    /// Pause all players at once because the new category has no output; recorders go on.
    case stopOutput
    /// Release the session's streams.
    case closeIO
    /// Clear the interruption in all players and recorders, without notifying their delegates of an end: the app has
    /// resumed by itself.
    case forgetInterruptions
    /// Give up all players, recorders and streams: the server is gone.
    case abandonIO
    /// Set the new role on the running streams.
    case applyRoles
    /// Mute or unmute the session's output; players go on.
    case muteOutput(Bool)
    /// Mute or unmute the session's input; recorders go on, with silence.
    case muteInput(Bool)
    /// Publish a step of the session's claim.
    case claim(ClaimStep)
    /// Pause or silence programs outside the library for the session, or end that.
    case foreignPlayers(ForeignStep)
    /// Call back with ``HostEvent/idleTimerFired(number:isAwaited:)`` after a number of seconds.
    case startIdleTimer(number: Int, seconds: Double)
    /// Call back with ``HostEvent/resumptionTimerFired(number:)`` after a number of seconds.
    case startResumptionTimer(number: Int, seconds: Double)
    /// Notify the app of a route change, on a queue of its own, and then unmute the output that was silenced for it.
    case notifyRoute(RouteChange)
    /// Notify the app of a change of the available inputs, in order with route changes.
    case notifyInputs
    /// Forget the app's preferred input.
    case forgetPreferredInput
    /// Forget the app's override of the output to the speaker.
    case forgetOverride
    /// Post a notification to the app, on the main queue.
    case post(SessionNotification)
}

/// A change of the session's claim that needs no answer.
package enum ClaimStep: Hashable, Sendable {
    /// The session was interrupted; the sessions that it has interrupted stay interrupted.
    case interrupted
    /// The session ended; with `notify`, the sessions that it interrupted may resume.
    case idle(notify: Bool)
    /// The session's first player or recorder started, or its last one stopped.
    case playing(Bool)
    /// Streams of programs outside the library are to be silenced or ducked for it, or not any more.
    case foreign(Claim.Foreign?)
    /// Streams that the session cannot stop itself are silenced from now on, or restored.
    case process(isSilent: Bool)
}

/// The beginning or end of this session's effect on programs outside the library (``UserPolicy/foreign``).
package enum ForeignStep: Hashable, Sendable {
    /// A session that does not mix became active: programs outside are to be paused or silenced.
    case began
    /// The session ended: with `notify`, players that it paused may resume; silenced programs are restored.
    case ended(notify: Bool)
}

/// A notification to the app.
package enum SessionNotification: Hashable, Sendable {
    /// The session was interrupted; its players and recorders are paused already.
    case interruptionBegan(InterruptionCause, by: InterruptionOrigin?)
    /// The interruption is over.
    case interruptionEnded(shouldResume: Bool)
    /// The call that refused an activation is over: the app may try again.
    case refusalEnded
    /// The session is active.
    case activated
    /// The session is inactive because the app, or the library for it, deactivated it.
    case deactivated
    /// The hint to silence secondary audio: another program's main sound began (true) or ended.
    case secondaryAudioHint(Bool)
    /// The app muted or unmuted its output.
    case outputMuted(Bool)
    /// The app muted or unmuted its input.
    case inputMuted(Bool)
    /// The sound server went away.
    case servicesLost
    /// A sound server is there again: the app has to create its players and recorders anew.
    case servicesReset
}
