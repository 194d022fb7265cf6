import Foundation
import Glibc
import HeadlessServer
import SessionHistory
import TestSupport
import Testing

/// A log that runs beside a test's processes, and what is read from it.
struct Logged {
    let server: HeadlessServer
    let process: ChildProcess
    let folder: String

    static func start(on server: HeadlessServer, _ arguments: String...) async throws -> Logged {
        let folder = server.directory.appendingPathComponent("history").path
        let process = try ChildProcess("audiosession", ["log", "--folder", folder] + arguments, on: server)
        try await process.line { $0 == "writing to \(folder)" }
        return Logged(server: server, process: process, folder: folder)
    }

    /// Runs a command that reads the history.
    func run(_ arguments: String...) async throws -> Run {
        try await finish(try ChildProcess("audiosession", arguments + ["--folder", folder], on: server))
    }

    /// Waits until the log has written an event, such as the first one of a stream that is to be moved.
    func event(_ name: String, where matches: (HistoryEvent) -> Bool) async throws {
        try await waitUntil("\(name) in the log") {
            try HistoryReader(HistoryFolder(folder)).events.contains { $0.name == name && matches($0) }
        }
    }

    /// Waits for an incident.
    func incident(_ event: String, where matches: @escaping (JSONLine) -> Bool) async throws -> JSONLine {
        var found: JSONLine?
        try await waitUntil("\(event) in the history") {
            found = try await run("history", "--json").events.first { $0.string("event") == event && matches($0) }
            return found != nil
        }
        return try #require(found)
    }
}

