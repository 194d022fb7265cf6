/// The types of a media item.
///
/// Apple: `MPMediaType`; so are its members.
public struct MPMediaType: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Creates types from their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Music.
    public static let music = MPMediaType(rawValue: 1 << 0)
    /// An episode of a podcast.
    public static let podcast = MPMediaType(rawValue: 1 << 1)
    /// An audio book.
    public static let audioBook = MPMediaType(rawValue: 1 << 2)
    /// A recorded lecture.
    public static let audioITunesU = MPMediaType(rawValue: 1 << 3)
    /// Any type with sound only.
    public static let anyAudio = MPMediaType(rawValue: 0x00FF)
    /// A film.
    public static let movie = MPMediaType(rawValue: 1 << 8)
    /// An episode of a series.
    public static let tvShow = MPMediaType(rawValue: 1 << 9)
    /// An episode of a video podcast.
    public static let videoPodcast = MPMediaType(rawValue: 1 << 10)
    /// A music video.
    public static let musicVideo = MPMediaType(rawValue: 1 << 11)
    /// A filmed lecture.
    public static let videoITunesU = MPMediaType(rawValue: 1 << 12)
    /// A home video.
    public static let homeVideo = MPMediaType(rawValue: 1 << 13)
    /// Any type with pictures.
    public static let anyVideo = MPMediaType(rawValue: 0xFF00)
    /// Any type.
    public static let any = MPMediaType(rawValue: ~0)
}
