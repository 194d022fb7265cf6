import Foundation
import Glibc
import HeadlessServer
import SessionHistory
import TestSupport
import Testing

/// Scenes of real processes that a log tells afterwards, compared with what the processes said.
@Suite("scenes of a history", .serialized, .limited) struct SceneTests {
    private func player(on server: HeadlessServer) async throws -> ChildProcess {
        let file = server.directory.appendingPathComponent("tone.wav")
        try TestSignal.sine(frequency: 500, level: -12, seconds: 1).writeWAV(to: file)
        let player = try ChildProcess("player", ["--json", "--loops", "-1", file.path], on: server)
        try await player.event("progress")
        return player
    }

    @Test(
        "one player interrupts another and is killed: both moments are those at which the other heard of them",
        .alone, .judges(.time(seconds: 0.02)), arguments: HeadlessServer.Kind.allCases)
    func betweenApps(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let log = try await Logged.start(on: server)
            let first = try await player(on: server)
            try await log.event("active") { $0.integer("pid") == Int(first.processID) }
            let second = try await player(on: server)
            let began = try await first.event("interruption") { $0.string("type") == "began" }
            _ = try await log.incident("interrupted") { _ in true }
            second.send(SIGKILL)
            let ended = try await first.event("interruption", from: began.number) { $0.string("type") == "ended" }
            let told = try await log.incident("interrupted") { $0.string("ending") == "resumes" }
            #expect(told.number("pid") == Double(first.processID) && told.number("byPid") == Double(second.processID))
            #expect(told.string("rule") == "newerSession")
            let begin = try #require(told.number("t")), seconds = try #require(told.number("seconds"))
            #expect(abs(begin - (try #require(began.number("t")))) < 0.02)
            #expect(abs(begin + seconds - (try #require(ended.number("t")))) < 0.02)
        }
    }

    @Test(
        "who is killed while it is interrupted, and who is interrupted by an interrupted one",
        arguments: HeadlessServer.Kind.allCases)
    func kills(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let log = try await Logged.start(on: server)
            let music = try await session(named: "Music", on: server)
            let film = try await session(named: "Film", on: server)
            let game = try await session(named: "Game", on: server)
            _ = try await log.incident("interrupted") { $0.string("app") == "Music" && $0.string("by") == "Film" }
            _ = try await log.incident("interrupted") { $0.string("app") == "Film" && $0.string("by") == "Game" }
            game.send(SIGKILL)
            _ = try await log.incident("interrupted") {
                $0.string("app") == "Film" && $0.string("ending") == "resumes"
            }
            let stays = try await log.incident("interrupted") { $0.string("app") == "Music" }
            #expect(stays.string("ending") == "open" && stays.number("byPid") == Double(film.processID))
            music.send(SIGKILL)
            let gone = try await log.incident("interrupted") {
                $0.string("app") == "Music" && $0.string("ending") == "vanished"
            }
            #expect(gone.number("t") == stays.number("t"))
        }
    }

    @Test("an output that is unplugged while it plays", arguments: HeadlessServer.Kind.allCases)
    func unplugged(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let pactl = Pactl(server)
            let module = try await pactl.loadModule("module-null-sink", ["sink_name=plugged"])
            try await pactl.setDefault(sink: "plugged")
            let log = try await Logged.start(on: server)
            let player = try await player(on: server)
            try await pactl.unloadModule(module)
            try await player.event("routeChange") { $0.string("reason") == "oldDeviceUnavailable" }
            let told = try await log.incident("route") { $0.string("text")?.hasPrefix("plugged -> ") == true }
            #expect(told.string("text") != "plugged -> nothing")
        }
    }

    @Test("a game that a recording mutes", arguments: HeadlessServer.Kind.allCases)
    func muted(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let log = try await Logged.start(on: server)
            let game = try await session("--category", "ambient", named: "Game", on: server)
            let recorder = try await session(
                "--category", "record", named: "Recorder", on: server,
                environment: ["AVAUDIOSESSION_MICROPHONE": "allow"])
            let told = try await log.incident("muted") { $0.string("app") == "Game" }
            #expect(told.string("by") == "Recorder" && told.string("rule") == "recording")
            #expect(told.number("byPid") == Double(recorder.processID) && told.string("ending") == "open")
            recorder.send(SIGTERM)
            let after = try await log.incident("muted") { $0.string("ending") == "changed" }
            #expect(after.number("t") == told.number("t"))
            withExtendedLifetime(game) {}
        }
    }

    @Test("timeline --live draws what happens now, without a log", arguments: HeadlessServer.Kind.allCases)
    func live(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let music = try await session(named: "Music", on: server)
            let timeline = try ChildProcess("audiosession", ["timeline", "--live"], on: server)
            try await timeline.line { $0.hasPrefix("Music (\(music.processID))") }
            let film = try await session(named: "Film", on: server)
            try await timeline.line {
                $0.contains("Music (\(music.processID)) interrupted by Film (\(film.processID)) (newerSession)")
            }
            try await timeline.line { $0.contains("░") }
            timeline.send(SIGINT)
            #expect(try await timeline.wait().status == 0)
            expectFailure(
                try await audiosession("timeline", "--live", "-o", "x.svg", on: server), 64, saying: "--live")
        }
    }

    @Test("the screen's lock is in a live timeline and in a trace", arguments: HeadlessServer.Kind.allCases)
    func locked(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let desktop = try await MockDesktop(in: server.directory, owning: ["saver"])
            let music = try await session(named: "Music", on: server)
            let file = server.directory.appendingPathComponent("trace.jsonl")
            let timeline = try ChildProcess(
                "audiosession", ["timeline", "--live"], on: server, environment: desktop.environment)
            // The command ends when the timeline has told of the lock, and the trace after that.
            let fifo = server.directory.appendingPathComponent("end").path
            #expect(mkfifo(fifo, 0o600) == 0)
            let trace = try ChildProcess(
                "audiosession",
                ["trace", "--jsonl", "-o", file.path, "--", "sh", "-c", "echo runs; read word < \(fifo)"],
                on: server, environment: desktop.environment)
            try await trace.line { $0 == "runs" }
            // The trace tells nobody when it has heard of a change: the first of many is long ago then.
            for _ in 0..<20 {
                try await desktop.order("saver 1")
                try await desktop.order("saver 0")
            }
            try await desktop.order("saver 1")
            try await timeline.line { $0.hasSuffix("the screen is locked") }
            try "\n".write(to: URL(fileURLWithPath: fifo), atomically: false, encoding: .utf8)
            #expect(try await trace.wait().status == 0)
            let lines = try String(contentsOf: file, encoding: .utf8)
            #expect(lines.contains("\"event\":\"quiet\"") && lines.contains("\"reason\":\"locked\""), "\(lines)")
            timeline.send(SIGINT)
            try await timeline.wait()
            desktop.kill()
            withExtendedLifetime(music) {}
        }
    }

    @Test("a simulated lock is told with its session, and with its end", arguments: HeadlessServer.Kind.allCases)
    func simulated(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let log = try await Logged.start(on: server)
            let game = try await session("--category", "ambient", named: "Game", on: server)
            let lock = try ChildProcess(
                "audiosession", ["simulate", "lock", "--pid", "\(game.processID)"], on: server)
            try await log.event("simulated") { $0.flag("on") && $0.text("what") == "lock" }
            lock.send(SIGINT)
            try await log.event("simulated") { !$0.flag("on") && $0.text("what") == "lock" }
            for event in ["unplug", "plug"] {
                let run = try await audiosession("simulate", event, "--pid", "\(game.processID)", on: server)
                #expect(run.exit.status == 0)
                try await log.event("simulated") { $0.flag("on") && $0.text("what") == event }
            }
            let told = try await log.run("history").output
            let words = ["lock", "lock ends", "unplug", "plug"].map { "Game (\(game.processID)): simulated \($0)" }
            let lines = told.split(separator: "\n").filter { $0.contains("simulated") }.map { $0.dropFirst(14) }
            #expect(lines.map(String.init) == words, "\(told)")
        }
    }
}
