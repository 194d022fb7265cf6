// Names of Core Foundation that callers of System Sound Services write. Linux's Foundation has the types behind them
// only.

/// A file's address; `url as CFURL` compiles.
///
/// Apple: `CFURL`.
public typealias CFURL = URL

/// Text.
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

/// When a run loop calls what it is given.
///
/// Apple: `CFRunLoopMode`.
public struct CFRunLoopMode: RawRepresentable, Hashable, Sendable {
    /// The mode's name.
    public let rawValue: CFString

    /// A mode by its name.
    public init(rawValue: CFString) { self.rawValue = rawValue }

    /// The usual mode.
    ///
    /// Apple: `CFRunLoopMode.defaultMode`.
    public static let defaultMode = CFRunLoopMode(rawValue: RunLoop.Mode.default.rawValue)
    /// All modes that are common ones.
    ///
    /// Apple: `CFRunLoopMode.commonModes`.
    public static let commonModes = CFRunLoopMode(rawValue: RunLoop.Mode.common.rawValue)
}

/// A truth value of C, of one byte.
///
/// Apple: `DarwinBoolean`.
public struct DarwinBoolean: ExpressibleByBooleanLiteral, Hashable, Sendable, CustomStringConvertible {
    private var value: UInt8

    /// A truth value.
    public init(_ value: Bool) { self.value = value ? 1 : 0 }

    /// A truth value.
    public init(booleanLiteral value: Bool) { self.init(value) }

    /// The value for Swift.
    ///
    /// Apple: `DarwinBoolean.boolValue`.
    public var boolValue: Bool { value != 0 }

    /// `true` or `false`.
    public var description: String { boolValue.description }
}
