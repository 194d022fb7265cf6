/// The state of a player, for the modules above.
package enum PlayerStanding: Hashable, Sendable {
    /// Running: heard, or waiting for its start time.
    case running
    /// Heard to the end; the next start begins anew.
    case finished
    /// Stopped by an interruption of the session that has not ended.
    case interrupted
    /// Not started, paused, stopped by the app or with its session.
    case stopped
}
