public import CoreMedia
public import Foundation

/// What a key of a metadata item is named like.
///
/// Apple: `AVMetadataIdentifier`.
public struct AVMetadataIdentifier: RawRepresentable, Hashable, Sendable {
    /// Apple's name for it.
    public let rawValue: String

    /// The one of this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// What a radio calls the sound that it plays.
    public static let icyMetadataStreamTitle = AVMetadataIdentifier(rawValue: "icy/StreamTitle")
    /// The address that a radio gives for more.
    public static let icyMetadataStreamURL = AVMetadataIdentifier(rawValue: "icy/StreamUrl")
    /// A title, whoever gives it.
    public static let commonIdentifierTitle = AVMetadataIdentifier(rawValue: "comn/title")
}

/// A key that is the same for all kinds of metadata.
///
/// Apple: `AVMetadataKey`.
public struct AVMetadataKey: RawRepresentable, Hashable, Sendable {
    /// Apple's name for it.
    public let rawValue: String

    /// The one of this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A title.
    public static let commonKeyTitle = AVMetadataKey(rawValue: "title")
}

/// Something that is said of a sound.
///
/// Apple: `AVMetadataItem`.
public final class AVMetadataItem: NSObject, Sendable {
    /// What is said.
    ///
    /// Apple: `AVMetadataItem.identifier`.
    public let identifier: AVMetadataIdentifier?
    /// What is said, as a key that is the same for all kinds of metadata.
    ///
    /// Apple: `AVMetadataItem.commonKey`.
    public let commonKey: AVMetadataKey?
    /// From which position on it is true.
    ///
    /// Apple: `AVMetadataItem.time`.
    public let time: CMTime
    /// The value as text.
    ///
    /// Apple: `AVMetadataItem.stringValue`.
    public let stringValue: String?

    /// The value; an `NSString`.
    ///
    /// Apple: `AVMetadataItem.value`.
    public var value: (any NSCopying & NSObjectProtocol)? { stringValue.map { NSString(string: $0) } }

    init(_ identifier: AVMetadataIdentifier, _ commonKey: AVMetadataKey?, _ text: String, at time: CMTime) {
        self.identifier = identifier
        self.commonKey = commonKey
        self.time = time
        stringValue = text
        super.init()
    }

    /// What a radio says: `StreamTitle='…';StreamUrl='…';`, in which nothing is escaped.
    static func items(radio text: String, at time: CMTime) -> [AVMetadataItem] {
        func value(_ key: String) -> String? {
            guard let start = text.range(of: "\(key)='") else { return nil }
            let rest = text[start.upperBound...]
            guard let end = rest.range(of: "';") ?? rest.range(of: "'", options: .backwards) else { return nil }
            return String(rest[..<end.lowerBound])
        }
        let title = value("StreamTitle").map {
            AVMetadataItem(.icyMetadataStreamTitle, .commonKeyTitle, $0, at: time)
        }
        let address = value("StreamUrl").map { AVMetadataItem(.icyMetadataStreamURL, nil, $0, at: time) }
        return [title, address].compactMap(\.self)
    }
}

/// What is said of a stretch of a sound.
///
/// Apple: `AVTimedMetadataGroup`.
public final class AVTimedMetadataGroup: NSObject, Sendable {
    /// What is said.
    ///
    /// Apple: `AVTimedMetadataGroup.items`.
    public let items: [AVMetadataItem]
    /// Of which stretch; without an end while that is not known.
    ///
    /// Apple: `AVTimedMetadataGroup.timeRange`.
    public let timeRange: CMTimeRange

    /// Says something of a stretch.
    ///
    /// Apple: `AVTimedMetadataGroup.init(items:timeRange:)`.
    public init(items: [AVMetadataItem], timeRange: CMTimeRange) {
        self.items = items
        self.timeRange = timeRange
        super.init()
    }
}
