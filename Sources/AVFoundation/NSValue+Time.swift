internal import CoreMedia
internal import Foundation

// Lists of times are lists of NSValue objects. Foundation on Linux does not take structures, but takes arrays of
// numbers.
private let timeType = "[3q]"
private let rangeType = "[6q]"

extension NSValue {
    /// An object that holds a time.
    ///
    /// Apple: `NSValue.init(time:)`.
    public convenience init(time: CMTime) {
        var time = time
        self.init(bytes: &time, objCType: timeType)
    }

    /// The time in this object; invalid if it holds something else.
    ///
    /// Apple: `NSValue.timeValue`.
    public var timeValue: CMTime {
        var time = CMTime.invalid
        if String(cString: objCType) == timeType { getValue(&time) }
        return time
    }

    /// An object that holds a range of time.
    ///
    /// Apple: `NSValue.init(timeRange:)`.
    public convenience init(timeRange: CMTimeRange) {
        var range = timeRange
        self.init(bytes: &range, objCType: rangeType)
    }

    /// The range of time in this object; invalid if it holds something else.
    ///
    /// Apple: `NSValue.timeRangeValue`.
    public var timeRangeValue: CMTimeRange {
        var range = CMTimeRange.invalid
        if String(cString: objCType) == rangeType { getValue(&range) }
        return range
    }
}
