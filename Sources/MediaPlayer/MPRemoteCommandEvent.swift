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
/// Made by the library; read it in the handler, on the main queue. Tests of apps make one by itself, or of a subclass that
/// overrides what it says, and hand it to their handler.
///
/// Apple: `MPRemoteCommandEvent`.
nonisolated open class MPRemoteCommandEvent: NSObject {
    /// What is asked for.
    ///
    /// Apple: `MPRemoteCommandEvent.command`.
    open private(set) var command: MPRemoteCommand
    /// When, in seconds since the machine started, sleep not counted.
    ///
    /// Apple: `MPRemoteCommandEvent.timestamp`; POSIX: `CLOCK_MONOTONIC`.
    open private(set) var timestamp: TimeInterval

    /// An event of no command in particular, for tests of apps; subclasses say nothing by it: 0, off, false.
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

/// A wish for a rate.
///
/// Apple: `MPChangePlaybackRateCommandEvent`.
nonisolated open class MPChangePlaybackRateCommandEvent: MPRemoteCommandEvent {
    /// How fast to play.
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

/// A wish for a position.
///
/// Apple: `MPChangePlaybackPositionCommandEvent`.
nonisolated open class MPChangePlaybackPositionCommandEvent: MPRemoteCommandEvent {
    /// Where to go, in seconds from the beginning.
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

/// A wish to skip.
///
/// Apple: `MPSkipIntervalCommandEvent`.
nonisolated open class MPSkipIntervalCommandEvent: MPRemoteCommandEvent {
    /// How far, in seconds; the command says in which direction.
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

/// A wish to repeat.
///
/// Apple: `MPChangeRepeatModeCommandEvent`.
nonisolated open class MPChangeRepeatModeCommandEvent: MPRemoteCommandEvent {
    /// What to repeat.
    ///
    /// Apple: `repeatType`.
    open private(set) var repeatType: MPRepeatType
    /// Whether that is to be remembered for the next time: MPRIS does not say, so it is.
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

/// A wish to shuffle.
///
/// Apple: `MPChangeShuffleModeCommandEvent`.
nonisolated open class MPChangeShuffleModeCommandEvent: MPRemoteCommandEvent {
    /// What to shuffle.
    ///
    /// Apple: `shuffleType`.
    open private(set) var shuffleType: MPShuffleType
    /// Whether that is to be remembered for the next time: MPRIS does not say, so it is.
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

/// A wish for loudness, on **Linux only**.
nonisolated open class MPChangeVolumeCommandEvent: MPRemoteCommandEvent {
    /// How loud, from 0 to 1.
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

/// A wish to wind; nobody on Linux sends it.
///
/// Apple: `MPSeekCommandEvent`.
nonisolated open class MPSeekCommandEvent: MPRemoteCommandEvent {
    /// Whether it begins or ends.
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

/// A rating; nobody on Linux sends it.
///
/// Apple: `MPRatingCommandEvent`.
nonisolated open class MPRatingCommandEvent: MPRemoteCommandEvent {
    /// How good.
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

/// A like, dislike or bookmark; nobody on Linux sends it.
///
/// Apple: `MPFeedbackCommandEvent`.
nonisolated open class MPFeedbackCommandEvent: MPRemoteCommandEvent {
    /// Whether it is taken back.
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

/// A wish for a language; nobody on Linux sends it.
///
/// Apple: `MPChangeLanguageOptionCommandEvent`.
nonisolated open class MPChangeLanguageOptionCommandEvent: MPRemoteCommandEvent {
    /// Which one.
    ///
    /// Apple: `languageOption`.
    open private(set) var languageOption: MPNowPlayingInfoLanguageOption
    /// For how long.
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
