internal import AVFAudio
internal import AudioFiles
public import Foundation

/// The statistics of an item's network, with an event for each time that its stream was opened for a player.
///
/// Apple: `AVPlayerItemAccessLog`.
public final class AVPlayerItemAccessLog: NSObject, Sendable {
    /// The events at the time of the request.
    ///
    /// Apple: `AVPlayerItemAccessLog.events`.
    public let events: [AVPlayerItemAccessLogEvent]

    init(_ events: [AVPlayerItemAccessLogEvent]) {
        self.events = events
        super.init()
    }
}

/// The network's statistics of a stream; unknown values are negative or nil.
///
/// Apple: `AVPlayerItemAccessLogEvent`.
public final class AVPlayerItemAccessLogEvent: NSObject, Sendable {
    /// The address of the stream.
    ///
    /// Apple: `AVPlayerItemAccessLogEvent.uri`.
    public let uri: String?
    /// Unknown, since FFmpeg does not report it.
    ///
    /// Apple: `AVPlayerItemAccessLogEvent.serverAddress`.
    public var serverAddress: String? { nil }
    /// Unknown, since there are no such sessions.
    ///
    /// Apple: `AVPlayerItemAccessLogEvent.playbackSessionID`.
    public var playbackSessionID: String? { nil }
    /// The date at which the stream could be played.
    ///
    /// Apple: `AVPlayerItemAccessLogEvent.playbackStartDate`.
    public let playbackStartDate: Date?
    /// `FILE`, `VOD` for a playlist, or `LIVE` for a stream without end.
    ///
    /// Apple: `AVPlayerItemAccessLogEvent.playbackType`.
    public let playbackType: String?
    /// Seconds from the moment at which the item got a player until the stream could be played.
    ///
    /// Apple: `AVPlayerItemAccessLogEvent.startupTime`.
    public let startupTime: TimeInterval
    /// The number of stalls.
    ///
    /// Apple: `AVPlayerItemAccessLogEvent.numberOfStalls`.
    public let numberOfStalls: Int
    /// The number of answered requests: segments and playlists, and the parts for seeks, where those took a new request
    /// of the library.
    ///
    /// FFmpeg's own, after a lost connection or within a file, are unknown.
    ///
    /// Apple: `AVPlayerItemAccessLogEvent.numberOfMediaRequests`.
    public let numberOfMediaRequests: Int
    /// Bytes that were read, without the responses' headers.
    ///
    /// Apple: `AVPlayerItemAccessLogEvent.numberOfBytesTransferred`.
    public let numberOfBytesTransferred: Int64
    /// Seconds of reading and decoding, without those in which the buffer was full.
    ///
    /// Apple: `AVPlayerItemAccessLogEvent.transferDuration`.
    public let transferDuration: TimeInterval
    /// Bits per second while the stream was read; a live stream does not come faster than it is made.
    ///
    /// Apple: `AVPlayerItemAccessLogEvent.observedBitrate`.
    public var observedBitrate: Double {
        transferDuration > 0 ? Double(numberOfBytesTransferred) * 8 / transferDuration : -1
    }
    /// Unknown, since variants of a playlist are not distinguished.
    ///
    /// Apple: `AVPlayerItemAccessLogEvent.indicatedBitrate`.
    public var indicatedBitrate: Double { -1 }
    /// Unknown, since it is not counted.
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

/// The errors of an item's network.
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

/// An error of the network, which ended an item or cost it a segment.
///
/// Apple: `AVPlayerItemErrorLogEvent`.
public final class AVPlayerItemErrorLogEvent: NSObject, Sendable {
    /// The date of the report.
    ///
    /// Apple: `AVPlayerItemErrorLogEvent.date`.
    public let date: Date?
    /// The address that could not be loaded.
    ///
    /// Apple: `AVPlayerItemErrorLogEvent.uri`.
    public let uri: String?
    /// Unknown, since FFmpeg does not report it.
    ///
    /// Apple: `AVPlayerItemErrorLogEvent.serverAddress`.
    public var serverAddress: String? { nil }
    /// Unknown, since there are no such sessions.
    ///
    /// Apple: `AVPlayerItemErrorLogEvent.playbackSessionID`.
    public var playbackSessionID: String? { nil }
    /// The code of the item's error, or of the error that would have ended the item.
    ///
    /// Apple: `AVPlayerItemErrorLogEvent.errorStatusCode`.
    public let errorStatusCode: Int
    /// The domain of that error.
    ///
    /// Apple: `AVPlayerItemErrorLogEvent.errorDomain`.
    public let errorDomain: String
    /// A description for people.
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
    /// Posted when the access log has a new event.
    ///
    /// Apple: `AVPlayerItem.newAccessLogEntryNotification`.
    public static let newAccessLogEntryNotification = NSNotification.Name("AVPlayerItemNewAccessLogEntry")

    /// Posted when the error log has a new event.
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
