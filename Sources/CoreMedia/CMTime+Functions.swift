internal import Foundation

// The functions of C, which many programs use beside, or in place of, the members.

/// So many units of a second.
///
/// Apple: `CMTimeMake(value:timescale:)`.
public func CMTimeMake(value: CMTimeValue, timescale: CMTimeScale) -> CMTime {
    CMTime(value: value, timescale: timescale)
}

/// Seconds, to the nearest unit.
///
/// Apple: `CMTimeMakeWithSeconds(_:preferredTimescale:)`.
public func CMTimeMakeWithSeconds(_ seconds: Double, preferredTimescale: CMTimeScale) -> CMTime {
    CMTime(seconds: seconds, preferredTimescale: preferredTimescale)
}

/// The time in seconds; not a number for a time that is invalid or not known.
///
/// Apple: `CMTimeGetSeconds(_:)`.
public func CMTimeGetSeconds(_ time: CMTime) -> Double { time.seconds }

/// The sum of two times.
///
/// Apple: `CMTimeAdd(_:_:)`.
public func CMTimeAdd(_ lhs: CMTime, _ rhs: CMTime) -> CMTime { lhs + rhs }

/// The difference of two times.
///
/// Apple: `CMTimeSubtract(_:_:)`.
public func CMTimeSubtract(_ lhs: CMTime, _ rhs: CMTime) -> CMTime { lhs - rhs }

/// The time multiplied by a whole number.
///
/// Apple: `CMTimeMultiply(_:multiplier:)`.
public func CMTimeMultiply(_ time: CMTime, multiplier: Int32) -> CMTime { time.multiplied(by: multiplier) }

/// The time multiplied by any number.
///
/// Apple: `CMTimeMultiplyByFloat64(_:multiplier:)`.
public func CMTimeMultiplyByFloat64(_ time: CMTime, multiplier: Double) -> CMTime { time.multiplied(by: multiplier) }

/// The time multiplied by a whole number, and divided by another one; invalid if that is zero.
///
/// Apple: `CMTimeMultiplyByRatio(_:multiplier:divisor:)`.
public func CMTimeMultiplyByRatio(_ time: CMTime, multiplier: Int32, divisor: Int32) -> CMTime {
    time.multiplied(by: multiplier, over: divisor)
}

/// −1 if the first time is earlier, 1 if it is later, 0 if both are the same.
///
/// Apple: `CMTimeCompare(_:_:)`.
public func CMTimeCompare(_ time1: CMTime, _ time2: CMTime) -> Int32 { CMTime.order(time1, time2) }

/// The earlier of two times.
///
/// Apple: `CMTimeMinimum(_:_:)`.
public func CMTimeMinimum(_ time1: CMTime, _ time2: CMTime) -> CMTime { min(time1, time2) }

/// The later of two times.
///
/// Apple: `CMTimeMaximum(_:_:)`.
public func CMTimeMaximum(_ time1: CMTime, _ time2: CMTime) -> CMTime { max(time1, time2) }

/// The time's distance from zero.
///
/// Apple: `CMTimeAbsoluteValue(_:)`.
public func CMTimeAbsoluteValue(_ time: CMTime) -> CMTime {
    // Not by comparison with zero: a negative time of a later epoch comes after it.
    time.isNegativeInfinity || (time.isNumeric && time.value < 0) ? time.negated : time
}

/// The same time in other units.
///
/// Apple: `CMTimeConvertScale(_:timescale:method:)`.
public func CMTimeConvertScale(_ time: CMTime, timescale: CMTimeScale, method: CMTimeRoundingMethod) -> CMTime {
    time.convertScale(timescale, method: method)
}

/// Whether it is a time of some kind.
///
/// Apple: `CMTIME_IS_VALID`.
public func CMTIME_IS_VALID(_ time: CMTime) -> Bool { time.isValid }

/// Whether it is no time at all.
///
/// Apple: `CMTIME_IS_INVALID`.
public func CMTIME_IS_INVALID(_ time: CMTime) -> Bool { !time.isValid }

