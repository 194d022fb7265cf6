/// A media player of another program, which can be asked to pause and to go on.
///
/// D-Bus: a connection that owns a name below `org.mpris.MediaPlayer2`.
package struct ForeignPlayer: Hashable, Sendable {
    /// Whether it plays.
    package enum Status: Hashable, Sendable { case playing, paused, stopped }

    /// What tells it from all others, never given to another: its unique name on the bus.
    package var id: String
    /// Its name for people.
    package var name: String
    /// Its process.
    package var pid: Int32?
    /// The name of its desktop file without the ending, which most programs tell the sound server as identifier.
    package var desktopEntry: String?
    /// Whether it plays; `nil` if it does not say.
    package var status: Status?
    /// Whether it can be paused.
    package var canPause: Bool
    /// What tells its current track from others.
    package var track: String?

    /// A player.
    package init(
        id: String, name: String = "", pid: Int32? = nil, desktopEntry: String? = nil, status: Status? = nil,
        canPause: Bool = true, track: String? = nil
    ) {
        self.id = id
        self.name = name
        self.pid = pid
        self.desktopEntry = desktopEntry
        self.status = status
        self.canPause = canPause
        self.track = track
    }
}
