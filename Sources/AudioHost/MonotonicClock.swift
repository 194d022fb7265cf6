internal import Glibc

/// The machine's clock: it never goes back, and stands still while the machine sleeps.
package enum MonotonicClock {
    /// The time since some moment, in seconds; the same in all processes of the machine.
    package static var seconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
