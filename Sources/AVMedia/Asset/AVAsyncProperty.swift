internal import CoreMedia
internal import Foundation

// SAFETY: it has no state.
/// A property of an asset or a metadata item, as in `[.duration, .isPlayable]`; Apple: `AVPartialAsyncProperty`.
public class AVPartialAsyncProperty<Root>: @unchecked Sendable {
    /// Instances are created in this file only.
    fileprivate init() {}
}

// SAFETY: it adds only what does not change.
/// A property that is asked for without blocking, as in `load(.duration)`; Apple: `AVAsyncProperty`.
public final class AVAsyncProperty<Root, Value: Sendable>: AVPartialAsyncProperty<Root>, @unchecked Sendable {
    /// The loading status of a property.
    ///
    /// Apple: `AVAsyncProperty.Status`.
    public enum Status {
        /// Not requested yet, or cancelled.
        case notYetLoaded
        /// Loading.
        case loading
        /// Loaded.
        case loaded(Value)
        /// Failed.
        case failed(NSError)
    }

    /// Reads the property of an object, without blocking.
    let load: @Sendable (Root) async throws -> Value
    /// The loading status of the property of an object; never blocks.
    let status: @Sendable (Root) -> Status

    init(load: @escaping @Sendable (Root) async throws -> Value, status: @escaping @Sendable (Root) -> Status) {
        self.load = load
        self.status = status
        super.init()
    }
}

extension AVAsyncProperty where Root == AVAsset {
    fileprivate convenience init(facts read: @escaping @Sendable (AssetFacts) -> Value) {
        self.init(load: { read(try await $0.loadFacts()) }, status: { Status($0.factsState, read) })
    }

    fileprivate convenience init(tags read: @escaping @Sendable (AssetTags) -> Value) {
        self.init(load: { read(try await $0.loadTags()) }, status: { Status($0.tagsState, read) })
    }
}

extension AVAsyncProperty.Status {
    fileprivate init<Part>(_ state: AssetLoading<Part>.State, _ read: (Part) -> Value) {
        self =
            switch state {
            case .unknown, .cancelled: .notYetLoaded
            case .loading: .loading
            case .loaded(let part): .loaded(read(part))
            case .failed(let error): .failed(error)
            }
    }
}

extension AVAsyncProperty.Status: Sendable {}

extension AVAsyncProperty.Status: Equatable where Value: Equatable {}

extension AVPartialAsyncProperty where Root == AVAsset {
    /// The duration.
    ///
    /// Apple: `AVPartialAsyncProperty.duration`.
    public static var duration: AVAsyncProperty<AVAsset, CMTime> { AVAsyncProperty(facts: \.duration) }

    /// Whether the file can be played.
    ///
    /// Apple: `AVPartialAsyncProperty.isPlayable`.
    public static var isPlayable: AVAsyncProperty<AVAsset, Bool> { AVAsyncProperty(facts: { _ in true }) }

    /// Whether the duration is exact.
    ///
    /// Apple: `AVPartialAsyncProperty.providesPreciseDurationAndTiming`.
    public static var providesPreciseDurationAndTiming: AVAsyncProperty<AVAsset, Bool> {
        AVAsyncProperty(facts: \.isPrecise)
    }

    /// The metadata whose keys are common to all kinds of tags.
    ///
    /// Apple: `AVPartialAsyncProperty.commonMetadata`.
    public static var commonMetadata: AVAsyncProperty<AVAsset, [AVMetadataItem]> { AVAsyncProperty(tags: \.common) }

    /// All metadata.
    ///
    /// Apple: `AVPartialAsyncProperty.metadata`.
    public static var metadata: AVAsyncProperty<AVAsset, [AVMetadataItem]> { AVAsyncProperty(tags: \.items) }

    /// The kinds of metadata that the asset has.
    ///
    /// Apple: `AVPartialAsyncProperty.availableMetadataFormats`.
    public static var availableMetadataFormats: AVAsyncProperty<AVAsset, [AVMetadataFormat]> {
        AVAsyncProperty(tags: \.formats)
    }

    /// The lyrics; nil if there are none.
    ///
    /// Apple: `AVPartialAsyncProperty.lyrics`.
    public static var lyrics: AVAsyncProperty<AVAsset, String?> { AVAsyncProperty(tags: \.lyrics) }

    /// The date of creation, as the metadata say it; nil if they do not.
    ///
    /// Apple: `AVPartialAsyncProperty.creationDate`.
    public static var creationDate: AVAsyncProperty<AVAsset, AVMetadataItem?> {
        AVAsyncProperty(tags: \.creationDate)
    }
}

extension AVAsset {
    /// The loading status of a property; never blocks.
    ///
    /// The properties of metadata are loaded together, and so are all others. An unreadable file has the status `failed`
    /// until it is read successfully.
    ///
    /// Apple: `AVAsynchronousKeyValueLoading.status(of:)`.
    public func status<Value: Sendable>(
        of property: AVAsyncProperty<AVAsset, Value>
    ) -> AVAsyncProperty<AVAsset, Value>.Status { property.status(self) }
}

/// The loading status of a property.
///
/// Apple: `AVKeyValueStatus`.
public enum AVKeyValueStatus: Int, Sendable {
    /// Not requested yet.
    case unknown = 0
    /// Loading.
    case loading = 1
    /// Loaded.
    case loaded = 2
    /// Failed.
    case failed = 3
    /// Cancelled by `AVAsset.cancelLoading()`.
    case cancelled = 4
}

extension AssetLoading.State {
    /// The status, without the values.
    var status: AVKeyValueStatus {
        switch self {
        case .unknown: .unknown
        case .loading: .loading
        case .loaded: .loaded
        case .failed: .failed
        case .cancelled: .cancelled
        }
    }

    /// The error of a failure or cancellation, else nil.
    var error: NSError? {
        switch self {
        case .failed(let error), .cancelled(let error): error
        case .unknown, .loading, .loaded: nil
        }
    }
}
