import Dispatch
import Glibc
import Locks
import TestSupport
import Testing

@Suite("A value in a box with a lock", .limited)
struct GuardedTests {
    private struct Refused: Error, Equatable { let number: Int }

    /// A value that shows whether two threads were at it at once: they leave its halves unequal.
    private struct Halves {
        var left = 0
        var right = 0
        var wasTorn = false

        mutating func increment() {
            if left != right { wasTorn = true }
            left += 1
            // Long enough for other threads to come in between, if they can.
            sched_yield()
            right += 1
        }
    }

    @Test("Of many threads one is at the value at a time, and no change is lost")
    func exclusion() {
        let box = Guarded(Halves())
        let (threads, rounds) = (16, 500)
        DispatchQueue.concurrentPerform(iterations: threads) { _ in
            for _ in 0..<rounds { box.withLock { $0.increment() } }
        }
        #expect(box.withLock { !$0.wasTorn })
        #expect(box.withLock { ($0.left, $0.right) } == (threads * rounds, threads * rounds))
    }

    @Test("An error of the body is thrown as it is, and the lock is free afterwards")
    func errors() throws {
        let box = Guarded(1)
        #expect(throws: Refused(number: 2)) {
            try box.withLock { value throws(Refused) in
                value += 1
                throw Refused(number: value)
            }
        }
        #expect(throws: Refused(number: 3)) {
            try box.withLockIfFree { value throws(Refused) in
                value += 1
                throw Refused(number: value)
            }
        }
        // Not with a lock that waits: one that is not free would hang the test.
        #expect(try #require(box.withLockIfFree { $0 }) == 3)
        #expect(box.value == 3)
    }

    @Test("While another thread is at the value, withLockIfFree returns nil at once and runs nothing")
    func tryWhileHeld() {
        let box = Guarded(0)
        let (isHeld, mayLeave, hasLeft) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchGroup())
        DispatchQueue(label: "holder").async(group: hasLeft) {
            box.withLock { value in
                isHeld.signal()
                mayLeave.wait()
                value = 7
            }
        }
        isHeld.wait()
        var hasRun = false
        #expect(box.withLockIfFree { _ in hasRun = true } == nil)
        #expect(!hasRun)
        mayLeave.signal()
        hasLeft.wait()
        #expect(box.withLockIfFree { $0 } == 7)
    }

    @Test("The value is released with the box")
    func release() {
        final class Content: Sendable {}
        weak var content: Content?
        do {
            let made = Content()
            content = made
            let box = Guarded(made)
            #expect(box.withLock { $0 === content })
        }
        #expect(content == nil)
    }
}
