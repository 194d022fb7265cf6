import Foundation
import HeadlessServer
import SessionHistory
import TestSupport
import Testing

/// `audiosession timeline` over a history that a test has written.
@Suite("timeline", .limited) struct TimelineCommandTests {
    /// Runs a command on a history of ten seconds: music that a call interrupts for five.
    private func run(_ arguments: [String], in folder: HistoryFolder) async throws -> Run {
        try await finish(
            try ChildProcess("audiosession", ["timeline", "--folder", folder.path] + arguments, environment: nowhere))
    }

    private func withHistory(_ body: (HistoryFolder) async throws -> Void) async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("timeline-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let folder = HistoryFolder(path)
        try write(into: folder)
        try await body(folder)
    }

    private func write(into folder: HistoryFolder) throws {
        let store = try HistoryStore(folder)
        func at(_ seconds: Double, _ name: String, _ fields: [String: HistoryValue] = [:]) {
            let moment = Moment(wall: 1_790_000_000 + seconds, monotonic: 100 + seconds, boot: "b")
            #expect(store.append(HistoryEvent(name, at: moment, fields)) == .written)
        }
        let music: [String: HistoryValue] = ["app": "Music\u{1B}[31m", "pid": .number(1), "client": .number(1)]
        let call: [String: HistoryValue] = ["app": "Call", "pid": .number(2), "client": .number(2)]
        let game: [String: HistoryValue] = ["app": "Game", "pid": .number(3), "client": .number(3)]
        at(0, "logBegan")
        at(0, "active", music)
        at(0, "active", game)
        at(5, "active", call)
        let cause: [String: HistoryValue] = ["type": "began", "by": "Call", "byPid": .number(2), "rule": "call"]
        at(5, "interruption", music.merging(cause) { $1 })
        at(10, "logEnded")
    }

    @Test("in the terminal a row for each session, with the states where they were, and who did what")
    func terminal() async throws {
        try await withHistory { folder in
            let run = try await run([], in: folder)
            #expect(run.exit.status == 0 && run.errors.isEmpty)
            let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            let row = try #require(lines.first { $0.hasPrefix("Music") })
            let (active, interrupted) = (row.filter { $0 == "─" }.count, row.filter { $0 == "░" }.count)
            #expect(abs(active - interrupted) <= 1 && active + interrupted > 60, "\(row)")
            #expect(!run.output.contains("\u{1B}"), "names bring no colours")
            #expect(lines.contains { $0.contains("interrupted by Call (2) (call), for 5.000 s at least") })
            #expect(row.count <= 100)
        }
    }

    @Test("a program's own part has its culprits, and nobody else")
    func filtered() async throws {
        try await withHistory { folder in
            let output = try await run(["--app", "music"], in: folder).output
            #expect(output.contains("Music") && output.contains("Call (2) ") && !output.contains("Game"))
        }
    }

    @Test("a file is a page or SVG, by its name", arguments: ["svg", "html"])
    func file(kind: String) async throws {
        try await withHistory { folder in
            let file = folder.path + "/picture." + kind
            let run = try await run(["-o", file, "--width", "640"], in: folder)
            #expect(run.exit.status == 0 && run.output.isEmpty && run.errors.isEmpty)
            let text = try String(contentsOfFile: file, encoding: .utf8)
            #expect(text.hasPrefix(kind == "svg" ? "<svg " : "<!doctype html>") && text.contains("width=\"640.0\""))
            #expect(text.contains(">interrupted</text>"))
        }
    }

    @Test("what cannot be written is 73, what cannot be meant 64, and an empty history no error")
    func refused() async throws {
        try await withHistory { folder in
            expectFailure(try await run(["-o", "/proc/picture.svg"], in: folder), 73, saying: "/proc/picture.svg")
            expectFailure(try await run(["--width", "5"], in: folder), 64, saying: "--width")
            expectFailure(try await run(["--since", "1h", "--until", "2h"], in: folder), 64, saying: "--until")
            let none = try await run([], in: HistoryFolder(folder.path + "/none"))
            #expect(none.exit.status == 0 && none.output.hasPrefix("There is no history"))
        }
    }
}
