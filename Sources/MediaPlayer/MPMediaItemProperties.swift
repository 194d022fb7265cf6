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
