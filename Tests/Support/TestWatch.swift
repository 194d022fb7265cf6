import Foundation
import HeadlessServer
import Locks
import Testing

/// What is known of a running test case: its time, its servers, what the machine did to it, and what failed.
final class TestWatch: Sendable {
    /// The running test case's; nil outside of tests with ``LimitedTrait``.
    @TaskLocal static var current: TestWatch?

    /// The number that the test judges; nil if it judges none.
    let judgement: Judgement?
    private let name: String
    private let limit: Double
    private let witness = StallWatch.Witness()
    private let hand: TestClock.Hand
    private let exceeded: AsyncStream<Void>

    private let state = Guarded(State())

    private struct State: Sendable {
        var servers: [HeadlessServer] = []
        /// How a server that is gone has ended by itself, if one did.
        var death: String?
        /// The conditions that are waited for, the innermost last.
        var conditions: [String] = []
        var excuse: Excuse?
        var hasFailed = false
        var isOver = false
        /// Whether the test has one of the slots for work without a server.
        var hasWorkSlot = false
    }

    /// - Parameter limit: How many seconds the test has, without what it waits for a slot.
    init(_ test: Test, limit: Double) {
        name = "\(test.id)"
        judgement = test.traits.lazy.compactMap { $0 as? Judgement }.first
        self.limit = limit
        let (stream, source) = AsyncStream.makeStream(of: Void.self)
        exceeded = stream
        hand = TestClock.Hand(name, limit: limit) { source.yield() }
    }

    // MARK: Its life

    /// Runs the test; one that takes too long fails, without its servers.
    func run(_ test: @concurrent @Sendable () async throws -> Void) async throws {
        // The group below is over before the test's function is.
        try await withoutActuallyEscaping(test) { test in
            try await withTaskExecutorPreference(TestThreads.shared) { try await race(test) }
        }
    }

    private func race(_ test: @escaping @concurrent @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { [self] in
                // Here: a computing test may wait long for one of Swift's threads.
                await beginWork()
                defer { endWork() }
                begin()
                defer { end() }
                do { try await Slots.$isInTest.withValue(true) { try await test() } } catch {
                    if !forgives(error) { throw error }
                }
            }
            group.addTask { [self] in
                for await _ in exceeded {
                    exceed()
                    return
                }
            }
            try await group.next()
        }
    }

    private func begin() {
        TestClock.shared.start(hand)
        if judgement != nil { StallWatch.shared.add(witness) }
    }

    private func end() {
        TestClock.shared.stop(hand)
        StallWatch.shared.remove(witness)
        RunRecord.add("time", String(format: "%.1f", hand.seconds), name)
    }

    /// Fails the test, and takes its servers away, so that what waits for them returns.
    private func exceed() {
        let state = state.withLock { state in
            state.isOver = true
            return state
        }
        let condition = state.conditions.last ?? "no condition"
        let log = state.servers.last?.log.split(separator: "\n").suffix(20).joined(separator: "\n") ?? ""
        Issue.record("not over after \(limit) s; it waits for \(condition); the server said \(log)")
        for server in state.servers { server.kill() }
    }

    // MARK: What it tells

    /// Waits for a slot for work without a server; a watch that a test makes for itself has the test's.
    private func beginWork() async {
        if Slots.isInTest { return }
        await Slots.ofWork.take(1)
        state.withLock { $0.hasWorkSlot = true }
    }

    /// Returns the slot for work without a server, once.
    private func endWork() {
        let hadSlot = state.withLock { state in
            defer { state.hasWorkSlot = false }
            return state.hasWorkSlot
        }
        if hadSlot { Slots.ofWork.giveBack(1) }
    }

    /// Waits for a server's slot, which is no time of the test's, and returns the one for work without a server.
    func pauseForServer<Result>(
        isolation: isolated (any Actor)? = #isolation, _ wait: () async throws -> Result
    ) async rethrows -> Result {
        endWork()
        TestClock.shared.stop(hand)
        defer { TestClock.shared.start(hand) }
        return try await wait()
    }

    /// Takes note of a server that runs from now on: stalls before are forgotten.
    func add(_ server: HeadlessServer) {
        let isFirst = state.withLock { state in
            state.servers.append(server)
            return state.servers.count == 1
        }
        if isFirst { witness.begin() }
        server.processIDs.forEach(witness.watch)
    }

    /// Takes note of a server that is to be stopped, and of how it ended by itself, if it did.
    func remove(_ server: HeadlessServer) {
        let death = server.death
        state.withLock { state in
            state.servers.removeAll { $0 === server }
            state.death = state.death ?? death
        }
    }

    /// Takes note of a program that the test has started.
    func add(_ process: pid_t) { witness.watch(process) }

    /// Takes note of what the test waits for.
    func waits(for condition: String) { state.withLock { $0.conditions.append(condition) } }

    /// Takes note that the wait is over.
    func waitIsOver(for condition: String) {
        state.withLock { state in
            if let last = state.conditions.lastIndex(of: condition) { state.conditions.remove(at: last) }
        }
    }

    // MARK: Excuses

    /// An issue as it is reported: as a warning, with the excuse, if there is one.
    func judged(_ issue: Issue) -> Issue {
        guard issue.isFailure else { return issue }
        guard let excuse = excuse(for: issue.error) else {
            state.withLock { $0.hasFailed = true }
            testify()
            return issue
        }
        var issue = issue
        issue.severity = .warning
        issue.comments.append("excused: \(excuse)")
        return issue
    }

    /// Whether an error that the test threw is excused; it is then recorded.
    private func forgives(_ error: any Error) -> Bool {
        // Of a requirement, whose issue is recorded, and of a test that was cancelled.
        if error is ExpectationFailedError { return state.withLock { $0.excuse != nil && !$0.hasFailed } }
        guard !Task.isCancelled, excuse(for: error) != nil else { return false }
        Issue.record(error)
        return true
    }

    private func excuse(for error: (any Error)?) -> Excuse? {
        let now = state.value
        if now.isOver { return nil }
        let found = Excuse.find(
            error: error, death: now.servers.lazy.compactMap(\.death).first ?? now.death, judgement: judgement,
            stalls: witness.soFar, isSanitized: Sanitizer.isPresent)
        state.withLock { $0.excuse = $0.excuse ?? found }
        return found
    }

    /// Says what the machine did to a test that fails all the same.
    private func testify() {
        guard judgement != nil else { return }
        FileHandle.standardError.write(Data("\(name) fails: \(witness.soFar.description)\n".utf8))
    }

    /// Cancels the test where all that failed is excused: it has not passed.
    func conclude() throws {
        let state = state.value
        guard let excuse = state.excuse, !state.hasFailed else { return }
        RunRecord.add(excuse.isCounted ? "excused" : "unjudged", name, excuse.description)
        try Test.cancel("excused: \(excuse)")
    }
}
