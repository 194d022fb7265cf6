public import Foundation

/// Whether the app plays, as it says itself.
///
/// Apple: `MPNowPlayingPlaybackState`.
public enum MPNowPlayingPlaybackState: UInt, Sendable {
    /// The app does not say; what it plays and its session do.
    case unknown = 0
    /// It plays.
    case playing = 1
    /// It stands, at a position to go on from.
    case paused = 2
    /// It stands, with nothing to go on from.
    case stopped = 3
    /// It was interrupted; others see it as paused.
    case interrupted = 4
}

/// What kind of thing plays.
///
/// Apple: `MPNowPlayingInfoMediaType`.
public enum MPNowPlayingInfoMediaType: UInt, Sendable {
    /// Neither of the others.
    case none = 0
    /// Sound.
    case audio = 1
    /// Pictures and sound.
    case video = 2
}

/// What kind of language option one is.
///
/// Apple: `MPNowPlayingInfoLanguageOptionType`.
public enum MPNowPlayingInfoLanguageOptionType: UInt, Sendable {
    /// Spoken.
    case audible = 0
    /// Written.
    case legible = 1
}

/// A language that an item can be heard or read in; kept for the app, since no remote control on Linux asks for one.
///
/// Apple: `MPNowPlayingInfoLanguageOption`.
nonisolated open class MPNowPlayingInfoLanguageOption: NSObject {
    /// Heard or read.
    ///
    /// Apple: `languageOptionType`.
    public let languageOptionType: MPNowPlayingInfoLanguageOptionType
    /// Such as `en-GB`, or nil.
    ///
    /// Apple: `languageTag`.
    public let languageTag: String?
    /// What is special about it, or nil.
    ///
    /// Apple: `languageOptionCharacteristics`.
    public let languageOptionCharacteristics: [String]?
    /// For people, or nil.
    ///
    /// Apple: `displayName`.
    public let displayName: String?
    /// The app's own name for it, or nil.
    ///
    /// Apple: `identifier`.
    public let identifier: String?

    /// A language option; may be made on any thread.
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

/// Languages of which one is chosen at a time; kept for the app.
///
/// Apple: `MPNowPlayingInfoLanguageOptionGroup`.
nonisolated open class MPNowPlayingInfoLanguageOptionGroup: NSObject {
    /// The languages.
    ///
    /// Apple: `languageOptions`.
    public let languageOptions: [MPNowPlayingInfoLanguageOption]
    /// The one that is used unless another one is chosen, or nil.
    ///
    /// Apple: `defaultLanguageOption`.
    public let defaultLanguageOption: MPNowPlayingInfoLanguageOption?
    /// Whether none may be chosen.
    ///
    /// Apple: `allowEmptySelection`.
    public let allowEmptySelection: Bool

    /// A group; may be made on any thread.
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
