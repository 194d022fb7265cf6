/// A program on the session bus that plays media and can be remote-controlled.
///
/// D-Bus: what `org.mpris.MediaPlayer2` (MPRIS) says of it.
package struct MediaPlayer: Hashable, Sendable {
    /// Where a player is on the bus.
    package struct Address: Hashable, Sendable {
        /// The name by which people and tools know it, such as `org.mpris.MediaPlayer2.mpv`.
        package var name: String
        /// The name of its connection, such as `:1.42`, which is never given to another.
        package var owner: String
        /// Its process, as the bus sees it; in a sandbox that may be a proxy's.
        package var pid: Int32?

        /// An address; the owner is what counts.
        package init(name: String = "", owner: String, pid: Int32? = nil) {
            self.name = name
            self.owner = owner
            self.pid = pid
        }
    }

    /// Whether it plays.
    package enum Status: String, Hashable, Sendable {
        /// It plays.
        case playing = "Playing"
        /// It stands still, at a position to go on from.
        case paused = "Paused"
        /// It stands still, with nothing to go on from.
        case stopped = "Stopped"
    }

    /// Where it is on the bus.
    package var address: Address
    /// Its name for people.
    package var identity: String?
    /// The name of its desktop file without the ending, such as `org.gnome.Totem`.
    package var desktopEntry: String?
    /// Whether it plays; `nil` if it says nothing sensible.
    package var status: Status?
    /// Whether it says that it can be paused; one that does not say may be tried.
    package var canPause: Bool
    /// Whether it says that it can be started; one that does not say may be tried.
    package var canPlay: Bool
    /// What tells its current track from others; `nil` if it has none or does not say.
    package var track: String?
}

/// Something that happened to a player, or to all.
package enum PlayerEvent: Hashable, Sendable {
    /// It plays, or does not, from now on.
    case status(owner: String, MediaPlayer.Status)
    /// Another track is current, or other facts of the same.
    case track(owner: String, String?)
    /// Somebody jumped in the track.
    case seeked(owner: String)
    /// Something changed, and it does not say to what.
    case unclear(owner: String)
    /// It left the bus.
    case gone(owner: String)
    /// The bus is gone, and with it all players and the watch.
    case busLost
}

/// What became of a request to a player.
package enum PlayerAnswer: Hashable, Sendable {
    /// It said yes; what it does may take a moment more.
    case accepted
    /// It said no, or is not there any more.
    case refused
    /// It did not say anything in time; it may still do it when it gets to it.
    case silence
}

extension MediaPlayer {
    /// What tells a track from others: its identifier, else where it comes from, else its title.
    static func track(in metadata: [String: BusValue]) -> String? {
        let keys = ["mpris:trackid", "xesam:url", "xesam:title"]
        // The first may be a constant that says that there is no track.
        return keys.lazy.compactMap { metadata[$0]?.text }.first { !$0.isEmpty && !$0.hasSuffix("/NoTrack") }
    }
}
