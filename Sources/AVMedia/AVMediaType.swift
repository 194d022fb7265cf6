/// A media type.
///
/// Apple: `AVMediaType`.
public struct AVMediaType: RawRepresentable, Hashable, Sendable {
    /// Apple's four-character code.
    public let rawValue: String

    /// Creates a type from its code.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a type from its code.
    public init(_ rawValue: String) { self.init(rawValue: rawValue) }

    /// Sound.
    public static let audio = AVMediaType(rawValue: "soun")
    /// Video, which this library does not support.
    public static let video = AVMediaType(rawValue: "vide")
}

/// The permission to capture a media type.
///
/// Apple: `AVAuthorizationStatus`.
public enum AVAuthorizationStatus: Int, Sendable {
    /// The user has not been asked.
    case notDetermined = 0
    /// Denied, and the user cannot change it.
    case restricted = 1
    /// Denied.
    case denied = 2
    /// Granted.
    case authorized = 3
}
