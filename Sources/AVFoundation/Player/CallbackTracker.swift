internal import AudioHost
internal import Glibc
internal import Locks

/// A count of callbacks to the app in progress, so that the end of a player can wait for them.
///
/// The app may let go of the player meanwhile, on another thread, and give its items to another one: items are free when
/// the player is gone, which is when its callbacks have returned.
final class CallbackTracker: Sendable {
    private struct State {
        var count = 0
        var caller: pthread_t?
    }

    private let state = GuardedCondition(State())

    /// Runs a callback; references to the player that it needs are gone when `body` returns.
    func during(_ body: () -> Void) {
        state.withLock {
            $0.count += 1
            $0.caller = pthread_self()
        }
        body()
        state.withLock { $0.count -= 1 }
    }

    /// Waits until no callback is in progress, for two seconds at most; returns at once within a callback.
    func awaitEnd() {
        let limit = MonotonicClock.seconds + 2
        state.wait(until: { _ in limit }, for: { $0.count == 0 || $0.caller == pthread_self() })
    }
}
