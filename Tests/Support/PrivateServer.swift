import Foundation
package import HeadlessServer
import Synchronization
package import Testing

/// Gives each test case, of a test or of a whole suite, a sound server of its own: `@Test(.privateServer(.pulseAudio))`.
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

/// Starts a private server, runs `body` with it and takes it down, whatever happens.
///
/// At most two run at a time, since more of them on the two cores of a small machine only make each other late; a server
/// that is started inside of another's `body` does not wait. For tests over both kinds:
/// `@Test(arguments: HeadlessServer.Kind.allCases) func …(kind: HeadlessServer.Kind)`.
///
/// Where `body` fails while the machine keeps this process waiting (``StallWatch``), it is repeated with a server of its
/// own, twice at most: a slow machine is no failure, and neither may it hide one.
package func withServer<Result>(
    _ kind: HeadlessServer.Kind, sinks: [HeadlessServer.NullSink] = [.init()], modules: [String] = [],
    isolation: isolated (any Actor)? = #isolation,
    _ body: (HeadlessServer) async throws -> Result
) async throws -> Result {
    let nested = ServerSlots.isInside
    if !nested { await ServerSlots.shared.take() }
    defer { if !nested { ServerSlots.shared.giveBack() } }
    if !nested {
        for _ in 0..<2 {
            if let result = try await attempt(kind, sinks: sinks, modules: modules, body) { return result }
        }
    }
    let server = try await offPool { try HeadlessServer.start(kind, sinks: sinks, modules: modules) }
    defer { server.stop() }
    return try await ServerSlots.$isInside.withValue(true) { try await body(server) }
}

/// Runs `body` once; nil if it failed and the machine is to blame.
private func attempt<Result>(
    _ kind: HeadlessServer.Kind, sinks: [HeadlessServer.NullSink], modules: [String],
    isolation: isolated (any Actor)? = #isolation, _ body: (HeadlessServer) async throws -> Result
) async throws -> Result? {
    let watch = StallWatch()
    defer { watch.stop() }
    let excused = Flag()
    var result: Result?
    try await withKnownIssue("the machine kept the test waiting; it is repeated", isIntermittent: true) {
        let server = try await offPool { try HeadlessServer.start(kind, sinks: sinks, modules: modules) }
        defer { server.stop() }
        result = try await ServerSlots.$isInside.withValue(true) { try await body(server) }
    } matching: { issue in
        // A young PipeWire drops a recorder now and then; that is no word about the code under test either.
        let isRecorderGone = issue.error.map { "\($0)".contains("parec ended") } ?? false
        guard watch.hasStalled || isRecorderGone else { return false }
        excused.set()
        return true
    }
    return excused.isSet ? nil : result
}

/// Something that happened once.
private final class Flag: Sendable {
    private let value = Atomic<Bool>(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set() { value.store(true, ordering: .relaxed) }
}

/// A counting semaphore whose waiters suspend, in the order of their arrival, and block no thread.
// SAFETY: all mutable state is guarded by `lock`.
private final class ServerSlots: @unchecked Sendable {
    @TaskLocal static var isInside = false
    static let shared = ServerSlots(2)

    private let lock = NSLock()
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) {
        free = count
    }

    func take() async {
        await withCheckedContinuation { continuation in
            let isFree = lock.withLock {
                if free == 0 {
                    waiting.append(continuation)
                    return false
                }
                free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    func giveBack() {
        let next: CheckedContinuation<Void, Never>? = lock.withLock {
            if waiting.isEmpty {
                free += 1
                return nil
            }
            return waiting.removeFirst()
        }
        next?.resume()
    }
}
