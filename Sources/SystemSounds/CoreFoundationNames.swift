// Names of Core Foundation that callers of System Sound Services write. Foundation on Linux has the types behind them
// only.

/// The URL of a file; `url as CFURL` compiles.
///
/// Apple: `CFURL`.
public typealias CFURL = URL

/// A string.
///
/// Apple: `CFString`.
public typealias CFString = String

/// A thread's run loop.
///
/// Apple: `CFRunLoop`.
public typealias CFRunLoop = RunLoop

/// The main thread's run loop.
///
/// Apple: `CFRunLoopGetMain()`.
public func CFRunLoopGetMain() -> CFRunLoop! { RunLoop.main }

/// The calling thread's run loop.
///
/// Apple: `CFRunLoopGetCurrent()`.
public func CFRunLoopGetCurrent() -> CFRunLoop! { RunLoop.current }

/// A mode of a run loop, by its name.
///
/// Apple: `CFRunLoopMode`.
public struct CFRunLoopMode: RawRepresentable, Hashable, Sendable {
    /// The mode's name.
    public let rawValue: CFString

    /// A mode with a name.
    public init(rawValue: CFString) { self.rawValue = rawValue }

    /// The default mode.
    ///
    /// Apple: `CFRunLoopMode.defaultMode`.
    public static let defaultMode = CFRunLoopMode(rawValue: RunLoop.Mode.default.rawValue)
    /// The common modes.
    ///
    /// Apple: `CFRunLoopMode.commonModes`.
    public static let commonModes = CFRunLoopMode(rawValue: RunLoop.Mode.common.rawValue)
}

/// A C boolean of one byte.
///
/// Apple: `DarwinBoolean`.
public struct DarwinBoolean: ExpressibleByBooleanLiteral, Hashable, Sendable, CustomStringConvertible {
    private var value: UInt8

    /// A boolean with a value.
    public init(_ value: Bool) { self.value = value ? 1 : 0 }

    /// A boolean with a literal's value.
    public init(booleanLiteral value: Bool) { self.init(value) }

    /// The value as a `Bool`.
    ///
    /// Apple: `DarwinBoolean.boolValue`.
    public var boolValue: Bool { value != 0 }

    /// `true` or `false`.
    public var description: String { boolValue.description }
}
