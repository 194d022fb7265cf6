internal import Glibc
internal import Locks
internal import Synchronization

/// Delays the exit of the process for a moment, so that others can read the session's last claim.
///
/// A session that ended and a process that vanished mean different things to those that were interrupted; on PipeWire
/// the last claim of a process that exits at once was lost in 120 of 200 tries, and with five milliseconds in none.
enum ProcessExitDelay {
    /// When the process may go, in nanoseconds of the monotonic clock.
    private static let until = Atomic<UInt64>(0)
    private static let isLeaving = Atomic<Bool>(false)
    /// How long the connection stays after the last word, in nanoseconds.
    private static let duration: UInt64 = 100_000_000
    /// How long a process may be kept at all: the longest ramp that users can ask for, and a second.
    private static let longest: UInt64 = 11_000_000_000

    private static let errands = Guarded<[@Sendable () -> Void]>([])

    private static let registered: Void = {
        atexit { ProcessExitDelay.wait() }
    }()

    /// Whether the process has waited, and is about to go: what is begun now will not be finished.
    static var isOver: Bool { isLeaving.load(ordering: .relaxed) }

    /// The last word was said just now.
    static func extend() { extend(by: duration) }

    /// Streams of other programs are on their way back to what they were, which takes so many seconds at most.
    static func extend(bySeconds seconds: Double) { extend(by: UInt64(max(0, seconds) * 1e9)) }

    /// They are what they were: only the last word has to be read.
    static func release() {
        let soon = nanoseconds() + duration
        if until.load(ordering: .relaxed) > soon { until.store(soon, ordering: .relaxed) }
    }

    /// Has something finished before the process exits; it must end by itself, soon.
    static func before(exit work: @escaping @Sendable () -> Void) {
        _ = registered
        errands.withLock { $0.append(work) }
    }

    private static func extend(by duration: UInt64) {
        _ = registered
        until.store(max(until.load(ordering: .relaxed), nanoseconds() + duration), ordering: .relaxed)
    }

    private static func wait() {
        for errand in errands.value { errand() }
        // A stream that cannot be given back must not keep the process, whatever happens on the server meanwhile.
        let latest = nanoseconds() + longest
        // In small pieces: the main loop's thread may find that there is nothing to wait for.
        while nanoseconds() < min(until.load(ordering: .relaxed), latest) { usleep(5000) }
        isLeaving.store(true, ordering: .relaxed)
    }

    private static func nanoseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
