import Locks

/// A counting semaphore whose waiters suspend, in the order of their arrival, and block no thread.
final class Slots: Sendable {
    /// The servers that run at a time.
    ///
    /// A test mostly waits for sound in real time. With more than four, sound is late on two processors; with more than
    /// three it is where the host takes a tenth of them (``StolenTime``).
    static let ofServers = Slots(4) { StolenTime.shared.share >= 0.1 ? 1 : 0 }

    /// The tests that run at a time without a server, and those before they start one.
    ///
    /// They compute, or run programs. More of them would only make each other, and sound, late.
    static let ofWork = Slots(2)

    /// Whether the running code is a test's, which has had a slot for work.
    @TaskLocal static var isInTest = false
    /// Whether the running test has a server already.
    @TaskLocal static var hasServer = false

    /// All slots.
    let count: Int
    /// The slots that are left free, but for whoever wants all.
    private let reserve: @Sendable () -> Int
    private let state: Guarded<State>

    init(_ count: Int, reserve: @escaping @Sendable () -> Int = { 0 }) {
        self.count = count
        self.reserve = reserve
        state = Guarded(State(free: count))
    }

    private struct State {
        var free: Int
        var waiting: [(slots: Int, continuation: CheckedContinuation<Void, Never>)] = []
        /// Whether whoever was served last took all slots.
        var isTakenWhole = false

        /// Takes whoever may go on out of the queue.
        ///
        /// Those that want all slots follow each other, as the slots are empty then, which takes long.
        mutating func served(of count: Int, reserve: Int) -> [CheckedContinuation<Void, Never>] {
            var served: [CheckedContinuation<Void, Never>] = []
            while true {
                let next = isTakenWhole && free == count ? waiting.firstIndex { $0.slots == count } : nil
                guard let index = next ?? waiting.indices.first else { return served }
                let needed = min(waiting[index].slots + reserve, count)
                guard needed <= free else { return served }
                let one = waiting.remove(at: index)
                free -= one.slots
                isTakenWhole = one.slots == count
                served.append(one.continuation)
            }
        }
    }

    /// Waits for that many slots, as a rule in the order of arrival.
    func take(_ slots: Int) async {
        await withCheckedContinuation { continuation in
            serve { $0.waiting.append((slots, continuation)) }
        }
    }

    /// Returns that many slots.
    func giveBack(_ slots: Int) { serve { $0.free += slots } }

    private func serve(after change: (inout State) -> Void) {
        let reserve = reserve()
        let served = state.withLock { state in
            change(&state)
            return state.served(of: count, reserve: reserve)
        }
        for continuation in served { continuation.resume() }
    }
}
