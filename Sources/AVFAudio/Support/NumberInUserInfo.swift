/// A value that notifications carry as an `NSNumber`, and that casts restore.
///
/// Programs read such values with three casts: `as? UInt`, `as? NSNumber` and `as? AVAudioSession.InterruptionType`. A
/// boxed Swift value passes the last cast only, a plain `NSNumber` the first two only; a number with this conformance
/// passes all three. Casts use this underscored protocol of the standard library on Linux too.
///
/// Apple: the bridging of imported C enumerations.
public protocol _NumberInUserInfo: RawRepresentable, _ObjectiveCBridgeable
where RawValue: FixedWidthInteger, _ObjectiveCType == NSNumber {}

extension _NumberInUserInfo {
    /// The number for a notification's user info.
    package var userInfoValue: NSNumber {
        // Signed, because only this representation casts to both `Int` and `UInt`.
        NSNumber(value: Int64(truncatingIfNeeded: rawValue))
    }

    /// The raw value as a number; called by casts.
    public func _bridgeToObjectiveC() -> NSNumber { userInfoValue }

    /// The value with this raw value, in `result`; called by casts.
    public static func _forceBridgeFromObjectiveC(_ source: NSNumber, result: inout Self?) {
        result = RawValue(exactly: source.int64Value).flatMap(Self.init(rawValue:))
    }

    /// The value with this raw value, in `result`, and whether there is one; called by casts.
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSNumber, result: inout Self?) -> Bool {
        _forceBridgeFromObjectiveC(source, result: &result)
        return result != nil
    }

    /// The value with this raw value, which must exist; called by bridging that cannot fail.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSNumber?) -> Self {
        var result: Self?
        if let source { _forceBridgeFromObjectiveC(source, result: &result) }
        guard let result else { preconditionFailure("\(source as Any) is no raw value of \(Self.self)") }
        return result
    }
}
