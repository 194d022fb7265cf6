internal import Glibc

/// A lock around calls that block; never for the sound thread.
///
/// A POSIX one, because ThreadSanitizer does not see through `Synchronization.Mutex` on Linux.
// SAFETY: the pointer never changes; POSIX guards what it points to.
final class PlainLock: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    init() {
        mutex = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    func lock() { pthread_mutex_lock(mutex) }
    func unlock() { pthread_mutex_unlock(mutex) }
    /// Takes the lock if it is free.
    func tryLock() -> Bool { pthread_mutex_trylock(mutex) == 0 }

    func withLock<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
        lock()
        defer { unlock() }
        return try body()
    }
}
