internal import Glibc

/// The machine's monotonic clock, which stands still while the machine sleeps.
package enum MonotonicClock {
    /// The time in seconds since an arbitrary moment; the same in all processes of the machine.
    package static var seconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
