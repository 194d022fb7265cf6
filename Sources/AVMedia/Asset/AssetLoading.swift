internal import AudioFiles
internal import Foundation
internal import Locks

/// The progress of loading a part of an asset, shared by all callers that wait for it.
///
/// Cancellation reaches the caller that holds the part's lock, callers that wait for the lock, and queued ones.
final class AssetLoading<Value: Sendable>: Sendable {
    /// The loading state, with its result.
    enum State {
        case unknown
        case loading
        case loaded(Value)
        case failed(NSError)
        case cancelled(NSError)
    }

    private struct Progress {
        var current: StreamCancellation?
        var waiting = 0
        var outcome: Result<Value, NSError>?
    }

    private let progress = Guarded(Progress())

    /// The current state.
    ///
    /// It is kept apart from the part's lock, which is held while a file is opened.
    var state: State {
        progress.withLock { progress in
            switch progress.outcome {
            case .success(let value): .loaded(value)
            // Loading restarts after a cancellation or failure; a failure is still reported as such, unlike a
            // cancellation.
            case .failure(let error) where !Self.isCancelled(error): .failed(error)
            case .failure(let error): progress.waiting > 0 ? .loading : .cancelled(error)
            case nil: progress.waiting > 0 ? .loading : .unknown
            }
        }
    }

    private static func isCancelled(_ error: NSError) -> Bool {
        error.domain == NSURLErrorDomain && error.code == NSURLErrorCancelled
    }

    /// Registers a caller, until ``leave(_:)``; all callers share the cancellation.
    func join() -> StreamCancellation {
        progress.withLock {
            $0.waiting += 1
            let cancellation = $0.current ?? StreamCancellation()
            $0.current = cancellation
            return cancellation
        }
    }

    /// Unregisters a caller, with its result.
    func leave(_ result: Result<Value, NSError>) {
        progress.withLock {
            $0.waiting -= 1
            // Of two callers that leave at once, the last may be the failed one.
            if case .success = $0.outcome { return }
            $0.outcome = result
        }
    }

    /// Cancels loading for all registered callers; a later caller starts anew.
    func cancel() {
        progress.withLock {
            $0.current?.cancel()
            $0.current = nil
        }
    }
}
