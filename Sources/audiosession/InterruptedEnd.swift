import Glibc
import Synchronization

/// An exit handler by which this process dies of SIGINT after its other exit handlers.
///
/// A shell leaves its loop only if SIGINT killed the command; the exit status 130 alone does not end the loop.
enum InterruptedEnd {
    private static let isWanted = Atomic<Bool>(false)

    /// Registers the handler; to be called before any other `atexit`, as handlers run in reverse order.
    static func register() {
        atexit {
            guard InterruptedEnd.isWanted.load(ordering: .relaxed) else { return }
            fflush(nil)
            Signals.die(of: SIGINT)
        }
    }

    /// Makes the process die of SIGINT at its exit, whatever status it exits with.
    static func prepare() { isWanted.store(true, ordering: .relaxed) }
}
