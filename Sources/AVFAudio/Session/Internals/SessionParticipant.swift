/// A player or recorder of the session.
protocol SessionParticipant: AnyObject, Sendable {
    /// Whether the session stopped it, and it has not heard of the end.
    var interrupted: InterruptedFlag { get }
    /// Whether it makes no sound only because it waits for some, which a session that it activated stays active for.
    ///
    /// Takes none of the locks that a participant calls the session with.
    var isAwaiting: Bool { get }
    /// On the main queue, after the notification.
    func interruptionBegan()
    /// On the main queue, after the notification.
    func interruptionEnded(shouldResume: Bool)
}

extension SessionParticipant {
    var isAwaiting: Bool { false }
}

/// A player or recorder that the session does not keep alive.
struct WeakParticipant { weak var value: (any SessionParticipant)? }
