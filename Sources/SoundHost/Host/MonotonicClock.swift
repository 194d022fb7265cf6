internal import Glibc

/// The clock that the value rules are given: it never goes back, and stands still while the machine sleeps.
enum MonotonicClock {
    /// The time since some moment, in seconds.
    static var seconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
