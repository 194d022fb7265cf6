/// The identifier of a metadata item: its key space and its key, as in `id3/TIT2`.
///
/// Apple: `AVMetadataIdentifier`; so are its members.
public struct AVMetadataIdentifier: RawRepresentable, Hashable, Sendable {
    /// Apple's name for it.
    public let rawValue: String

    /// Creates an identifier from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates an identifier from its name.
    public init(_ rawValue: String) { self.init(rawValue: rawValue) }

    // MARK: Radio

    /// The title that an internet radio sends for the current sound.
    public static let icyMetadataStreamTitle = AVMetadataIdentifier(rawValue: "icy/StreamTitle")
    /// The URL that an internet radio sends for more information.
    public static let icyMetadataStreamURL = AVMetadataIdentifier(rawValue: "icy/StreamUrl")

    // MARK: Any kind of metadata, by the common key

    /// A title from any kind of metadata.
    public static let commonIdentifierTitle = AVMetadataIdentifier(rawValue: "common/title")
    /// The performing artist.
    public static let commonIdentifierArtist = AVMetadataIdentifier(rawValue: "common/artist")
    /// The title of the album.
    public static let commonIdentifierAlbumName = AVMetadataIdentifier(rawValue: "common/albumName")
    /// A picture.
    public static let commonIdentifierArtwork = AVMetadataIdentifier(rawValue: "common/artwork")
    /// The author of the text.
    public static let commonIdentifierAuthor = AVMetadataIdentifier(rawValue: "common/author")
    /// Others who took part.
    public static let commonIdentifierContributor = AVMetadataIdentifier(rawValue: "common/contributor")
    /// Who holds the rights.
    public static let commonIdentifierCopyrights = AVMetadataIdentifier(rawValue: "common/copyrights")
    /// The date of creation.
    public static let commonIdentifierCreationDate = AVMetadataIdentifier(rawValue: "common/creationDate")
    /// The composer.
    public static let commonIdentifierCreator = AVMetadataIdentifier(rawValue: "common/creator")
    /// A description or comment.
    public static let commonIdentifierDescription = AVMetadataIdentifier(rawValue: "common/description")
    /// The language.
    public static let commonIdentifierLanguage = AVMetadataIdentifier(rawValue: "common/language")
    /// The publisher.
    public static let commonIdentifierPublisher = AVMetadataIdentifier(rawValue: "common/publisher")
    /// The program that made the file.
    public static let commonIdentifierSoftware = AVMetadataIdentifier(rawValue: "common/software")
    /// The genre.
    public static let commonIdentifierType = AVMetadataIdentifier(rawValue: "common/type")

    // MARK: ID3

    /// The title.
    public static let id3MetadataTitleDescription = AVMetadataIdentifier(rawValue: "id3/TIT2")
    /// The performing artist.
    public static let id3MetadataLeadPerformer = AVMetadataIdentifier(rawValue: "id3/TPE1")
    /// The artist of the album.
    public static let id3MetadataBand = AVMetadataIdentifier(rawValue: "id3/TPE2")
    /// The title of the album.
    public static let id3MetadataAlbumTitle = AVMetadataIdentifier(rawValue: "id3/TALB")
    /// A picture.
    public static let id3MetadataAttachedPicture = AVMetadataIdentifier(rawValue: "id3/APIC")
    /// The number of the track.
    public static let id3MetadataTrackNumber = AVMetadataIdentifier(rawValue: "id3/TRCK")
    /// The number of the disc.
    public static let id3MetadataPartOfASet = AVMetadataIdentifier(rawValue: "id3/TPOS")
    /// The composer.
    public static let id3MetadataComposer = AVMetadataIdentifier(rawValue: "id3/TCOM")
    /// The genre.
    public static let id3MetadataContentType = AVMetadataIdentifier(rawValue: "id3/TCON")
    /// The date of the recording.
    public static let id3MetadataRecordingTime = AVMetadataIdentifier(rawValue: "id3/TDRC")
    /// A comment.
    public static let id3MetadataComments = AVMetadataIdentifier(rawValue: "id3/COMM")
    /// The lyrics.
    public static let id3MetadataUnsynchronizedLyric = AVMetadataIdentifier(rawValue: "id3/USLT")
    /// The beats a minute.
    public static let id3MetadataBeatsPerMinute = AVMetadataIdentifier(rawValue: "id3/TBPM")

    // MARK: iTunes

