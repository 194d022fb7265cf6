internal import Glibc

/// A value that is only accessible with its own lock held, and whose changes threads can wait for.
///
/// Lock and condition variable are POSIX's, for the reason given at ``Guarded``. The lock is not recursive: `body` must
/// not use the same object or call the app. Never use it on the sound thread.
// SAFETY: the pointers never change; each access to what they point to is a closure that runs with `mutex` held.
package final class GuardedCondition<State>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private let state: UnsafeMutablePointer<State>

    /// A guarded value.
    package init(_ initial: sending State) {
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        condition = .allocate(capacity: 1)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // Deadlines must not move when the wall clock is set.
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
        state = .allocate(capacity: 1)
        state.initialize(to: initial)
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
        pthread_cond_destroy(condition)
        condition.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` with the lock held, and returns its result; waiting threads check the value again.
    package func withLock<Result, E: Error>(
        _ body: (inout State) throws(E) -> sending Result
    ) throws(E) -> sending Result {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(condition)
            pthread_mutex_unlock(mutex)
        }
        return try body(&state.pointee)
    }

    /// Blocks until the value satisfies a condition or a deadline has passed; that of ``CallDeadline`` counts too.
    ///
    /// - Parameters:
    ///   - deadline: Returns the deadline in seconds of `CLOCK_MONOTONIC`; called again after each change.
    ///   - isReady: Returns whether the value satisfies the condition.
    /// - Returns: Whether the value satisfies the condition.
    @discardableResult
    package func wait(until deadline: (State) -> Double, for isReady: (State) -> Bool) -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while !isReady(state.pointee) {
            // The kernel refuses negative times, and 300 years are as good as forever.
            let seconds = min(max(0, CallDeadline.limit(deadline(state.pointee))), 1e10)
            var time = timespec(tv_sec: Int(seconds), tv_nsec: Int((seconds - seconds.rounded(.down)) * 1e9))
            guard pthread_cond_timedwait(condition, mutex, &time) == 0 else { return isReady(state.pointee) }
        }
        return true
    }
}

extension GuardedCondition where State: Sendable {
    /// A copy of the value.
    package var value: State {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return state.pointee
    }
}
