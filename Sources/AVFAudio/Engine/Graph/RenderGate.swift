internal import AudioGraph
internal import Synchronization

/// The right to render a graph, or to change what only the render side touches.
///
/// Nobody sleeps with it: whoever does not get it turns back, or waits for the end of a short change.
final class RenderGate: Sendable {
    private enum Holder {
        static let none = 0
        static let rendering = 1
        static let changing = 2
    }

    private let holder = Atomic<Int>(Holder.none)
    /// The thread that renders; 0 for none.
    private let thread = Atomic<UInt>(0)
    private let isChangeWanted = Atomic<Bool>(false)
    private let waiters = BlockWaiters()

    /// Begins to render; false if somebody renders.
    ///
    /// - Parameter waits: Whether to wait for the end of a change, or to return false then as well.
    func beginRendering(waits: Bool) -> Bool {
        while true {
            let (isTaken, other) = holder.compareExchange(
                expected: Holder.none, desired: Holder.rendering, ordering: .acquiringAndReleasing)
            if isTaken {
                thread.store(UInt(pthread_self()), ordering: .relaxed)
                return true
            }
            guard waits, other == Holder.changing else { return false }
            sched_yield()
        }
    }

    /// Whether the calling thread renders, and so would wait for itself.
    var isRenderingHere: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

    /// Begins a change; false while somebody renders, who then hears of it by ``end()``, or changes.
    func beginChange() -> Bool {
        isChangeWanted.store(true, ordering: .sequentiallyConsistent)
        let isTaken = holder.compareExchange(
            expected: Holder.none, desired: Holder.changing, ordering: .sequentiallyConsistent
        ).exchanged
        if isTaken { isChangeWanted.store(false, ordering: .sequentiallyConsistent) }
        return isTaken
    }

    /// Waits while somebody renders or changes, and may return early; not for the thread that does.
    func awaitEnd() { waiters.wait { holder.load(ordering: .sequentiallyConsistent) == Holder.none } }

    /// Ends rendering or a change, and returns whether somebody has wanted a change meanwhile.
    func end() -> Bool {
        thread.store(0, ordering: .relaxed)
        holder.store(Holder.none, ordering: .sequentiallyConsistent)
        waiters.signal()
        return isChangeWanted.exchange(false, ordering: .sequentiallyConsistent)
    }
}
