internal import Foundation

/// When apps are told something of a player, for which we have to keep it.
///
/// The app may let go of the player meanwhile, on another thread, and give its items to another one: they are free when
/// the player is gone, which is when those who were told have returned.
// SAFETY: everything mutable is guarded by `condition`.
final class Tellings: @unchecked Sendable {
    private let condition = NSCondition()
    private var count = 0
    private var teller: pthread_t?

    /// Tells; whatever keeps the player for that is gone when `body` returns.
    func during(_ body: () -> Void) {
        condition.withLock {
            count += 1
            teller = pthread_self()
        }
        body()
        condition.withLock {
            count -= 1
            condition.broadcast()
        }
    }

    /// Waits until nobody is being told, for two seconds at most; not where the caller is the one.
    func awaitEnd() {
        let limit = Date(timeIntervalSinceNow: 2)
        condition.withLock {
            while count > 0, teller != pthread_self(), condition.wait(until: limit) {}
        }
    }
}
