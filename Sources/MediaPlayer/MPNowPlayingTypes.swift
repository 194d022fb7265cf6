public import Foundation

/// The app's playback state, as set by the app.
///
/// Apple: `MPNowPlayingPlaybackState`.
public enum MPNowPlayingPlaybackState: UInt, Sendable {
    /// Not set: ``MPNowPlayingInfoCenter/nowPlayingInfo`` and the session's players decide.
    case unknown = 0
    /// Playing.
    case playing = 1
    /// Paused, at a position to resume from.
    case paused = 2
    /// Stopped, without a position.
    case stopped = 3
    /// Interrupted; published as paused.
    case interrupted = 4
}

/// The media type of the current item.
///
/// Apple: `MPNowPlayingInfoMediaType`.
public enum MPNowPlayingInfoMediaType: UInt, Sendable {
    /// Neither audio nor video.
    case none = 0
    /// Sound.
    case audio = 1
    /// Pictures and sound.
    case video = 2
}

/// The type of a language option.
///
/// Apple: `MPNowPlayingInfoLanguageOptionType`.
public enum MPNowPlayingInfoLanguageOptionType: UInt, Sendable {
    /// Spoken.
    case audible = 0
    /// Written.
    case legible = 1
}

/// A language in which an item can be heard or read.
///
/// Its name is published; no remote control on Linux selects one.
///
/// Apple: `MPNowPlayingInfoLanguageOption`.
nonisolated open class MPNowPlayingInfoLanguageOption: NSObject {
    /// Audible or legible.
    ///
    /// Apple: `languageOptionType`.
    public let languageOptionType: MPNowPlayingInfoLanguageOptionType
    /// The language tag, such as `en-GB`, or nil.
    ///
    /// Apple: `languageTag`.
    public let languageTag: String?
    /// The special characteristics of the option, or nil.
    ///
    /// Apple: `languageOptionCharacteristics`.
    public let languageOptionCharacteristics: [String]?
    /// The name to display, or nil.
    ///
    /// Apple: `displayName`.
    public let displayName: String?
    /// The app's own identifier, or nil.
    ///
    /// Apple: `identifier`.
    public let identifier: String?

    /// Creates a language option, on any thread.
    ///
    /// Apple: `init(type:languageTag:characteristics:displayName:identifier:)`.
    public init(
        type languageOptionType: MPNowPlayingInfoLanguageOptionType, languageTag: String,
        characteristics languageOptionCharacteristics: [String]?, displayName: String, identifier: String
    ) {
        self.languageOptionType = languageOptionType
        self.languageTag = languageTag
        self.languageOptionCharacteristics = languageOptionCharacteristics
        self.displayName = displayName
        self.identifier = identifier
    }
}

/// A group of languages of which one is selected at a time.
///
/// Their names are published.
///
/// Apple: `MPNowPlayingInfoLanguageOptionGroup`.
nonisolated open class MPNowPlayingInfoLanguageOptionGroup: NSObject {
    /// The languages.
    ///
    /// Apple: `languageOptions`.
    public let languageOptions: [MPNowPlayingInfoLanguageOption]
    /// The language that is used until another one is selected, or nil.
    ///
    /// Apple: `defaultLanguageOption`.
    public let defaultLanguageOption: MPNowPlayingInfoLanguageOption?
    /// Whether the group can be without a selection.
    ///
    /// Apple: `allowEmptySelection`.
    public let allowEmptySelection: Bool

    /// Creates a group, on any thread.
    ///
    /// Apple: `init(languageOptions:defaultLanguageOption:allowEmptySelection:)`.
    public init(
        languageOptions: [MPNowPlayingInfoLanguageOption], defaultLanguageOption: MPNowPlayingInfoLanguageOption?,
        allowEmptySelection: Bool
    ) {
        self.languageOptions = languageOptions
        self.defaultLanguageOption = defaultLanguageOption
        self.allowEmptySelection = allowEmptySelection
    }
}
