import Foundation
import HeadlessServer
import TestSupport
import Testing

/// `audiosession assert` around real processes.
@Suite("assert", .serialized, .limited) struct AssertCommandTests {
    /// A player that a simulated call interrupts, as a script that is its own test driver.
    private func scene(in folder: URL, status: Int = 0) throws -> [String] {
        let file = folder.appendingPathComponent("tone.wav")
        try TestSignal.sine(frequency: 500, level: -12, seconds: 1).writeWAV(to: file)
        let player = try ChildProcess.executable("player").path
        let call = try ChildProcess.executable("audiosession").path
        // Whoever waits for a line of a file finds the file.
        let script = """
            await() { tail -n +1 -f --pid="$3" "$2" | grep -q -m 1 "$1"; }
            : > "$2/player"
            "$0" --json --loops -1 "$1" > "$2/player" & player=$!
            await '"progress"' "$2/player" $player
            "$3" simulate call & call=$!
            await '"interruption"' "$2/player" $player
            until "$3" status --json > "$2/status" && grep -q '"rule":"foreignCall"' "$2/status"; do sleep 0.1; done
            kill -INT $call; wait $call
            await '"shouldResume":true' "$2/player" $player
            kill $player; wait $player; exit \(status)
            """
        return ["sh", "-c", script, player, file.path, folder.path, call]
    }

    private func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("assert-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    @Test(
        "sentences that hold are said to in one line, and the command's status is passed on",
        arguments: HeadlessServer.Kind.allCases)
    func holds(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let address = try #require(server.environment["PULSE_SERVER"])
            let sentences = ["player interrupted-by call within 9s", "player plays", "never player muted"]
            let run = try await finish(
                try ChildProcess(
                    "audiosession",
                    ["assert", "--server", address] + sentences + ["--"] + scene(in: server.directory, status: 6),
                    on: server))
            #expect(run.exit.status == 6 && run.errors.isEmpty, "\(run.errors)")
            #expect(run.output == "all 3 sentences hold\n")
        }
    }

    @Test("on a private server, one that does not hold is said with the timeline and a picture", .oneSlot)
    func fails() async throws {
        try await withFolder { folder in
            let picture = folder.appendingPathComponent("failed.svg").path
            let sentences = ["player interrupted-by alarm within 9s", "never player interrupted", "player plays"]
            let run = try await finish(
                try ChildProcess(
                    "audiosession",
                    ["assert", "--timeline", picture] + sentences + ["--"] + scene(in: folder), environment: nowhere))
            #expect(run.exit.status == 1)
            #expect(run.errors.count == 2, "\(run.errors)")
            #expect(run.errors.first?.contains("within 9s: player (") == true, "\(run.errors)")
            #expect(run.errors.last?.contains("interrupted by Simulated call after ") == true, "\(run.errors)")
            #expect(run.output.contains("player") && run.output.contains("(foreignCall)"))
            #expect(try String(contentsOfFile: picture, encoding: .utf8).contains(">foreignCall</text>"))
        }
    }

    @Test("a command that hangs is ended, with everything it had begun to say", .oneSlot)
    func hangs() async throws {
        let run = try await audiosession("assert", "--timeout", "0.5", "never sleep plays", "--", "sleep", "600")
        #expect(run.exit.status == 1)
        #expect(run.errors.contains("audiosession: the command was ended after 0.5 s"), "\(run.errors)")
    }

    @Test("what is no sentence, or no command, is 64 or 127, and runs nothing")
    func refused() async throws {
        expectFailure(try await audiosession("assert", "player sings", "--", "true"), 64, saying: "'sings' is no state")
        expectFailure(try await audiosession("assert", "player plays"), 64, saying: "--")
        expectFailure(try await audiosession("assert", "--", "true"), 64, saying: "what must happen")
        expectFailure(try await audiosession("assert", "player plays", "--", "no-such-program"), 127)
        expectFailure(
            try await audiosession("assert", "--server", "unix:/nonexistent", "player plays", "--", "true"), 69)
    }
}
