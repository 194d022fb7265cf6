import Foundation
import HeadlessServer
import SessionHistory
import TestSupport
import Testing

/// `log --levels` and `timeline --live --levels` on real servers.
@Suite("levels of sinks", .serialized, .limited) struct LevelCommandTests {
    @Test(
        "the peaks of a tone are logged and drawn, in its own level also where one channel is silent",
        arguments: HeadlessServer.Kind.allCases)
    func logged(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let log = try await Logged.start(on: server, "--levels")
            let tone = try await ForeignStream.start(on: server, playing: .tone(frequency: 500, level: -18))
            let live = try ChildProcess("audiosession", ["timeline", "--live", "--levels"], on: server)
            try await live.line { $0.contains("▆") }
            live.send(SIGINT)
            try await live.wait()
            try await log.event("levels") { $0.text("peaks")?.contains("-18 -18 -18") == true }
            try await tone.stop()
            log.process.send(SIGTERM)
            #expect(try await log.process.wait().status == 0)
            let file = log.folder + "/levels.svg"
            #expect(try await log.run("timeline", "-o", file).exit.status == 0)
            #expect(try String(contentsOfFile: file, encoding: .utf8).contains("class=\"level\""))
            #expect(try await log.run("history").output.contains("records") == false, "the meter is nobody's recording")
        }
    }

    @Test("nothing is recorded unless levels are asked for", arguments: HeadlessServer.Kind.allCases)
    func unasked(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let pactl = Pactl(server)
            let log = try await Logged.start(on: server)
            let tone = try await ForeignStream.start(on: server, playing: .tone(frequency: 500))
            try await log.event("started") { $0.integer("stream") == tone.index }
            #expect(try await pactl.sourceOutputs().isEmpty)
            let metered = try ChildProcess(
                "audiosession", ["log", "--levels", "--folder", log.folder + "-2"], on: server)
            try await waitUntil("the meter") { try await !pactl.sourceOutputs().isEmpty }
            metered.send(SIGTERM)
            try await metered.wait()
            try await waitUntil("its end") { try await pactl.sourceOutputs().isEmpty }
        }
    }

    @Test("--levels of the past are those of the log")
    func refused() async throws {
        expectFailure(try await audiosession("timeline", "--levels"), 64, saying: "log --levels")
    }
}
