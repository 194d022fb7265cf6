/// The number of units of a time: ``CMTime/value``.
///
/// Apple: `CMTimeValue`.
public typealias CMTimeValue = Int64

/// The number of units in a second: ``CMTime/timescale``.
///
/// Apple: `CMTimeScale`.
public typealias CMTimeScale = Int32

/// The number of a round, for times that count rounds: ``CMTime/epoch``.
///
/// Apple: `CMTimeEpoch`.
public typealias CMTimeEpoch = Int64

/// The kind of a ``CMTime``; without `valid` the time is invalid.
///
/// Apple: `CMTimeFlags`.
public struct CMTimeFlags: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt32

    /// A set of these bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// A valid time.
    public static let valid = CMTimeFlags(rawValue: 1 << 0)
    /// A time that arithmetic has rounded.
    public static let hasBeenRounded = CMTimeFlags(rawValue: 1 << 1)
    /// A time later than all others.
    public static let positiveInfinity = CMTimeFlags(rawValue: 1 << 2)
    /// A time earlier than all others.
    public static let negativeInfinity = CMTimeFlags(rawValue: 1 << 3)
    /// An unknown time, as the duration of a live stream.
    public static let indefinite = CMTimeFlags(rawValue: 1 << 4)
    /// The kinds without a number.
    public static let impliedValueFlagsMask: CMTimeFlags = [.positiveInfinity, .negativeInfinity, .indefinite]
}

/// A time, or a duration, as a fraction of a second.
///
/// Apple: `CMTime`.
public struct CMTime: Sendable {
    /// The number of units.
    public var value: CMTimeValue
    /// The number of units in a second.
    public var timescale: CMTimeScale
    /// The kind of the time.
    public var flags: CMTimeFlags
    /// The round of a loop that the time belongs to; 0 where rounds are not counted, and for durations.
    public var epoch: CMTimeEpoch

    /// An invalid time.
    public init() { self.init(value: 0, timescale: 0, flags: [], epoch: 0) }

    /// A time with these values.
    public init(value: CMTimeValue, timescale: CMTimeScale, flags: CMTimeFlags, epoch: CMTimeEpoch) {
        self.value = value
        self.timescale = timescale
        self.flags = flags
        self.epoch = epoch
    }

    /// A time of `value` units, each `1/timescale` of a second; invalid if the timescale is not positive.
    public init(value: CMTimeValue, timescale: CMTimeScale) {
        self.init(value: value, timescale: timescale, flags: timescale > 0 ? .valid : [], epoch: 0)
    }

    /// The time nearest to a number of seconds, in units of `1/preferredTimescale` s.
    ///
    /// A time whose value does not fit into 64 bits gets coarser units. NaN and a timescale that is not positive give
    /// an invalid time.
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
        // Judged by whether the same seconds come back, not by whether the product is exactly an integer.
        if self.seconds != seconds { flags.insert(.hasBeenRounded) }
    }

    /// An invalid time.
    public static let invalid = CMTime()
    /// An unknown time, as the duration of a live stream.
    public static let indefinite = CMTime(value: 0, timescale: 0, flags: [.valid, .indefinite], epoch: 0)
    /// A time later than all others.
    public static let positiveInfinity = CMTime(value: 0, timescale: 0, flags: [.valid, .positiveInfinity], epoch: 0)
    /// A time earlier than all others.
    public static let negativeInfinity = CMTime(value: 0, timescale: 0, flags: [.valid, .negativeInfinity], epoch: 0)
    /// Zero.
    public static let zero = CMTime(value: 0, timescale: 1)

    /// Whether the time is valid.
    public var isValid: Bool { flags.contains(.valid) }
    /// Whether the time is positive infinity.
    public var isPositiveInfinity: Bool { isValid && flags.contains(.positiveInfinity) }
    /// Whether the time is negative infinity.
    public var isNegativeInfinity: Bool { isValid && flags.contains(.negativeInfinity) }
    /// Whether the time is unknown.
    public var isIndefinite: Bool { isValid && flags.contains(.indefinite) }
    /// Whether the time has a number: valid, finite and known.
    public var isNumeric: Bool { isValid && flags.isDisjoint(with: .impliedValueFlagsMask) && timescale > 0 }
    /// Whether arithmetic has rounded the time.
    public var hasBeenRounded: Bool { isNumeric && flags.contains(.hasBeenRounded) }

    /// The time in seconds; NaN for an invalid or unknown time, ±infinity for an infinite one.
    ///
    /// Apple: `CMTime.seconds`, `CMTimeGetSeconds(_:)`.
    public var seconds: Double {
        if isNumeric { return Double(value) / Double(timescale) }
        if isPositiveInfinity { return .infinity }
        if isNegativeInfinity { return -.infinity }
        return .nan
    }
}
