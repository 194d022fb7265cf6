public import Foundation

/// The repeat mode.
///
/// Apple: `MPRepeatType`; MPRIS: `None`, `Track`, `Playlist`.
public enum MPRepeatType: Int, Sendable {
    /// No repetition.
    case off = 0
    /// The current item.
    case one = 1
    /// The whole queue.
    case all = 2
}

/// The shuffle mode.
///
/// Apple: `MPShuffleType`; MPRIS knows yes and no, and asks for items.
public enum MPShuffleType: Int, Sendable {
    /// No shuffling.
    case off = 0
    /// Items.
    case items = 1
    /// Collections, such as albums and playlists.
    case collections = 2
}

/// The beginning or end of winding.
///
/// Apple: `MPSeekCommandEventType`.
public enum MPSeekCommandEventType: UInt, Sendable {
    /// A key was pressed.
    case beginSeeking = 0
    /// The key was released.
    case endSeeking = 1
}

/// The period for which a language option is selected.
///
/// Apple: `MPChangeLanguageOptionSetting`.
public enum MPChangeLanguageOptionSetting: Int, Sendable {
    /// Not specified.
    case none = 0
    /// The current item only.
    case nowPlayingItemOnly = 1
    /// All items.
    case permanent = 2
}

/// A request from a remote control.
///
/// Created by the library, and read in the handler, on the main queue. Tests of an app can create one, or a subclass
/// that overrides its values, and pass it to the app's handler.
///
/// Apple: `MPRemoteCommandEvent`.
nonisolated open class MPRemoteCommandEvent: NSObject {
    /// The command that was sent.
    ///
    /// Apple: `MPRemoteCommandEvent.command`.
    open private(set) var command: MPRemoteCommand
    /// The time of the request, in seconds since the start of the machine, without sleep.
    ///
    /// Apple: `MPRemoteCommandEvent.timestamp`; POSIX: `CLOCK_MONOTONIC`.
    open private(set) var timestamp: TimeInterval

    /// Creates an event without a particular command, for tests of apps.
    ///
    /// The values of subclasses are 0, off or false.
    ///
    /// Apple: `init()`, of `NSObject`.
    public override init() {
        command = MPRemoteCommand()
        timestamp = ProcessInfo.processInfo.systemUptime
    }

    init(_ command: MPRemoteCommand) {
        self.command = command
        timestamp = ProcessInfo.processInfo.systemUptime
    }
}

/// A request for a playback rate.
///
/// Apple: `MPChangePlaybackRateCommandEvent`.
nonisolated open class MPChangePlaybackRateCommandEvent: MPRemoteCommandEvent {
    /// The requested rate; 1 is normal speed.
    ///
    /// Apple: `playbackRate`.
    open private(set) var playbackRate: Float

    /// See ``MPRemoteCommandEvent/init()``.
    public override init() {
        playbackRate = 0
        super.init()
    }

    init(_ command: MPRemoteCommand, playbackRate: Float) {
        self.playbackRate = playbackRate
        super.init(command)
    }
}

/// A request for a playback position.
///
/// Apple: `MPChangePlaybackPositionCommandEvent`.
nonisolated open class MPChangePlaybackPositionCommandEvent: MPRemoteCommandEvent {
    /// The requested position, in seconds from the beginning.
    ///
    /// Apple: `positionTime`.
    open private(set) var positionTime: TimeInterval

    /// See ``MPRemoteCommandEvent/init()``.
    public override init() {
        positionTime = 0
        super.init()
    }

    init(_ command: MPRemoteCommand, positionTime: TimeInterval) {
        self.positionTime = positionTime
        super.init(command)
    }
}

/// A request to skip.
///
/// Apple: `MPSkipIntervalCommandEvent`.
nonisolated open class MPSkipIntervalCommandEvent: MPRemoteCommandEvent {
    /// The distance, in seconds; its direction follows from the command.
    ///
    /// Apple: `interval`.
    open private(set) var interval: TimeInterval

    /// See ``MPRemoteCommandEvent/init()``.
    public override init() {
        interval = 0
        super.init()
    }

    init(_ command: MPRemoteCommand, interval: TimeInterval) {
        self.interval = interval
        super.init(command)
    }
}

