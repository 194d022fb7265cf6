import Foundation

/// Keeps whoever comes waiting until a test opens it.
// SAFETY: everything mutable is guarded by `condition`.
package final class Gate: @unchecked Sendable {
    private let condition = NSCondition()
    private var openings = 0
    private var isOpen = false
    private var arrivals = 0

    /// A closed gate.
    package init() {}

    /// How many have come here so far.
    package var arrived: Int { condition.withLock { arrivals } }

    /// Lets everybody through from now on.
    package func open() {
        condition.withLock {
            isOpen = true
            condition.broadcast()
        }
    }

    /// Lets so many through, and no more.
    package func open(_ count: Int) {
        condition.withLock {
            openings += count
            condition.broadcast()
        }
    }

    /// Returns once the gate lets the caller through.
    package func pass() {
        condition.withLock {
            arrivals += 1
            while !isOpen, openings == 0 { condition.wait() }
            if !isOpen { openings -= 1 }
        }
    }
}
