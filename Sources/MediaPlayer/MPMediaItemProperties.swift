// What media items are described by, in `MPNowPlayingInfoCenter.nowPlayingInfo`.

/// The item's title (a `String`).
///
/// Apple: `MPMediaItemPropertyTitle`; MPRIS: `xesam:title`.
public let MPMediaItemPropertyTitle = "title"

/// Who performs it (a `String`).
///
/// Apple: `MPMediaItemPropertyArtist`; MPRIS: `xesam:artist`.
public let MPMediaItemPropertyArtist = "artist"

/// The album it belongs to (a `String`).
///
/// Apple: `MPMediaItemPropertyAlbumTitle`; MPRIS: `xesam:album`.
public let MPMediaItemPropertyAlbumTitle = "albumTitle"

/// Whose album it is (a `String`).
///
/// Apple: `MPMediaItemPropertyAlbumArtist`; MPRIS: `xesam:albumArtist`.
public let MPMediaItemPropertyAlbumArtist = "albumArtist"

/// Its genre (a `String`).
///
/// Apple: `MPMediaItemPropertyGenre`; MPRIS: `xesam:genre`.
public let MPMediaItemPropertyGenre = "genre"

/// Who composed it (a `String`).
///
/// Apple: `MPMediaItemPropertyComposer`; MPRIS: `xesam:composer`.
public let MPMediaItemPropertyComposer = "composer"

/// How long it is, in seconds (a number).
///
/// Apple: `MPMediaItemPropertyPlaybackDuration`; MPRIS: `mpris:length`.
public let MPMediaItemPropertyPlaybackDuration = "playbackDuration"

/// Its number in the album (a whole number, from 1).
///
/// Apple: `MPMediaItemPropertyAlbumTrackNumber`; MPRIS: `xesam:trackNumber`.
public let MPMediaItemPropertyAlbumTrackNumber = "albumTrackNumber"

/// How many tracks the album has (a whole number); told as `avaudiosession:albumTrackCount`.
///
/// Apple: `MPMediaItemPropertyAlbumTrackCount`.
public let MPMediaItemPropertyAlbumTrackCount = "albumTrackCount"

/// The number of its disc (a whole number, from 1).
///
/// Apple: `MPMediaItemPropertyDiscNumber`; MPRIS: `xesam:discNumber`.
public let MPMediaItemPropertyDiscNumber = "discNumber"

/// How many discs the album has (a whole number); told as `avaudiosession:discCount`.
///
/// Apple: `MPMediaItemPropertyDiscCount`.
public let MPMediaItemPropertyDiscCount = "discCount"

/// Its picture (an `MPMediaItemArtwork`).
///
/// Apple: `MPMediaItemPropertyArtwork`; MPRIS: `mpris:artUrl`.
public let MPMediaItemPropertyArtwork = "artwork"

/// What tells it from others (a number): another one is another track.
///
/// Apple: `MPMediaItemPropertyPersistentID`.
public let MPMediaItemPropertyPersistentID = "persistentID"

/// The podcast it belongs to (a `String`); told as `avaudiosession:podcastTitle`.
///
/// Apple: `MPMediaItemPropertyPodcastTitle`.
public let MPMediaItemPropertyPodcastTitle = "podcastTitle"

/// When it came out (a `Date`).
///
/// Apple: `MPMediaItemPropertyReleaseDate`; MPRIS: `xesam:contentCreated`.
public let MPMediaItemPropertyReleaseDate = "releaseDate"

/// An ``MPMediaType`` (or its raw value); told as `avaudiosession:itemTypes`, the names of the kinds.
///
/// Apple: `MPMediaItemPropertyMediaType`.
public let MPMediaItemPropertyMediaType = "mediaType"

/// Whether it is not for children (a `Bool`); told as `avaudiosession:isExplicit`.
///
/// Apple: `MPMediaItemPropertyIsExplicit`.
public let MPMediaItemPropertyIsExplicit = "isExplicit"

/// Where it comes from (a `URL`); counts where ``MPNowPlayingInfoPropertyAssetURL`` is not said, and is told as that is.
///
/// Apple: `MPMediaItemPropertyAssetURL`; MPRIS: `xesam:url`.
public let MPMediaItemPropertyAssetURL = "assetURL"

/// What is sung (a `String`).
///
/// Apple: `MPMediaItemPropertyLyrics`; MPRIS: `xesam:asText`.
public let MPMediaItemPropertyLyrics = "lyrics"

/// How much the user likes it, from 0, which is not rated, to 5 (a number).
///
/// Apple: `MPMediaItemPropertyRating`; MPRIS: `xesam:userRating`, from 0 to 1.
public let MPMediaItemPropertyRating = "rating"
