/// An action that a ``ClaimNegotiation`` asks of its owner.
///
/// The owner carries effects out in order (``EffectQueue``), each after the call that returned it has ended. An effect
/// may lead to another call, such as the step of a session that is notified of its interruption.
package enum ClaimEffect: Equatable, Sendable {
    /// Set the claim property of our own client to this text.
    case publish(String)
    /// Request a client's properties from the server; the answer is ``ClaimNegotiation/answered(_:with:at:)`` or
    /// ``ClaimNegotiation/vanished(_:at:)``.
    case ask(UInt32)
    /// Request this client's claim from the server; the answer is ``ClaimNegotiation/looked(_:text:)``.
    case look(ClaimLook)
    /// Call ``ClaimNegotiation/fired(_:at:)`` once after a number of seconds; replaces a running timer of the same
    /// name.
    case start(ClaimTimer, seconds: Double)
    /// Cancel the timer, if it runs.
    case cancel(ClaimTimer)
    /// Report an event to the session.
    case report(HostEvent)
    /// The result of the request with this number; comes once for each number.
    case complete(Int, SessionError?)
    /// Call ``ClaimNegotiation/decideDeferred()``: by then the session has taken the steps that follow from the earlier
    /// reports, and these determine the result of a request.
    case decideDeferred
    /// A client's properties have been read; its other properties may be read now.
    case clientUpdated(UInt32)
    /// There are new verdicts.
    case judged
    /// Delay the exit of the process: others must be able to read that the session ended.
    case linger
    /// Wake threads that wait for a condition.
    case signal

    /// Whether the effect concerns the connection that it was decided on, and is void on another one.
    package var isOfConnection: Bool {
        switch self {
        case .publish, .ask, .look, .start(.inquiry, _), .clientUpdated: true
        case .start, .cancel, .report, .complete, .decideDeferred, .judged, .linger, .signal: false
        }
    }
}

/// The timers of a ``ClaimNegotiation``.
package enum ClaimTimer: Hashable, Sendable {
    /// A delayed request about a client is due.
    case inquiry(UInt32)
    /// The deferred request with this number is decided with what is known by then.
    case deferral(Int)
    /// The time limit for a published claim's echo is over.
    case deadline
    /// Programs outside the library have been silent long enough to report it.
    case silence
}

/// A request for the claim that the server shows of this client, repeated until it is the one just published.
package struct ClaimLook: Hashable, Sendable {
    /// The claim to wait for.
    package let text: String
    /// The number of earlier requests.
    let asked: Int
}
