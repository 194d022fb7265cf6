internal import Glibc

/// A box around a value that is only reached with the box's own lock held, for threads that wait for its changes.
///
/// The lock and the condition are POSIX's, for ThreadSanitizer, as those of ``Guarded``. The lock is not recursive:
/// `body` must not come back to the same box or call the app. Never for the sound thread.
// SAFETY: the pointers never change; each access to what they point to is a closure that runs with `mutex` held.
package final class GuardedCondition<State>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private let state: UnsafeMutablePointer<State>

    /// A box around an initial value.
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

    /// Runs `body` with the value and the lock held, and returns its result; those who wait look at the value again.
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

    /// Blocks until the value is as wanted or a deadline has passed.
    ///
    /// - Parameters:
    ///   - deadline: The deadline by the value, in seconds of `CLOCK_MONOTONIC`; read again after each change.
    ///   - isReady: Whether the value is as wanted.
    /// - Returns: Whether the value is as wanted.
    @discardableResult
    package func wait(until deadline: (State) -> Double, for isReady: (State) -> Bool) -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while !isReady(state.pointee) {
            // A time before the machine's start is none that the kernel takes; centuries are as good as never.
            let seconds = min(max(0, deadline(state.pointee)), 1e10)
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
