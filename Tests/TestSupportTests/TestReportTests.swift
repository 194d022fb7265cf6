import Foundation
import TestSupport
import Testing

/// `scripts/test-report`, with records of runs that never were.
@Suite("The report of a test run", .limited) struct TestReportTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// A record of a run of 1 000 s.
    private struct Run {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("report-\(UUID().uuidString)")

        /// - Parameters:
        ///   - pressure: Percent of the time in which something waited for a processor.
        ///   - theft: Percent of the work that the host took.
        init(
            excuses: Int = 0, pressure: Int = 0, theft: Int = 0, failing part: String = "", events: [String] = []
        ) throws {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            try write("load", "5000000 7000000 300 10")
            try write("load-end", "1005000000 \(7_000_000 + pressure * 10_000_000) 1300 \(10 + theft * 10)")
            let parts = ["setup", "build", "computing", "sound"].map { "\($0)\t7\t\($0 == part ? 1 : 0)" }
            try write("parts.tsv", parts.joined(separator: "\n"))
            let excused = (0..<excuses).map { "excused\tA.B/c()/C.swift:1:2\tstall \($0)" }
            let times = (0..<30).map { "time\t\($0).5\tA.B/test\($0)()/C.swift:1:2" }
            try write("tests.tsv", (excused + times).joined(separator: "\n"))
            try write("events-sound.jsonl", events.joined(separator: "\n"))
        }

        private func write(_ name: String, _ text: String) throws {
            try Data((text + "\n").utf8).write(to: folder.appendingPathComponent(name))
        }

        func report(_ order: String) async throws -> (status: Int32?, text: String) {
            let process = try ChildProcess(
                TestReportTests.root.appendingPathComponent("scripts/test-report"), [order],
                environment: ["AVFAUDIO_TEST_RECORD": folder.path])
            let exit = try await process.wait()
            return (exit.status, process.outputLines.joined(separator: "\n") + process.errorText)
        }

        func remove() { try? FileManager.default.removeItem(at: folder) }
    }

    private static func ended(_ name: String, _ how: String) -> String {
        #"{"kind":"event","payload":{"kind":"testEnded","messages":[{"symbol":"x","text":"Test \#(name) \#(how) after "#
            + #"0.1 seconds."}],"testID":"A.B\/\#(name)\/C.swift:1:2"},"version":"6.3.0"}"#
    }

    private static func skipped(_ reason: String) -> String {
        #"{"kind":"event","payload":{"kind":"testSkipped","messages":[{"symbol":"skip","text":"Test d() skipped: "#
            + #"\"\#(reason)\""}],"testID":"A.B\/d()\/C.swift:1:2"},"version":"6.3.0"}"#
    }

    @Test(
        "five excuses are allowed, and twenty on a loaded machine",
        arguments: [
            (5, 0, 0, true), (6, 0, 0, false), (6, 30, 4, false), (6, 31, 0, true), (6, 0, 5, true), (20, 100, 0, true),
            (21, 100, 50, false),
        ])
    func budget(excuses: Int, pressure: Int, theft: Int, passes: Bool) async throws {
        let run = try Run(excuses: excuses, pressure: pressure, theft: theft)
        defer { run.remove() }
        let (status, text) = try await run.report("end")
        #expect(status == (passes ? 0 : 1), "\(text)")
        #expect(text.contains("stall \(excuses - 1)") && text.contains("\(excuses) excuses, "), "\(text)")
        #expect(text.contains("A.B/test29()") && !text.contains("A.B/test9()"), "the twenty slowest: \(text)")
    }

    @Test("a part that fails fails the run", arguments: ["build", "computing", "sound"])
    func part(name: String) async throws {
        let run = try Run(failing: name)
        defer { run.remove() }
        #expect(try await run.report("end").status == 1)
        #expect(try await run.report("count").text == "0 passed, 1 failed, 0 skipped, 0 excused")
    }

    @Test(
        "a skipped test is told, and fails the run if scripts/setup brings what it needs",
        arguments: [
            ("mounting needs root", 0), ("needs playerctl", 1),
        ])
    func skips(reason: String, status: Int32) async throws {
        let run = try Run(events: [Self.skipped(reason)])
        defer { run.remove() }
        let (end, text) = try await run.report("end")
        #expect(end == status && text.contains(#"d() skipped: "\#(reason)""#), "\(text)")
    }

    @Test("what has passed, failed, was skipped and excused is counted apart")
    func counts() async throws {
        let run = try Run(
            excuses: 2,
            events: [
                Self.ended("a()", "passed"), Self.ended("b()", "failed"), Self.ended("c()", "passed"),
                Self.ended("e()", "passed"), Self.skipped("for fun"),
            ])
        defer { run.remove() }
        #expect(try await run.report("count").text == "2 passed, 1 failed, 1 skipped, 1 excused")
    }
}

@Suite("The tests' own traits", .limited) struct TestTraitTests {
    @Test("at most one test in six judges time, gaps or levels")
    func share() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
        var (tests, judges) = (0, 0)
        for case let file as URL in files where file.pathExtension == "swift" {
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            let code = lines.map { $0.drop { $0 == " " } }.filter { !$0.hasPrefix("//") }
            tests += code.count { $0.hasPrefix("@Test(") || $0.hasPrefix("@Test ") || $0 == "@Test" }
            // One a test: the words stand in no other place, but here.
            if !file.path.contains("/TestSupportTests/TestReport") { judges += code.count { $0.contains(".judges(.") } }
        }
        print("\(judges) of \(tests) tests judge a number")
        #expect(tests > 1000 && judges > 0)
        #expect(judges * 6 <= tests)
    }
}
