/// What a session's part in the protocol of claims wants done; carried out at once, while the input is being handled.
///
/// What follows from an effect may well be another input, such as the step of a session that hears of its interruption.
package enum ClaimEffect: Equatable, Sendable {
    /// Say this of ourselves: the whole property.
    case publish(String)
    /// Ask the server about a client; the answer is ``ClaimNegotiation/answered(_:with:at:)`` or
    /// ``ClaimNegotiation/vanished(_:at:)``.
    case ask(UInt32)
    /// Ask the server what it shows of our own client; the answer is ``ClaimNegotiation/looked(_:text:)``.
    case look(ClaimLook)
    /// Call ``ClaimNegotiation/fired(_:at:)`` once after so many seconds; an earlier start of the same timer is forgotten.
    case start(ClaimTimer, seconds: Double)
    /// Forget the timer, whether it runs or not.
    case cancel(ClaimTimer)
    /// Tell the session.
    case report(HostEvent)
    /// What was asked for under this number has been done, or was not; comes once for each number.
    case complete(Int, SessionError?)
    /// The claim of a client has been taken in: whoever reads other things that it says may do so.
    case met(UInt32)
    /// There are new verdicts.
    case judged
    /// The connection is over, and with it all questions and the timers of clients.
    case disconnected
    /// The session ended, and others must be able to read that: the process is not to vanish at once.
    case linger
    /// Whoever waits for a condition may look at it again.
    case signal
}

/// The timers of a session's part in the protocol of claims.
package enum ClaimTimer: Hashable, Sendable {
    /// A question about a client that was put off is due.
    case inquiry(UInt32)
    /// What waits until more is known is decided with what is known by then; numbered.
    case patience(Int)
    /// A claim that was published has not come back.
    case deadline
    /// Other programs were silent for long enough to believe it.
    case silence
}

/// A question what the server shows of our own client: until it is the claim that we have published.
package struct ClaimLook: Hashable, Sendable {
    /// The claim that is to be shown.
    package let text: String
    /// How many questions came before.
    let asked: Int
}
