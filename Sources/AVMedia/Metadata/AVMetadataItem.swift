public import CoreMedia
public import Foundation

/// One piece of metadata about a sound: an identifier and a text, or an identifier and a picture.
///
/// The value is there at once: an asset reads all its metadata together. Can be used from any thread.
///
/// Apple: `AVMetadataItem`.
public final class AVMetadataItem: NSObject, Sendable {
    /// What an item holds.
    enum Content: Sendable {
        case text(String)
        /// Bytes, and Apple's name for what they are.
        case bytes(Data, type: String)
    }

    /// The identifier of the metadata, in the names of their kind, such as `id3/TIT2`.
    ///
    /// Apple: `AVMetadataItem.identifier`.
    public let identifier: AVMetadataIdentifier?
    /// The key common to all kinds of metadata, or nil.
    ///
    /// Apple: `AVMetadataItem.commonKey`.
    public let commonKey: AVMetadataKey?
    /// The position in the sound from which the metadata applies; zero for those of a file.
    ///
    /// Apple: `AVMetadataItem.time`.
    public let time: CMTime
    /// The language of lyrics (ISO 639-2), if it is known.
    ///
    /// Apple: `AVMetadataItem.extendedLanguageTag`.
    public let extendedLanguageTag: String?
    private let content: Content

    init(
        _ identifier: AVMetadataIdentifier, _ commonKey: AVMetadataKey?, _ content: Content, at time: CMTime,
        language: String? = nil
    ) {
        self.identifier = identifier
        self.commonKey = commonKey
        self.time = time
        self.content = content
        extendedLanguageTag = language
        super.init()
    }

    // MARK: The value

    /// The value as text; nil for a picture.
    ///
    /// Apple: `AVMetadataItem.stringValue`.
    public var stringValue: String? {
        if case .text(let text) = content { text } else { nil }
    }

    /// The value as a number; nil for a text that is none.
    ///
    /// Apple: `AVMetadataItem.numberValue`.
    public var numberValue: NSNumber? {
        guard let text = stringValue else { return nil }
        if let whole = Int(text) { return NSNumber(value: whole) }
        return Double(text).flatMap { $0.isFinite ? NSNumber(value: $0) : nil }
    }

    /// The value as a date; nil for a text that is none in ISO 8601.
    ///
    /// A year, or a year and a month, is the beginning of that; a date without a time zone is in UTC.
    ///
    /// Apple: `AVMetadataItem.dateValue`.
    public var dateValue: Date? { stringValue.flatMap(Self.date) }

    /// The bytes of a picture's image file; of a text the text in UTF-8.
    ///
    /// Apple: `AVMetadataItem.dataValue`.
    public var dataValue: Data? {
        switch content {
        case .text(let text): Data(text.utf8)
        case .bytes(let data, _): data
        }
    }

    /// The value: a text, or the bytes of a picture.
    ///
    /// `as? String` and `as? Data` take it, `as? NSString` and `as? NSData` too.
    /// Apple's type is `(any NSCopying & NSObjectProtocol)?`. Outside of Apple's systems Swift casts only `Any` to `String`.
    ///
    /// Apple: `AVMetadataItem.value`.
    public var value: Any? {
        switch content {
        case .text(let text): NSString(string: text)
        case .bytes(let data, _): NSData(data: data)
        }
    }

    /// What the value is, such as `com.apple.metadata.datatype.JPEG`.
    ///
    /// Apple: `AVMetadataItem.dataType`.
    public var dataType: String? {
        switch content {
        case .text: "com.apple.metadata.datatype.UTF-8"
        case .bytes(_, let type): type
        }
    }

    private static func date(_ text: String) -> Date? {
        if let date = try? Date(text, strategy: .iso8601) { return date }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        // A number of other length is none of a year.
        guard (1...3).contains(parts.count), let year = parts[0], (1000...9999).contains(year), !parts.contains(nil)
        else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let day = DateComponents(
            year: year, month: parts.count > 1 ? parts[1] : 1, day: parts.count > 2 ? parts[2] : 1)
        guard day.isValidDate(in: calendar) else { return nil }
        return calendar.date(from: day)
    }

    // MARK: The name

    /// The set of keys that ``key`` is of; nil for tags that have none on Apple's systems, such as Vorbis comments.
    ///
    /// Apple: `AVMetadataItem.keySpace`.
    public var keySpace: AVMetadataKeySpace? {
        switch identifier?.rawValue.prefix(while: { $0 != "/" }) {
        case "id3": .id3
        case "itsk": .iTunes
        case "mdta": .quickTimeMetadata
        case "icy": .icy
        case "caaf": .audioFile
        default: nil
        }
    }

