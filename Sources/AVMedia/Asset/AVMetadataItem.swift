public import CoreMedia
public import Foundation

/// The identifier of a metadata item.
///
/// Apple: `AVMetadataIdentifier`.
public struct AVMetadataIdentifier: RawRepresentable, Hashable, Sendable {
    /// Apple's name for it.
    public let rawValue: String

    /// Creates an identifier from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The title that an internet radio sends for the current sound.
    public static let icyMetadataStreamTitle = AVMetadataIdentifier(rawValue: "icy/StreamTitle")
    /// The URL that an internet radio sends for more information.
    public static let icyMetadataStreamURL = AVMetadataIdentifier(rawValue: "icy/StreamUrl")
    /// A title from any kind of metadata.
    public static let commonIdentifierTitle = AVMetadataIdentifier(rawValue: "comn/title")
}

/// A key common to all kinds of metadata.
///
/// Apple: `AVMetadataKey`.
public struct AVMetadataKey: RawRepresentable, Hashable, Sendable {
    /// Apple's name for it.
    public let rawValue: String

    /// Creates a key from its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A title.
    public static let commonKeyTitle = AVMetadataKey(rawValue: "title")
}

/// One piece of metadata about a sound.
///
/// Apple: `AVMetadataItem`.
public final class AVMetadataItem: NSObject, Sendable {
    /// The identifier of the metadata.
    ///
    /// Apple: `AVMetadataItem.identifier`.
    public let identifier: AVMetadataIdentifier?
    /// The key common to all kinds of metadata, or nil.
    ///
    /// Apple: `AVMetadataItem.commonKey`.
    public let commonKey: AVMetadataKey?
    /// The position in the sound from which the metadata applies.
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

    /// The items in the metadata of an internet radio, such as `StreamTitle='…';StreamUrl='…';`, in which nothing is
    /// escaped.
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

/// Metadata for a time range of a sound.
///
/// Apple: `AVTimedMetadataGroup`.
public final class AVTimedMetadataGroup: NSObject, Sendable {
    /// The metadata.
    ///
    /// Apple: `AVTimedMetadataGroup.items`.
    public let items: [AVMetadataItem]
    /// The time range; without an end while that is unknown.
    ///
    /// Apple: `AVTimedMetadataGroup.timeRange`.
    public let timeRange: CMTimeRange

    /// Creates a group for a time range.
    ///
    /// Apple: `AVTimedMetadataGroup.init(items:timeRange:)`.
    public init(items: [AVMetadataItem], timeRange: CMTimeRange) {
        self.items = items
        self.timeRange = timeRange
        super.init()
    }
}
