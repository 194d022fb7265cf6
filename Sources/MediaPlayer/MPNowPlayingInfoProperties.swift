// What `MPNowPlayingInfoCenter.nowPlayingInfo` may hold beside the properties of media items. What is told, as MPRIS
// metadata of the name given, every program on the session bus can read.

/// Where playback is in the item, in seconds (a number); it counts from the moment at which it is set.
///
/// Apple: `MPNowPlayingInfoPropertyElapsedPlaybackTime`.
public let MPNowPlayingInfoPropertyElapsedPlaybackTime = "MPNowPlayingInfoPropertyElapsedPlaybackTime"

/// How fast the item plays (a number): 1 as it was meant to, 0 while it stands.
///
/// Apple: `MPNowPlayingInfoPropertyPlaybackRate`.
public let MPNowPlayingInfoPropertyPlaybackRate = "MPNowPlayingInfoPropertyPlaybackRate"

/// How fast the item plays when it plays (a number); 1 unless it is given.
///
/// Apple: `MPNowPlayingInfoPropertyDefaultPlaybackRate`.
public let MPNowPlayingInfoPropertyDefaultPlaybackRate = "MPNowPlayingInfoPropertyDefaultPlaybackRate"

/// The place of the item in the app's queue (a whole number, from 0); told as `avaudiosession:queueIndex`.
///
/// Apple: `MPNowPlayingInfoPropertyPlaybackQueueIndex`.
public let MPNowPlayingInfoPropertyPlaybackQueueIndex = "MPNowPlayingInfoPropertyPlaybackQueueIndex"

/// How many items the app's queue has (a whole number); told as `avaudiosession:queueCount`.
///
/// Apple: `MPNowPlayingInfoPropertyPlaybackQueueCount`.
public let MPNowPlayingInfoPropertyPlaybackQueueCount = "MPNowPlayingInfoPropertyPlaybackQueueCount"

/// The chapter that plays (a whole number, from 0); told as `avaudiosession:chapterNumber`.
///
/// Apple: `MPNowPlayingInfoPropertyChapterNumber`.
public let MPNowPlayingInfoPropertyChapterNumber = "MPNowPlayingInfoPropertyChapterNumber"

/// How many chapters the item has (a whole number); told as `avaudiosession:chapterCount`.
///
/// Apple: `MPNowPlayingInfoPropertyChapterCount`.
public let MPNowPlayingInfoPropertyChapterCount = "MPNowPlayingInfoPropertyChapterCount"

/// Whether the item has no end (a truth value); its duration is not told then.
///
/// Apple: `MPNowPlayingInfoPropertyIsLiveStream`.
public let MPNowPlayingInfoPropertyIsLiveStream = "MPNowPlayingInfoPropertyIsLiveStream"

/// An `MPNowPlayingInfoMediaType` (its raw value); told as `avaudiosession:mediaType`, unless it is none.
///
/// Apple: `MPNowPlayingInfoPropertyMediaType`.
public let MPNowPlayingInfoPropertyMediaType = "MPNowPlayingInfoPropertyMediaType"

/// Where the item comes from (a `URL`); queries, fragments and passwords are not told.
///
/// Apple: `MPNowPlayingInfoPropertyAssetURL`.
public let MPNowPlayingInfoPropertyAssetURL = "MPNowPlayingInfoPropertyAssetURL"

/// The date that belongs to the elapsed time (a `Date`); told as `avaudiosession:date`.
///
/// Apple: `MPNowPlayingInfoPropertyCurrentPlaybackDate`.
public let MPNowPlayingInfoPropertyCurrentPlaybackDate = "MPNowPlayingInfoPropertyCurrentPlaybackDate"

/// How much of the item was played, from 0 to 1; tells the position of an item whose duration is given, and whose
/// elapsed time is not.
///
/// Apple: `MPNowPlayingInfoPropertyPlaybackProgress`.
public let MPNowPlayingInfoPropertyPlaybackProgress = "MPNowPlayingInfoPropertyPlaybackProgress"

/// Which service the item comes from (a `String`); told as `avaudiosession:service`.
///
/// Apple: `MPNowPlayingInfoPropertyServiceIdentifier`.
public let MPNowPlayingInfoPropertyServiceIdentifier = "MPNowPlayingInfoPropertyServiceIdentifier"

/// What tells the item from others (a `String`): another one is another track; told to nobody.
///
/// Apple: `MPNowPlayingInfoPropertyExternalContentIdentifier`.
public let MPNowPlayingInfoPropertyExternalContentIdentifier = "MPNowPlayingInfoPropertyExternalContentIdentifier"

/// Whose profile plays (a `String`): another one is another track; told to nobody.
///
/// Apple: `MPNowPlayingInfoPropertyExternalUserProfileIdentifier`.
public let MPNowPlayingInfoPropertyExternalUserProfileIdentifier =
    "MPNowPlayingInfoPropertyExternalUserProfileIdentifier"

/// The languages there are (`[MPNowPlayingInfoLanguageOptionGroup]`); their names are told as
/// `avaudiosession:languages`.
///
/// Apple: `MPNowPlayingInfoPropertyAvailableLanguageOptions`.
public let MPNowPlayingInfoPropertyAvailableLanguageOptions = "MPNowPlayingInfoPropertyAvailableLanguageOptions"

/// The languages in use (`[MPNowPlayingInfoLanguageOption]`); their names are told as
/// `avaudiosession:currentLanguages`.
///
/// Apple: `MPNowPlayingInfoPropertyCurrentLanguageOptions`.
public let MPNowPlayingInfoPropertyCurrentLanguageOptions = "MPNowPlayingInfoPropertyCurrentLanguageOptions"

/// Where advertisements are; kept, and told to nobody.
///
/// Apple: `MPNowPlayingInfoPropertyAdTimeRanges`.
public let MPNowPlayingInfoPropertyAdTimeRanges = "MPNowPlayingInfoPropertyAdTimeRanges"

/// The album or playlist that the item belongs to (a `String`): another one is another track; told as
/// `avaudiosession:collection`.
///
/// Apple: `MPNowPlayingInfoCollectionIdentifier`.
public let MPNowPlayingInfoCollectionIdentifier = "MPNowPlayingInfoCollectionIdentifier"
