import Locks

/// A counting semaphore whose waiters suspend, in the order of their arrival, and block no thread.
final class ServerSlots: Sendable {
    /// How many servers a process of tests runs at a time.
    ///
    /// A test mostly waits for sound in real time. With more of them, tests that block Swift's few threads keep others
    /// from their next step for seconds; so there are several processes, see `scripts/test-parts`.
    static let count = 2
    /// How many a test takes that judges time, gaps or levels.
    static let ofJudges = 1

    @TaskLocal static var isInside = false
    /// How many the running test takes; nil if it does not say so.
    @TaskLocal static var wanted: Int?
    static let shared = ServerSlots()

    private struct State {
        var free = ServerSlots.count
        var waiting: [(slots: Int, continuation: CheckedContinuation<Void, Never>)] = []

        /// Takes whoever may go on out of the queue.
        mutating func served() -> [CheckedContinuation<Void, Never>] {
            var served: [CheckedContinuation<Void, Never>] = []
            while let first = waiting.first, first.slots <= free {
                free -= first.slots
                served.append(waiting.removeFirst().continuation)
            }
            return served
        }
    }

    private let state = Guarded(State())

    /// Waits for that many slots; whoever came before gets them first.
    func take(_ slots: Int) async {
        await withCheckedContinuation { continuation in
            serve { $0.waiting.append((slots, continuation)) }
        }
    }

    func giveBack(_ slots: Int) {
        serve { $0.free += slots }
    }

    private func serve(after change: (inout State) -> Void) {
        let served = state.withLock { state in
            change(&state)
            return state.served()
        }
        for continuation in served { continuation.resume() }
    }
}
