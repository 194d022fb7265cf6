import Foundation
import Glibc
import HeadlessServer
import SessionHistory
import TestSupport
import Testing

/// `audiosession trace` around real processes.
@Suite("trace", .serialized, .limited) struct TraceCommandTests {
    /// Two players, the second of which interrupts the first.
    private func scene(on server: HeadlessServer) throws -> [String] {
        let file = server.directory.appendingPathComponent("tone.wav")
        try TestSignal.sine(frequency: 500, level: -12, seconds: 1).writeWAV(to: file)
        let folder = server.directory.path
        let player = try ChildProcess.executable("player").path
        // The first one is told when it was interrupted; the second one ends by itself.
        let script = """
            await() { tail -n +1 -f --pid="$3" "$2" | grep -q -m 1 "$1"; }
            : > "$2/first"
            "$0" --json --loops -1 "$1" > "$2/first" & first=$!
            await '"progress"' "$2/first" $first
            "$0" --json --loops -1 "$1" > "$2/second" & second=$!
            await '"interruption"' "$2/first" $first
            until "$3" status --json > "$2/status" && grep -q '"rule":"newerSession"' "$2/status"; do sleep 0.1; done
            kill $second; wait $second
            await '"type":"ended"' "$2/first" $first
            kill $first; wait $first; exit 7
            """
        let status = try ChildProcess.executable("audiosession").path
        return ["sh", "-c", script, player, file.path, folder, status]
    }

    private func events(in file: URL) throws -> [JSONLine] {
        let text = try String(contentsOf: file, encoding: .utf8)
        return text.split(separator: "\n").enumerated().compactMap { JSONLine(String($1), number: $0) }
    }

    @Test(
        "an interruption's way through both processes, in the format's own rules; the command's status is passed on",
        arguments: HeadlessServer.Kind.allCases)
    func passage(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let file = server.directory.appendingPathComponent("trace.json")
            let run = try await finish(
                try ChildProcess("audiosession", ["trace", "-o", file.path, "--"] + scene(on: server), on: server))
            #expect(run.exit.status == 7 && run.errors.isEmpty, "\(run.errors)")
            let data = try Data(contentsOf: file)
            #expect(ChromeTraceCheck.problems(of: data) == [])
            let events = try #require(ChromeTraceCheck.events(of: data))
            let flows = Dictionary(
                grouping: events.filter { $0.text("name") == "interruption" && $0.text("ph") != "M" },
                by: { $0.number("id") ?? -1 })
            let arrow = try #require(flows.values.first { $0.count == 5 }, "\(flows.mapValues(\.count))")
            let processes = arrow.compactMap { $0.number("pid") }
            #expect(processes[0] != processes[1] && Set(processes[1...]).count == 1)
            // The app is told on its main thread, whose number is that of the process.
            #expect(arrow[4].number("tid") == processes[4])
            let delivery = try #require(
                events.first { $0.text("name") == "delivery interruptionBegan" && $0.text("ph") == "B" })
            let told = try #require(delivery.arguments["msSinceFirstStep"] as? Double)
            #expect(told > 0 && told < 5_000)
            let first = try self.events(in: server.directory.appendingPathComponent("first"))
            let heard = try #require(first.first { $0.string("event") == "interruption" }?.number("t"))
            let begin = try #require(delivery.number("ts")) / 1e6
            let end =
                try #require(
                    events.first {
                        $0.text("name") == "delivery interruptionBegan" && $0.text("ph") == "E"
                            && $0.number("pid") == processes[4]
                    }?.number("ts")) / 1e6
            #expect((begin...end).contains(heard), "the app heard of it while it was being told")
        }
    }

    @Test("--jsonl has the same as lines, with the claims on the wire", arguments: HeadlessServer.Kind.allCases)
    func lines(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let file = server.directory.appendingPathComponent("trace.jsonl")
            let run = try await finish(
                try ChildProcess(
                    "audiosession", ["trace", "--jsonl", "-o", file.path, "--"] + scene(on: server), on: server))
            #expect(run.exit.status == 7)
            let lines = try events(in: file)
            let passage = try #require(lines.first { $0.string("event") == "passage" && $0.string("first") == "claim" })
            let times = ["seen", "verdict", "cork", "delivery"].compactMap { passage.number($0) }
            #expect(times.count == 4 && times == times.sorted() && times[0] > 0, "\(times)")
            let claims = lines.filter { $0.string("step") == "claim" && $0.number("pid") == passage.number("byPid") }
            #expect(claims.contains { $0.string("claim")?.contains("state=active;category=playback") == true })
            #expect(lines.contains { $0.string("event") == "interruption" && $0.string("rule") == "newerSession" })
            let own = lines.filter { $0.number("pid") == passage.number("byPid") }.compactMap { $0.string("step") }
            #expect(Set(own).isSuperset(of: ["activate", "claim", "echo", "decision"]), "\(own)")
        }
    }

    @Test("without a command the server is watched until a signal")
    func watching() async throws {
        try await withServer(.pulseAudio) { server in
            let music = try await session(named: "Music", on: server)
            let file = server.directory.appendingPathComponent("trace.json")
            let trace = try ChildProcess("audiosession", ["trace", "-o", file.path], on: server)
            let watched = try await session("--option", "mixWithOthers", named: "Game", on: server)
            trace.send(SIGINT)
            #expect(try await trace.wait().status == 0)
            let data = try Data(contentsOf: file)
            #expect(ChromeTraceCheck.problems(of: data) == [])
            let names = ChromeTraceCheck.events(of: data)?.compactMap { $0.arguments["name"] as? String } ?? []
            #expect(names.contains("Music (\(music.processID))") && names.contains("Game (\(watched.processID))"))
        }
    }

    @Test("what cannot be written, found or meant is said, and runs nothing")
    func refused() async throws {
        let mark = FileManager.default.temporaryDirectory.appendingPathComponent("mark-\(UUID().uuidString)").path
        expectFailure(
            try await audiosession("trace", "-o", "/proc/none", "--", "touch", mark), 73, saying: "/proc/none")
        let file = mark + ".json"
        defer { try? FileManager.default.removeItem(atPath: file) }
        expectFailure(
            try await audiosession("trace", "-o", file, "--", "no-such-program"), 127, saying: "no-such-program")
        expectFailure(try await audiosession("trace", "--", "touch", mark), 64, saying: "--output")
        expectFailure(try await audiosession("trace", "-o", file, "--", "touch", mark), 69)
        #expect(!FileManager.default.fileExists(atPath: mark))
    }
}
