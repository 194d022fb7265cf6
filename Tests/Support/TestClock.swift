import Foundation
import Locks

/// Counts the time of running tests, without what they wait for a slot (``Slots``).
///
/// One thread counts for all. A virtual machine may be stopped for minutes, of which nothing is counted.
final class TestClock: Sendable {
    static let shared = TestClock()
    private static let pace = 0.1
    /// The longest step: what is longer, the machine slept.
    private static let longestStep = 3.0
    /// How long after its limit a test may take to end.
    private static let graceTime = 60.0

    /// The time of one test.
    final class Hand: Sendable {
        fileprivate let name: String
        fileprivate let limit: Double
        fileprivate let exceed: @Sendable () -> Void
        fileprivate let state = Guarded((seconds: 0.0, isTold: false))

        /// - Parameter exceed: Called once, on the clock's thread, when the limit (in seconds) is over.
        init(_ name: String, limit: Double, exceed: @escaping @Sendable () -> Void) {
            (self.name, self.limit, self.exceed) = (name, limit, exceed)
        }

        /// The time so far, in seconds.
        var seconds: Double { state.withLock { $0.seconds } }

        /// Whether the time passes the limit with this step, which happens once.
        fileprivate func passesLimit(by step: Double) -> Bool {
            state.withLock { state in
                state.seconds += step
                guard state.seconds > limit, !state.isTold else { return false }
                state.isTold = true
                return true
            }
        }
    }

    private let state = Guarded((hands: [ObjectIdentifier: Hand](), isRunning: false))

    /// Counts for a test from now on.
    func start(_ hand: Hand) {
        let isFirst = state.withLock { state in
            state.hands[ObjectIdentifier(hand)] = hand
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if isFirst { Thread.detachNewThread { [self] in count() } }
    }

    /// Counts no more for a test.
    func stop(_ hand: Hand) {
        state.withLock { $0.hands[ObjectIdentifier(hand)] = nil }
    }

    private func count() {
        var last = DispatchTime.now().uptimeNanoseconds
        while true {
            usleep(UInt32(Self.pace * 1e6))
            let now = DispatchTime.now().uptimeNanoseconds
            let step = min(Self.longestStep, Double(now - last) / 1e9)
            last = now
            let hands = state.withLock { Array($0.hands.values) }
            for hand in hands where hand.passesLimit(by: step) { hand.exceed() }
            if let stuck = hands.first(where: { $0.seconds > $0.limit + Self.graceTime }) { Self.giveUp(stuck) }
        }
    }

    /// Ends the process: a thread that hangs in a call cannot be ended alone, and the run would never end.
    private static func giveUp(_ hand: Hand) {
        let text = "\(hand.name) hangs for \(Int(graceTime)) s after its limit, without its server: the run ends\n"
        FileHandle.standardError.write(Data(text.utf8))
        RunRecord.add("stuck", hand.name)
        _exit(70)
    }
}
