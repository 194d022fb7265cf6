internal import Foundation

/// Whether the session stopped a player or recorder that was running; set on the main loop's thread.
// SAFETY: `value` is guarded by `lock`.
final class InterruptedFlag: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false

    var isSet: Bool { lock.withLock { value } }

    func set() { lock.withLock { value = true } }

    /// Takes the flag back, and returns whether it was set.
    func clear() -> Bool {
        lock.withLock {
            defer { value = false }
            return value
        }
    }
}
