/// A kind of media.
///
/// Apple: `AVMediaType`.
public struct AVMediaType: RawRepresentable, Hashable, Sendable {
    /// Apple's four letters for it.
    public let rawValue: String

    /// A kind by its letters.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A kind by its letters.
    public init(_ rawValue: String) { self.init(rawValue: rawValue) }

    /// Sound.
    public static let audio = AVMediaType(rawValue: "soun")
    /// Moving pictures, which this library has nothing to do with.
    public static let video = AVMediaType(rawValue: "vide")
}

/// Whether an app may capture a kind of media.
///
/// Apple: `AVAuthorizationStatus`.
public enum AVAuthorizationStatus: Int, Sendable {
    /// Nobody has been asked.
    case notDetermined = 0
    /// No, and the user cannot change it.
    case restricted = 1
    /// No.
    case denied = 2
    /// Yes.
    case authorized = 3
}