    /// The key in the names of its kind, such as `TIT2`: a text, of the same type as ``value``.
    ///
    /// Apple: `AVMetadataItem.key`.
    public var key: Any? {
        guard let raw = identifier?.rawValue, let slash = raw.firstIndex(of: "/") else { return nil }
        let key = String(raw[raw.index(after: slash)...])
        // Apple's keys of iTunes begin with a copyright sign in Mac OS's encoding.
        return NSString(string: key.replacingOccurrences(of: "%A9", with: "@").removingPercentEncoding ?? key)
    }

    // MARK: Choosing

    /// The items with an identifier; one of the common identifiers stands for all kinds of metadata.
    ///
    /// Apple: `AVMetadataItem.metadataItems(from:filteredByIdentifier:)`.
    public class func metadataItems(
        from metadataItems: [AVMetadataItem], filteredByIdentifier identifier: AVMetadataIdentifier
    ) -> [AVMetadataItem] {
        let prefix = "common/"
        guard identifier.rawValue.hasPrefix(prefix) else { return metadataItems.filter { $0.identifier == identifier } }
        let key = AVMetadataKey(rawValue: String(identifier.rawValue.dropFirst(prefix.count)))
        return metadataItems.filter { $0.commonKey == key }
    }

    /// The items with a key of a key space; nil stands for any.
    ///
    /// - Parameters:
    ///   - metadataItems: The items to choose from.
    ///   - key: An ``AVMetadataKey``, or its name as a text.
    ///   - keySpace: The key space; ``AVMetadataKeySpace/common`` compares the common keys.
    ///
    /// Apple: `AVMetadataItem.metadataItems(from:withKey:keySpace:)`.
    public class func metadataItems(
        from metadataItems: [AVMetadataItem], withKey key: Any?, keySpace: AVMetadataKeySpace?
    ) -> [AVMetadataItem] {
        let name = (key as? AVMetadataKey)?.rawValue ?? key as? String
        return metadataItems.filter { item in
            if keySpace == .common { return item.commonKey != nil && (key == nil || item.commonKey?.rawValue == name) }
            guard keySpace == nil || item.keySpace == keySpace else { return false }
            return key == nil || (item.key as? NSString).map { String(describing: $0) } == name
        }
    }

    // MARK: Loading

    /// Reads a property of the item; it is there at once.
    ///
    /// Apple: `AVAsynchronousKeyValueLoading.load(_:)`.
    public func load<Value: Sendable>(_ property: AVAsyncProperty<AVMetadataItem, Value>) async throws -> Value {
        try await property.load(self)
    }

    /// The loading status of a property: loaded.
    ///
    /// Apple: `AVAsynchronousKeyValueLoading.status(of:)`.
    public func status<Value: Sendable>(
        of property: AVAsyncProperty<AVMetadataItem, Value>
    ) -> AVAsyncProperty<AVMetadataItem, Value>.Status { property.status(self) }

    // MARK: Radio

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
            AVMetadataItem(.icyMetadataStreamTitle, .commonKeyTitle, .text($0), at: time)
        }
        let address = value("StreamUrl").map { AVMetadataItem(.icyMetadataStreamURL, nil, .text($0), at: time) }
        return [title, address].compactMap(\.self)
    }
}

extension AVAsyncProperty where Root == AVMetadataItem {
    fileprivate convenience init(_ read: @escaping @Sendable (AVMetadataItem) -> Value) {
        self.init(load: { read($0) }, status: { .loaded(read($0)) })
    }
}

extension AVPartialAsyncProperty where Root == AVMetadataItem {
    /// The value as text.
    ///
    /// Apple: `AVPartialAsyncProperty.stringValue`.
    public static var stringValue: AVAsyncProperty<AVMetadataItem, String?> { AVAsyncProperty { $0.stringValue } }

    /// The value as a number.
    ///
    /// Apple: `AVPartialAsyncProperty.numberValue`.
    public static var numberValue: AVAsyncProperty<AVMetadataItem, NSNumber?> { AVAsyncProperty { $0.numberValue } }

    /// The value as a date.
    ///
    /// Apple: `AVPartialAsyncProperty.dateValue`.
    public static var dateValue: AVAsyncProperty<AVMetadataItem, Date?> { AVAsyncProperty { $0.dateValue } }

    /// The value as bytes.
    ///
    /// Apple: `AVPartialAsyncProperty.dataValue`.
    public static var dataValue: AVAsyncProperty<AVMetadataItem, Data?> { AVAsyncProperty { $0.dataValue } }
}
