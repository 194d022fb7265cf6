internal import Foundation

/// A count of callbacks to the app in progress, so that the end of a player can wait for them.
///
/// The app may let go of the player meanwhile, on another thread, and give its items to another one: items are free when
/// the player is gone, which is when its callbacks have returned.
// SAFETY: everything mutable is guarded by `condition`.
final class CallbackTracker: @unchecked Sendable {
    private let condition = NSCondition()
    private var count = 0
    private var caller: pthread_t?

    /// Runs a callback; references to the player that it needs are gone when `body` returns.
    func during(_ body: () -> Void) {
        condition.withLock {
            count += 1
            caller = pthread_self()
        }
        body()
        condition.withLock {
            count -= 1
            condition.broadcast()
        }
    }

    /// Waits until no callback is in progress, for two seconds at most; returns at once within a callback.
    func awaitEnd() {
        let limit = Date(timeIntervalSinceNow: 2)
        condition.withLock {
            while count > 0, caller != pthread_self(), condition.wait(until: limit) {}
        }
    }
}