/// Whether it has a number.
///
/// Apple: `CMTIME_IS_NUMERIC`.
public func CMTIME_IS_NUMERIC(_ time: CMTime) -> Bool { time.isNumeric }

/// Whether it is a time that is not known.
///
/// Apple: `CMTIME_IS_INDEFINITE`.
public func CMTIME_IS_INDEFINITE(_ time: CMTime) -> Bool { time.isIndefinite }

/// Whether it is later than all times.
///
/// Apple: `CMTIME_IS_POSITIVEINFINITY`.
public func CMTIME_IS_POSITIVEINFINITY(_ time: CMTime) -> Bool { time.isPositiveInfinity }

/// Whether it is earlier than all times.
///
/// Apple: `CMTIME_IS_NEGATIVEINFINITY`.
public func CMTIME_IS_NEGATIVEINFINITY(_ time: CMTime) -> Bool { time.isNegativeInfinity }

/// Whether some arithmetic could not hold it exactly.
///
/// Apple: `CMTIME_HAS_BEEN_ROUNDED`.
public func CMTIME_HAS_BEEN_ROUNDED(_ time: CMTime) -> Bool { time.hasBeenRounded }

/// Prints a time on stderr, as in `{1/2 = 0.500}`.
///
/// Apple: `CMTimeShow(_:)`.
public func CMTimeShow(_ time: CMTime) { show(time.shown) }

/// Prints a range on stderr, as in `{{0/1 = 0.000}, {1/2 = 0.500}}`: its start, and its length.
///
/// Apple: `CMTimeRangeShow(_:)`.
public func CMTimeRangeShow(_ range: CMTimeRange) { show(range.shown) }

private func show(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data("\(text)\n".utf8)) }

extension CMTime {
    /// For people who look for mistakes.
    package var shown: String {
        if isPositiveInfinity { return "{+INFINITY}" }
        if isNegativeInfinity { return "{-INFINITY}" }
        if isIndefinite { return "{INDEFINITE}" }
        guard isNumeric else { return "{INVALID}" }
        let seconds = String(format: "%.3f", seconds)
        return "{\(value)/\(timescale) = \(seconds)\(hasBeenRounded ? ", rounded" : "")}"
    }
}

extension CMTimeRange {
    /// For people who look for mistakes.
    package var shown: String { "{\(start.shown), \(duration.shown)}" }
}

// The spellings of Swift 3.

/// The spelling of Swift 3 for `CMTime.zero`.
@available(*, deprecated, renamed: "CMTime.zero")
public var kCMTimeZero: CMTime { .zero }

/// The spelling of Swift 3 for `CMTime.invalid`.
@available(*, deprecated, renamed: "CMTime.invalid")
public var kCMTimeInvalid: CMTime { .invalid }

/// The spelling of Swift 3 for `CMTime.indefinite`.
@available(*, deprecated, renamed: "CMTime.indefinite")
public var kCMTimeIndefinite: CMTime { .indefinite }

/// The spelling of Swift 3 for `CMTime.positiveInfinity`.
@available(*, deprecated, renamed: "CMTime.positiveInfinity")
public var kCMTimePositiveInfinity: CMTime { .positiveInfinity }

/// The spelling of Swift 3 for `CMTime.negativeInfinity`.
@available(*, deprecated, renamed: "CMTime.negativeInfinity")
public var kCMTimeNegativeInfinity: CMTime { .negativeInfinity }

/// The spelling of Swift 3 for `CMTimeMake(value:timescale:)`.
@available(*, deprecated, renamed: "CMTimeMake(value:timescale:)")
public func CMTimeMake(_ value: CMTimeValue, _ timescale: CMTimeScale) -> CMTime {
    CMTime(value: value, timescale: timescale)
}

/// The spelling of Swift 3 for `CMTimeMakeWithSeconds(_:preferredTimescale:)`.
@available(*, deprecated, renamed: "CMTimeMakeWithSeconds(_:preferredTimescale:)")
public func CMTimeMakeWithSeconds(_ seconds: Double, _ preferredTimescale: CMTimeScale) -> CMTime {
    CMTime(seconds: seconds, preferredTimescale: preferredTimescale)
}
