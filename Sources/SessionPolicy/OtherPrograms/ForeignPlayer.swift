/// A media player of another program, which can be asked to pause and to play.
///
/// D-Bus: a connection that owns a name below `org.mpris.MediaPlayer2`.
package struct ForeignPlayer: Hashable, Sendable {
    /// The playback status.
    package enum Status: Hashable, Sendable { case playing, paused, stopped }

    /// The unique name on the bus, which is never given to another connection.
    package var id: String
    /// The name for people.
    package var name: String
    /// The process ID.
    package var pid: Int32?
    /// The name of the desktop file without its suffix, which most programs give the sound server as identifier.
    package var desktopEntry: String?
    /// The playback status; `nil` if the player does not state it.
    package var status: Status?
    /// Whether it can be paused.
    package var canPause: Bool
    /// The identity of the current track.
    package var track: String?

    /// A player with these values.
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
