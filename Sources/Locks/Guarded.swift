internal import Glibc

/// A value that is only accessible with its own lock held.
///
/// The lock is POSIX's, because ThreadSanitizer does not see `Synchronization.Mutex` on Linux. It is not recursive:
/// `body` must not use the same object, wait for another thread or call the app. Never use it on the sound thread.
// SAFETY: the pointers never change; each access to what they point to is a closure that runs with `mutex` held.
package final class Guarded<State>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let state: UnsafeMutablePointer<State>

    /// A guarded value.
    package init(_ initial: sending State) {
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        state = .allocate(capacity: 1)
        state.initialize(to: initial)
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` with the lock held, and returns its result; waits while another thread holds the lock.
    package func withLock<Result, E: Error>(
        _ body: (inout State) throws(E) -> sending Result
    ) throws(E) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state.pointee)
    }

    /// Runs `body` as ``withLock(_:)`` does if the lock is free; returns nil at once if it is not.
    package func withLockIfFree<Result, E: Error>(
        _ body: (inout State) throws(E) -> sending Result
    ) throws(E) -> sending Result? {
        guard pthread_mutex_trylock(mutex) == 0 else { return nil }
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state.pointee)
    }
}

extension Guarded where State: Sendable {
    /// A copy of the value.
    package var value: State { withLock { $0 } }
}
