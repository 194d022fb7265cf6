internal import AudioHost
internal import Glibc
internal import Locks

/// A count of callbacks to the app in progress, so that the end of a player can wait for them.
///
/// The app may release the player during a callback on another thread, and use its items in another player. Items are
/// free once the player is gone, which is when its callbacks have returned.
final class CallbackTracker: Sendable {
    private struct State {
        var count = 0
        var caller: pthread_t?
    }

    private let state = GuardedCondition(State())

    /// Runs a callback.
    ///
    /// References to the player must be gone when `body` returns.
    func during(_ body: () -> Void) {
        state.withLock {
            $0.count += 1
            $0.caller = pthread_self()
        }
        body()
        state.withLock { $0.count -= 1 }
    }

    /// Waits until no callback is in progress, for two seconds at most; returns at once on the thread of a callback.
    func awaitEnd() {
        let limit = MonotonicClock.seconds + 2
        state.wait(until: { _ in limit }, for: { $0.count == 0 || $0.caller == pthread_self() })
    }
}
