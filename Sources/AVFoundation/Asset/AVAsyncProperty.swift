internal import CoreMedia
internal import Foundation

// SAFETY: it has no state.
/// A property of an asset, as in `[.duration, .isPlayable]`; Apple: `AVPartialAsyncProperty`.
public class AVPartialAsyncProperty<Root>: @unchecked Sendable {
    /// The others are made here.
    fileprivate init() {}
}

// SAFETY: it adds only what does not change.
/// A property of an asset that is asked for without blocking, as in `load(.duration)`; Apple: `AVAsyncProperty`.
public final class AVAsyncProperty<Root, Value: Sendable>: AVPartialAsyncProperty<Root>, @unchecked Sendable {
    /// How far the loading of a property is.
    ///
    /// Apple: `AVAsyncProperty.Status`.
    public enum Status {
        /// Nobody has asked yet, or the loading was cancelled.
        case notYetLoaded
        /// It is being loaded.
        case loading
        /// It is known.
        case loaded(Value)
        /// It could not be loaded.
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
    /// The length.
    ///
    /// Apple: `AVPartialAsyncProperty.duration`.
    public static var duration: AVAsyncProperty<AVAsset, CMTime> { AVAsyncProperty { $0.duration } }

    /// Whether the file can be played.
    ///
    /// Apple: `AVPartialAsyncProperty.isPlayable`.
    public static var isPlayable: AVAsyncProperty<AVAsset, Bool> { AVAsyncProperty { _ in true } }

    /// Whether the length is exact.
    ///
    /// Apple: `AVPartialAsyncProperty.providesPreciseDurationAndTiming`.
    public static var providesPreciseDurationAndTiming: AVAsyncProperty<AVAsset, Bool> {
        AVAsyncProperty { $0.isPrecise }
    }
}

extension AVAsset {
    /// How far the loading of a property is; never blocks.
    ///
    /// All properties come with the first that is asked for. A file that could not be read is `failed` until it could.
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

/// How far the loading of a property is.
///
/// Apple: `AVKeyValueStatus`.
public enum AVKeyValueStatus: Int, Sendable {
    /// Nobody has asked yet.
    case unknown = 0
    /// It is being loaded.
    case loading = 1
    /// It is known.
    case loaded = 2
    /// It could not be loaded.
    case failed = 3
    /// The loading was given up: `AVAsset.cancelLoading()`.
    case cancelled = 4
}

extension AssetLoading.State {
    /// The same without values.
    var status: AVKeyValueStatus {
        switch self {
        case .unknown: .unknown
        case .loading: .loading
        case .loaded: .loaded
        case .failed: .failed
        case .cancelled: .cancelled
        }
    }

    /// What went wrong.
    var error: NSError? {
        switch self {
        case .failed(let error), .cancelled(let error): error
        case .unknown, .loading, .loaded: nil
        }
    }
}
