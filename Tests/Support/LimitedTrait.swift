import HeadlessServer
package import Testing

/// A time limit for each test case, and the only way to be excused: `@Suite(.limited)`.
///
/// A test has three minutes from the moment its server runs, ten with a sanitizer; one without a server has them from
/// its start. What it waits for a slot (``Slots``) does not count, which Swift Testing's own limit would count.
///
/// A failure is excused by the death of a server's or another project's program that is seen in its exit, and, of a
/// test that judges a number (``Judgement``), by a stall that spoils that number. It is then reported as a warning with
/// the measured stall, the test as cancelled, and `scripts/test-report` counts it. Nothing is repeated.
package struct LimitedTrait: SuiteTrait, TestTrait, TestScoping {
    /// How many minutes a test has, without a sanitizer.
    let minutes: Double

    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil, TestWatch.current == nil else { return try await function() }
        let watch = TestWatch(test, limit: 60 * (Sanitizer.isPresent ? max(10, minutes) : minutes))
        let handling = IssueHandlingTrait.compactMapIssues { watch.judged($0) }
        try await TestWatch.$current.withValue(watch) {
            try await handling.provideScope(for: test, testCase: testCase) { try await watch.run(function) }
        }
        try watch.conclude()
    }
}

extension Trait where Self == LimitedTrait {
    /// Three minutes for each test case, from the moment its server runs.
    package static var limited: Self { Self(minutes: 3) }

    /// So many minutes for each test case; the caller says why three are not enough.
    package static func limited(minutes: Double) -> Self { Self(minutes: minutes) }
}
