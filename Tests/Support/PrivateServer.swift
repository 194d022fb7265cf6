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

/// Takes the slots of servers (``Slots``) for a whole test, which may then start servers without waiting.
package struct ServerSlotsTrait: TestTrait, TestScoping {
    let count: Int

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        try await withSlots(count) {
            guard count == Slots.ofServers.count else { return try await function() }
            // Nor do others compute. Who waits for servers has no slot for work, so these are free soon.
            let work = Slots.ofWork
            if let watch = TestWatch.current {
                await watch.pauseForServer { await work.take(work.count) }
            } else {
                await work.take(work.count)
            }
            defer { work.giveBack(work.count) }
            try await function()
        }
    }
}

extension Trait where Self == ServerSlotsTrait {
    /// While no other test runs.
    ///
    /// For those that keep the main queue busy, which all tests of the process share: others would be told late. And for
    /// those that judge milliseconds of several programs.
    package static var alone: Self { Self(count: Slots.ofServers.count) }

    /// With one slot, whatever servers the test starts: one in a process of its own, or several that hang.
    package static var oneSlot: Self { Self(count: 1) }
}

/// Starts a private server, runs `body` with it and takes it down, whatever happens.
///
/// A few run at a time (``Slots``), since more of them on the two cores of a small machine only make each other
/// late; a server that is started inside of another's `body` does not wait. For tests over both kinds:
/// `@Test(arguments: HeadlessServer.Kind.allCases) func …(kind: HeadlessServer.Kind)`.
///
/// The test's suite has the trait ``LimitedTrait``, whose time begins here.
package func withServer<Result>(
    _ kind: HeadlessServer.Kind, sinks: [HeadlessServer.NullSink] = [.init()], modules: [String] = [],
    policy: String? = nil, isolation: isolated (any Actor)? = #isolation,
    _ body: (HeadlessServer) async throws -> Result
) async throws -> Result {
    let watch = TestWatch.current
    // The process of an exit test has no traits, and its parent watches over it.
    if watch == nil, Test.current != nil { Issue.record("a test with a server needs the trait .limited") }
    return try await withSlots(1) { try await run(kind, sinks: sinks, modules: modules, policy: policy, watch, body) }
}

/// Runs `body` with that many slots of servers; waits for them, unless the test has some.
private func withSlots<Result>(
    _ count: Int, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
) async rethrows -> Result {
    if Slots.hasServer { return try await body() }
    let slots = Slots.ofServers
    if let watch = TestWatch.current {
        await watch.pauseForServer { await slots.take(count) }
    } else {
        await slots.take(count)
    }
    defer { slots.giveBack(count) }
    return try await Slots.$hasServer.withValue(true) { try await body() }
}

/// Runs `body` with a server of its own.
private func run<Result>(
    _ kind: HeadlessServer.Kind, sinks: [HeadlessServer.NullSink], modules: [String], policy: String?,
    _ watch: TestWatch?, isolation: isolated (any Actor)? = #isolation, _ body: (HeadlessServer) async throws -> Result
) async throws -> Result {
    let server = try await offPool { try HeadlessServer.start(kind, sinks: sinks, modules: modules, policy: policy) }
    watch?.add(server)
    defer {
        watch?.remove(server)
        ServerView.close(server)
        server.stop()
    }
    do {
        return try await body(server)
    } catch {
        // A connection ends a moment before the server's process does.
        if watch != nil, server.hasDied { _ = await soon { server.death != nil } }
        throw error
    }
}

/// Something that happened once.
package final class Flag: Sendable {
    private let value = Atomic<Bool>(false)
    package init() {}
    package var isSet: Bool { value.load(ordering: .relaxed) }
    package func set() { value.store(true, ordering: .relaxed) }
}
