internal import AVFAudio
internal import Foundation

extension AVPlayer {
    /// Whether a player can play.
    ///
    /// Apple: `AVPlayer.Status`.
    public enum Status: Int, Sendable {
        case unknown = 0
        case readyToPlay = 1
        case failed = 2
    }

    /// Whether a player is playing, paused, or waiting to play.
    ///
    /// Apple: `AVPlayer.TimeControlStatus`.
    public enum TimeControlStatus: Int, Sendable {
        case paused = 0
        case waitingToPlayAtSpecifiedRate = 1
        case playing = 2
    }

    /// The action of a player at the end of its item.
    ///
    /// Apple: `AVPlayer.ActionAtItemEnd`.
    public enum ActionAtItemEnd: Int, Sendable {
        case advance = 0
        case pause = 1
        case none = 2
    }

    /// The reason why a player waits.
    ///
    /// Apple: `AVPlayer.WaitingReason`.
    public struct WaitingReason: RawRepresentable, Hashable, Sendable {
        /// Apple's name for it.
        public let rawValue: String

        /// Creates a reason from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Too little of the stream is loaded to play without a stall.
        public static let toMinimizeStalls = WaitingReason(rawValue: "AVPlayerWaitingToMinimizeStallsReason")
        /// The rate at which the stream arrives is being measured.
        public static let evaluatingBufferingRate = WaitingReason(
            rawValue: "AVPlayerWaitingWhileEvaluatingBufferingRateReason")
        /// There is no item.
        public static let noItemToPlay = WaitingReason(rawValue: "AVPlayerWaitingWithNoItemToPlayReason")
    }

    /// The reason for a change of a player's rate.
    ///
    /// Apple: `AVPlayer.RateDidChangeReason`.
    public struct RateDidChangeReason: RawRepresentable, Hashable, Sendable {
        /// Apple's name for it.
        public let rawValue: String

        /// Creates a reason from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The app set the rate, the item ended, or a device was unplugged.
        public static let setRateCalled = RateDidChangeReason(rawValue: "AVPlayerRateDidChangeReasonSetRateCalled")
        /// The item could not be played.
        public static let setRateFailed = RateDidChangeReason(rawValue: "AVPlayerRateDidChangeReasonSetRateFailed")
        /// The session was interrupted.
        public static let audioSessionInterrupted = RateDidChangeReason(
            rawValue: "AVPlayerRateDidChangeReasonAudioSessionInterrupted")
        /// The app went to the background, which does not happen on Linux.
        public static let appBackgrounded = RateDidChangeReason(
            rawValue: "AVPlayerRateDidChangeReasonAppBackgrounded")
    }

    /// Posted on the main queue after a change of the player's rate; ``rateDidChangeReasonKey`` holds the reason.
    ///
    /// Apple: `AVPlayer.rateDidChangeNotification`.
    public static let rateDidChangeNotification = NSNotification.Name("AVPlayerRateDidChangeNotification")

    /// The key of the ``RateDidChangeReason`` in the notification of a changed rate.
    ///
    /// Apple: `AVPlayer.rateDidChangeReasonKey`.
    public static let rateDidChangeReasonKey = "AVPlayerRateDidChangeReasonKey"
}

/// The spelling of Swift 3 for `AVPlayer.Status`.
@available(*, deprecated, renamed: "AVPlayer.Status")
public typealias AVPlayerStatus = AVPlayer.Status

/// The spelling of Swift 3 for `AVPlayer.TimeControlStatus`.
@available(*, deprecated, renamed: "AVPlayer.TimeControlStatus")
public typealias AVPlayerTimeControlStatus = AVPlayer.TimeControlStatus

/// The spelling of Swift 3 for `AVPlayer.ActionAtItemEnd`.
@available(*, deprecated, renamed: "AVPlayer.ActionAtItemEnd")
public typealias AVPlayerActionAtItemEnd = AVPlayer.ActionAtItemEnd

/// The spelling of Swift 3 for `AVPlayerItem.Status`.
@available(*, deprecated, renamed: "AVPlayerItem.Status")
public typealias AVPlayerItemStatus = AVPlayerItem.Status

/// Notifications carry the reason as a string, which a cast converts; see `_NumberInUserInfo` of AVFAudio.
extension AVPlayer.RateDidChangeReason: _ObjectiveCBridgeable {
    /// The raw value as an object; called by casts.
    public func _bridgeToObjectiveC() -> NSString { NSString(string: rawValue) }

    /// The reason with this raw value, in `result`; called by casts.
    public static func _forceBridgeFromObjectiveC(_ source: NSString, result: inout Self?) {
        result = Self(rawValue: String(describing: source))
    }

    /// The reason with this raw value, in `result`; called by casts.
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSString, result: inout Self?) -> Bool {
        _forceBridgeFromObjectiveC(source, result: &result)
        return true
    }

    /// The reason with this raw value; called by bridging that cannot fail.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSString?) -> Self {
        Self(rawValue: source.map { String(describing: $0) } ?? "")
    }
}

/// What going to the background does to a player with video.
///
/// Apple: `AVPlayerAudiovisualBackgroundPlaybackPolicy`; so are its cases.
public enum AVPlayerAudiovisualBackgroundPlaybackPolicy: Int, Sendable {
    /// The system decides.
    case automatic = 1
    /// The player is paused.
    case pauses = 2
    /// The player goes on, if the app may play in the background.
    case continuesIfPossible = 3
}
