import Locks

/// A counting semaphore whose waiters suspend, in the order of their arrival, and block no thread.
final class Slots: Sendable {
    /// The servers that run at a time.
    ///
    /// A test mostly waits for sound in real time: with six, two processors are busy for half of the time.
    static let ofServers = Slots(6)

    /// The tests that run at a time without a server, and those before they start one.
    ///
    /// They compute, or run programs. More of them would only make each other, and sound, late.
    static let ofWork = Slots(3)

    /// Whether the running code is a test's, which has had a slot for work.
    @TaskLocal static var isInTest = false
    /// Whether the running test has a server already.
    @TaskLocal static var hasServer = false

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
