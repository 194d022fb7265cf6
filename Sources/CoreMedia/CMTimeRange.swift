/// A range of time: a start and a duration.
///
/// Apple: `CMTimeRange`.
public struct CMTimeRange: Hashable, Sendable {
    /// The first time of the range.
    public var start: CMTime
    /// The length of the range.
    public var duration: CMTime

    /// An invalid range.
    public init() { self.init(start: .invalid, duration: .invalid) }

    /// A range with a start and a duration.
    public init(start: CMTime, duration: CMTime) {
        self.start = start
        self.duration = duration
    }

    /// The range from one time to another.
    public init(start: CMTime, end: CMTime) { self.init(start: start, duration: end - start) }

    /// An invalid range.
    public static let invalid = CMTimeRange()
    /// The empty range at zero.
    public static let zero = CMTimeRange(start: .zero, duration: .zero)

    /// The end of the range, which is not part of it.
    public var end: CMTime { start + duration }
    /// Whether the range is valid: both times are, and the duration is not negative and has epoch 0.
    public var isValid: Bool { start.isValid && duration.isValid && duration.epoch == 0 && duration >= .zero }
    /// Whether the range is valid and has no length.
    public var isEmpty: Bool { isValid && duration == .zero }
    /// Whether the range is valid and its start or duration unknown.
    public var isIndefinite: Bool { isValid && (start.isIndefinite || duration.isIndefinite) }

    /// Whether a time lies in the range; false for an invalid range and for times without a number.
    public func containsTime(_ time: CMTime) -> Bool { isValid && time.isNumeric && time >= start && time < end }

    /// Whether another range lies completely in this one; false if either is invalid.
    public func containsTimeRange(_ other: CMTimeRange) -> Bool {
        isValid && other.isValid && other.start >= start && other.end <= end
    }

    /// The common part of two ranges; ``zero`` if there is none, invalid if either is.
    public func intersection(_ other: CMTimeRange) -> CMTimeRange {
        guard isValid, other.isValid else { return .invalid }
        let (first, last) = (max(start, other.start), min(end, other.end))
        return first < last ? CMTimeRange(start: first, end: last) : .zero
    }

    /// The shortest range that contains two ranges; invalid if either is.
    public func union(_ other: CMTimeRange) -> CMTimeRange {
        guard isValid, other.isValid else { return .invalid }
        return CMTimeRange(start: min(start, other.start), end: max(end, other.end))
    }
}

/// A range with a start and a duration.
///
/// Apple: `CMTimeRangeMake(start:duration:)`.
public func CMTimeRangeMake(start: CMTime, duration: CMTime) -> CMTimeRange {
    CMTimeRange(start: start, duration: duration)
}

/// The range from one time to another.
///
/// Apple: `CMTimeRangeFromTimeToTime(start:end:)`.
public func CMTimeRangeFromTimeToTime(start: CMTime, end: CMTime) -> CMTimeRange { CMTimeRange(start: start, end: end) }

/// The end of a range.
///
/// Apple: `CMTimeRangeGetEnd(_:)`.
public func CMTimeRangeGetEnd(_ range: CMTimeRange) -> CMTime { range.end }

/// Whether a time lies in a range; false for an invalid range.
///
/// Apple: `CMTimeRangeContainsTime(_:time:)`.
public func CMTimeRangeContainsTime(_ range: CMTimeRange, time: CMTime) -> Bool { range.containsTime(time) }

/// Whether another range lies completely in a range.
///
/// Apple: `CMTimeRangeContainsTimeRange(_:otherRange:)`.
public func CMTimeRangeContainsTimeRange(_ range: CMTimeRange, otherRange: CMTimeRange) -> Bool {
    range.containsTimeRange(otherRange)
}

/// Whether two ranges are equal, whatever their timescales.
///
/// Apple: `CMTimeRangeEqual(_:_:)`.
public func CMTimeRangeEqual(_ range1: CMTimeRange, _ range2: CMTimeRange) -> Bool { range1 == range2 }

/// The shortest range that contains two ranges.
///
/// Apple: `CMTimeRangeGetUnion(_:otherRange:)`.
public func CMTimeRangeGetUnion(_ range: CMTimeRange, otherRange: CMTimeRange) -> CMTimeRange {
    range.union(otherRange)
}

/// The common part of two ranges; ``CMTimeRange/zero`` if there is none.
///
/// Apple: `CMTimeRangeGetIntersection(_:otherRange:)`.
public func CMTimeRangeGetIntersection(_ range: CMTimeRange, otherRange: CMTimeRange) -> CMTimeRange {
    range.intersection(otherRange)
}

/// The time of a range that is nearest to a given time; invalid if the time or the range is invalid, or the range is
/// empty.
///
/// Apple: `CMTimeClampToRange(_:range:)`.
public func CMTimeClampToRange(_ time: CMTime, range: CMTimeRange) -> CMTime {
    guard time.isValid, range.isValid, !range.isEmpty else { return .invalid }
    return min(max(time, range.start), range.end)
}

/// Whether a range is valid, see ``CMTimeRange/isValid``.
///
/// Apple: `CMTIMERANGE_IS_VALID`.
public func CMTIMERANGE_IS_VALID(_ range: CMTimeRange) -> Bool { range.isValid }

/// Whether a range is invalid.
///
/// Apple: `CMTIMERANGE_IS_INVALID`.
public func CMTIMERANGE_IS_INVALID(_ range: CMTimeRange) -> Bool { !range.isValid }

/// Whether a range has no length.
///
/// Apple: `CMTIMERANGE_IS_EMPTY`.
public func CMTIMERANGE_IS_EMPTY(_ range: CMTimeRange) -> Bool { range.isEmpty }

/// Whether a range's start or duration is unknown.
///
/// Apple: `CMTIMERANGE_IS_INDEFINITE`.
public func CMTIMERANGE_IS_INDEFINITE(_ range: CMTimeRange) -> Bool { range.isIndefinite }

/// The spelling of Swift 3 for `CMTimeRange.zero`.
@available(*, deprecated, renamed: "CMTimeRange.zero")
public var kCMTimeRangeZero: CMTimeRange { .zero }

/// The spelling of Swift 3 for `CMTimeRange.invalid`.
@available(*, deprecated, renamed: "CMTimeRange.invalid")
public var kCMTimeRangeInvalid: CMTimeRange { .invalid }
