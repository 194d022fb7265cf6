internal import Glibc
internal import Synchronization

/// Cancels a ``StreamReader``'s waiting, from any thread.
package final class StreamCancellation: Sendable {
    /// When, in nanoseconds of the system's clock.
    private let time = Atomic<UInt64>(.max)

    /// A cancellation that has not happened yet.
    package init() {}

    /// Whether the reader was cancelled, or its deadline has passed.
    package var isCancelled: Bool {
        let time = time.load(ordering: .relaxed)
        return time != .max && Self.now >= time
    }

    /// Ends the reader's present call within a tenth of a second, and all later ones at once.
    package func cancel() { time.store(0, ordering: .relaxed) }

    /// Cancels after so many seconds, unless ``withdraw()`` is called before; an earlier call's deadline stays.
    package func cancel(after seconds: Double) {
        _ = time.compareExchange(expected: .max, desired: Self.now &+ UInt64(seconds * 1e9), ordering: .relaxed)
    }

    /// Withdraws the deadline of ``cancel(after:)``; false if it has passed.
    ///
    /// On the reader's thread, between two of its calls.
    package func withdraw() -> Bool {
        let time = time.load(ordering: .relaxed)
        guard time != .max else { return true }
        guard Self.now < time else { return false }
        return self.time.compareExchange(expected: time, desired: .max, ordering: .relaxed).exchanged
    }

    /// The system's clock, in nanoseconds.
    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
