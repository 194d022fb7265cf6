internal import Dispatch
import Synchronization

/// The threads that wait for the end of a block.
///
/// The render side looks at one number at each end, and signals only if somebody waits. It takes no lock.
package final class BlockWaiters: Sendable {
    /// The waits that have not been signalled.
    private let count = Atomic<Int>(0)
    private let ends = DispatchSemaphore(value: 0)

    /// Nobody waits.
    package init() {}

    /// Waits for the end of a block; it may be that of an earlier one, so the caller looks again.
    ///
    /// - Parameter isOver: Whether the block has ended. It is asked when the render side knows of the wait.
    package func wait(unless isOver: () -> Bool) {
        count.wrappingAdd(1, ordering: .sequentiallyConsistent)
        if isOver(), takeBack() { return }
        ends.wait()
    }

    /// Lets all go on that wait now; called after the end of the block can be seen.
    package func signal() {
        guard count.load(ordering: .sequentiallyConsistent) > 0 else { return }
        for _ in 0..<count.exchange(0, ordering: .sequentiallyConsistent) { ends.signal() }
    }

    /// Takes a wait back that was not signalled; false if a signal is on its way.
    private func takeBack() -> Bool {
        var waits = count.load(ordering: .relaxed)
        while waits > 0 {
            let (exchanged, original) = count.compareExchange(
                expected: waits, desired: waits - 1, ordering: .sequentiallyConsistent)
            if exchanged { return true }
            waits = original
        }
        return false
    }
}
