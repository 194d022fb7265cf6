package import SessionPolicy

/// A delivery of a session to its app.
package enum SessionDelivery: Sendable {
    /// A notification, with the players and recorders that existed when it was decided.
    case notification(SessionNotification, [WeakParticipant])
    /// An interruption ended without a notification: the flags of its players and recorders are to be cleared, in order
    /// with the other deliveries, unless they were set again.
    case forgetInterruptions([ForgottenInterruption])
    /// A route change; delivered on the session's route queue, where the receiver may block.
    case route(RouteChange)
    /// The number of audible channels may have changed; on the route queue.
    case rendering
    /// The available inputs changed; on the route queue.
    case inputs
    /// The first player or recorder started, or the last one stopped; maybe with the host's lock held.
    case sound
}

/// A flag to clear, and the number of times that it had been set by then.
package struct ForgottenInterruption: Sendable {
    /// The flag of a player or recorder.
    let flag: InterruptedFlag
    let times: Int

    /// Clears the flag, unless it was set again.
    package func forget() { flag.clear(ifSet: times) }
}

/// A receiver of a session's deliveries.
///
/// Called on any thread, in order, maybe with the host's lock held. Deliveries other than those of the route queue must
/// be handed on to the app's queue.
package protocol SessionReceiver: AnyObject, Sendable {
    /// Handles a delivery.
    func receive(_ delivery: SessionDelivery)
}