/// A request for a repeat mode.
///
/// Apple: `MPChangeRepeatModeCommandEvent`.
nonisolated open class MPChangeRepeatModeCommandEvent: MPRemoteCommandEvent {
    /// The requested mode.
    ///
    /// Apple: `repeatType`.
    open private(set) var repeatType: MPRepeatType
    /// Whether the app should keep the mode for later sessions.
    ///
    /// MPRIS does not say: always true.
    ///
    /// Apple: `preservesRepeatMode`.
    open var preservesRepeatMode: Bool { true }

    /// See ``MPRemoteCommandEvent/init()``.
    public override init() {
        repeatType = .off
        super.init()
    }

    init(_ command: MPRemoteCommand, repeatType: MPRepeatType) {
        self.repeatType = repeatType
        super.init(command)
    }
}

/// A request for a shuffle mode.
///
/// Apple: `MPChangeShuffleModeCommandEvent`.
nonisolated open class MPChangeShuffleModeCommandEvent: MPRemoteCommandEvent {
    /// The requested mode.
    ///
    /// Apple: `shuffleType`.
    open private(set) var shuffleType: MPShuffleType
    /// Whether the app should keep the mode for later sessions.
    ///
    /// MPRIS does not say: always true.
    ///
    /// Apple: `preservesShuffleMode`.
    open var preservesShuffleMode: Bool { true }

    /// See ``MPRemoteCommandEvent/init()``.
    public override init() {
        shuffleType = .off
        super.init()
    }

    init(_ command: MPRemoteCommand, shuffleType: MPShuffleType) {
        self.shuffleType = shuffleType
        super.init(command)
    }
}

/// A request for a volume, on **Linux only**.
nonisolated open class MPChangeVolumeCommandEvent: MPRemoteCommandEvent {
    /// The requested volume, from 0 to 1.
    ///
    /// Linux only.
    open private(set) var volume: Float

    /// See ``MPRemoteCommandEvent/init()``.
    public override init() {
        volume = 0
        super.init()
    }

    init(_ command: MPRemoteCommand, volume: Float) {
        self.volume = volume
        super.init(command)
    }
}

/// A request to wind; never sent on Linux.
///
/// Apple: `MPSeekCommandEvent`.
nonisolated open class MPSeekCommandEvent: MPRemoteCommandEvent {
    /// Whether winding begins or ends.
    ///
    /// Apple: `type`.
    open private(set) var type: MPSeekCommandEventType

    /// See ``MPRemoteCommandEvent/init()``.
    public override init() {
        type = .beginSeeking
        super.init()
    }

    init(_ command: MPRemoteCommand, type: MPSeekCommandEventType) {
        self.type = type
        super.init(command)
    }
}

/// A request to rate the item; never sent on Linux.
///
/// Apple: `MPRatingCommandEvent`.
nonisolated open class MPRatingCommandEvent: MPRemoteCommandEvent {
    /// The rating.
    ///
    /// Apple: `rating`.
    open private(set) var rating: Float

    /// See ``MPRemoteCommandEvent/init()``.
    public override init() {
        rating = 0
        super.init()
    }

    init(_ command: MPRemoteCommand, rating: Float) {
        self.rating = rating
        super.init(command)
    }
}

/// A like, dislike or bookmark; never sent on Linux.
///
/// Apple: `MPFeedbackCommandEvent`.
nonisolated open class MPFeedbackCommandEvent: MPRemoteCommandEvent {
    /// Whether earlier feedback is withdrawn.
    ///
    /// Apple: `isNegative`.
    open private(set) var isNegative: Bool

    /// See ``MPRemoteCommandEvent/init()``.
    public override init() {
        isNegative = false
        super.init()
    }

    init(_ command: MPRemoteCommand, isNegative: Bool) {
        self.isNegative = isNegative
        super.init(command)
    }
}

/// A request for a language option; never sent on Linux.
///
/// Apple: `MPChangeLanguageOptionCommandEvent`.
nonisolated open class MPChangeLanguageOptionCommandEvent: MPRemoteCommandEvent {
    /// The requested language option.
    ///
    /// Apple: `languageOption`.
    open private(set) var languageOption: MPNowPlayingInfoLanguageOption
    /// The period for which it is selected.
    ///
    /// Apple: `setting`.
    open private(set) var setting: MPChangeLanguageOptionSetting

    /// See ``MPRemoteCommandEvent/init()``.
    public override init() {
        languageOption = MPNowPlayingInfoLanguageOption(
            type: .audible, languageTag: "", characteristics: nil, displayName: "", identifier: "")
        setting = .none
        super.init()
    }

    init(
        _ command: MPRemoteCommand, languageOption: MPNowPlayingInfoLanguageOption,
        setting: MPChangeLanguageOptionSetting
    ) {
        self.languageOption = languageOption
        self.setting = setting
        super.init(command)
    }
}
