// Keys for `MPNowPlayingInfoCenter.nowPlayingInfo`, in addition to the properties of media items. Published values,
// under the given MPRIS keys, are readable by every program on the session bus.

/// The playback position, in seconds (a number); it advances from the moment of its assignment.
///
/// Apple: `MPNowPlayingInfoPropertyElapsedPlaybackTime`.
public let MPNowPlayingInfoPropertyElapsedPlaybackTime = "MPNowPlayingInfoPropertyElapsedPlaybackTime"

/// The current playback rate (a number): 1 is normal speed, 0 is paused.
///
/// Apple: `MPNowPlayingInfoPropertyPlaybackRate`.
public let MPNowPlayingInfoPropertyPlaybackRate = "MPNowPlayingInfoPropertyPlaybackRate"

/// The usual playback rate of the item (a number); 1 if missing.
///
/// Apple: `MPNowPlayingInfoPropertyDefaultPlaybackRate`.
public let MPNowPlayingInfoPropertyDefaultPlaybackRate = "MPNowPlayingInfoPropertyDefaultPlaybackRate"

/// The item's index in the app's queue (a whole number, from 0); published as `avaudiosession:queueIndex`.
///
/// Apple: `MPNowPlayingInfoPropertyPlaybackQueueIndex`.
public let MPNowPlayingInfoPropertyPlaybackQueueIndex = "MPNowPlayingInfoPropertyPlaybackQueueIndex"

/// The number of items in the app's queue (a whole number); published as `avaudiosession:queueCount`.
///
/// Apple: `MPNowPlayingInfoPropertyPlaybackQueueCount`.
public let MPNowPlayingInfoPropertyPlaybackQueueCount = "MPNowPlayingInfoPropertyPlaybackQueueCount"

/// The current chapter (a whole number, from 0); published as `avaudiosession:chapterNumber`.
///
/// Apple: `MPNowPlayingInfoPropertyChapterNumber`.
public let MPNowPlayingInfoPropertyChapterNumber = "MPNowPlayingInfoPropertyChapterNumber"

/// The number of the item's chapters (a whole number); published as `avaudiosession:chapterCount`.
///
/// Apple: `MPNowPlayingInfoPropertyChapterCount`.
public let MPNowPlayingInfoPropertyChapterCount = "MPNowPlayingInfoPropertyChapterCount"

/// Whether the item is a live stream (a `Bool`); its duration is not published.
///
/// Apple: `MPNowPlayingInfoPropertyIsLiveStream`.
public let MPNowPlayingInfoPropertyIsLiveStream = "MPNowPlayingInfoPropertyIsLiveStream"

/// An `MPNowPlayingInfoMediaType` (or its raw value); published as `avaudiosession:mediaType`, except `none`.
///
/// Apple: `MPNowPlayingInfoPropertyMediaType`.
public let MPNowPlayingInfoPropertyMediaType = "MPNowPlayingInfoPropertyMediaType"

/// The item's location (a `URL`); published without user name, password, query and fragment.
///
/// Apple: `MPNowPlayingInfoPropertyAssetURL`.
public let MPNowPlayingInfoPropertyAssetURL = "MPNowPlayingInfoPropertyAssetURL"

/// The date of the elapsed time (a `Date`); published as `avaudiosession:date`.
///
/// Apple: `MPNowPlayingInfoPropertyCurrentPlaybackDate`.
public let MPNowPlayingInfoPropertyCurrentPlaybackDate = "MPNowPlayingInfoPropertyCurrentPlaybackDate"

/// The played fraction of the item, from 0 to 1.
///
/// It determines the position if a duration is given and no elapsed time.
///
/// Apple: `MPNowPlayingInfoPropertyPlaybackProgress`.
public let MPNowPlayingInfoPropertyPlaybackProgress = "MPNowPlayingInfoPropertyPlaybackProgress"

/// The identifier of the item's service (a `String`); published as `avaudiosession:service`.
///
/// Apple: `MPNowPlayingInfoPropertyServiceIdentifier`.
public let MPNowPlayingInfoPropertyServiceIdentifier = "MPNowPlayingInfoPropertyServiceIdentifier"

/// The item's external identifier (a `String`): a different one means a different track.
///
/// It is not published.
///
/// Apple: `MPNowPlayingInfoPropertyExternalContentIdentifier`.
public let MPNowPlayingInfoPropertyExternalContentIdentifier = "MPNowPlayingInfoPropertyExternalContentIdentifier"

/// The user profile's identifier (a `String`): a different one means a different track.
///
/// It is not published.
///
/// Apple: `MPNowPlayingInfoPropertyExternalUserProfileIdentifier`.
public let MPNowPlayingInfoPropertyExternalUserProfileIdentifier =
    "MPNowPlayingInfoPropertyExternalUserProfileIdentifier"

/// The available languages (`[MPNowPlayingInfoLanguageOptionGroup]`); their names are published as
/// `avaudiosession:languages`.
///
/// Apple: `MPNowPlayingInfoPropertyAvailableLanguageOptions`.
public let MPNowPlayingInfoPropertyAvailableLanguageOptions = "MPNowPlayingInfoPropertyAvailableLanguageOptions"

/// The languages in use (`[MPNowPlayingInfoLanguageOption]`); their names are published as
/// `avaudiosession:currentLanguages`.
///
/// Apple: `MPNowPlayingInfoPropertyCurrentLanguageOptions`.
public let MPNowPlayingInfoPropertyCurrentLanguageOptions = "MPNowPlayingInfoPropertyCurrentLanguageOptions"

/// The time ranges of advertisements.
///
/// They are not published.
///
/// Apple: `MPNowPlayingInfoPropertyAdTimeRanges`.
public let MPNowPlayingInfoPropertyAdTimeRanges = "MPNowPlayingInfoPropertyAdTimeRanges"

/// The item's album or playlist (a `String`): a different one means a different track.
///
/// Published as `avaudiosession:collection`.
///
/// Apple: `MPNowPlayingInfoCollectionIdentifier`.
public let MPNowPlayingInfoCollectionIdentifier = "MPNowPlayingInfoCollectionIdentifier"
