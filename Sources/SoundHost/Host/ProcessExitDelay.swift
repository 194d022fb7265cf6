internal import Glibc
internal import Locks
internal import Synchronization

/// Delays the exit of the process for a moment, so that others can read the session's last claim.
///
/// Interrupted sessions treat an ended session and a vanished process differently. On PipeWire the last claim of a
/// process that exited at once was lost in 120 of 200 tries; with a delay of five milliseconds in none.
enum ProcessExitDelay {
    /// The earliest time of the exit, in nanoseconds of the monotonic clock.
    private static let until = Atomic<UInt64>(0)
    private static let isLeaving = Atomic<Bool>(false)
    /// The time between the last claim and the exit, in nanoseconds.
    private static let duration: UInt64 = 100_000_000
    /// The longest delay, in nanoseconds: the longest ramp in the settings, and one second.
    private static let longest: UInt64 = 11_000_000_000

    private static let errands = Guarded<[@Sendable () -> Void]>([])

    /// The handler of the exit, with the process that it belongs to.
    private static let registered: pid_t = {
        atexit { ProcessExitDelay.wait() }
        return getpid()
    }()

    /// Whether the delay is over: operations begun now would not be completed.
    static var isOver: Bool { isLeaving.load(ordering: .relaxed) }

    /// Delays the exit after the last claim was published.
    static func extend() { extend(by: duration) }

    /// Delays the exit by the time that other programs' streams need to be restored, in seconds.
    static func extend(bySeconds seconds: Double) { extend(by: UInt64(max(0, seconds) * 1e9)) }

    /// Shortens the delay to that of the last claim, after all streams are restored.
    static func release() {
        let soon = nanoseconds() + duration
        if until.load(ordering: .relaxed) > soon { until.store(soon, ordering: .relaxed) }
    }

    /// Registers work to run before the exit; the work must end by itself, soon.
    static func before(exit work: @escaping @Sendable () -> Void) {
        _ = registered
        errands.withLock { $0.append(work) }
    }

    private static func extend(by duration: UInt64) {
        _ = registered
        until.store(max(until.load(ordering: .relaxed), nanoseconds() + duration), ordering: .relaxed)
    }

    private static func wait() {
        // A child made with fork() inherits the handler, and locks that nobody in it will ever release.
        guard registered == getpid() else { return }
        for errand in errands.value { errand() }
        // A stream that cannot be restored must not block the exit.
        let latest = nanoseconds() + longest
        // In steps of 5 ms: the main loop's thread may shorten the delay.
        while nanoseconds() < min(until.load(ordering: .relaxed), latest) { usleep(5000) }
        isLeaving.store(true, ordering: .relaxed)
    }

    private static func nanoseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