    /// The title.
    public static let iTunesMetadataSongName = AVMetadataIdentifier(rawValue: "itsk/%A9nam")
    /// The performing artist.
    public static let iTunesMetadataArtist = AVMetadataIdentifier(rawValue: "itsk/%A9ART")
    /// The artist of the album.
    public static let iTunesMetadataAlbumArtist = AVMetadataIdentifier(rawValue: "itsk/aART")
    /// The title of the album.
    public static let iTunesMetadataAlbum = AVMetadataIdentifier(rawValue: "itsk/%A9alb")
    /// A picture.
    public static let iTunesMetadataCoverArt = AVMetadataIdentifier(rawValue: "itsk/covr")
    /// The number of the track; here a text such as `3/12`.
    public static let iTunesMetadataTrackNumber = AVMetadataIdentifier(rawValue: "itsk/trkn")
    /// The number of the disc; here a text such as `1/2`.
    public static let iTunesMetadataDiscNumber = AVMetadataIdentifier(rawValue: "itsk/disk")
    /// The composer.
    public static let iTunesMetadataComposer = AVMetadataIdentifier(rawValue: "itsk/%A9wrt")
    /// The genre.
    public static let iTunesMetadataUserGenre = AVMetadataIdentifier(rawValue: "itsk/%A9gen")
    /// The date of the release.
    public static let iTunesMetadataReleaseDate = AVMetadataIdentifier(rawValue: "itsk/%A9day")
    /// A comment.
    public static let iTunesMetadataUserComment = AVMetadataIdentifier(rawValue: "itsk/%A9cmt")
    /// The lyrics.
    public static let iTunesMetadataLyrics = AVMetadataIdentifier(rawValue: "itsk/%A9lyr")
}

/// A key of a metadata item, without its key space.
///
/// Apple: `AVMetadataKey`; so are its members.
public struct AVMetadataKey: RawRepresentable, Hashable, Sendable {
    /// Apple's name for it.
    public let rawValue: String

    /// Creates a key from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a key from its name.
    public init(_ rawValue: String) { self.init(rawValue: rawValue) }

    /// A title.
    public static let commonKeyTitle = AVMetadataKey(rawValue: "title")
    /// The performing artist.
    public static let commonKeyArtist = AVMetadataKey(rawValue: "artist")
    /// The title of the album.
    public static let commonKeyAlbumName = AVMetadataKey(rawValue: "albumName")
    /// A picture.
    public static let commonKeyArtwork = AVMetadataKey(rawValue: "artwork")
    /// The author of the text.
    public static let commonKeyAuthor = AVMetadataKey(rawValue: "author")
    /// Others who took part.
    public static let commonKeyContributor = AVMetadataKey(rawValue: "contributor")
    /// Who holds the rights.
    public static let commonKeyCopyrights = AVMetadataKey(rawValue: "copyrights")
    /// The date of creation.
    public static let commonKeyCreationDate = AVMetadataKey(rawValue: "creationDate")
    /// The composer.
    public static let commonKeyCreator = AVMetadataKey(rawValue: "creator")
    /// A description or comment.
    public static let commonKeyDescription = AVMetadataKey(rawValue: "description")
    /// The language.
    public static let commonKeyLanguage = AVMetadataKey(rawValue: "language")
    /// The publisher.
    public static let commonKeyPublisher = AVMetadataKey(rawValue: "publisher")
    /// The program that made the file.
    public static let commonKeySoftware = AVMetadataKey(rawValue: "software")
    /// The genre.
    public static let commonKeyType = AVMetadataKey(rawValue: "type")
}

/// A set of keys of one kind of metadata.
///
/// Apple: `AVMetadataKeySpace`; so are its members.
public struct AVMetadataKeySpace: RawRepresentable, Hashable, Sendable {
    /// Apple's name for it.
    public let rawValue: String

    /// Creates a key space from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a key space from its name.
    public init(_ rawValue: String) { self.init(rawValue: rawValue) }

    /// The keys common to all kinds of metadata.
    public static let common = AVMetadataKeySpace(rawValue: "comn")
    /// The frames of ID3.
    public static let id3 = AVMetadataKeySpace(rawValue: "org.id3")
    /// iTunes's keys in MPEG-4 files.
    public static let iTunes = AVMetadataKeySpace(rawValue: "itsk")
    /// QuickTime's keys.
    public static let quickTimeMetadata = AVMetadataKeySpace(rawValue: "mdta")
    /// The keys of internet radio.
    public static let icy = AVMetadataKeySpace(rawValue: "icy")
    /// The keys of Core Audio's dictionary about a file, for WAV, AIFF and CAF.
    public static let audioFile = AVMetadataKeySpace(rawValue: "caaf")
}

/// A kind of metadata.
///
/// Apple: `AVMetadataFormat`; so are its members.
public struct AVMetadataFormat: RawRepresentable, Hashable, Sendable {
    /// Apple's name for it.
    public let rawValue: String

    /// Creates a format from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// ID3.
    public static let id3Metadata = AVMetadataFormat(rawValue: "org.id3")
    /// iTunes's, in MPEG-4 files.
    public static let iTunesMetadata = AVMetadataFormat(rawValue: "com.apple.itunes")
    /// QuickTime's.
    public static let quickTimeMetadata = AVMetadataFormat(rawValue: "com.apple.quicktime.mdta")
    /// Any other, such as Vorbis comments.
    public static let unknown = AVMetadataFormat(rawValue: "public.unknown")
}
