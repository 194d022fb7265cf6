internal import AVFAudio
internal import AudioFiles
public import Foundation

/// What an item's network has given, as one event for each time that its stream was opened for a player.
///
/// Apple: `AVPlayerItemAccessLog`.
public final class AVPlayerItemAccessLog: NSObject, Sendable {
    /// What there is to tell, as it was when the log was asked for.
    ///
    /// Apple: `AVPlayerItemAccessLog.events`.
    public let events: [AVPlayerItemAccessLogEvent]

    init(_ events: [AVPlayerItemAccessLogEvent]) {
        self.events = events
        super.init()
    }
}

/// What the network has given for a stream; what is not known is negative or nil.
///
/// Apple: `AVPlayerItemAccessLogEvent`.
public final class AVPlayerItemAccessLogEvent: NSObject, Sendable {
    /// The address of the stream.
    ///
    /// Apple: `AVPlayerItemAccessLogEvent.uri`.
    public let uri: String?
    /// Not known: FFmpeg does not tell it.
    ///
    /// Apple: `AVPlayerItemAccessLogEvent.serverAddress`.
    public var serverAddress: String? { nil }
    /// Not known: there are no such sessions.
    ///
    /// Apple: `AVPlayerItemAccessLogEvent.playbackSessionID`.
    public var playbackSessionID: String? { nil }
    /// When the stream could be played.
    ///
    /// Apple: `AVPlayerItemAccessLogEvent.playbackStartDate`.
    public let playbackStartDate: Date?
    /// `FILE`, or for a playlist `VOD`, or for what has no end `LIVE`.
    ///
    /// Apple: `AVPlayerItemAccessLogEvent.playbackType`.
    public let playbackType: String?
    /// Seconds from the moment at which the item got a player until it could be played.
    ///
    /// Apple: `AVPlayerItemAccessLogEvent.startupTime`.
    public let startupTime: TimeInterval
    /// How often playing stalled.
    ///
    /// Apple: `AVPlayerItemAccessLogEvent.numberOfStalls`.
    public let numberOfStalls: Int
    /// Requests that were answered: segments and lists, and the parts that seeks asked for where that took a new
    /// request of ours; FFmpeg's own, after a lost connection or within a file, are not known.
    ///
    /// Apple: `AVPlayerItemAccessLogEvent.numberOfMediaRequests`.
    public let numberOfMediaRequests: Int
    /// Bytes that were read, without the heads of the answers.
    ///
    /// Apple: `AVPlayerItemAccessLogEvent.numberOfBytesTransferred`.
    public let numberOfBytesTransferred: Int64
    /// Seconds in which the stream was read and decoded, without those in which its buffer was full.
    ///
    /// Apple: `AVPlayerItemAccessLogEvent.transferDuration`.
    public let transferDuration: TimeInterval
    /// Bits a second while the stream was read; what is made as it is heard cannot come faster than that.
    ///
    /// Apple: `AVPlayerItemAccessLogEvent.observedBitrate`.
    public var observedBitrate: Double {
        transferDuration > 0 ? Double(numberOfBytesTransferred) * 8 / transferDuration : -1
    }
    /// Not known: lists with several variants are not told apart.
    ///
    /// Apple: `AVPlayerItemAccessLogEvent.indicatedBitrate`.
    public var indicatedBitrate: Double { -1 }
    /// Not known: it is not counted.
    ///
    /// Apple: `AVPlayerItemAccessLogEvent.durationWatched`.
    public var durationWatched: TimeInterval { -1 }

    init(_ report: StreamReport, url: URL) {
        uri = url.absoluteString
        playbackStartDate = report.opened
        playbackType = report.format.isLive ? "LIVE" : report.format.isPlaylist ? "VOD" : "FILE"
        startupTime = report.startup
        numberOfStalls = report.stalls
        numberOfMediaRequests = report.traffic.requests
        numberOfBytesTransferred = report.traffic.bytes
        transferDuration = report.traffic.seconds
        super.init()
    }
}

/// What an item's network has refused or broken.
///
/// Apple: `AVPlayerItemErrorLog`.
public final class AVPlayerItemErrorLog: NSObject, Sendable {
    /// The errors, in order.
    ///
    /// Apple: `AVPlayerItemErrorLog.events`.
    public let events: [AVPlayerItemErrorLogEvent]

    init(_ events: [AVPlayerItemErrorLogEvent]) {
        self.events = events
        super.init()
    }
}

/// An error of the network: one that ended an item, or one that cost it a segment.
///
/// Apple: `AVPlayerItemErrorLogEvent`.
public final class AVPlayerItemErrorLogEvent: NSObject, Sendable {
    /// When it was told.
    ///
    /// Apple: `AVPlayerItemErrorLogEvent.date`.
    public let date: Date?
    /// The address of what could not be had.
    ///
    /// Apple: `AVPlayerItemErrorLogEvent.uri`.
    public let uri: String?
    /// Not known: FFmpeg does not tell it.
    ///
    /// Apple: `AVPlayerItemErrorLogEvent.serverAddress`.
    public var serverAddress: String? { nil }
    /// Not known: there are no such sessions.
    ///
    /// Apple: `AVPlayerItemErrorLogEvent.playbackSessionID`.
    public var playbackSessionID: String? { nil }
    /// The code of the error that the item has, or would have, with it.
    ///
    /// Apple: `AVPlayerItemErrorLogEvent.errorStatusCode`.
    public let errorStatusCode: Int
    /// The domain of that error.
    ///
    /// Apple: `AVPlayerItemErrorLogEvent.errorDomain`.
    public let errorDomain: String
    /// What happened, for people.
    ///
    /// Apple: `AVPlayerItemErrorLogEvent.errorComment`.
    public let errorComment: String?

    init(_ error: NSError, uri: String) {
        date = Date()
        self.uri = uri
        errorStatusCode = error.code
        errorDomain = error.domain
        errorComment = error.localizedDescription
        super.init()
    }
}

extension AVPlayerItem {
    /// The access log has another event.
    ///
    /// Apple: `AVPlayerItem.newAccessLogEntryNotification`.
    public static let newAccessLogEntryNotification = NSNotification.Name("AVPlayerItemNewAccessLogEntry")

    /// The error log has another event.
    ///
    /// Apple: `AVPlayerItem.newErrorLogEntryNotification`.
    public static let newErrorLogEntryNotification = NSNotification.Name("AVPlayerItemNewErrorLogEntry")
}

extension NSNotification.Name {
    /// The older spelling of `AVPlayerItem.newAccessLogEntryNotification`.
    ///
    /// Apple: `NSNotification.Name.AVPlayerItemNewAccessLogEntry`.
    public static let AVPlayerItemNewAccessLogEntry = AVPlayerItem.newAccessLogEntryNotification

    /// The older spelling of `AVPlayerItem.newErrorLogEntryNotification`.
    ///
    /// Apple: `NSNotification.Name.AVPlayerItemNewErrorLogEntry`.
    public static let AVPlayerItemNewErrorLogEntry = AVPlayerItem.newErrorLogEntryNotification
}
