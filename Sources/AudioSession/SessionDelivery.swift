package import SessionPolicy

/// What a session has to tell its app.
package enum SessionDelivery: Sendable {
    /// A notification, with the players and recorders that were there when it came up.
    case notification(SessionNotification, [WeakParticipant])
    /// What had stopped players and recorders is over without a word of its end: their flags are taken back, in order
    /// with what is told, unless they were set once more since.
    case forgetInterruptions([ForgottenInterruption])
    /// Another route; told on the session's route queue, whose receiver may take its time.
    case route(RouteChange)
    /// The session may be heard in more or fewer channels than before; on the route queue.
    case rendering
    /// There are other things to record from; on the route queue.
    case inputs
    /// The first player or recorder runs, or none runs any more; maybe with the host's lock held.
    case sound
}

/// A flag to take back, and how often it was set when that was decided.
package struct ForgottenInterruption: Sendable {
    /// The flag of a player or recorder.
    let flag: InterruptedFlag
    let times: Int

    /// Takes the flag back, unless it was set once more.
    package func forget() { flag.clear(ifSet: times) }
}

/// What takes a session's deliveries.
///
/// Called on any thread, in order, maybe with the host's lock held: all but those of the route queue have to be handed
/// on to where the app wants them.
package protocol SessionReceiver: AnyObject, Sendable {
    /// Takes a delivery.
    func receive(_ delivery: SessionDelivery)
}
