import Dispatch
import Glibc
import Locks
import TestSupport
import Testing

@Suite("A value that threads wait for", .limited)
struct GuardedConditionTests {
    private var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @Test("Who waits goes on when another thread has made the value what is wanted, long before the deadline")
    func ready() {
        let box = GuardedCondition(0)
        let deadline = now + 60
        DispatchQueue(label: "changes").async {
            for _ in 0..<3 { box.withLock { $0 += 1 } }
        }
        #expect(box.wait(until: { _ in deadline }, for: { $0 == 3 }))
        #expect(box.value == 3)
        #expect(now < deadline)
    }

    @Test("A deadline that passes ends the wait, not before its time; one in the past ends it at once")
    func deadline() {
        let box = GuardedCondition(false)
        let deadline = now + 0.05
        #expect(!box.wait(until: { _ in deadline }, for: { $0 }))
        #expect(now >= deadline)
        #expect(!box.wait(until: { _ in -.infinity }, for: { $0 }))
        #expect(box.wait(until: { _ in -.infinity }, for: { !$0 }))
    }

    @Test("A deadline that is moved while a thread waits holds at once")
    func movedDeadline() {
        let box = GuardedCondition(now + 60)
        DispatchQueue(label: "changes").async { box.withLock { $0 = 0 } }
        #expect(!box.wait(until: { $0 }, for: { _ in false }))
    }
}
