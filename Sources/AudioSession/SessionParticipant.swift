/// A player or recorder of a session.
package protocol SessionParticipant: AnyObject, Sendable {
    /// Whether the session stopped it, and it has not been notified of the end.
    var interrupted: InterruptedFlag { get }
    /// Whether it makes no sound only because it waits for some, which a session that it activated stays active for.
    ///
    /// Takes none of the locks that a participant calls the session with.
    var isAwaiting: Bool { get }
    /// Called where deliveries are, after the notification.
    func interruptionBegan()
    /// Called where deliveries are, after the notification.
    func interruptionEnded(shouldResume: Bool)
}

extension SessionParticipant {
    package var isAwaiting: Bool { false }
}

/// A player or recorder that the session does not keep alive.
package struct WeakParticipant: Sendable {
    /// The participant, if it is still there.
    package weak var value: (any SessionParticipant)?
}
