internal import Foundation

extension AVPlayerItem {
    /// The item was heard to its end.
    ///
    /// Apple: `AVPlayerItem.didPlayToEndTimeNotification`.
    public static let didPlayToEndTimeNotification = NSNotification.Name("AVPlayerItemDidPlayToEndTimeNotification")

    /// The item could not be played to its end; ``AVPlayerItemFailedToPlayToEndTimeErrorKey`` says why.
    ///
    /// Apple: `AVPlayerItem.failedToPlayToEndTimeNotification`.
    public static let failedToPlayToEndTimeNotification = NSNotification.Name(
        "AVPlayerItemFailedToPlayToEndTimeNotification")

    /// Nothing more of the item is there to be played, though it has not ended; files never tell this.
    ///
    /// Apple: `AVPlayerItem.playbackStalledNotification`.
    public static let playbackStalledNotification = NSNotification.Name("AVPlayerItemPlaybackStalledNotification")

    /// The item's position was changed by a seek, which is done; those that are refused tell nothing.
    ///
    /// Apple: `AVPlayerItem.timeJumpedNotification`.
    public static let timeJumpedNotification = NSNotification.Name("AVPlayerItemTimeJumpedNotification")
}

/// The error in the notification that an item could not be played to its end.
///
/// Apple: `AVPlayerItemFailedToPlayToEndTimeErrorKey`.
public let AVPlayerItemFailedToPlayToEndTimeErrorKey = "AVPlayerItemFailedToPlayToEndTimeErrorKey"

extension NSNotification.Name {
    /// The older spelling of `AVPlayerItem.didPlayToEndTimeNotification`.
    ///
    /// Apple: `NSNotification.Name.AVPlayerItemDidPlayToEndTime`.
    public static let AVPlayerItemDidPlayToEndTime = AVPlayerItem.didPlayToEndTimeNotification

    /// The older spelling of `AVPlayerItem.failedToPlayToEndTimeNotification`.
    ///
    /// Apple: `NSNotification.Name.AVPlayerItemFailedToPlayToEndTime`.
    public static let AVPlayerItemFailedToPlayToEndTime = AVPlayerItem.failedToPlayToEndTimeNotification

    /// The older spelling of `AVPlayerItem.playbackStalledNotification`.
    ///
    /// Apple: `NSNotification.Name.AVPlayerItemPlaybackStalled`.
    public static let AVPlayerItemPlaybackStalled = AVPlayerItem.playbackStalledNotification

    /// The older spelling of `AVPlayerItem.timeJumpedNotification`.
    ///
    /// Apple: `NSNotification.Name.AVPlayerItemTimeJumped`.
    public static let AVPlayerItemTimeJumped = AVPlayerItem.timeJumpedNotification
}
