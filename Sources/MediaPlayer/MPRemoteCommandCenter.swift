public import Foundation

/// The commands of remote controls: media keys, lock screens, headsets, other machines.
///
/// There is one center per process, ``shared()``. A command is offered while it is enabled and has targets. The app is
/// on the bus once it sets now-playing information (``MPNowPlayingInfoCenter``), or once its players run and a command
/// has targets. All members can be used from any thread; targets are called on the main queue.
///
/// Apple: `MPRemoteCommandCenter`; MPRIS: `org.mpris.MediaPlayer2.Player`.
// SAFETY: nothing in it changes, and its commands guard themselves.
nonisolated open class MPRemoteCommandCenter: NSObject, @unchecked Sendable {
    private static let center = MPRemoteCommandCenter()

    /// The center of this process; always the same object.
    ///
    /// Apple: `MPRemoteCommandCenter.shared()`.
    open class func shared() -> MPRemoteCommandCenter { center }

    override private init() {}

    /// Starts playback.
    ///
    /// Apple: `MPRemoteCommandCenter.playCommand`; MPRIS: `Play`.
    public let playCommand = MPRemoteCommand()

    /// Pauses playback.
    ///
    /// During an interruption it also prevents `shouldResume` at the interruption's end.
    ///
    /// Apple: `MPRemoteCommandCenter.pauseCommand`; MPRIS: `Pause`.
    public let pauseCommand = MPRemoteCommand()

    /// Stops playback.
    ///
    /// A stop request is sent to ``pauseCommand`` if this command is not offered.
    ///
    /// Apple: `MPRemoteCommandCenter.stopCommand`; MPRIS: `Stop`.
    public let stopCommand = MPRemoteCommand()

    /// Pauses or starts playback, whichever changes the state: the one key of a headset.
    ///
    /// Apple: `MPRemoteCommandCenter.togglePlayPauseCommand`; MPRIS: `PlayPause`.
    public let togglePlayPauseCommand = MPRemoteCommand()

    /// Plays the next item.
    ///
    /// Apple: `MPRemoteCommandCenter.nextTrackCommand`; MPRIS: `Next`.
    public let nextTrackCommand = MPRemoteCommand()

    /// Plays the previous item, or restarts the current one.
    ///
    /// Apple: `MPRemoteCommandCenter.previousTrackCommand`; MPRIS: `Previous`.
    public let previousTrackCommand = MPRemoteCommand()

    /// Winds forwards while a key is pressed; never sent on Linux.
    ///
    /// Apple: `MPRemoteCommandCenter.seekForwardCommand`.
    public let seekForwardCommand = MPRemoteCommand()

    /// Winds backwards while a key is pressed; never sent on Linux.
    ///
    /// Apple: `MPRemoteCommandCenter.seekBackwardCommand`.
    public let seekBackwardCommand = MPRemoteCommand()

    /// Skips forwards.
    ///
    /// Sent if ``changePlaybackPositionCommand`` is not offered.
    ///
    /// Apple: `MPRemoteCommandCenter.skipForwardCommand`; MPRIS: `Seek`.
    public let skipForwardCommand = MPSkipIntervalCommand()

    /// Skips backwards.
    ///
    /// Sent if ``changePlaybackPositionCommand`` is not offered.
    ///
    /// Apple: `MPRemoteCommandCenter.skipBackwardCommand`; MPRIS: `Seek`.
    public let skipBackwardCommand = MPSkipIntervalCommand()

    /// Changes the playback rate.
    ///
    /// Apple: `MPRemoteCommandCenter.changePlaybackRateCommand`; MPRIS: `Rate`.
    public let changePlaybackRateCommand = MPChangePlaybackRateCommand()

    /// Changes the playback position.
    ///
    /// Apple: `MPRemoteCommandCenter.changePlaybackPositionCommand`; MPRIS: `SetPosition`, `Seek`.
    public let changePlaybackPositionCommand = MPChangePlaybackPositionCommand()

    /// Changes the repeat mode.
    ///
    /// Apple: `MPRemoteCommandCenter.changeRepeatModeCommand`; MPRIS: `LoopStatus`.
    public let changeRepeatModeCommand = MPChangeRepeatModeCommand()

    /// Changes the shuffle mode.
    ///
    /// Apple: `MPRemoteCommandCenter.changeShuffleModeCommand`; MPRIS: `Shuffle`.
    public let changeShuffleModeCommand = MPChangeShuffleModeCommand()

    /// Rates the current item; never sent on Linux.
    ///
    /// Apple: `MPRemoteCommandCenter.ratingCommand`.
    public let ratingCommand = MPRatingCommand()

    /// Likes the current item; never sent on Linux.
    ///
    /// Apple: `MPRemoteCommandCenter.likeCommand`.
    public let likeCommand = MPFeedbackCommand()

    /// Dislikes the current item; never sent on Linux.
    ///
    /// Apple: `MPRemoteCommandCenter.dislikeCommand`.
    public let dislikeCommand = MPFeedbackCommand()

    /// Bookmarks the current position; never sent on Linux.
    ///
    /// Apple: `MPRemoteCommandCenter.bookmarkCommand`.
    public let bookmarkCommand = MPFeedbackCommand()

    /// Enables a language option; never sent on Linux.
    ///
    /// Apple: `MPRemoteCommandCenter.enableLanguageOptionCommand`.
    public let enableLanguageOptionCommand = MPRemoteCommand()

    /// Disables a language option; never sent on Linux.
    ///
    /// Apple: `MPRemoteCommandCenter.disableLanguageOptionCommand`.
    public let disableLanguageOptionCommand = MPRemoteCommand()

    /// Changes the app's own volume, on **Linux only**.
    ///
    /// MPRIS: `Volume`.
    public let changeVolumeCommand = MPChangeVolumeCommand()
}
