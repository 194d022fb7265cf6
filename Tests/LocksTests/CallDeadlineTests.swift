import Dispatch
import Locks
import TestSupport
import Testing

@Suite("The deadline of a call", .limited) struct CallDeadlineTests {
    private let hour = Duration.seconds(3600)

    @Test("Outside of a call a timeout stays; inside, no wait is longer than the 2 s of the call")
    func limit() {
        #expect(CallDeadline.limit(hour) == hour)
        CallDeadline.share {
            #expect(CallDeadline.limit(hour) <= .seconds(2))
            #expect(CallDeadline.limit(.milliseconds(1)) <= .milliseconds(1))
        }
        #expect(CallDeadline.limit(hour) == hour)
    }

    @Test("A call within a call has the same deadline, and hands on results and errors")
    func nested() {
        struct Refused: Error {}
        CallDeadline.share {
            let lock = CallLock()
            let first = CallDeadline.limit(hour)
            #expect(lock.withLock { CallDeadline.limit(hour) } <= first)
            #expect(lock.withLockIfFree { lock.withLock { CallDeadline.limit(hour) } } ?? hour <= first)
            #expect(throws: Refused.self) { try CallDeadline.share { () throws in throw Refused() } }
        }
    }

    @Test("Another thread that is started in a call has no deadline")
    func otherThread() async {
        let other = CallDeadline.share {
            let limit = Guarded(Duration.zero)
            let done = DispatchSemaphore(value: 0)
            DispatchQueue.global().async {
                limit.withLock { $0 = CallDeadline.limit(hour) }
                done.signal()
            }
            done.wait()
            return limit.value
        }
        #expect(other == hour)
    }

    @Test("Waits for a guarded value share it", .judges(.time(seconds: 1)))
    func waits() {
        let value = GuardedCondition(0)
        let start = ContinuousClock.now
        CallDeadline.share {
            for _ in 0..<3 { #expect(!value.wait(until: { _ in .infinity }, for: { $0 > 0 })) }
        }
        let time = ContinuousClock.now - start
        #expect(time >= .seconds(1.9) && time < .seconds(3), "\(time)")
    }
}
