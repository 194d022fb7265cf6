/// What kind of item something is.
///
/// Apple: `MPMediaType`; so are its members.
public struct MPMediaType: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Kinds of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Music.
    public static let music = MPMediaType(rawValue: 1 << 0)
    /// An episode that is heard.
    public static let podcast = MPMediaType(rawValue: 1 << 1)
    /// A book that is read out.
    public static let audioBook = MPMediaType(rawValue: 1 << 2)
    /// A lecture that is heard.
    public static let audioITunesU = MPMediaType(rawValue: 1 << 3)
    /// Anything that is heard.
    public static let anyAudio = MPMediaType(rawValue: 0x00FF)
    /// A film.
    public static let movie = MPMediaType(rawValue: 1 << 8)
    /// An episode of a series.
    public static let tvShow = MPMediaType(rawValue: 1 << 9)
    /// An episode that is seen.
    public static let videoPodcast = MPMediaType(rawValue: 1 << 10)
    /// Music that is seen.
    public static let musicVideo = MPMediaType(rawValue: 1 << 11)
    /// A lecture that is seen.
    public static let videoITunesU = MPMediaType(rawValue: 1 << 12)
    /// What somebody filmed at home.
    public static let homeVideo = MPMediaType(rawValue: 1 << 13)
    /// Anything that is seen.
    public static let anyVideo = MPMediaType(rawValue: 0xFF00)
    /// Anything.
    public static let any = MPMediaType(rawValue: ~0)
}
