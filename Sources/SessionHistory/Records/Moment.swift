internal import Foundation
internal import Glibc

/// A moment by the wall clock and by the monotonic clock of one boot.
package struct Moment: Hashable, Sendable {
    /// The wall clock, in seconds since 1970.
    package let wall: Double
    /// CLOCK_MONOTONIC in seconds, as the `t` of every program's `--json`.
    package let monotonic: Double
    /// The identifier of the boot within which monotonic times can be compared; empty if it is unknown.
    package let boot: String

    /// Creates a moment.
    package init(wall: Double, monotonic: Double, boot: String = "") {
        self.wall = wall
        self.monotonic = monotonic
        self.boot = boot
    }

    /// The seconds since an earlier moment, never less than 0.
    ///
    /// Within one boot the monotonic clock counts, which neither jumps nor runs while the machine sleeps.
    package func seconds(since earlier: Moment) -> Double {
        max(0, boot == earlier.boot ? monotonic - earlier.monotonic : wall - earlier.wall)
    }

    /// The moment some seconds earlier.
    package func earlier(by seconds: Double) -> Moment {
        Moment(wall: wall - seconds, monotonic: monotonic - seconds, boot: boot)
    }
}

/// The clocks that a history is written by.
package struct HistoryClocks: Sendable {
    /// The wall clock, in seconds since 1970.
    package let wall: @Sendable () -> Double
    /// CLOCK_MONOTONIC in seconds.
    package let monotonic: @Sendable () -> Double
    /// CLOCK_BOOTTIME in seconds, which also runs while the machine sleeps.
    package let sinceBoot: @Sendable () -> Double
    /// The identifier of the boot.
    package let boot: String

    /// Clocks to try a history with.
    package init(
        wall: @escaping @Sendable () -> Double, monotonic: @escaping @Sendable () -> Double,
        sinceBoot: @escaping @Sendable () -> Double, boot: String
    ) {
        self.wall = wall
        self.monotonic = monotonic
        self.sinceBoot = sinceBoot
        self.boot = boot
    }

    /// The machine's clocks.
    package static let system = HistoryClocks(
        wall: { seconds(CLOCK_REALTIME) }, monotonic: { seconds(CLOCK_MONOTONIC) },
        sinceBoot: { seconds(CLOCK_BOOTTIME) },
        boot: String((try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8))?.prefix(8) ?? "")
    )

    /// The present moment.
    package var now: Moment { Moment(wall: wall(), monotonic: monotonic(), boot: boot) }

    private static func seconds(_ clock: clockid_t) -> Double {
        var now = timespec()
        clock_gettime(clock, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }
}
