import Foundation

/// The threads on which tests with a time limit run.
///
/// Swift's own threads are as many as the machine has processors. A test that blocks one, in a call that waits for a
/// server, would keep the next step of all other tests waiting.
// SAFETY: `jobs` is only used with `condition` locked.
final class TestThreads: TaskExecutor, @unchecked Sendable {
    static let shared = TestThreads(count: 16)

    private let condition = NSCondition()
    private var jobs: [UnownedJob] = []

    private init(count: Int) {
        for number in 1...count {
            let thread = Thread { [unowned self] in work() }
            thread.name = "test \(number)"
            thread.stackSize = 8 << 20
            thread.start()
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.lock()
        jobs.append(job)
        condition.signal()
        condition.unlock()
    }

    private func work() {
        while true {
            condition.lock()
            while jobs.isEmpty { condition.wait() }
            let job = jobs.removeFirst()
            condition.unlock()
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
