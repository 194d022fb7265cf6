internal import CoreMedia
internal import Foundation

// SAFETY: it has no state.
/// A property of an asset, as in `[.duration, .isPlayable]`; Apple: `AVPartialAsyncProperty`.
public class AVPartialAsyncProperty<Root>: @unchecked Sendable {
    /// Instances are created in this file only.
    fileprivate init() {}
}

// SAFETY: it adds only what does not change.
/// A property of an asset that is asked for without blocking, as in `load(.duration)`; Apple: `AVAsyncProperty`.
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

    let read: @Sendable (AssetFacts) -> Value

    fileprivate init(_ read: @escaping @Sendable (AssetFacts) -> Value) {
        self.read = read
        super.init()
    }
}

extension AVAsyncProperty.Status: Sendable {}

extension AVAsyncProperty.Status: Equatable where Value: Equatable {}

extension AVPartialAsyncProperty where Root == AVAsset {
    /// The duration.
    ///
    /// Apple: `AVPartialAsyncProperty.duration`.
    public static var duration: AVAsyncProperty<AVAsset, CMTime> { AVAsyncProperty { $0.duration } }

    /// Whether the file can be played.
    ///
    /// Apple: `AVPartialAsyncProperty.isPlayable`.
    public static var isPlayable: AVAsyncProperty<AVAsset, Bool> { AVAsyncProperty { _ in true } }

    /// Whether the duration is exact.
    ///
    /// Apple: `AVPartialAsyncProperty.providesPreciseDurationAndTiming`.
    public static var providesPreciseDurationAndTiming: AVAsyncProperty<AVAsset, Bool> {
        AVAsyncProperty { $0.isPrecise }
    }
}

extension AVAsset {
    /// The loading status of a property; never blocks.
    ///
    /// All properties are loaded together. An unreadable file has the status `failed` until it is read successfully.
    ///
    /// Apple: `AVAsynchronousKeyValueLoading.status(of:)`.
    public func status<Value: Sendable>(
        of property: AVAsyncProperty<AVAsset, Value>
    ) -> AVAsyncProperty<AVAsset, Value>.Status {
        switch loadingState {
        case .unknown, .cancelled: .notYetLoaded
        case .loading: .loading
        case .loaded(let facts): .loaded(property.read(facts))
        case .failed(let error): .failed(error)
        }
    }
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
