internal import AudioFiles
internal import Foundation
internal import Locks

/// The loading of an asset, by all who wait for it: how far it is, and what cancels it, with its lock held, for that
/// lock, or in a queue.
final class AssetLoading: Sendable {
    /// How far it is, with what is known, or what went wrong.
    enum State {
        case unknown
        case loading
        case loaded(AssetFacts)
        case failed(NSError)
        case cancelled(NSError)
    }

    private struct Progress {
        var current: StreamCancellation?
        var waiting = 0
        var outcome: Result<AssetFacts, NSError>?
    }

    private let progress = Guarded(Progress())

    /// Never waits: the asset's own lock is held while a file is opened.
    var state: State {
        progress.withLock { progress in
            switch progress.outcome {
            case .success(let facts): .loaded(facts)
            // What was cancelled is begun anew, and what failed is tried again, but Apple's does not.
            case .failure(let error) where !Self.isCancelled(error): .failed(error)
            case .failure(let error): progress.waiting > 0 ? .loading : .cancelled(error)
            case nil: progress.waiting > 0 ? .loading : .unknown
            }
        }
    }

    private static func isCancelled(_ error: NSError) -> Bool {
        error.domain == NSURLErrorDomain && error.code == NSURLErrorCancelled
    }

    /// Begins to wait, with all who wait already, until ``leave(_:)``.
    func join() -> StreamCancellation {
        progress.withLock {
            $0.waiting += 1
            let cancellation = $0.current ?? StreamCancellation()
            $0.current = cancellation
            return cancellation
        }
    }

    /// Waits no more.
    func leave(_ result: Result<AssetFacts, NSError>) {
        progress.withLock {
            $0.waiting -= 1
            // Of two who leave at once, the one who had no luck may be the last.
            if case .success = $0.outcome { return }
            $0.outcome = result
        }
    }

    /// Ends the wait of all who have joined; whoever does later begins anew.
    func cancel() {
        progress.withLock {
            $0.current?.cancel()
            $0.current = nil
        }
    }
}
