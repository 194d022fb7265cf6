/// What a remote control asks of a player that we offer.
///
/// D-Bus: the methods and writable properties of `org.mpris.MediaPlayer2.Player`.
package enum PlayerRequest: Hashable, Sendable {
    case play
    case pause
    case playPause
    case stop
    case next
    case previous
    /// By so many seconds; backwards where negative.
    case seek(by: Double)
    /// To a position in seconds, within the track of that number.
    case position(Double, track: Int)
    /// To play so fast; within the player's limits.
    case rate(Double)
    /// From 0.
    case volume(Double)
    case loop(OfferedPlayer.Loop)
    case shuffle(Bool)
}

/// What became of a request to a player that we offer.
package enum PlayerOutcome: Hashable, Sendable {
    /// It was done.
    case done
    /// It was tried, and did not work.
    case failed
}

extension PlayerRequest {
    /// Why a call is no request.
    enum Refusal: Error {
        case invalid(String)
        case unknownMethod
        case unsupported(String)
        case unknownProperty
        case readOnly
        /// MPRIS wants some requests to be ignored, such as those for a track that is over.
        case ignored
    }

    /// Reads a call to a method.
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
            // Another track came meanwhile, or there is no such place in it.
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

    /// Reads a wish for another value of a property.
    init(setting property: String, to value: BusValue, of player: OfferedPlayer) throws(Refusal) {
        switch property {
        case "Rate":
            guard let rate = value.number, rate.isFinite, rate >= 0 else { throw .invalid("Rate is a number from 0.") }
            // MPRIS: as if Pause had been called.
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
    /// What a player has to do for it when its turn comes; nil where there is nothing to do any more.
    ///
    /// Requests wait for those before them: an offset counts from where those led, and a position in a track that is
    /// over is ignored, as MPRIS wants it. Beyond the end is the next track, and before the beginning is the beginning.
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
