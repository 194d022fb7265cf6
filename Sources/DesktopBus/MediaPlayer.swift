/// A media player on the session bus that can be remote-controlled.
///
/// D-Bus: the properties of `org.mpris.MediaPlayer2` (MPRIS).
package struct MediaPlayer: Hashable, Sendable {
    /// The address of a player on the bus.
    package struct Address: Hashable, Sendable {
        /// The well-known name, such as `org.mpris.MediaPlayer2.mpv`.
        package var name: String
        /// The unique name, such as `:1.42`, which is never given to another connection.
        package var owner: String
        /// The process ID according to the bus; in a sandbox possibly that of a proxy.
        package var pid: Int32?

        /// Creates an address; only the owner is required.
        package init(name: String = "", owner: String, pid: Int32? = nil) {
            self.name = name
            self.owner = owner
            self.pid = pid
        }
    }

    /// The playback status.
    package enum Status: String, Hashable, Sendable {
        /// Playing.
        case playing = "Playing"
        /// Paused, at a position to resume from.
        case paused = "Paused"
        /// Stopped, without a position.
        case stopped = "Stopped"
    }

    /// The address on the bus.
    package var address: Address
    /// The name to display.
    package var identity: String?
    /// The name of its desktop file without the ending, such as `org.gnome.Totem`.
    package var desktopEntry: String?
    /// The playback status; nil if it is missing or invalid.
    package var status: Status?
    /// Whether the player can be paused; true if it does not state it.
    package var canPause: Bool
    /// Whether the player can be started; true if it does not state it.
    package var canPlay: Bool
    /// The identity of the current track; nil without a track, or if it is not stated.
    package var track: String?
}

/// An event of one player or of the bus.
package enum PlayerEvent: Hashable, Sendable {
    /// The playback status has changed.
    case status(owner: String, MediaPlayer.Status)
    /// The track has changed, or its metadata.
    case track(owner: String, String?)
    /// The position was moved.
    case seeked(owner: String)
    /// A property has changed, without its new value.
    case unclear(owner: String)
    /// The player left the bus.
    case gone(owner: String)
    /// The bus is gone, and all players and the watch with it.
    case busLost
}

/// The result of a request to a player.
package enum PlayerAnswer: Hashable, Sendable {
    /// The player accepted the request; its effect may take a moment.
    case accepted
    /// The player refused, or is gone.
    case refused
    /// There was no answer in time; the player may still carry the request out.
    case silence
}

extension MediaPlayer {
    /// The identity of a track: its ID, else its URL, else its title.
    static func track(in metadata: [String: BusValue]) -> String? {
        let keys = ["mpris:trackid", "xesam:url", "xesam:title"]
        // The ID may be the constant for no track.
        return keys.lazy.compactMap { metadata[$0]?.text }.first { !$0.isEmpty && !$0.hasSuffix("/NoTrack") }
    }
}
