import Foundation
import TestSupport
import Testing

@Suite("recorder --recover", .timeLimit(.minutes(60))) struct RecoverTests {
    @Test("repairs a file in its place, says what was wrong, and needs no server")
    func repairs() async throws {
        let folder = try Folder()
        var wave = TestSignal.sine(seconds: 2).wavData
        // As a recorder leaves it that writes its lengths last.
        wave.replaceSubrange(4..<8, with: Data(count: 4))
        wave.replaceSubrange(40..<44, with: Data(count: 4))
        let file = try folder.write(wave, "broken.wav")
        let first = try await run("recorder", ["--json", "--recover", file])
        #expect(first.exit.status == 0, "\(first.errors)")
        #expect(first.order == ["recovered"])
        #expect(first.events.first?.number("duration") == 2)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == TestSignal.sine(seconds: 2).wavData)
        let second = try await run("recorder", ["--recover", file])
        #expect(second.exit.status == 0 && second.output.contains("2.0 s of sound, nothing to repair"))
    }

    @Test("a complaint that nobody can take changes nothing about the exit status")
    func fullDisk() async throws {
        let folder = try Folder()
        let words = ["-c", #"exec "$0" --recover "$1" 2>/dev/full"#, try ChildProcess.executable("recorder").path]
        let process = try ChildProcess(
            URL(fileURLWithPath: "/bin/sh"), words + [folder.path("none.wav")], environment: nowhere)
        #expect(try await finish(process).exit.status == 66)
    }

    @Test(
        "what cannot be written is an error: a full disk, a closed output, a reader that has gone",
        arguments: ["", "--json"])
    func unwritten(option: String) async throws {
        let folder = try Folder()
        let file = try folder.tone(0.1)
        let program = try ChildProcess.executable("recorder").path
        let fifo = folder.path("fifo")
        #expect(mkfifo(fifo, 0o600) == 0)
        let cases = [
            ("/dev/full", "No space left on device"), ("&-", "Bad file descriptor"), ("&4", "Broken pipe"),
        ]
        for (output, reason) in cases {
            // The reader of 4 goes at once.
            let script = #"trap '' PIPE; exec 3<>"$2" 4>"$2" 3>&-; exec "$0" \#(option) --recover "$1" >"# + output
            let process = try ChildProcess(
                URL(fileURLWithPath: "/bin/sh"), ["-c", script, program, file, fifo], environment: nowhere)
            expectFailure(try await finish(process), 1, of: "recorder", saying: "cannot write: \(reason)")
        }
    }

    @Test("what cannot be read is 66, what cannot be repaired 1, a file to record beside it 64")
    func failures() async throws {
        let folder = try Folder()
        let text = try folder.write(Data("text".utf8), "a.wav")
        let bare = try folder.write(Data("RIFF\0\0\0\0WAVE".utf8), "b.wav")
        expectFailure(try await run("recorder", ["--recover", folder.path("none.wav")]), 66, of: "recorder")
        expectFailure(try await run("recorder", ["--recover", text]), 66, of: "recorder", saying: "a.wav")
        expectFailure(try await run("recorder", ["--recover", bare]), 1, of: "recorder", saying: "no place for sound")
        expectFailure(try await run("recorder", ["--recover", text, "out.wav"]), 64, of: "recorder")
    }
}
