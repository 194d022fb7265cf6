internal import CoreMedia
internal import Foundation

// Lists of times are lists of `NSValue` objects. Foundation on Linux cannot store structures in them, but arrays of
// numbers.
private let timeType = "[3q]"
private let rangeType = "[6q]"

extension NSValue {
    fileprivate func holds(_ type: String) -> Bool { String(cString: objCType) == type }

    /// Creates an object that holds a time.
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
        if holds(timeType) { getValue(&time) }
        return time
    }

    /// Creates an object that holds a time range.
    ///
    /// Apple: `NSValue.init(timeRange:)`.
    public convenience init(timeRange: CMTimeRange) {
        var range = timeRange
        self.init(bytes: &range, objCType: rangeType)
    }

    /// The time range in this object; invalid if it holds something else.
    ///
    /// Apple: `NSValue.timeRangeValue`.
    public var timeRangeValue: CMTimeRange {
        var range = CMTimeRange.invalid
        if holds(rangeType) { getValue(&range) }
        return range
    }
}

// Supports `time as NSValue` and casts of the elements of such lists, as for structures known to Objective-C.

extension CMTime: _ObjectiveCBridgeable {
    /// An object that holds the time: `[time as NSValue]`.
    public func _bridgeToObjectiveC() -> NSValue { NSValue(time: self) }

    /// The time in an object, in `result`, or nil if it holds something else; called by casts.
    public static func _forceBridgeFromObjectiveC(_ source: NSValue, result: inout CMTime?) {
        result = source.holds(timeType) ? source.timeValue : nil
    }

    /// The time in an object, in `result`, if it holds one; called by casts.
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSValue, result: inout CMTime?) -> Bool {
        _forceBridgeFromObjectiveC(source, result: &result)
        return result != nil
    }

    /// The time in an object, invalid if it holds something else; called by bridging that cannot fail.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSValue?) -> CMTime {
        source?.timeValue ?? .invalid
    }
}

extension CMTimeRange: _ObjectiveCBridgeable {
    /// An object that holds the range: `range as NSValue`.
    public func _bridgeToObjectiveC() -> NSValue { NSValue(timeRange: self) }

    /// The range in an object, in `result`, or nil if it holds something else; called by casts.
    public static func _forceBridgeFromObjectiveC(_ source: NSValue, result: inout CMTimeRange?) {
        result = source.holds(rangeType) ? source.timeRangeValue : nil
    }

    /// The range in an object, in `result`, if it holds one; called by casts.
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSValue, result: inout CMTimeRange?) -> Bool {
        _forceBridgeFromObjectiveC(source, result: &result)
        return result != nil
    }

    /// The range in an object, invalid if it holds something else; called by bridging that cannot fail.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSValue?) -> CMTimeRange {
        source?.timeRangeValue ?? .invalid
    }
}
