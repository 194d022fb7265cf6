internal import Foundation

/// Whether the session stopped a player or recorder that was running; set on the main loop's thread.
// SAFETY: `value` and `count` are guarded by `lock`.
final class InterruptedFlag: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false
    private var count = 0

    var isSet: Bool { lock.withLock { value } }

    func set() {
        lock.withLock {
            value = true
            count += 1
        }
    }

    /// How often it was set.
    var times: Int { lock.withLock { count } }

    /// Takes the flag back, unless it was set once more than so many times.
    func clear(ifSet times: Int) { lock.withLock { if count == times { value = false } } }

    /// Takes the flag back, and returns whether it was set.
    func clear() -> Bool {
        lock.withLock {
            defer { value = false }
            return value
        }
    }
}
