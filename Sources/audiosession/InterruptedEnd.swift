import Glibc
import Synchronization

/// Lets this process end as SIGINT ends one, after everything else that is to be done at its end.
///
/// A shell that runs a loop looks how its command ended: one that only says so by its status, 130, might as well go on.
enum InterruptedEnd {
    private static let isWanted = Atomic<Bool>(false)

    /// To be called before anything else has something done at the end: what was asked for last is done first.
    static func register() {
        atexit {
            guard InterruptedEnd.isWanted.load(ordering: .relaxed) else { return }
            fflush(nil)
            Signals.die(of: SIGINT)
        }
    }

    /// From now on the process ends so, whatever status it gives.
    static func prepare() { isWanted.store(true, ordering: .relaxed) }
}