/// What happened, told afterwards.
@Suite("history", .serialized, .limited) struct HistoryTests {
    @Test(
        "an interruption is told with its culprit, rule and length, at the time at which the app heard of it",
        .judges(.time(seconds: 0.02)), arguments: HeadlessServer.Kind.allCases)
    func interruption(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let log = try await Logged.start(on: server)
            let file = server.directory.appendingPathComponent("tone.wav")
            try TestSignal.sine(frequency: 500, level: -12, seconds: 1).writeWAV(to: file)
            let player = try ChildProcess("player", ["--json", "--loops", "-1", file.path], on: server)
            try await player.event("progress")
            let call = try ChildProcess("audiosession", ["simulate", "call", "--json"], on: server)
            let began = try await player.event("interruption") { $0.string("type") == "began" }
            // A call may be over before the log has looked.
            _ = try await log.incident("interrupted") { _ in true }
            call.send(SIGINT)
            try await player.event("interruption", from: began.number) { $0.string("type") == "ended" }
            let finished = try await call.event("finished")
            let told = try await log.incident("interrupted") { $0.string("ending") == "resumes" }
            #expect(told.string("app") == "player" && told.number("pid") == Double(player.processID))
            #expect(told.string("rule") == "foreignCall" && told.number("byPid") == Double(call.processID))
            let begin = try #require(told.number("t")), seconds = try #require(told.number("seconds"))
            #expect(abs(begin - (try #require(began.number("t")))) < 0.02)
            // The call's program says that it has ended after the server has answered it.
            let end = begin + seconds, finishedAt = try #require(finished.number("t"))
            #expect(abs(end - finishedAt) < 0.02)
        }
    }

    @Test("sessions that interrupt each other, one of which is killed", arguments: HeadlessServer.Kind.allCases)
    func killed(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let log = try await Logged.start(on: server)
            let music = try await session(named: "Music", on: server)
            let film = try await session(named: "Film", on: server)
            let during = try await log.incident("interrupted") { $0.string("app") == "Music" }
            #expect(during.string("by") == "Film" && during.string("rule") == "newerSession")
            #expect(during.string("ending") == "open")
            film.send(SIGKILL)
            let after = try await log.incident("interrupted") { $0.string("ending") == "resumes" }
            #expect(after.number("t") == during.number("t"))
            let filtered = try await log.run("history", "--app", "fil", "--since", "1h")
            #expect(
                filtered.output.contains(
                    "Music (\(music.processID)) interrupted by Film (\(film.processID)) (newerSession)"))
            #expect(try await log.run("history", "--app", "nobody").output == "Nothing happened.\n")
        }
    }

    @Test("another program that is lowered, and a game that is", arguments: HeadlessServer.Kind.allCases)
    func ducked(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let log = try await Logged.start(on: server)
            let foreign = try await ForeignStream.start(on: server, role: "music")
            let game = try await session("--category", "ambient", named: "Game", on: server)
            let prompt = try await session(
                "--mode", "voicePrompt", "--option", "duckOthers", named: "Prompt", on: server)
            let process = Double(foreign.process.processID)
            let lowered = try await log.incident("ducked") { $0.number("pid") == process }
            #expect(lowered.string("by") == "Prompt" && lowered.string("rule") == "duckOthers")
            #expect(lowered.number("byPid") == Double(prompt.processID) && lowered.string("kind") == "playback")
            _ = try await log.incident("ducked") { $0.string("app") == "Game" && $0.string("by") == "Prompt" }
            prompt.send(SIGTERM)
            _ = try await log.incident("ducked") { $0.number("pid") == process && $0.string("ending") == "changed" }
            _ = try await log.incident("ducked") { $0.string("app") == "Game" && $0.string("ending") == "changed" }
            withExtendedLifetime(game) {}
        }
    }

    @Test("the route, a stream that is moved, and a server that is restarted", arguments: HeadlessServer.Kind.allCases)
    func server(kind: HeadlessServer.Kind) async throws {
        let sinks = [HeadlessServer.NullSink(name: "one"), HeadlessServer.NullSink(name: "two")]
        try await withServer(kind, sinks: sinks) { server in
            let pactl = Pactl(server)
            // PipeWire's session manager may choose either one.
            try await pactl.setDefault(sink: "one")
            let log = try await Logged.start(on: server)
            let foreign = try await ForeignStream.start(on: server)
            let stream = try await pactl.waitForSinkInput(of: foreign.process.processID)
            // A stream that the log does not know yet is told as a new one, on the device to which it was moved.
            try await log.event("started") { $0.integer("stream") == Int(stream.index) }
            try await pactl.move(sinkInput: stream.index, to: "two")
            _ = try await log.incident("moved") {
                $0.number("stream") == Double(stream.index) && $0.string("text")?.hasSuffix("-> two") == true
            }
            try await setDefault("two", insteadOf: "one", by: pactl, in: log)
            try await offPool { try server.restart() }
            let lost = try await log.incident("serverLost") { _ in true }
            let reset = try await log.incident("serverReset") { _ in true }
            #expect(try #require(lost.number("t")) < (try #require(reset.number("t"))))
            let music = try await session(named: "Music", on: server)
            let film = try await session(named: "Film", on: server)
            _ = try await log.incident("interrupted") { $0.string("app") == "Music" }
            withExtendedLifetime((music, film)) {}
            log.process.send(SIGTERM)
            #expect(try await log.process.wait().status == 0)
            _ = try await log.incident("logEnded") { _ in true }
        }
    }

    /// Makes a sink the default until the log has heard of it: PipeWire does not tell it while another client connects.
    private func setDefault(_ name: String, insteadOf other: String, by pactl: Pactl, in log: Logged) async throws {
        try await waitUntil("the route in the log") {
            try await pactl.setDefault(sink: name)
            let isHeard = await soon {
                let told = try await log.run("history", "--json").events.filter { $0.string("event") == "route" }
                return told.last?.string("text")?.hasSuffix("-> \(name)") == true
            }
            if !isHeard { try await pactl.setDefault(sink: other) }
            return isHeard
        }
    }

    @Test("a suspended sink, seen as an interruption without a culprit", arguments: HeadlessServer.Kind.allCases)
    func suspended(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let log = try await Logged.start(on: server)
            let file = server.directory.appendingPathComponent("tone.wav")
            try TestSignal.sine(frequency: 500, level: -12, seconds: 1).writeWAV(to: file)
            let player = try ChildProcess("player", ["--json", "--loops", "-1", file.path], on: server)
            try await player.event("progress")
            let suspension = try ChildProcess(
                "audiosession", ["simulate", "suspend", "--pid", "\(player.processID)"], on: server)
            try await player.event("interruption") { $0.string("type") == "began" }
            let told = try await log.incident("interrupted") { $0.string("app") == "player" }
            #expect(told.string("by") == nil && told.string("rule") == nil)
            suspension.send(SIGINT)
        }
    }

    @Test("explain --at says of the past what explain said then", arguments: HeadlessServer.Kind.allCases)
    func explained(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let log = try await Logged.start(on: server)
            let music = try await session(named: "Music", on: server)
            let film = try await session(named: "Film", on: server)
            let told = try await log.incident("interrupted") { $0.string("app") == "Music" }
            let then = try await audiosession("explain", "--json", on: server)
            let title = "Music (pid \(music.processID))"
            let sentences = then.events.first { $0.string("title") == title }?.strings("sentences")
            film.send(SIGTERM)
            _ = try await log.incident("interrupted") { $0.string("ending") == "resumes" }
            // A little after the beginning, by the wall clock.
            let now = HistoryClocks.system.now
            let ago = now.monotonic - (try #require(told.number("t"))) - 0.001
            let past = try await log.run("explain", "--at", "\(ago)s", "--json")
            let explanation = past.events.first { $0.string("title") == title }
            #expect(explanation?.string("state") == "interrupted")
            #expect(explanation?.strings("sentences") == sentences && sentences?.isEmpty == false)
            let words = try await log.run("explain", "--at", "\(ago)s").output
            #expect(words.contains("\(title) was interrupted.") && !words.contains("->"))
            #expect(try await log.run("explain", "--at", "3d").output.hasPrefix("Nobody logged at "))
        }
    }
}

