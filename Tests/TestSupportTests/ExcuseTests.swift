import Foundation
import HeadlessServer
import Testing

@testable import TestSupport

@Suite("What excuses a failure", .limited) struct ExcuseTests {
    private static func excuse(
        _ judgement: Judgement?, _ stalls: Stalls = Stalls(), death: String? = nil, error: (any Error)? = nil,
        isSanitized: Bool = false
    ) -> Excuse? {
        Excuse.find(error: error, death: death, judgement: judgement, stalls: stalls, isSanitized: isSanitized)
    }

    /// In seconds: for how long a thread was late, a task, and another process.
    private static func stalls(thread: Double = 0, task: Double = 0, process: Double = 0) -> Stalls {
        Stalls(thread: thread, task: task, process: process, name: "pulseaudio")
    }

    @Test("a test that judges a number and fails without a stall has failed")
    func withoutStall() {
        #expect(Self.excuse(.gap(frames: 480)) == nil)
        #expect(Self.excuse(.gap(frames: 480), Self.stalls(thread: 0.0105, task: 0.1, process: 0.0105)) == nil)
    }

    @Test("a stall that spoils the number excuses it, is told with its length, and counts")
    func withStall() throws {
        let excuse = try #require(Self.excuse(.gap(frames: 480), Self.stalls(thread: 0.012)))
        #expect(excuse.description == "a thread woke 12.0 ms late, and the test judges a gap of 480 frames")
        #expect(excuse.isCounted)
        let other = Self.excuse(.gap(frames: 0), Self.stalls(process: 0.0123))
        #expect(other?.description.hasPrefix("pulseaudio waited 12.3 ms for a processor") == true)
    }

    @Test(
        "the shortest stall that excuses comes of the number",
        arguments: [
            (Judgement.gap(frames: 0), 0.0071), (.gap(frames: 44_100), 1), (.gap(frames: 48_000, rate: 48_000), 1),
            (.level(decibels: 1), 0.0071), (.level(decibels: 6.0206, over: 2), 1), (.time(seconds: 10), 5),
            (.time(seconds: 0.1), 0.05),
        ])
    func tolerance(of judgement: Judgement, is tolerance: Double) {
        #expect(Self.excuse(judgement, Self.stalls(thread: tolerance * 0.99)) == nil)
        #expect(Self.excuse(judgement, Self.stalls(thread: tolerance * 1.01)) != nil)
        #expect(Self.excuse(judgement, Self.stalls(process: tolerance * 1.01)) != nil)
    }

    @Test("a task that is late a little spoils no sound")
    func lateTask() {
        #expect(Self.excuse(.gap(frames: 0), Self.stalls(task: 0.19)) == nil)
        #expect(Self.excuse(.gap(frames: 0), Self.stalls(task: 0.21)) != nil)
        #expect(Self.excuse(.time(seconds: 0.1), Self.stalls(task: 0.06)) != nil)
    }

    @Test("no stall excuses a test that judges no number")
    func unmarked() {
        #expect(Self.excuse(nil, Self.stalls(thread: 100, task: 100, process: 100)) == nil)
        #expect(Self.excuse(nil, Self.stalls(thread: 100), isSanitized: true) == nil)
    }

    @Test("under a sanitizer numbers are not judged, and that counts for nothing")
    func sanitizer() {
        #expect(Self.excuse(.gap(frames: 480), isSanitized: true)?.isCounted == false)
    }

