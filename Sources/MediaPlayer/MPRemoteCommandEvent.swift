public import Foundation

/// What is repeated.
///
/// Apple: `MPRepeatType`; MPRIS: `None`, `Track`, `Playlist`.
public enum MPRepeatType: Int, Sendable {
    /// Nothing.
    case off = 0
    /// The current item.
    case one = 1
    /// The whole queue.
    case all = 2
}

/// What is shuffled.
///
/// Apple: `MPShuffleType`; MPRIS knows yes and no, and asks for items.
public enum MPShuffleType: Int, Sendable {
    /// Nothing.
    case off = 0
    /// Items.
    case items = 1
    /// Albums, playlists.
    case collections = 2
}

/// Whether somebody begins or ends to wind.
///
/// Apple: `MPSeekCommandEventType`.
public enum MPSeekCommandEventType: UInt, Sendable {
    /// A key is pressed.
    case beginSeeking = 0
    /// It is released.
    case endSeeking = 1
}

/// For how long a language is chosen.
///
/// Apple: `MPChangeLanguageOptionSetting`.
public enum MPChangeLanguageOptionSetting: Int, Sendable {
    /// It is not said.
    case none = 0
    /// For this item.
    case nowPlayingItemOnly = 1
    /// For all.
    case permanent = 2
}

/// A wish of somebody with a remote control.
///
/// Made by the library; read it in the handler, on the main queue.
///
/// Apple: `MPRemoteCommandEvent`.
nonisolated open class MPRemoteCommandEvent: NSObject {
    /// What is asked for.
    ///
    /// Apple: `MPRemoteCommandEvent.command`.
    public let command: MPRemoteCommand
    /// When, in seconds since the machine started, sleep not counted.
    ///
    /// Apple: `MPRemoteCommandEvent.timestamp`; POSIX: `CLOCK_MONOTONIC`.
    public let timestamp: TimeInterval

    init(_ command: MPRemoteCommand) {
        self.command = command
        timestamp = ProcessInfo.processInfo.systemUptime
    }
}

/// A wish for a rate.
///
/// Apple: `MPChangePlaybackRateCommandEvent`.
nonisolated open class MPChangePlaybackRateCommandEvent: MPRemoteCommandEvent {
    /// How fast to play.
    ///
    /// Apple: `playbackRate`.
    public let playbackRate: Float

    init(_ command: MPRemoteCommand, playbackRate: Float) {
        self.playbackRate = playbackRate
        super.init(command)
    }
}

/// A wish for a position.
///
/// Apple: `MPChangePlaybackPositionCommandEvent`.
nonisolated open class MPChangePlaybackPositionCommandEvent: MPRemoteCommandEvent {
    /// Where to go, in seconds from the beginning.
    ///
    /// Apple: `positionTime`.
    public let positionTime: TimeInterval

    init(_ command: MPRemoteCommand, positionTime: TimeInterval) {
        self.positionTime = positionTime
        super.init(command)
    }
}

/// A wish to skip.
///
/// Apple: `MPSkipIntervalCommandEvent`.
nonisolated open class MPSkipIntervalCommandEvent: MPRemoteCommandEvent {
    /// How far, in seconds; the command says in which direction.
    ///
    /// Apple: `interval`.
    public let interval: TimeInterval

    init(_ command: MPRemoteCommand, interval: TimeInterval) {
        self.interval = interval
        super.init(command)
    }
}

/// A wish to repeat.
///
/// Apple: `MPChangeRepeatModeCommandEvent`.
nonisolated open class MPChangeRepeatModeCommandEvent: MPRemoteCommandEvent {
    /// What to repeat.
    ///
    /// Apple: `repeatType`.
    public let repeatType: MPRepeatType
    /// Whether that is to be remembered for the next time: MPRIS does not say, so it is.
    ///
    /// Apple: `preservesRepeatMode`.
    public let preservesRepeatMode = true

    init(_ command: MPRemoteCommand, repeatType: MPRepeatType) {
        self.repeatType = repeatType
        super.init(command)
    }
}

/// A wish to shuffle.
///
/// Apple: `MPChangeShuffleModeCommandEvent`.
nonisolated open class MPChangeShuffleModeCommandEvent: MPRemoteCommandEvent {
    /// What to shuffle.
    ///
    /// Apple: `shuffleType`.
    public let shuffleType: MPShuffleType
    /// Whether that is to be remembered for the next time: MPRIS does not say, so it is.
    ///
    /// Apple: `preservesShuffleMode`.
    public let preservesShuffleMode = true

    init(_ command: MPRemoteCommand, shuffleType: MPShuffleType) {
        self.shuffleType = shuffleType
        super.init(command)
    }
}

/// A wish for loudness, on **Linux only**.
nonisolated open class MPChangeVolumeCommandEvent: MPRemoteCommandEvent {
    /// How loud, from 0 to 1.
    ///
    /// Linux only.
    public let volume: Float

    init(_ command: MPRemoteCommand, volume: Float) {
        self.volume = volume
        super.init(command)
    }
}

/// A wish to wind; nobody on Linux sends it.
///
/// Apple: `MPSeekCommandEvent`.
nonisolated open class MPSeekCommandEvent: MPRemoteCommandEvent {
    /// Whether it begins or ends.
    ///
    /// Apple: `type`.
    public let type: MPSeekCommandEventType

    init(_ command: MPRemoteCommand, type: MPSeekCommandEventType) {
        self.type = type
        super.init(command)
    }
}

/// A rating; nobody on Linux sends it.
///
/// Apple: `MPRatingCommandEvent`.
nonisolated open class MPRatingCommandEvent: MPRemoteCommandEvent {
    /// How good.
    ///
    /// Apple: `rating`.
    public let rating: Float

    init(_ command: MPRemoteCommand, rating: Float) {
        self.rating = rating
        super.init(command)
    }
}

/// A like, dislike or bookmark; nobody on Linux sends it.
///
/// Apple: `MPFeedbackCommandEvent`.
nonisolated open class MPFeedbackCommandEvent: MPRemoteCommandEvent {
    /// Whether it is taken back.
    ///
    /// Apple: `isNegative`.
    public let isNegative: Bool

    init(_ command: MPRemoteCommand, isNegative: Bool) {
        self.isNegative = isNegative
        super.init(command)
    }
}

/// A wish for a language; nobody on Linux sends it.
///
/// Apple: `MPChangeLanguageOptionCommandEvent`.
nonisolated open class MPChangeLanguageOptionCommandEvent: MPRemoteCommandEvent {
    /// Which one.
    ///
    /// Apple: `languageOption`.
    public let languageOption: MPNowPlayingInfoLanguageOption
    /// For how long.
    ///
    /// Apple: `setting`.
    public let setting: MPChangeLanguageOptionSetting

    init(
        _ command: MPRemoteCommand, languageOption: MPNowPlayingInfoLanguageOption,
        setting: MPChangeLanguageOptionSetting
    ) {
        self.languageOption = languageOption
        self.setting = setting
        super.init(command)
    }
}
