/// A stretch of time.
///
/// Apple: `CMTimeRange`.
public struct CMTimeRange: Hashable, Sendable {
    /// Where it begins.
    public var start: CMTime
    /// How long it lasts.
    public var duration: CMTime

    /// An invalid range.
    public init() { self.init(start: .invalid, duration: .invalid) }

    /// A range of a known length.
    public init(start: CMTime, duration: CMTime) {
        self.start = start
        self.duration = duration
    }

    /// The range from one time to another.
    public init(start: CMTime, end: CMTime) { self.init(start: start, duration: end - start) }

    /// No range at all.
    public static let invalid = CMTimeRange()
    /// The range at zero that has no length.
    public static let zero = CMTimeRange(start: .zero, duration: .zero)

    /// Where it ends; this time is not in it.
    public var end: CMTime { start + duration }
    /// Whether it is a range, with a length that is not negative and belongs to no epoch.
    public var isValid: Bool { start.isValid && duration.isValid && duration.epoch == 0 && duration >= .zero }
    /// Whether it has no length.
    public var isEmpty: Bool { isValid && duration == .zero }
    /// Whether its length is not known.
    public var isIndefinite: Bool { isValid && (start.isIndefinite || duration.isIndefinite) }

    /// Whether a time lies in the range.
    public func containsTime(_ time: CMTime) -> Bool { isValid && time.isNumeric && time >= start && time < end }

    /// Whether all of another range lies in this one.
    public func containsTimeRange(_ other: CMTimeRange) -> Bool {
        isValid && other.isValid && other.start >= start && other.end <= end
    }

    /// What is in both ranges; ``zero`` if nothing is.
    public func intersection(_ other: CMTimeRange) -> CMTimeRange {
        guard isValid, other.isValid else { return .invalid }
        let (first, last) = (max(start, other.start), min(end, other.end))
        return first < last ? CMTimeRange(start: first, end: last) : .zero
    }

    /// The shortest range that both are in.
    public func union(_ other: CMTimeRange) -> CMTimeRange {
        guard isValid, other.isValid else { return .invalid }
        return CMTimeRange(start: min(start, other.start), end: max(end, other.end))
    }
}

/// A range of a known length.
///
/// Apple: `CMTimeRangeMake(start:duration:)`.
public func CMTimeRangeMake(start: CMTime, duration: CMTime) -> CMTimeRange {
    CMTimeRange(start: start, duration: duration)
}

/// The range from one time to another.
///
/// Apple: `CMTimeRangeFromTimeToTime(start:end:)`.
public func CMTimeRangeFromTimeToTime(start: CMTime, end: CMTime) -> CMTimeRange { CMTimeRange(start: start, end: end) }

/// Where a range ends.
///
/// Apple: `CMTimeRangeGetEnd(_:)`.
public func CMTimeRangeGetEnd(_ range: CMTimeRange) -> CMTime { range.end }

/// Whether a time lies in a range.
///
/// Apple: `CMTimeRangeContainsTime(_:time:)`.
public func CMTimeRangeContainsTime(_ range: CMTimeRange, time: CMTime) -> Bool { range.containsTime(time) }

/// Whether all of another range lies in a range.
///
/// Apple: `CMTimeRangeContainsTimeRange(_:otherRange:)`.
public func CMTimeRangeContainsTimeRange(_ range: CMTimeRange, otherRange: CMTimeRange) -> Bool {
    range.containsTimeRange(otherRange)
}

/// Whether two ranges are the same, in whatever units.
///
/// Apple: `CMTimeRangeEqual(_:_:)`.
public func CMTimeRangeEqual(_ range1: CMTimeRange, _ range2: CMTimeRange) -> Bool { range1 == range2 }

/// The shortest range that both are in.
///
/// Apple: `CMTimeRangeGetUnion(_:otherRange:)`.
public func CMTimeRangeGetUnion(_ range: CMTimeRange, otherRange: CMTimeRange) -> CMTimeRange {
    range.union(otherRange)
}

/// What is in both ranges; ``CMTimeRange/zero`` if nothing is.
///
/// Apple: `CMTimeRangeGetIntersection(_:otherRange:)`.
public func CMTimeRangeGetIntersection(_ range: CMTimeRange, otherRange: CMTimeRange) -> CMTimeRange {
    range.intersection(otherRange)
}

/// The time itself if it is in a range, else the end of it that is nearer; invalid if there is no time, or nothing in
/// the range.
///
/// Apple: `CMTimeClampToRange(_:range:)`.
public func CMTimeClampToRange(_ time: CMTime, range: CMTimeRange) -> CMTime {
    guard time.isValid, range.isValid, !range.isEmpty else { return .invalid }
    return min(max(time, range.start), range.end)
}

/// Whether it is a range, with a length that is not negative and belongs to no epoch.
///
/// Apple: `CMTIMERANGE_IS_VALID`.
public func CMTIMERANGE_IS_VALID(_ range: CMTimeRange) -> Bool { range.isValid }

/// Whether it is no range at all.
///
/// Apple: `CMTIMERANGE_IS_INVALID`.
public func CMTIMERANGE_IS_INVALID(_ range: CMTimeRange) -> Bool { !range.isValid }

/// Whether it has no length.
///
/// Apple: `CMTIMERANGE_IS_EMPTY`.
public func CMTIMERANGE_IS_EMPTY(_ range: CMTimeRange) -> Bool { range.isEmpty }

/// Whether its length is not known.
///
/// Apple: `CMTIMERANGE_IS_INDEFINITE`.
public func CMTIMERANGE_IS_INDEFINITE(_ range: CMTimeRange) -> Bool { range.isIndefinite }

/// The spelling of Swift 3 for `CMTimeRange.zero`.
@available(*, deprecated, renamed: "CMTimeRange.zero")
public var kCMTimeRangeZero: CMTimeRange { .zero }

/// The spelling of Swift 3 for `CMTimeRange.invalid`.
@available(*, deprecated, renamed: "CMTimeRange.invalid")
public var kCMTimeRangeInvalid: CMTimeRange { .invalid }
