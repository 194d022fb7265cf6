import Locks

/// A counting semaphore whose waiters suspend, in the order of their arrival, and block no thread.
final class Slots: Sendable {
    /// The servers that run at a time.
    ///
    /// A test mostly waits for sound in real time. With five or more servers on two processors, tests that block Swift's
    /// few threads delay the next step of others for seconds, and sound is late.
    static let ofServers = Slots(3)

    /// Whether the running test has a server already.
    @TaskLocal static var hasServer = false
    /// The servers' slots that the running test takes.
    @TaskLocal static var wanted = 1

    /// All slots.
    let count: Int
    private let state: Guarded<State>

    init(_ count: Int) {
        self.count = count
        state = Guarded(State(free: count))
    }

    private struct State {
        var free: Int
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

    /// Waits for that many slots; whoever came before gets them first.
    func take(_ slots: Int) async {
        await withCheckedContinuation { continuation in
            serve { $0.waiting.append((slots, continuation)) }
        }
    }

    /// Returns that many slots.
    func giveBack(_ slots: Int) { serve { $0.free += slots } }

    private func serve(after change: (inout State) -> Void) {
        let served = state.withLock { state in
            change(&state)
            return state.served()
        }
        for continuation in served { continuation.resume() }
    }
}
