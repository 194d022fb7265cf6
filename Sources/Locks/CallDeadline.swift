internal import Glibc

/// The deadline that all waits of one call of an app share.
///
/// A call may wait for several answers, each with a timeout of its own. With a deadline around it, their sum is bounded
/// too: `Mainloop.wait(timeout:until:)` and ``GuardedCondition/wait(until:for:)`` do not wait beyond it.
package enum CallDeadline {
    /// The most that a call waits, in seconds.
    private static let longest = 2.0
    /// The end of the running call's waits, in seconds of `CLOCK_MONOTONIC`; nil outside of such a call.
    @TaskLocal private static var end: Double?

    /// Runs `body` with a deadline 2 s from now, or with that of the call in whose course it is called.
    ///
    /// The deadline belongs to the calling thread; work that `body` puts on a queue has none.
    package static func share<Result, E: Error>(_ body: () throws(E) -> Result) throws(E) -> Result {
        guard end == nil else { return try body() }
        return try $end.withValue(now + longest) { () -> Swift.Result<Result, E> in
            do throws(E) { return .success(try body()) } catch { return .failure(error) }
        }.get()
    }

    /// The timeout, shortened to the time that the running call has left.
    package static func limit(_ timeout: Duration) -> Duration {
        guard let end else { return timeout }
        return min(timeout, .seconds(max(0, end - now)))
    }

    /// The earlier one of a deadline and of the running call's, in seconds of `CLOCK_MONOTONIC`.
    static func limit(_ deadline: Double) -> Double { min(deadline, end ?? deadline) }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
