internal import Foundation

// The functions of the C interface, which many programs use beside the members.

/// A time of `value` units, each `1/timescale` of a second; invalid if the timescale is not positive.
///
/// Apple: `CMTimeMake(value:timescale:)`.
public func CMTimeMake(value: CMTimeValue, timescale: CMTimeScale) -> CMTime {
    CMTime(value: value, timescale: timescale)
}

/// The time nearest to a number of seconds, in units of `1/preferredTimescale` s.
///
/// Apple: `CMTimeMakeWithSeconds(_:preferredTimescale:)`.
public func CMTimeMakeWithSeconds(_ seconds: Double, preferredTimescale: CMTimeScale) -> CMTime {
    CMTime(seconds: seconds, preferredTimescale: preferredTimescale)
}

/// The time in seconds; NaN for an invalid or indefinite time.
///
/// Apple: `CMTimeGetSeconds(_:)`.
public func CMTimeGetSeconds(_ time: CMTime) -> Double { time.seconds }

/// The sum of two times; see ``CMTime/+(_:_:)``.
///
/// Apple: `CMTimeAdd(_:_:)`.
public func CMTimeAdd(_ lhs: CMTime, _ rhs: CMTime) -> CMTime { lhs + rhs }

/// The difference of two times; see ``CMTime/-(_:_:)``.
///
/// Apple: `CMTimeSubtract(_:_:)`.
public func CMTimeSubtract(_ lhs: CMTime, _ rhs: CMTime) -> CMTime { lhs - rhs }

/// The time multiplied by an integer.
///
/// Apple: `CMTimeMultiply(_:multiplier:)`.
public func CMTimeMultiply(_ time: CMTime, multiplier: Int32) -> CMTime { time.multiplied(by: multiplier) }

/// The time multiplied by a floating-point number, in units of 1/65536 s or finer.
///
/// Apple: `CMTimeMultiplyByFloat64(_:multiplier:)`.
public func CMTimeMultiplyByFloat64(_ time: CMTime, multiplier: Double) -> CMTime { time.multiplied(by: multiplier) }

/// The time multiplied by an integer and divided by another one; invalid if the divisor is 0.
///
/// Apple: `CMTimeMultiplyByRatio(_:multiplier:divisor:)`.
public func CMTimeMultiplyByRatio(_ time: CMTime, multiplier: Int32, divisor: Int32) -> CMTime {
    time.multiplied(by: multiplier, over: divisor)
}

/// The order of two times: −1 if the first is earlier, 1 if it is later, 0 if they are equal.
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

/// The time's absolute value.
///
/// Apple: `CMTimeAbsoluteValue(_:)`.
public func CMTimeAbsoluteValue(_ time: CMTime) -> CMTime {
    // By sign, not by comparison with zero: a negative time of a later epoch is later than zero.
    time.isNegativeInfinity || (time.isNumeric && time.value < 0) ? time.negated : time
}

/// Converts a time to other units; see ``CMTime/convertScale(_:method:)``.
///
/// Apple: `CMTimeConvertScale(_:timescale:method:)`.
public func CMTimeConvertScale(_ time: CMTime, timescale: CMTimeScale, method: CMTimeRoundingMethod) -> CMTime {
    time.convertScale(timescale, method: method)
}

/// Whether a time is valid.
///
/// Apple: `CMTIME_IS_VALID`.
public func CMTIME_IS_VALID(_ time: CMTime) -> Bool { time.isValid }

/// Whether a time is invalid.
///
/// Apple: `CMTIME_IS_INVALID`.
public func CMTIME_IS_INVALID(_ time: CMTime) -> Bool { !time.isValid }

/// Whether a time has a number: valid, finite and definite.
///
/// Apple: `CMTIME_IS_NUMERIC`.
public func CMTIME_IS_NUMERIC(_ time: CMTime) -> Bool { time.isNumeric }

/// Whether a time is indefinite, as the duration of a live stream.
///
/// Apple: `CMTIME_IS_INDEFINITE`.
public func CMTIME_IS_INDEFINITE(_ time: CMTime) -> Bool { time.isIndefinite }

/// Whether a time is positive infinity.
///
/// Apple: `CMTIME_IS_POSITIVEINFINITY`.
public func CMTIME_IS_POSITIVEINFINITY(_ time: CMTime) -> Bool { time.isPositiveInfinity }

/// Whether a time is negative infinity.
///
/// Apple: `CMTIME_IS_NEGATIVEINFINITY`.
public func CMTIME_IS_NEGATIVEINFINITY(_ time: CMTime) -> Bool { time.isNegativeInfinity }

/// Whether arithmetic has rounded a time.
///
/// Apple: `CMTIME_HAS_BEEN_ROUNDED`.
public func CMTIME_HAS_BEEN_ROUNDED(_ time: CMTime) -> Bool { time.hasBeenRounded }

/// Prints a time on stderr, as in `{1/2 = 0.500}`.
///
/// Apple: `CMTimeShow(_:)`.
public func CMTimeShow(_ time: CMTime) { show(time.shown) }

/// Prints a range on stderr, as in `{{0/1 = 0.000}, {1/2 = 0.500}}`: its start and its duration.
///
/// Apple: `CMTimeRangeShow(_:)`.
public func CMTimeRangeShow(_ range: CMTimeRange) { show(range.shown) }

private func show(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data("\(text)\n".utf8)) }

extension CMTime {
    /// The text of ``CMTimeShow(_:)``.
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
    /// The text of ``CMTimeRangeShow(_:)``.
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
