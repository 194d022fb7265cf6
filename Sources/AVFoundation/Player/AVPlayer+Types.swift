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

    /// Whether a player plays, or would.
    ///
    /// Apple: `AVPlayer.TimeControlStatus`.
    public enum TimeControlStatus: Int, Sendable {
        case paused = 0
        case waitingToPlayAtSpecifiedRate = 1
        case playing = 2
    }

    /// What a player does at the end of its item.
    ///
    /// Apple: `AVPlayer.ActionAtItemEnd`.
    public enum ActionAtItemEnd: Int, Sendable {
        case advance = 0
        case pause = 1
        case none = 2
    }

    /// Why a player waits.
    ///
    /// Apple: `AVPlayer.WaitingReason`.
    public struct WaitingReason: RawRepresentable, Hashable, Sendable {
        /// Apple's name for it.
        public let rawValue: String

        /// The one of this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// What is there does not suffice for playing without a stall.
        public static let toMinimizeStalls = WaitingReason(rawValue: "AVPlayerWaitingToMinimizeStallsReason")
        /// It is being found out how fast the sound comes.
        public static let evaluatingBufferingRate = WaitingReason(
            rawValue: "AVPlayerWaitingWhileEvaluatingBufferingRateReason")
        /// There is no item.
        public static let noItemToPlay = WaitingReason(rawValue: "AVPlayerWaitingWithNoItemToPlayReason")
    }

    /// Why a player's rate has changed.
    ///
    /// Apple: `AVPlayer.RateDidChangeReason`.
    public struct RateDidChangeReason: RawRepresentable, Hashable, Sendable {
        /// Apple's name for it.
        public let rawValue: String

        /// The one of this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The app asked for it; also the end of the item, and a device that was unplugged.
        public static let setRateCalled = RateDidChangeReason(rawValue: "AVPlayerRateDidChangeReasonSetRateCalled")
        /// It could not be played.
        public static let setRateFailed = RateDidChangeReason(rawValue: "AVPlayerRateDidChangeReasonSetRateFailed")
        /// The session was interrupted.
        public static let audioSessionInterrupted = RateDidChangeReason(
            rawValue: "AVPlayerRateDidChangeReasonAudioSessionInterrupted")
        /// The app went to the background, which does not happen on Linux.
        public static let appBackgrounded = RateDidChangeReason(
            rawValue: "AVPlayerRateDidChangeReasonAppBackgrounded")
    }

    /// The player's rate was changed, by the app or otherwise; ``rateDidChangeReasonKey`` says why.
    ///
    /// Apple: `AVPlayer.rateDidChangeNotification`.
    public static let rateDidChangeNotification = NSNotification.Name("AVPlayerRateDidChangeNotification")

    /// The ``RateDidChangeReason`` in the notification of a changed rate.
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

/// Notifications carry the reason as a string, which a cast turns back into it; see `_NumberInUserInfo` of AVFAudio.
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
