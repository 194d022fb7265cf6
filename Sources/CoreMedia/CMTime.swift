/// The number of units of a time: ``CMTime/value``.
///
/// Apple: `CMTimeValue`.
public typealias CMTimeValue = Int64

/// How many units make a second: ``CMTime/timescale``.
///
/// Apple: `CMTimeScale`.
public typealias CMTimeScale = Int32

/// Tells times apart that belong to different rounds: ``CMTime/epoch``.
///
/// Apple: `CMTimeEpoch`.
public typealias CMTimeEpoch = Int64

/// What kind of time a ``CMTime`` is; without `valid` it is none at all.
///
/// Apple: `CMTimeFlags`.
public struct CMTimeFlags: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt32

    /// The kind with these bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A time of some kind.
    public static let valid = CMTimeFlags(rawValue: 1 << 0)
    /// A time that some arithmetic could not hold exactly.
    public static let hasBeenRounded = CMTimeFlags(rawValue: 1 << 1)
    /// Later than all times.
    public static let positiveInfinity = CMTimeFlags(rawValue: 1 << 2)
    /// Earlier than all times.
    public static let negativeInfinity = CMTimeFlags(rawValue: 1 << 3)
    /// Not known, as the duration of a live stream.
    public static let indefinite = CMTimeFlags(rawValue: 1 << 4)
    /// The kinds that have no number.
    public static let impliedValueFlagsMask: CMTimeFlags = [.positiveInfinity, .negativeInfinity, .indefinite]
}

/// A time, or a duration, as a fraction of a second.
///
/// Apple: `CMTime`.
public struct CMTime: Sendable {
    /// How many units.
    public var value: CMTimeValue
    /// Units a second.
    public var timescale: CMTimeScale
    /// What kind of time it is.
    public var flags: CMTimeFlags
    /// Which round of a loop it belongs to, where somebody counts these.
    public var epoch: CMTimeEpoch

    /// An invalid time.
    public init() { self.init(value: 0, timescale: 0, flags: [], epoch: 0) }

    /// A time of any kind.
    public init(value: CMTimeValue, timescale: CMTimeScale, flags: CMTimeFlags, epoch: CMTimeEpoch) {
        self.value = value
        self.timescale = timescale
        self.flags = flags
        self.epoch = epoch
    }

    /// So many units; invalid if there are none in a second.
    public init(value: CMTimeValue, timescale: CMTimeScale) {
        self.init(value: value, timescale: timescale, flags: timescale > 0 ? .valid : [], epoch: 0)
    }

    /// Seconds, to the nearest unit; a time that needs more units than there are gets coarser ones.
    ///
    /// Apple: `CMTime.init(seconds:preferredTimescale:)`.
    public init(seconds: Double, preferredTimescale: CMTimeScale) {
        guard !seconds.isNaN, preferredTimescale > 0 else {
            self = .invalid
            return
        }
        guard seconds.isFinite else {
            self = seconds > 0 ? .positiveInfinity : .negativeInfinity
            return
        }
        var scale = preferredTimescale
        while scale > 1, Int64(exactly: (seconds * Double(scale)).rounded()) == nil { scale /= 2 }
        guard let value = Int64(exactly: (seconds * Double(scale)).rounded()) else {
            self = seconds > 0 ? .positiveInfinity : .negativeInfinity
            return
        }
        self.init(value: value, timescale: scale)
        // What counts is whether the same seconds come back, not whether their binary fraction is a whole one.
        if self.seconds != seconds { flags.insert(.hasBeenRounded) }
    }

    /// No time at all.
    public static let invalid = CMTime()
    /// A time that is not known.
    public static let indefinite = CMTime(value: 0, timescale: 0, flags: [.valid, .indefinite], epoch: 0)
    /// Later than all times.
    public static let positiveInfinity = CMTime(value: 0, timescale: 0, flags: [.valid, .positiveInfinity], epoch: 0)
    /// Earlier than all times.
    public static let negativeInfinity = CMTime(value: 0, timescale: 0, flags: [.valid, .negativeInfinity], epoch: 0)
    /// The beginning.
    public static let zero = CMTime(value: 0, timescale: 1)

    /// Whether it is a time of some kind.
    public var isValid: Bool { flags.contains(.valid) }
    /// Whether it is later than all times.
    public var isPositiveInfinity: Bool { isValid && flags.contains(.positiveInfinity) }
    /// Whether it is earlier than all times.
    public var isNegativeInfinity: Bool { isValid && flags.contains(.negativeInfinity) }
    /// Whether it is a time that is not known.
    public var isIndefinite: Bool { isValid && flags.contains(.indefinite) }
    /// Whether it has a number.
    public var isNumeric: Bool { isValid && flags.isDisjoint(with: .impliedValueFlagsMask) && timescale > 0 }
    /// Whether some arithmetic could not hold it exactly.
    public var hasBeenRounded: Bool { isNumeric && flags.contains(.hasBeenRounded) }

    /// The time in seconds; not a number for a time that is invalid or not known.
    ///
    /// Apple: `CMTime.seconds`, `CMTimeGetSeconds(_:)`.
    public var seconds: Double {
        if isNumeric { return Double(value) / Double(timescale) }
        if isPositiveInfinity { return .infinity }
        if isNegativeInfinity { return -.infinity }
        return .nan
    }
}
