/// Where a player's sound stands, for those who build on a player.
package enum PlayerStanding: Hashable, Sendable {
    /// On its way to the listener.
    case running
    /// Heard to the end; the next start begins anew.
    case finished
    /// Stopped by an interruption of the session that has not ended.
    case interrupted
    /// Not started, paused, stopped by the app or with its session.
    case stopped
}
