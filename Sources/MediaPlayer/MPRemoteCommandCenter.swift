public import Foundation

/// What remote controls can ask the app for: media keys, lock screens, headsets, other machines.
///
/// There is one center per process, ``shared()``. A command is offered while it is enabled and has targets, and the app
/// is on the bus while it says what it plays (``MPNowPlayingInfoCenter``), or its players run and it has targets. All
/// members may be used from any thread; targets are called on the main queue.
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

    /// To play.
    ///
    /// Apple: `MPRemoteCommandCenter.playCommand`; MPRIS: `Play`.
    public let playCommand = MPRemoteCommand()

    /// To pause; during an interruption it also means that the app is not told to resume at its end.
    ///
    /// Apple: `MPRemoteCommandCenter.pauseCommand`; MPRIS: `Pause`.
    public let pauseCommand = MPRemoteCommand()

    /// To stop; where it is not offered, those who ask for it get a pause.
    ///
    /// Apple: `MPRemoteCommandCenter.stopCommand`; MPRIS: `Stop`.
    public let stopCommand = MPRemoteCommand()

    /// To pause or to play, whichever is the change: one key of a headset.
    ///
    /// Apple: `MPRemoteCommandCenter.togglePlayPauseCommand`; MPRIS: `PlayPause`.
    public let togglePlayPauseCommand = MPRemoteCommand()

    /// To play the next item.
    ///
    /// Apple: `MPRemoteCommandCenter.nextTrackCommand`; MPRIS: `Next`.
    public let nextTrackCommand = MPRemoteCommand()

    /// To play the item before, or this one from its beginning.
    ///
    /// Apple: `MPRemoteCommandCenter.previousTrackCommand`; MPRIS: `Previous`.
    public let previousTrackCommand = MPRemoteCommand()

    /// To wind forwards while a key is pressed; nobody on Linux sends it.
    ///
    /// Apple: `MPRemoteCommandCenter.seekForwardCommand`.
    public let seekForwardCommand = MPRemoteCommand()

    /// To wind backwards while a key is pressed; nobody on Linux sends it.
    ///
    /// Apple: `MPRemoteCommandCenter.seekBackwardCommand`.
    public let seekBackwardCommand = MPRemoteCommand()

    /// To skip forwards; sent where ``changePlaybackPositionCommand`` is not offered.
    ///
    /// Apple: `MPRemoteCommandCenter.skipForwardCommand`; MPRIS: `Seek`.
    public let skipForwardCommand = MPSkipIntervalCommand()

    /// To skip backwards; sent where ``changePlaybackPositionCommand`` is not offered.
    ///
    /// Apple: `MPRemoteCommandCenter.skipBackwardCommand`; MPRIS: `Seek`.
    public let skipBackwardCommand = MPSkipIntervalCommand()

    /// To play faster or slower.
    ///
    /// Apple: `MPRemoteCommandCenter.changePlaybackRateCommand`; MPRIS: `Rate`.
    public let changePlaybackRateCommand = MPChangePlaybackRateCommand()

    /// To go to a position.
    ///
    /// Apple: `MPRemoteCommandCenter.changePlaybackPositionCommand`; MPRIS: `SetPosition`, `Seek`.
    public let changePlaybackPositionCommand = MPChangePlaybackPositionCommand()

    /// To repeat, or not.
    ///
    /// Apple: `MPRemoteCommandCenter.changeRepeatModeCommand`; MPRIS: `LoopStatus`.
    public let changeRepeatModeCommand = MPChangeRepeatModeCommand()

    /// To shuffle, or not.
    ///
    /// Apple: `MPRemoteCommandCenter.changeShuffleModeCommand`; MPRIS: `Shuffle`.
    public let changeShuffleModeCommand = MPChangeShuffleModeCommand()

    /// To rate what plays; nobody on Linux sends it.
    ///
    /// Apple: `MPRemoteCommandCenter.ratingCommand`.
    public let ratingCommand = MPRatingCommand()

    /// To like what plays; nobody on Linux sends it.
    ///
    /// Apple: `MPRemoteCommandCenter.likeCommand`.
    public let likeCommand = MPFeedbackCommand()

    /// To dislike what plays; nobody on Linux sends it.
    ///
    /// Apple: `MPRemoteCommandCenter.dislikeCommand`.
    public let dislikeCommand = MPFeedbackCommand()

    /// To remember the place; nobody on Linux sends it.
    ///
    /// Apple: `MPRemoteCommandCenter.bookmarkCommand`.
    public let bookmarkCommand = MPFeedbackCommand()

    /// To choose a language; nobody on Linux sends it.
    ///
    /// Apple: `MPRemoteCommandCenter.enableLanguageOptionCommand`.
    public let enableLanguageOptionCommand = MPRemoteCommand()

    /// To choose no language; nobody on Linux sends it.
    ///
    /// Apple: `MPRemoteCommandCenter.disableLanguageOptionCommand`.
    public let disableLanguageOptionCommand = MPRemoteCommand()

    /// To change the app's own loudness, on **Linux only**.
    ///
    /// MPRIS: `Volume`.
    public let changeVolumeCommand = MPChangeVolumeCommand()
}
