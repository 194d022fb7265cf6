/// A player, recorder or engine of a session.
package protocol SessionParticipant: AnyObject, Sendable {
    /// Whether the session stopped the participant, and the end has not been delivered yet.
    var interrupted: InterruptedFlag { get }
    /// Whether the participant is silent only because it waits for data, for which a session that it activated stays
    /// active.
    ///
    /// Takes no lock that a participant holds while it calls the session.
    var isAwaiting: Bool { get }
    /// The session was interrupted; called on the app's queue, after the notification.
    func interruptionBegan()
    /// The interruption ended; called on the app's queue, after the notification.
    func interruptionEnded(shouldResume: Bool)
    /// The session's route changed; called on the session's route queue, after the app's observers.
    func routeChanged()
}

extension SessionParticipant {
    package var isAwaiting: Bool { false }
    package func routeChanged() {}
}

/// A weak reference to a player or recorder.
package struct WeakParticipant: Sendable {
    /// The participant; nil after its end.
    package weak var value: (any SessionParticipant)?
}
