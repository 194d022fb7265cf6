/// A request from a remote control to the offered player.
///
/// D-Bus: the methods and writable properties of `org.mpris.MediaPlayer2.Player`.
package enum PlayerRequest: Hashable, Sendable {
    case play
    case pause
    case playPause
    case stop
    case next
    case previous
    /// Seeks by this many seconds; negative is backwards.
    case seek(by: Double)
    /// Seeks to a position in seconds, in the track of this number.
    case position(Double, track: Int)
    /// Sets the playback rate, within the player's limits.
    case rate(Double)
    /// Sets the volume, from 0.
    case volume(Double)
    case loop(OfferedPlayer.Loop)
    case shuffle(Bool)
}

/// The result of a request to the offered player.
package enum PlayerOutcome: Hashable, Sendable {
    /// The request was carried out.
    case done
    /// The request failed.
    case failed
}

extension PlayerRequest {
    /// The reason why a call is no valid request.
    enum Refusal: Error {
        case invalid(String)
        case unknownMethod
        case unsupported(String)
        case unknownProperty
        case readOnly
        /// MPRIS demands that some requests are ignored, such as those for an earlier track.
        case ignored
    }

    /// Parses a method call.
    init(_ method: String, _ message: BusMessage, to player: OfferedPlayer) throws(Refusal) {
        switch method {
        case "Play": self = try Self.plain(.play, .play, message, player)
        case "Pause": self = try Self.plain(.pause, .pause, message, player)
        case "Stop": self = try Self.plain(.stop, .stop, message, player)
        case "Next": self = try Self.plain(.next, .next, message, player)
        case "Previous": self = try Self.plain(.previous, .previous, message, player)
        case "PlayPause":
            self = try Self.plain(.playPause, player.status == .playing ? .pause : .play, message, player)
        case "Seek":
            guard message.has(signature: "x"), let offset = message.long() else { throw .invalid("Seek takes x.") }
            if !player.abilities.contains(.position) { try Self.check(.seek, player) }
            self = .seek(by: Double(offset) / 1e6)
        case "SetPosition":
            guard message.has(signature: "ox"), let track = message.path(), let position = message.long() else {
                throw .invalid("SetPosition takes ox.")
            }
            try Self.check(.position, player)
            // The track has changed meanwhile, or is shorter.
            guard player.track.number != 0, track == player.track.path, position >= 0,
                position <= player.track.duration.map(microseconds) ?? .max
            else { throw .ignored }
            self = .position(Double(position) / 1e6, track: player.track.number)
        case "OpenUri":
            guard message.has(signature: "s") else { throw .invalid("OpenUri takes s.") }
            throw .unsupported("This player opens nothing that others name.")
        default: throw .unknownMethod
        }
    }

    private static func plain(
        _ request: Self, _ ability: OfferedPlayer.Ability, _ message: BusMessage, _ player: OfferedPlayer
    ) throws(Refusal) -> Self {
        guard message.has(signature: "") else { throw .invalid("This method takes nothing.") }
        try check(ability, player)
        return request
    }

    private static func check(_ ability: OfferedPlayer.Ability, _ player: OfferedPlayer) throws(Refusal) {
        guard player.abilities.contains(ability) else { throw .unsupported("This player cannot do that now.") }
    }

    /// Parses a new value of a property.
    init(setting property: String, to value: BusValue, of player: OfferedPlayer) throws(Refusal) {
        switch property {
        case "Rate":
            guard let rate = value.number, rate.isFinite, rate >= 0 else { throw .invalid("Rate is a number from 0.") }
            // MPRIS: a rate of 0 has the effect of Pause.
            guard rate > 0 else {
                try Self.check(.pause, player)
                self = .pause
                return
            }
            try Self.check(.rate, player)
            self = .rate(min(max(rate, player.rates.lowerBound), player.rates.upperBound))
        case "Volume":
            guard let volume = value.number, volume.isFinite else { throw .invalid("Volume is a number.") }
            try Self.check(.volume, player)
            self = .volume(max(0, volume))
        case "LoopStatus":
            guard let loop = value.text.flatMap(OfferedPlayer.Loop.init) else {
                throw .invalid("LoopStatus is None, Track or Playlist.")
            }
            guard player.loop != nil else { throw .unsupported("This player does not loop.") }
            self = .loop(loop)
        case "Shuffle":
            guard let shuffle = value.flag else { throw .invalid("Shuffle is true or false.") }
            guard player.shuffle != nil else { throw .unsupported("This player does not shuffle.") }
            self = .shuffle(shuffle)
        case "Position": throw .readOnly
        default: throw player.properties[property] == nil ? .unknownProperty : .readOnly
        }
    }
}

extension PlayerRequest {
    /// The request to carry out when its turn comes; nil if nothing is left to do.
    ///
    /// Requests are carried out in order: an offset is relative to the position that the earlier ones led to. A
    /// position in an earlier track is ignored, as MPRIS demands. An offset beyond the end is a request for the
    /// next track, or for the end if there is no next one; an offset before the beginning leads to the beginning.
    package func resolved(for player: OfferedPlayer, at time: Double) -> Self? {
        switch self {
        case .position(_, let track): return track == player.track.number ? self : nil
        case .seek(let offset) where player.abilities.contains(.position):
            let target = max(0, Double(player.position(at: time)) / 1e6 + offset)
            guard let duration = player.track.duration, target > duration else {
                return .position(target, track: player.track.number)
            }
            return player.abilities.contains(.next) ? .next : .position(duration, track: player.track.number)
        default: return self
        }
    }
}
