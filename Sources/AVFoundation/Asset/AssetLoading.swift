internal import AudioFiles
internal import Foundation

/// The loading of an asset, by all who wait for it: how far it is, and what cancels it, with its lock held, for that
/// lock, or in a queue.
// SAFETY: guarded by `lock`.
final class AssetLoading: @unchecked Sendable {
    /// How far it is, with what is known, or what went wrong.
    enum State {
        case unknown
        case loading
        case loaded(AssetFacts)
        case failed(NSError)
        case cancelled(NSError)
    }

    private let lock = NSLock()
    private var current: StreamCancellation?
    private var waiting = 0
    private var outcome: Result<AssetFacts, NSError>?

    /// Never waits: the asset's own lock is held while a file is opened.
    var state: State {
        lock.withLock {
            switch outcome {
            case .success(let facts): .loaded(facts)
            // What was cancelled is begun anew, and what failed is tried again, but Apple's does not.
            case .failure(let error) where !Self.isCancelled(error): .failed(error)
            case .failure(let error): waiting > 0 ? .loading : .cancelled(error)
            case nil: waiting > 0 ? .loading : .unknown
            }
        }
    }

    private static func isCancelled(_ error: NSError) -> Bool {
        error.domain == NSURLErrorDomain && error.code == NSURLErrorCancelled
    }

    /// Begins to wait, with all who wait already, until ``leave(_:)``.
    func join() -> StreamCancellation {
        lock.withLock {
            waiting += 1
            let cancellation = current ?? StreamCancellation()
            current = cancellation
            return cancellation
        }
    }

    /// Waits no more.
    func leave(_ result: Result<AssetFacts, NSError>) {
        lock.withLock {
            waiting -= 1
            // Of two who leave at once, the one who had no luck may be the last.
            if case .success = outcome { return }
            outcome = result
        }
    }

    /// Ends the wait of all who have joined; whoever does later begins anew.
    func cancel() {
        lock.withLock {
            current?.cancel()
            current = nil
        }
    }
}
