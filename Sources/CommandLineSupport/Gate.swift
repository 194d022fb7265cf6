import Foundation

/// A door that threads wait at while it is closed.
// SAFETY: `isOpen` is read and written with the condition's lock held.
package final class Gate: @unchecked Sendable {
    private let condition = NSCondition()
    private var isOpen = true

    /// Makes an open gate.
    package init() {}

    /// Makes threads wait.
    package func close() { condition.withLock { isOpen = false } }

    /// Lets everybody pass.
    package func open() {
        condition.withLock {
            isOpen = true
            condition.broadcast()
        }
    }

    /// Returns at once while the gate is open, else as soon as it is.
    package func pass() {
        condition.withLock {
            while !isOpen { condition.wait() }
        }
    }
}
