// Keys for the properties of a media item, in `MPNowPlayingInfoCenter.nowPlayingInfo`.

/// The item's title (a `String`).
///
/// Apple: `MPMediaItemPropertyTitle`; MPRIS: `xesam:title`.
public let MPMediaItemPropertyTitle = "title"

/// The performing artist (a `String`).
///
/// Apple: `MPMediaItemPropertyArtist`; MPRIS: `xesam:artist`.
public let MPMediaItemPropertyArtist = "artist"

/// The item's album (a `String`).
///
/// Apple: `MPMediaItemPropertyAlbumTitle`; MPRIS: `xesam:album`.
public let MPMediaItemPropertyAlbumTitle = "albumTitle"

/// The album's artist (a `String`).
///
/// Apple: `MPMediaItemPropertyAlbumArtist`; MPRIS: `xesam:albumArtist`.
public let MPMediaItemPropertyAlbumArtist = "albumArtist"

/// Its genre (a `String`).
///
/// Apple: `MPMediaItemPropertyGenre`; MPRIS: `xesam:genre`.
public let MPMediaItemPropertyGenre = "genre"

/// The composer (a `String`).
///
/// Apple: `MPMediaItemPropertyComposer`; MPRIS: `xesam:composer`.
public let MPMediaItemPropertyComposer = "composer"

/// The item's duration, in seconds (a number).
///
/// Apple: `MPMediaItemPropertyPlaybackDuration`; MPRIS: `mpris:length`.
public let MPMediaItemPropertyPlaybackDuration = "playbackDuration"

/// The item's number in the album (a whole number, from 1).
///
/// Apple: `MPMediaItemPropertyAlbumTrackNumber`; MPRIS: `xesam:trackNumber`.
public let MPMediaItemPropertyAlbumTrackNumber = "albumTrackNumber"

/// The number of tracks of the album (a whole number); published as `avaudiosession:albumTrackCount`.
///
/// Apple: `MPMediaItemPropertyAlbumTrackCount`.
public let MPMediaItemPropertyAlbumTrackCount = "albumTrackCount"

/// The number of its disc (a whole number, from 1).
///
/// Apple: `MPMediaItemPropertyDiscNumber`; MPRIS: `xesam:discNumber`.
public let MPMediaItemPropertyDiscNumber = "discNumber"

/// The number of discs of the album (a whole number); published as `avaudiosession:discCount`.
///
/// Apple: `MPMediaItemPropertyDiscCount`.
public let MPMediaItemPropertyDiscCount = "discCount"

/// Its picture (an `MPMediaItemArtwork`).
///
/// Apple: `MPMediaItemPropertyArtwork`; MPRIS: `mpris:artUrl`.
public let MPMediaItemPropertyArtwork = "artwork"

/// The item's identifier (a number): a different one means a different track.
///
/// It is not published.
///
/// Apple: `MPMediaItemPropertyPersistentID`.
public let MPMediaItemPropertyPersistentID = "persistentID"

/// The item's podcast (a `String`); published as `avaudiosession:podcastTitle`.
///
/// Apple: `MPMediaItemPropertyPodcastTitle`.
public let MPMediaItemPropertyPodcastTitle = "podcastTitle"

/// The release date (a `Date`).
///
/// Apple: `MPMediaItemPropertyReleaseDate`; MPRIS: `xesam:contentCreated`.
public let MPMediaItemPropertyReleaseDate = "releaseDate"

/// The item's ``MPMediaType`` (or its raw value); published as `avaudiosession:itemTypes`, the names of the types.
///
/// Apple: `MPMediaItemPropertyMediaType`.
public let MPMediaItemPropertyMediaType = "mediaType"

/// Whether the item is not suitable for children (a `Bool`); published as `avaudiosession:isExplicit`.
///
/// Apple: `MPMediaItemPropertyIsExplicit`.
public let MPMediaItemPropertyIsExplicit = "isExplicit"

/// The item's location (a `URL`).
///
/// It is only used without ``MPNowPlayingInfoPropertyAssetURL``, and published like that one.
///
/// Apple: `MPMediaItemPropertyAssetURL`; MPRIS: `xesam:url`.
public let MPMediaItemPropertyAssetURL = "assetURL"

/// The lyrics (a `String`).
///
/// Apple: `MPMediaItemPropertyLyrics`; MPRIS: `xesam:asText`.
public let MPMediaItemPropertyLyrics = "lyrics"

/// The user's rating (a number), from 1 to 5; 0 means not rated.
///
/// Apple: `MPMediaItemPropertyRating`; MPRIS: `xesam:userRating`, from 0 to 1.
public let MPMediaItemPropertyRating = "rating"

/// The position at which the item is to go on, in seconds (a number); published as `avaudiosession:bookmarkTime`.
///
/// Apple: `MPMediaItemPropertyBookmarkTime`.
public let MPMediaItemPropertyBookmarkTime = "bookmarkTime"
