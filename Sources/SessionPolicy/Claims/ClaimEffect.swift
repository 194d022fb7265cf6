/// An action that a ``ClaimNegotiation`` asks of its owner.
///
/// The owner carries effects out in order (``EffectQueue``), each after the call that returned it has ended. An effect
/// may lead to another call, such as the step of a session that hears of its interruption.
package enum ClaimEffect: Equatable, Sendable {
    /// Set the claim property of our own client to this text.
    case publish(String)
    /// Ask the server for a client's properties; the answer is ``ClaimNegotiation/answered(_:with:at:)`` or
    /// ``ClaimNegotiation/vanished(_:at:)``.
    case ask(UInt32)
    /// Ask the server for the claim of our own client; the answer is ``ClaimNegotiation/looked(_:text:)``.
    case look(ClaimLook)
    /// Call ``ClaimNegotiation/fired(_:at:)`` once after so many seconds; replaces a running timer of the same name.
    case start(ClaimTimer, seconds: Double)
    /// Forget the timer, whether it runs or not.
    case cancel(ClaimTimer)
    /// Tell the session.
    case report(HostEvent)
    /// The result of the request with this number; comes once for each number.
    case complete(Int, SessionError?)
    /// Call ``ClaimNegotiation/decideDeferred()``: by now the session has taken the steps that follow from the reports
    /// before, and these decide what a request comes to.
    case decideDeferred
    /// A client's properties have been taken over: its other properties may be read now.
    case clientUpdated(UInt32)
    /// There are new verdicts.
    case judged
    /// Keep the process alive for a moment: others must be able to read that the session ended.
    case linger
    /// Wake threads that wait for a condition.
    case signal

    /// Whether the effect is about the connection that it was decided on, and void on another one.
    package var isOfConnection: Bool {
        switch self {
        case .publish, .ask, .look, .start(.inquiry, _), .clientUpdated: true
        case .start, .cancel, .report, .complete, .decideDeferred, .judged, .linger, .signal: false
        }
    }
}

/// The timers of a ``ClaimNegotiation``.
package enum ClaimTimer: Hashable, Sendable {
    /// A delayed question about a client is due.
    case inquiry(UInt32)
    /// The deferred request with this number is decided with what is known by then.
    case deferral(Int)
    /// The time for a published claim to come back is over.
    case deadline
    /// Programs outside the library have been silent for long enough to believe it.
    case silence
}

/// A question for the claim that the server shows of our own client, repeated until it is the one just published.
package struct ClaimLook: Hashable, Sendable {
    /// The claim to be shown.
    package let text: String
    /// The number of questions before this one.
    let asked: Int
}
