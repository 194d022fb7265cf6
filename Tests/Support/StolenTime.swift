import Foundation
import Locks

/// The share of the machine's work that the host of a virtual machine took, as of the last seconds.
///
/// From /proc/stat: the time in which a processor was to run something, and the host let it wait.
final class StolenTime: Sendable {
    static let shared = StolenTime()

    /// The seconds between two looks; less is too few ticks of 10 ms.
    private static let period = Duration.seconds(5)

    private let state = Guarded(State())

    private struct State {
        var last = StolenTime.ticks()
        var time = ContinuousClock.now
        var share = 0.0
    }

    /// The share, from 0 to 1; 0 in the first seconds, and where /proc/stat cannot be read.
    var share: Double {
        state.withLock { state in
            let now = ContinuousClock.now
            guard now - state.time >= Self.period else { return state.share }
            let ticks = Self.ticks()
            let work = ticks.work - state.last.work
            state.share = work > 0 ? Double(ticks.stolen - state.last.stolen) / Double(work) : 0
            (state.last, state.time) = (ticks, now)
            return state.share
        }
    }

    /// The ticks of work since the machine's start, stolen ones included, and those that were stolen.
    private static func ticks() -> (work: Int, stolen: Int) {
        let line = (try? String(contentsOfFile: "/proc/stat", encoding: .utf8))?.prefix { $0 != "\n" } ?? ""
        let numbers = line.split(separator: " ").dropFirst().compactMap { Int($0) }
        guard numbers.count >= 8 else { return (0, 0) }
        // user, nice, system, idle, iowait, irq, softirq, steal; a guest's time stands in user and nice too.
        let stolen = numbers[7]
        return (numbers[0] + numbers[1] + numbers[2] + numbers[5] + numbers[6] + stolen, stolen)
    }
}
