internal import Glibc
internal import Synchronization

/// Ends whatever a ``StreamReader`` is waiting for; from any thread.
package final class StreamCancellation: Sendable {
    /// When, in nanoseconds of the system's clock.
    private let time = Atomic<UInt64>(.max)

    /// Nothing is cancelled yet.
    package init() {}

    /// Whether somebody has cancelled.
    package var isCancelled: Bool {
        let time = time.load(ordering: .relaxed)
        return time != .max && Self.now >= time
    }

    /// Ends the reader's present call within a tenth of a second, and all later ones at once.
    package func cancel() { time.store(0, ordering: .relaxed) }

    /// Does so in so many seconds, or when an earlier call of this said, unless that is withdrawn.
    package func cancel(after seconds: Double) {
        _ = time.compareExchange(expected: .max, desired: Self.now &+ UInt64(seconds * 1e9), ordering: .relaxed)
    }

    /// Takes back what ``cancel(after:)`` said; false if it is too late.
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
