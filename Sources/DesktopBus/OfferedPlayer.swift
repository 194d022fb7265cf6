/// The playback status, under a name that the module `MediaPlayer` can use.
package typealias PlayerStatus = MediaPlayer.Status

/// The media player that this process offers to the desktop, with all its readable properties.
///
/// D-Bus: the properties of `org.mpris.MediaPlayer2.Player`.
package struct OfferedPlayer: Hashable, Sendable {
    /// The requests that a remote control can make; others are answered with an error.
    package enum Ability: Hashable, Sendable {
        case play, pause, stop, next, previous
        /// Relative seeks, forwards and backwards.
        case seek
        /// Seeks to a position.
        case position
        case rate
        case volume
    }

    /// D-Bus: `LoopStatus`.
    package enum Loop: String, Hashable, Sendable {
        case none = "None"
        case track = "Track"
        case playlist = "Playlist"
    }

    /// The playback status.
    package var status = PlayerStatus.stopped
    /// The requests that the player accepts.
    package var abilities: Set<Ability> = []
    /// The current track.
    package var track = Track()
    /// The position in the track.
    package var clock = PositionClock()
    /// The playback rate, also while paused; never 0.
    package var rate = 1.0
    /// The range of possible rates; always includes 1.
    package var rates = 1.0...1.0
    /// The volume from 0 to 1; more is possible for amplification.
    package var volume = 1.0
    /// The repeat mode; nil if it cannot be changed.
    package var loop: Loop?
    /// Whether tracks are shuffled; nil if that cannot be changed.
    package var shuffle: Bool?

    /// Creates a stopped player without abilities.
    package init() {}

    /// All properties except the position, in the types of MPRIS.
    var properties: [String: BusArgument] {
        var table: [String: BusArgument] = [
            "PlaybackStatus": .text(status.rawValue), "Rate": .real(rate), "MinimumRate": .real(rates.lowerBound),
            "MaximumRate": .real(rates.upperBound), "Volume": .real(volume), "Metadata": .table(track.metadata),
            "CanGoNext": .flag(abilities.contains(.next)), "CanGoPrevious": .flag(abilities.contains(.previous)),
            "CanPlay": .flag(abilities.contains(.play)), "CanPause": .flag(abilities.contains(.pause)),
            "CanSeek": .flag(abilities.contains(.seek) || abilities.contains(.position)), "CanControl": .flag(true),
        ]
        table["LoopStatus"] = loop.map { .text($0.rawValue) }
        table["Shuffle"] = shuffle.map(BusArgument.flag)
        return table
    }

    /// The position in whole microseconds, within the track.
    func position(at time: Double) -> Int64 {
        let position = max(0, clock.position(at: time))
        return microseconds(track.duration.map { min($0, position) } ?? position)
    }

    /// Whether a listener that knows only the last published state (`old`) would expect another position, by more than
    /// 0.2 s.
    ///
    /// Programs usually tolerate that much when they report positions.
    func hasJumped(since old: OfferedPlayer, at time: Double) -> Bool {
        // Listeners assume that a new track begins at 0.
        let expected = old.track.number == track.number ? old.position(at: time) : 0
        return abs(position(at: time) - expected) > 200_000
    }
}

extension OfferedPlayer {
    /// The current track; fields without a value are not published.
    package struct Track: Hashable, Sendable {
        /// The number of the track; 0 for none.
        package var number = 0
        /// The texts to display.
        package var title: String?
        package var artist: String?
        package var album: String?
        package var albumArtist: String?
        package var genre: String?
        package var composer: String?
        package var lyrics: String?
        /// The release date, in ISO 8601.
        package var created: String?
        /// The user's rating, from 0 to 1.
        package var rating: Double?
        /// The duration in seconds.
        package var duration: Double?
        /// The number in the album, from 1.
        package var trackNumber: Int?
        package var discNumber: Int?
        /// The URL of the track, without secrets.
        package var address: String?
        /// The URL of the picture.
        package var artwork: String?
        /// Metadata that MPRIS has no keys for, under keys with a prefix.
        package var details: [String: BusArgument] = [:]

        /// Creates an empty track.
        package init() {}

        /// The D-Bus path of the track.
        var path: String {
            number == 0 ? "/org/mpris/MediaPlayer2/TrackList/NoTrack" : "/org/avaudiosession/track/\(number)"
        }

        /// D-Bus: `Metadata`.
        var metadata: [String: BusArgument] {
            guard number != 0 else { return ["mpris:trackid": .path(path)] }
            var table = details
            table["mpris:trackid"] = .path(path)
            table["mpris:length"] = duration.map { .long(microseconds($0)) }
            table["mpris:artUrl"] = artwork.map(BusArgument.text)
            table["xesam:title"] = title.map(BusArgument.text)
            table["xesam:album"] = album.map(BusArgument.text)
            table["xesam:url"] = address.map(BusArgument.text)
            table["xesam:artist"] = artist.map { .texts([$0]) }
            table["xesam:albumArtist"] = albumArtist.map { .texts([$0]) }
            table["xesam:genre"] = genre.map { .texts([$0]) }
            table["xesam:composer"] = composer.map { .texts([$0]) }
            table["xesam:asText"] = lyrics.map(BusArgument.text)
            table["xesam:contentCreated"] = created.map(BusArgument.text)
            table["xesam:userRating"] = rating.map(BusArgument.real)
            table["xesam:trackNumber"] = trackNumber.flatMap(Int32.init(exactly:)).map(BusArgument.number)
            table["xesam:discNumber"] = discNumber.flatMap(Int32.init(exactly:)).map(BusArgument.number)
            return table
        }
    }
}

/// A position that advances by itself, computed from a known position at a known time.
package struct PositionClock: Hashable, Sendable {
    /// The known position, in seconds of the track.
    private var anchor = 0.0
    /// The time of that position, in seconds of `CLOCK_MONOTONIC`.
    private var time = 0.0
    /// The seconds of the track per second of the clock; 0 while paused.
    package private(set) var speed = 0.0

    /// Creates a clock that is paused at 0.
    package init() {}

    /// The position at a time.
    package func position(at now: Double) -> Double { anchor + (now - time) * speed }

    /// Sets the position.
    package mutating func set(_ position: Double, at now: Double) {
        anchor = position
        time = now
    }

    /// Sets the speed.
    package mutating func set(speed new: Double, at now: Double) {
        guard new != speed else { return }
        set(position(at: now), at: now)
        speed = new
    }
}

/// Seconds in MPRIS's microseconds; out-of-range values are clamped, and NaN is 0.
func microseconds(_ seconds: Double) -> Int64 {
    guard !seconds.isNaN else { return 0 }
    return Int64(min(max(seconds * 1e6, -1e18), 1e18).rounded())
}