/// What a log does when it cannot write, and what it costs.
@Suite("log", .serialized, .limited) struct LogTests {
    @Test("a second log is refused, and the first one goes on")
    func second() async throws {
        try await withServer(.pulseAudio) { server in
            let log = try await Logged.start(on: server)
            expectFailure(
                try await log.run("log"), 73, saying: "another audiosession log writes to \(log.folder) (process ")
            let music = try await session(named: "Music", on: server)
            try await waitUntil("the session") { try await log.run("explain", "--at", "now").output.contains("Music") }
            withExtendedLifetime(music) {}
        }
    }

    @Test("history --clear deletes all, also while a log runs")
    func clear() async throws {
        try await withServer(.pulseAudio) { server in
            let log = try await Logged.start(on: server)
            #expect(try await log.run("history").output.contains("the log begins"))
            #expect(try await log.run("history", "--clear").exit.status == 0)
            #expect(try await log.run("history").output == "There is no history (audiosession log writes one).\n")
            log.process.send(SIGTERM)
            #expect(try await log.process.wait().status == 0)
            #expect(try await log.run("history").output.contains("the log ends"))
        }
    }

    @Test(
        "a full disk is complained of once, and nothing that was written is torn",
        .enabled(if: namespacesAreAllowed, "needs namespaces of users"))
    func full() async throws {
        try await withServer(.pulseAudio) { server in
            let folder = server.directory.appendingPathComponent("history").path
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            let program = try ChildProcess.executable("audiosession").path
            // Two pages of 4 KiB: one for the folder's files, one for events.
            let script = "mount -t tmpfs -o size=8k tmpfs \"$1\" && exec \"$0\" log --folder \"$1\""
            let unshare = try #require(HeadlessServer.findBinary("unshare"))
            let log = try ChildProcess(
                unshare, ["--user", "--map-root-user", "--mount", "bash", "-c", script, program, folder],
                environment: server.environment)
            try await log.line { $0.hasPrefix("writing to") }
            var sessions: [ChildProcess] = []
            while log.errorText.isEmpty, sessions.count < 20 {
                sessions.append(try await session("--option", "mixWithOthers", named: "S\(sessions.count)", on: server))
            }
            try await waitUntil("the complaint") { log.errorText.contains("\n") }
            let reader = try HistoryReader(HistoryFolder("/proc/\(log.processID)/root\(folder)"))
            #expect(reader.damagedLines == 0 && reader.events.first?.name == "logBegan")
            log.send(SIGTERM)
            #expect(try await log.wait().status == 0)
            let complaint = "audiosession: cannot write \(folder)/events.jsonl: No space left on device; "
            #expect(log.errorText == complaint + "events wait in memory until there is room\n")
        }
    }

    @Test("a folder that cannot be written ends it with 73, a wrong time with 64")
    func refused() async throws {
        expectFailure(try await audiosession("log", "--folder", "/proc/nowhere"), 73, saying: "/proc/nowhere")
        expectFailure(try await audiosession("log", "--max-bytes", "10"), 64, saying: "--max-bytes")
        expectFailure(try await audiosession("history", "--since", "soon"), 64, saying: "soon")
        expectFailure(try await audiosession("history", "--clear", "--json"), 64, saying: "--clear")
    }

    @Test("it waits for its first server, and ends in good order without one")
    func noServer() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("history-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let log = try ChildProcess("audiosession", ["log", "--folder", folder], environment: nowhere)
        try await waitUntil("the log") { (try? HistoryReader(HistoryFolder(folder)).events.isEmpty) == false }
        log.send(SIGINT)
        #expect(try await log.wait().status == 0)
        #expect(try HistoryReader(HistoryFolder(folder)).events.map(\.name) == ["logBegan", "logEnded"])
    }

    @Test("the unit that packages install is the one that it prints, but for the program's path")
    func packagedUnit() async throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appendingPathComponent("data/audiosession-log.service")
        let unit = try await audiosession("log", "--unit")
        let program = try ChildProcess.executable("audiosession").resolvingSymlinksInPath().path
        #expect(unit.output.contains("ExecStart=\"\(program)\" log"))
        let packaged = unit.output.replacingOccurrences(of: program, with: "/usr/bin/audiosession")
        #expect(try String(contentsOf: file, encoding: .utf8) == packaged)
    }

    @Test(
        "the unit is one of systemd's",
        .enabled(if: HeadlessServer.findBinary("systemd-analyze") != nil, "needs systemd"))
    func unit() async throws {
        let unit = try await audiosession("log", "--unit")
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unit-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("audiosession-log.service")
        try Data(unit.output.utf8).write(to: file)
        let check = try ChildProcess(
            try #require(HeadlessServer.findBinary("systemd-analyze")), ["verify", "--user", "--man=no", file.path],
            environment: ["XDG_RUNTIME_DIR": folder.path])
        #expect(try await check.wait().status == 0, "\(check.errorText)")
    }
}

/// Whether this process may make a namespace in which it can mount.
let namespacesAreAllowed: Bool = {
    guard let unshare = HeadlessServer.findBinary("unshare"),
        let process = try? Process.run(unshare, arguments: ["--user", "--map-root-user", "--mount", "true"])
    else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
}()