    @Test(
        "another program excuses by its exit, with an error or a signal of its own",
        arguments: [
            ("exit 3", true), ("kill -SEGV $$", true), ("kill -ABRT $$", true), ("exit 0", false),
            ("kill -KILL $$", false),
            ("kill -TERM $$", false),
        ])
    func otherProgram(command: String, isExcuse: Bool) async throws {
        let process = try ChildProcess(URL(fileURLWithPath: "/bin/sh"), ["-c", "ulimit -c 0; \(command)"])
        try await process.wait()
        let error = OtherProgramEnded(process)
        #expect((error != nil) == isExcuse, "\(String(describing: error))")
        if let error { #expect(Self.excuse(nil, error: error)?.isCounted == true) }
        #expect(Self.excuse(nil, error: SupportError("not within 10 s")) == nil)
    }

    @Test("a program that runs is no excuse")
    func runningProgram() throws {
        let process = try ChildProcess(URL(fileURLWithPath: "/bin/sh"), ["-c", "read line"], input: true)
        #expect(OtherProgramEnded(process) == nil)
        process.send(SIGKILL)
    }

    @Test(
        "a server that ends by itself is seen in its exit; one that a test kills is not",
        arguments: [
            (SIGSEGV, true), (SIGKILL, false), (SIGTERM, false),
        ])
    func server(signal: Int32, isDeath: Bool) async throws {
        // Not withServer: nothing may excuse this test.
        let server = try await offPool { try HeadlessServer.start(.pulseAudio) }
        defer { server.stop() }
        #expect(server.death == nil)
        let process = try #require(server.processIDs.first)
        kill(process, signal)
        try await waitUntil("the end") { server.hasDied }
        #expect((server.death != nil) == isDeath, "\(server.death ?? "no death")")
        if isDeath { #expect(server.death == "the server's pulseaudio ended with signal \(signal)") }
    }
}

@Suite("The time of a test", .limited) struct TimeLimitTests {
    /// Runs `body` as a test with a limit would, and gives what was recorded.
    private static func issues(
        limit: Double, judges: Judgement? = nil, _ body: @escaping @Sendable (TestWatch) async throws -> Void
    ) async throws -> [Issue] {
        var test = try #require(Test.current)
        test.traits = judges.map { [$0] } ?? []
        let watch = TestWatch(test, limit: limit)
        let issues = Log<Issue>()
        let outside = IssueHandlingTrait.compactMapIssues { issue in
            issues.note(issue)
            return nil
        }
        let handling = IssueHandlingTrait.compactMapIssues { watch.judged($0) }
        let run = test
        try await outside.provideScope(for: run, testCase: nil) {
            try await handling.provideScope(for: run, testCase: nil) {
                try await watch.run {
                    try await TestWatch.$current.withValue(watch) { try await body(watch) }
                }
            }
        }
        return issues.all
    }

    @Test("a test that is over its limit fails with what it waits for")
    func overLimit() async throws {
        let issues = try await Self.issues(limit: 0.3, judges: .time(seconds: 0.001)) { _ in
            try? await waitUntil("doomsday", timeout: .seconds(60)) { false }
        }
        #expect(issues.map(\.isFailure) == [true])
        #expect(issues.first?.description.contains("it waits for doomsday") == true, "\(issues)")
    }

    @Test("what it waits for its turn does not count")
    func waiting() async throws {
        let issues = try await Self.issues(limit: 0.5) { watch in
            // As long as the clock needs to see it.
            try await watch.pauseForServer { try await Task.sleep(for: .seconds(1)) }
        }
        #expect(issues.isEmpty)
    }

    @Test("a failure without an excuse stays one, also of a test that judges a number", arguments: [true, false])
    func noExcuse(isJudge: Bool) async throws {
        let issues = try await Self.issues(limit: 60, judges: isJudge ? .time(seconds: 1000) : nil) { _ in
            Issue.record("wrong")
        }
        #expect(issues.map(\.isFailure) == [true])
    }

    @Test("a failure with an excuse is a warning that says what was measured")
    func excuse() async throws {
        let issues = try await Self.issues(limit: 60, judges: .time(seconds: 0)) { _ in Issue.record("wrong") }
        #expect(issues.map(\.isFailure) == [false])
        #expect(issues.first?.comments.last?.rawValue.hasPrefix("excused: a thread woke") == true, "\(issues)")
    }

    @Test("an error that a program's exit explains is a warning, thrown or not")
    func thrown() async throws {
        let issues = try await Self.issues(limit: 60) { _ in
            let process = try ChildProcess(URL(fileURLWithPath: "/bin/sh"), ["-c", "exit 3"])
            try await process.wait()
            throw try #require(OtherProgramEnded(process))
        }
        #expect(issues.map(\.isFailure) == [false])
    }
}
