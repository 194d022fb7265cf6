internal import Locks

/// A door that threads wait at while it is closed.
package final class Gate: Sendable {
    private let isOpen = GuardedCondition(true)

    /// Makes an open gate.
    package init() {}

    /// Makes threads wait.
    package func close() { isOpen.withLock { $0 = false } }

    /// Lets everybody pass.
    package func open() { isOpen.withLock { $0 = true } }

    /// Returns at once while the gate is open, else as soon as it is.
    package func pass() { isOpen.wait(until: { _ in .infinity }, for: { $0 }) }
}
