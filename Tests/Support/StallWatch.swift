import Foundation
import Synchronization

/// Notices when the machine keeps this process waiting, so that sound could not be in time whatever the code does.
///
/// It sleeps to be woken: how late that happens is the measure, and no test waits for it.
///
/// A thread wakes every 5 ms and looks how late it is, and so does a task, since tests share Swift's few threads and
/// one that blocks them keeps all others from their next step. A sound server that computes is kept waiting sooner than
/// a thread that mostly sleeps: the kernel says for how long anything waited for a processor, and how much of them the
/// host of a virtual machine gave to others.
///
/// That says nothing about the code under test: a test that fails in a stall is repeated (`withServer`), and one that
/// fails without is a failure.
final class StallWatch: Sendable {
    /// How late a thread may wake before sound suffers: half of what PipeWire computes at a time.
    private static let tolerance = 0.0107
    /// How late a task may wake: tests take their next step at moments of this precision.
    private static let taskTolerance = 0.2
    private static let pace = 0.005

    /// The part of the time in which something may wait for a processor.
    private static let pressureTolerance = 0.4

    /// The part of the processors' work that the host of a virtual machine may take away.
    private static let theftTolerance = 0.05

    private let begin = (time: StallWatch.now, pressure: StallWatch.pressure, work: StallWatch.work)
    private let worst = Atomic<UInt64>(0)
    private let worstTask = Atomic<UInt64>(0)
    private let isOver = Atomic<Bool>(false)

    /// Begins to look.
    init() {
        Thread.detachNewThread { [self] in
            var last = Self.now
            while !isOver.load(ordering: .relaxed) {
                // The measuring clock: nothing waits for it.
                usleep(UInt32(Self.pace * 1e6))
                let late = Self.now - last - Self.pace
                last = Self.now
                worst.max(UInt64(max(0, late) * 1e6), ordering: .relaxed)
            }
        }
        Task.detached { [self] in
            var last = Self.now
            while !isOver.load(ordering: .relaxed) {
                // The same for tasks.
                try? await Task.sleep(for: .seconds(Self.pace))
                let late = Self.now - last - Self.pace
                last = Self.now
                worstTask.max(UInt64(max(0, late) * 1e6), ordering: .relaxed)
            }
        }
    }

    /// The longest that the process was kept waiting so far, in seconds.
    var longestStall: Double { Double(worst.load(ordering: .relaxed)) / 1e6 }

    /// The longest that a task was kept waiting so far, in seconds.
    var longestTaskStall: Double { Double(worstTask.load(ordering: .relaxed)) / 1e6 }

    /// Whether sound could not be in time.
    var hasStalled: Bool {
        longestStall > Self.tolerance || longestTaskStall > Self.taskTolerance || pressure > Self.pressureTolerance
            || theft > Self.theftTolerance
    }

    /// The part of the work since the beginning for which the host gave this machine no processor; 0 if unknown.
    var theft: Double {
        guard let now = Self.work, let then = begin.work else { return 0 }
        return (now.stolen - then.stolen) / max(1, now.all - then.all)
    }

    /// Ticks in which there was something to do, since the machine's start, and those among them that the host took
    /// away.
    private static var work: (all: Double, stolen: Double)? {
        // user nice system idle iowait irq softirq steal …
        let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8)
        let ticks =
            text?.split(separator: "\n").first?.split(separator: " ").dropFirst().compactMap { Double($0) } ?? []
        guard ticks.count >= 8 else { return nil }
        return (ticks[..<3].reduce(0, +) + ticks[5..<8].reduce(0, +), ticks[7])
    }

    /// The part of the time since the beginning in which something on this machine waited for a processor; 0 if
    /// unknown.
    var pressure: Double {
        guard let now = Self.pressure, let then = begin.pressure else { return 0 }
        return (now - then) / max(0.001, Self.now - begin.time)
    }

    /// Seconds since the machine's start in which something waited for a processor.
    private static var pressure: Double? {
        let text = try? String(contentsOfFile: "/proc/pressure/cpu", encoding: .utf8)
        let total = text?.split(separator: "\n").first?.split(separator: "=").last
        return total.flatMap { Double($0) }.map { $0 / 1e6 }
    }

    /// Ends the thread.
    func stop() { isOver.store(true, ordering: .relaxed) }

    private static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
}
