import Foundation
import Locks
import TestSupport
import Testing

@testable import AudioHost

/// The ring of the library's steps and its file.
@Suite("Steps of the library", .limited) struct StepTraceTests {
    private func withFile(_ body: (String) async throws -> Void) async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("steps-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await body(path)
    }

    private func lines(_ path: String) throws -> [JSONLine] {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        return text.split(separator: "\n").enumerated().compactMap { JSONLine(String($1), number: $0) }
    }

    private func record(_ number: Int, _ detail: StepTrace.Detail = .init()) -> StepRecord {
        StepRecord(step: .cork, begin: Double(number), end: Double(number) + 0.5, detail: detail)
    }

    @Test("each step is a line, in the order of the steps, with its thread, and only the user can read them")
    func order() async throws {
        try await withFile { path in
            let ring = try #require(StepRing.opened(path))
            for number in 1...500 { ring.append(record(number)) }
            ring.append(record(501, .init("quote \" back \\ line \n", claim: "1;seq=1", by: "x", decided: 2.5)))
            try await waitUntil("the lines") { try lines(path).count == 501 }
            let all = try lines(path)
            #expect(all.compactMap { $0.number("t") } == (1...501).map(Double.init))
            let last = try #require(all.last)
            #expect(last.string("word") == "quote \" back \\ line  " && last.string("claim") == "1;seq=1")
            #expect(last.string("by") == "x" && last.number("decided") == 2.5 && last.number("seconds") == 0.5)
            #expect(last.number("pid") == Double(getpid()))
            let thread = try #require(last.number("thread"))
            #expect(FileManager.default.fileExists(atPath: "/proc/self/task/\(Int(thread))"))
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test("steps without room are counted, and none is lost without a word")
    func overflow() async throws {
        try await withFile { path in
            let ring = try #require(StepRing.opened(path))
            // Made before, so that they come faster than they are written.
            let records = (1...50_000).map { record($0) }
            for record in records { ring.append(record) }
            try await waitUntil("all steps") {
                let text = try String(contentsOfFile: path, encoding: .utf8)
                let (steps, others) = text.split(separator: "\n").reduce(into: (0, [Substring]())) { found, line in
                    if line.contains("\"step\":") { found.0 += 1 } else { found.1.append(line) }
                }
                let lost = others.compactMap { JSONLine(String($0), number: 0) }
                return steps + lost.reduce(0) { $0 + Int($1.number("count") ?? 0) } == records.count
            }
        }
    }

    @Test("what is no file is refused, and a folder that is missing")
    func refused() {
        #expect(StepRing.opened("/dev/null") == nil)
        #expect(StepRing.opened("/nonexistent/steps") == nil)
        #expect(StepRing.opened(FileManager.default.temporaryDirectory.path) == nil)
    }

    @Test("while nothing is traced a step is its body, and nothing is evaluated for it")
    func off() {
        #expect(StepTrace.now == 0)
        var evaluated = 0
        func detail() -> StepTrace.Detail {
            evaluated += 1
            return .init()
        }
        #expect(StepTrace.measure(.cork, detail()) { 5 } == 5 && evaluated == 0)
    }
}
