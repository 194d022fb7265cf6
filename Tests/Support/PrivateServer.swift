import Foundation
package import HeadlessServer
import Synchronization
package import Testing

/// Gives each test case, of a test or of a whole suite, a sound server of its own:
/// `@Test(.privateServer(.pulseAudio))`.
///
/// The test finds it in `PrivateServerTrait.server`.
package struct PrivateServerTrait: TestTrait, SuiteTrait, TestScoping {
    /// The running test's server; nil outside of such a test.
    @TaskLocal package static var current: HeadlessServer?

    /// The running test's server; a failed requirement outside of such a test.
    package static var server: HeadlessServer {
        get throws { try #require(current, "this test needs the trait .privateServer") }
    }

    let kind: HeadlessServer.Kind
    let sinks: [HeadlessServer.NullSink]
    let modules: [String]

    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        // A suite is scoped too, and has no sound to make itself.
        guard testCase != nil else { return try await function() }
        try await withServer(kind, sinks: sinks, modules: modules) { server in
            try await Self.$current.withValue(server) { try await function() }
        }
    }
}

extension Trait where Self == PrivateServerTrait {
    /// A private server for each test case.
    package static func privateServer(
        _ kind: HeadlessServer.Kind, sinks: [HeadlessServer.NullSink] = [.init()], modules: [String] = []
    ) -> Self {
        Self(kind: kind, sinks: sinks, modules: modules)
    }
}

/// Runs a test while no other one has a server: `@Test(.alone)`.
///
/// For those that keep the main queue busy, which all tests of the process share: others would be told late.
package struct AloneTrait: TestTrait, TestScoping {
    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await ServerSlots.$wanted.withValue(ServerSlots.count) { try await function() }
    }
}

extension Trait where Self == AloneTrait {
    /// While no other test has a server.
    package static var alone: Self { Self() }
}

/// Starts a private server, runs `body` with it and takes it down, whatever happens.
///
/// At most three run at a time, since more of them on the two cores of a small machine only make each other late; a
/// server that is started inside of another's `body` does not wait. For tests over both kinds:
/// `@Test(arguments: HeadlessServer.Kind.allCases) func …(kind: HeadlessServer.Kind)`.
///
/// Where `body` fails while the machine keeps this process waiting (``StallWatch``), it is repeated with a server of
/// its own and nothing beside it, four times at most: a slow machine is no failure, and neither may it hide one. Nor is
/// it one where another program gives up (``OtherProgramEnded``), nor at first in a build with a sanitizer.
/// `AVFAUDIO_REPEATS` in the environment lets so many failures in a run be repeated that nothing explains; the report
/// counts each of them as a known issue.
package func withServer<Result>(
    _ kind: HeadlessServer.Kind, sinks: [HeadlessServer.NullSink] = [.init()], modules: [String] = [],
    isolation: isolated (any Actor)? = #isolation,
    _ body: (HeadlessServer) async throws -> Result
) async throws -> Result {
    if ServerSlots.isInside { return try await once(kind, sinks: sinks, modules: modules, body) }
    let (slots, wanted) = (ServerSlots.shared, ServerSlots.wanted)
    await slots.take(wanted)
    do {
        defer { slots.giveBack(wanted) }
        if let result = try await excused(kind, sinks: sinks, modules: modules, body) { return result }
    }
    // Whoever is repeated has the machine for itself.
    await slots.take(ServerSlots.count)
    defer { slots.giveBack(ServerSlots.count) }
    for _ in 1..<mostRepeats {
        if let result = try await excused(kind, sinks: sinks, modules: modules, body) { return result }
    }
    return try await once(kind, sinks: sinks, modules: modules, body)
}

/// How often a test is repeated at most: a busy host may take a third of a virtual machine's processors for minutes.
private let mostRepeats = 4

/// Runs `body` with a server of its own.
private func once<Result>(
    _ kind: HeadlessServer.Kind, sinks: [HeadlessServer.NullSink], modules: [String],
    isolation: isolated (any Actor)? = #isolation, _ body: (HeadlessServer) async throws -> Result
) async throws -> Result {
    let server = try await offPool { try HeadlessServer.start(kind, sinks: sinks, modules: modules) }
    defer { server.stop() }
    return try await ServerSlots.$isInside.withValue(true) { try await body(server) }
}

