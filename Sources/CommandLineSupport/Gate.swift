internal import Locks

/// A gate: threads wait in ``pass()`` while it is closed.
package final class Gate: Sendable {
    private let isOpen = GuardedCondition(true)

    /// Creates an open gate.
    package init() {}

    /// Closes the gate.
    package func close() { isOpen.withLock { $0 = false } }

    /// Opens the gate, and releases all waiting threads.
    package func open() { isOpen.withLock { $0 = true } }

    /// Waits until the gate is open.
    package func pass() { isOpen.wait(until: { _ in .infinity }, for: { $0 }) }
}
