/// Whether a player plays; a name that a module called `MediaPlayer` can use.
package typealias PlayerStatus = MediaPlayer.Status

/// A media player that this process offers to the desktop: all that others may read of it.
///
/// D-Bus: the properties of `org.mpris.MediaPlayer2.Player`.
package struct OfferedPlayer: Hashable, Sendable {
    /// What a remote control may ask for; what is not in here is answered with an error.
    package enum Ability: Hashable, Sendable {
        case play, pause, stop, next, previous
        /// Forwards and backwards from where it is.
        case seek
        /// To a position.
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

    /// Whether it plays.
    package var status = PlayerStatus.stopped
    /// What can be asked of it.
    package var abilities: Set<Ability> = []
    /// What it plays.
    package var track = Track()
    /// Where it is in the track.
    package var clock = PositionClock()
    /// How fast it plays, or would; never 0.
    package var rate = 1.0
    /// How fast it can play; holds 1.
    package var rates = 1.0...1.0
    /// From 0 to 1, and more where it can be louder than it should.
    package var volume = 1.0
    /// What comes after the track; nil where that cannot be changed.
    package var loop: Loop?
    /// Whether tracks come in any order; nil where that cannot be changed.
    package var shuffle: Bool?

    /// A player that is stopped, and of which nothing can be asked.
    package init() {}

    /// All properties but the position, in the types of MPRIS.
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

    /// Where it is in the track, in whole microseconds and within it.
    func position(at time: Double) -> Int64 {
        let position = max(0, clock.position(at: time))
        return microseconds(track.duration.map { min($0, position) } ?? position)
    }

    /// Whether somebody who knew only what was told before (`old`) would be wrong about the position by more than a
    /// fifth of a second, which is what programs allow themselves when they tell where they are.
    func hasJumped(since old: OfferedPlayer, at time: Double) -> Bool {
        // Those who listen take a new track to begin at its beginning.
        let expected = old.track.number == track.number ? old.position(at: time) : 0
        return abs(position(at: time) - expected) > 200_000
    }
}

extension OfferedPlayer {
    /// What is played; fields without a value are not told.
    package struct Track: Hashable, Sendable {
        /// Tells it from those before and after it; 0 is no track.
        package var number = 0
        /// Texts for people, all of them.
        package var title: String?
        package var artist: String?
        package var album: String?
        package var albumArtist: String?
        package var genre: String?
        package var composer: String?
        package var lyrics: String?
        /// When it came out, as ISO 8601 writes it.
        package var created: String?
        /// What the user thinks of it, from 0 to 1.
        package var rating: Double?
        /// In seconds.
        package var duration: Double?
        /// From 1.
        package var trackNumber: Int?
        package var discNumber: Int?
        /// Where it comes from; without secrets.
        package var address: String?
        /// Where its picture is.
        package var artwork: String?
        /// What MPRIS has no words for, by keys in a namespace of their own.
        package var details: [String: BusArgument] = [:]

        /// No track.
        package init() {}

        /// The path that names it on the bus.
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

/// Where something is that goes on by itself, known from where it was at some time.
package struct PositionClock: Hashable, Sendable {
    /// In seconds of the track.
    private var anchor = 0.0
    /// In seconds of the clock that does not stop (`CLOCK_MONOTONIC`).
    private var time = 0.0
    /// Seconds of the track for each of the clock; 0 while it stands.
    package private(set) var speed = 0.0

    /// One that stands at 0.
    package init() {}

    /// Where it is.
    package func position(at now: Double) -> Double { anchor + (now - time) * speed }

    /// It is at a position.
    package mutating func set(_ position: Double, at now: Double) {
        anchor = position
        time = now
    }

    /// It goes on at another speed.
    package mutating func set(speed new: Double, at now: Double) {
        guard new != speed else { return }
        set(position(at: now), at: now)
        speed = new
    }
}

/// Seconds as MPRIS counts time; what is beyond all reason is cut off, and no number at all is 0.
func microseconds(_ seconds: Double) -> Int64 {
    guard !seconds.isNaN else { return 0 }
    return Int64(min(max(seconds * 1e6, -1e18), 1e18).rounded())
}