/// Runs `body` once; nil if it failed and the machine is to blame.
private func excused<Result>(
    _ kind: HeadlessServer.Kind, sinks: [HeadlessServer.NullSink], modules: [String],
    isolation: isolated (any Actor)? = #isolation, _ body: (HeadlessServer) async throws -> Result
) async throws -> Result? {
    let watch = StallWatch()
    defer { watch.stop() }
    let isExcused = Flag()
    let witness = ServerWitness()
    var result: Result?
    try await withKnownIssue("the test is repeated, for the machine's sake or on suspicion", isIntermittent: true) {
        result = try await once(kind, sinks: sinks, modules: modules) { server in
            witness.server = server
            return try await body(server)
        }
    } matching: { issue in
        // A sanitizer is slow, and two tests beside each other are late with it; what it finds itself is never excused.
        if watch.hasStalled || Sanitizer.isPresent || issue.error is OtherProgramEnded {
            isExcused.set()
            return true
        }
        witness.testify(for: watch)
        if !isExcused.isSet && Suspicion.isGranted() { isExcused.set() }
        return isExcused.isSet
    }
    return isExcused.isSet ? nil : result
}

/// Tells once what a server said, and how the machine was, when a test fails.
// SAFETY: everything mutable is guarded by `lock`.
private final class ServerWitness: @unchecked Sendable {
    private let lock = NSLock()
    /// Its log outlives it.
    private var current: HeadlessServer?
    private var hasTestified = false

    var server: HeadlessServer? {
        get { lock.withLock { current } }
        set { lock.withLock { current = newValue } }
    }

    func testify(for watch: StallWatch) {
        let isFirst = lock.withLock {
            defer { hasTestified = true }
            return !hasTestified
        }
        guard isFirst else { return }
        let machine = String(
            format: "a thread was %.0f ms late at most, a task %.0f ms; processors had a queue %.0f %% of the time; "
                + "the host took %.0f %% of them",
            watch.longestStall * 1000, watch.longestTaskStall * 1000, watch.pressure * 100, watch.theft * 100)
        let log = server?.log.split(separator: "\n").suffix(20).map { "  " + $0 } ?? []
        let text = (["The test fails. " + machine + ". The server said last:"] + log).joined(separator: "\n") + "\n"
        FileHandle.standardError.write(Data(text.utf8))
    }
}

/// The failures that are repeated though nothing explains them: none on a developer's machine.
private enum Suspicion {
    private static let left = Atomic<Int>(Int(ProcessInfo.processInfo.environment["AVFAUDIO_REPEATS"] ?? "") ?? 0)

    static func isGranted() -> Bool { left.wrappingSubtract(1, ordering: .relaxed).oldValue > 0 }
}

/// Something that happened once.
package final class Flag: Sendable {
    private let value = Atomic<Bool>(false)
    package init() {}
    package var isSet: Bool { value.load(ordering: .relaxed) }
    package func set() { value.store(true, ordering: .relaxed) }
}

/// A counting semaphore whose waiters suspend, in the order of their arrival, and block no thread.
// SAFETY: all mutable state is guarded by `lock`.
private final class ServerSlots: @unchecked Sendable {
    /// How many servers run at a time.
    static let count = 3
    @TaskLocal static var isInside = false
    /// How many the running test takes.
    @TaskLocal static var wanted = 1
    static let shared = ServerSlots()

    private let lock = NSLock()
    private var free = ServerSlots.count
    private var waiting: [(slots: Int, continuation: CheckedContinuation<Void, Never>)] = []

    /// Waits for that many slots; whoever came before gets them first.
    func take(_ slots: Int) async {
        await withCheckedContinuation { continuation in
            lock.withLock { waiting.append((slots, continuation)) }
            serve()
        }
    }

    func giveBack(_ slots: Int) {
        lock.withLock { free += slots }
        serve()
    }

    private func serve() {
        let served = lock.withLock {
            var served: [CheckedContinuation<Void, Never>] = []
            while let first = waiting.first, first.slots <= free {
                free -= first.slots
                served.append(waiting.removeFirst().continuation)
            }
            return served
        }
        for continuation in served { continuation.resume() }
    }
}
