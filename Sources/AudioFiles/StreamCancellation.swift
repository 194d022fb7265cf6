internal import Synchronization

/// Ends whatever a ``StreamReader`` is waiting for; from any thread.
package final class StreamCancellation: Sendable {
    private let flag = Atomic<Bool>(false)

    /// Nothing is cancelled yet.
    package init() {}

    /// Whether somebody has cancelled.
    package var isCancelled: Bool { flag.load(ordering: .relaxed) }

    /// Ends the reader's present call within a tenth of a second, and all later ones at once.
    package func cancel() { flag.store(true, ordering: .relaxed) }
}
