import Glibc
import SessionPolicy
import SoundAnalysis
import TestSupport
import Testing

/// What a decision costs among many claims, by the time that the thread itself has had of the processor.
@Suite("The cost of arbitration", .serialized, .limited)
struct ArbitrationCostTests {
    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }

    /// Claims of all kinds, in no order; the oldest of all is a call, if there is to be one.
    private func claims(_ count: UInt32, hasCall: Bool) -> [Participant] {
        var random = SeededGenerator(seed: UInt64(count))
        let kinds = SessionSettings.typical.filter { !$0.isCall }
        let others = (1..<count).map { id in
            let settings = kinds.randomElement(using: &random)!
            return Participant(
                id: id,
                claim: Claim(seq: 1 + random.next() % 100_000, uid: random.next(), state: .active, settings: settings))
        }
        let first: SessionSettings = hasCall ? .call : .music
        return ([Participant(id: 0, claim: Claim(seq: 0, uid: 1, state: .active, settings: first))] + others)
            .shuffled(using: &random)
    }

    /// The least of several times: what else the machine does only adds to it.
    private func cost(of count: UInt32, hasCall: Bool) -> Double {
        let before = claims(count, hasCall: hasCall)
        let after = before.map { $0.id == 3 ? Participant(id: 3, claim: $0.claim.idle(notify: true)) : $0 }
        return (0..<4).map { _ in
            let start = Self.processorTime()
            let old = Arbitration(before)
            let new = Arbitration(after)
            // What a session does with it, once: the oldest one, whom the most interrupt.
            _ = new.interruptionChange(of: 0, since: old)
            _ = ClaimRefreshPolicy(of: 0, in: new)
            _ = (new.duckers, new.concernsForeignStreams, new.secondaryAudioShouldBeSilenced(for: 0))
            return Self.processorTime() - start
        }.min()!
    }

    /// Sixteen times the claims, sorted, are 16 · log 960 / log 60 = 27 times the work, and pair by pair 256 times.
    @Test("A decision among sixteen times as many claims takes no more than four times sixteen times as long")
    func isLinear() {
        for hasCall in [false, true] {
            _ = cost(of: 60, hasCall: hasCall)
            let ratio = cost(of: 960, hasCall: hasCall) / cost(of: 60, hasCall: hasCall)
            #expect(ratio < 64, "\(ratio) times as long, \(hasCall ? "with" : "without") a call")
        }
    }
}
