import Foundation

/// A condition did not come true in time, or a helper process failed.
package struct SupportError: Error, CustomStringConvertible, Sendable {
    /// What was waited for and for how long, or what failed.
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

/// The longest wait for what another process, or a server, has to do first.
///
/// It says that something comes, and nothing of how fast.
package let hangLimit = Duration.seconds(30)

/// The longest that a call may take which is to return at once: it waits for nothing.
package let atOnce = Duration.seconds(1)

/// Returns as soon as `condition` holds, and throws `SupportError` when it does not within `timeout`.
///
/// Other processes do not tell us when they are done, so this asks again, after a pause that grows from 1 to 20 ms. It
/// is the only place where a test sleeps: never for a time that is hoped to be long enough, always until something is
/// so.
package func waitUntil(
    _ what: String = "the condition", timeout: Duration = hangLimit,
    _ condition: () async throws -> Bool
) async throws {
    TestWatch.current?.waits(for: what)
    defer { TestWatch.current?.waitIsOver(for: what) }
    var (last, waited) = (ContinuousClock.now, Duration.zero)
    var pause = Duration.milliseconds(1)
    while try await !condition() {
        guard waited < timeout else { throw SupportError("\(what): not within \(timeout)") }
        // Between two looks at the condition, which is what ends the wait.
        try await Task.sleep(for: pause)
        pause = min(pause * 3 / 2, .milliseconds(20))
        // A virtual machine may be stopped for minutes, and Swift's threads be busy for seconds: what was not looked at
        // for so long had no time to come true.
        let now = ContinuousClock.now
        waited += min(now - last, .milliseconds(250))
        last = now
    }
}

/// Keeps the main thread until `condition` holds, or `seconds` are over, so that nobody can be told of anything there.
///
/// A thread that is to be busy cannot hand over, so it sleeps between two looks, which are close enough to act in the
/// middle of a cycle of the server. Other tests of the process wait meanwhile.
@MainActor package func holdMainThread(for seconds: Double = 20, until condition: () -> Bool) {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while !condition(), Date() < deadline { usleep(200) }
}

/// Whether `condition` comes true within a second.
package func soon(_ condition: () async throws -> Bool) async -> Bool {
    do { try await waitUntil(timeout: .seconds(1), condition) } catch { return false }
    return true
}

/// Runs blocking work on a thread of its own kind, so that the few threads of Swift's pool stay free.
package func offPool<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async {
            continuation.resume(with: Swift.Result { try work() })
        }
    }
}

/// Runs `body` for all cases, some at a time.
package func forEach<Case: Sendable>(
    _ cases: [Case], atATime count: Int, _ body: @escaping @Sendable (Case) async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for one in cases.prefix(count) { group.addTask { try await body(one) } }
        var others = cases.dropFirst(count)
        while try await group.next() != nil {
            guard let one = others.popFirst() else { continue }
            group.addTask { try await body(one) }
        }
    }
}
