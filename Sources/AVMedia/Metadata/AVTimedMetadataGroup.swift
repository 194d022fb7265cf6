public import CoreMedia
public import Foundation

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
