internal import Foundation

extension AVPlayerItem {
    /// Posted when the item was heard to its end.
    ///
    /// Apple: `AVPlayerItem.didPlayToEndTimeNotification`.
    public static let didPlayToEndTimeNotification = NSNotification.Name("AVPlayerItemDidPlayToEndTimeNotification")

    /// Posted when the item could not be played to its end, with ``AVPlayerItemFailedToPlayToEndTimeErrorKey``.
    ///
    /// Apple: `AVPlayerItem.failedToPlayToEndTimeNotification`.
    public static let failedToPlayToEndTimeNotification = NSNotification.Name(
        "AVPlayerItemFailedToPlayToEndTimeNotification")

    /// Posted when a stream has no loaded sound left and has not ended; never for a file.
    ///
    /// Apple: `AVPlayerItem.playbackStalledNotification`.
    public static let playbackStalledNotification = NSNotification.Name("AVPlayerItemPlaybackStalledNotification")

    /// Posted when a seek has changed the item's position; not for a seek that was refused.
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
