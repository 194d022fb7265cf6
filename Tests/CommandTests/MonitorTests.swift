import Foundation
import HeadlessServer
import TestSupport
import Testing

/// What happens, told as it happens.
@Suite("monitor", .serialized, .limited) struct MonitorTests {
    @Test("sessions, interruptions and streams as events", arguments: HeadlessServer.Kind.allCases)
    func events(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let music = try await session(named: "Music", on: server)
            let monitor = try ChildProcess("audiosession", ["monitor", "--json"], on: server)
            try await monitor.event("active") { $0.string("app") == "Music" }
            let film = try await session(named: "Film", on: server)
            let began = try await monitor.event("interruption")
            #expect(began.string("type") == "began" && began.string("app") == "Music")
            #expect(began.string("by") == "Film" && began.string("rule") == "newerSession")
            #expect(began.number("byPid") == Double(film.processID))
            film.send(SIGTERM)
            let end = try await monitor.event("inactive", from: began.number)
            #expect(end.string("app") == "Film" && end.bool("notify") == true)
            let ended = try await monitor.event("interruption", from: end.number)
            #expect(ended.string("type") == "ended" && ended.bool("shouldResume") == true)
            try await monitor.event("active", from: ended.number) { $0.string("app") == "Music" }
            let foreign = try await ForeignStream.start(on: server, role: "music")
            let started = try await monitor.event("started", from: ended.number)
            #expect(started.number("pid") == Double(foreign.process.processID))
            try await foreign.stop()
            try await monitor.event("finished", from: started.number)
            music.send(SIGKILL)
            let gone = try await monitor.event("inactive", from: started.number)
            #expect(gone.bool("vanished") == true)
            monitor.send(SIGINT)
            #expect(try await monitor.wait().status == 0)
        }
    }

    @Test("the route, and a server that is restarted", arguments: HeadlessServer.Kind.allCases)
    func server(kind: HeadlessServer.Kind) async throws {
        let sinks = [HeadlessServer.NullSink(name: "one"), HeadlessServer.NullSink(name: "two")]
        try await withServer(kind, sinks: sinks) { server in
            let monitor = try ChildProcess("audiosession", ["monitor", "--json"], on: server)
            let foreign = try await ForeignStream.start(on: server)
            try await monitor.event("started")
            try await Pactl(server).setDefault(sink: "two")
            let change = try await monitor.event("routeChange") { $0.string("current") == "two" }
            #expect(change.string("previous") == "one" || change.string("previous")?.hasPrefix("@") == true)
            try await offPool { try server.restart() }
            try await monitor.event("mediaServicesWereLost")
            try await monitor.event("mediaServicesWereReset")
            let again = try await ForeignStream.start(on: server)
            try await monitor.event("started") { $0.number("pid") == Double(again.process.processID) }
            monitor.send(SIGTERM)
            #expect(try await monitor.wait().status == 0)
            withExtendedLifetime(foreign) {}
        }
    }

    @Test("a hang-up that is to be ignored (nohup) does not end it")
    func ignoredHangUp() async throws {
        try await withServer(.pulseAudio) { server in
            let program = try ChildProcess.executable("audiosession").path
            let monitor = try ChildProcess(
                tool: "env", ["--ignore-signal=HUP", program, "monitor", "--json"], on: server)
            let music = try await session(named: "Music", on: server)
            try await monitor.event("active") { $0.string("app") == "Music" }
            monitor.send(SIGHUP)
            let film = try await session(named: "Film", on: server)
            try await monitor.event("active") { $0.string("app") == "Film" }
            withExtendedLifetime((music, film)) {}
            monitor.send(SIGINT)
            #expect(try await monitor.wait().status == 0)
        }
    }

    @Test("a server that refuses to tell of changes is said to, once", arguments: ["monitor", "status"])
    func refused(command: String) async throws {
        try await withServer(.pulseAudio) { server in
            let proxy = try CountingProxy(to: server, refusing: CountingProxy.subscribe)
            let watch = command == "status" ? ["--watch"] : []
            let process = try ChildProcess("audiosession", [command] + watch + ["--server", proxy.address], on: server)
            expectFailure(try await finish(process), 1, saying: "the sound server cannot be watched: ")
            proxy.stop()
        }
    }

    @Test("status --watch outlives its server, and shows the next one")
    func restart() async throws {
        try await withServer(.pulseAudio) { server in
            let watch = try ChildProcess("audiosession", ["status", "--watch"], on: server)
            try await waitUntil("the table") { watch.outputLines.contains("No sessions.") }
            server.kill()
            try await waitUntil("the loss") { watch.outputLines.contains("No sound server.") }
            let before = watch.outputLines.count
            try server.restart()
            try await waitUntil("the table") { watch.outputLines.dropFirst(before).contains("No sessions.") }
            watch.send(SIGINT)
            #expect(try await watch.wait().status == 0)
        }
    }

    @Test("in words, for people")
    func words() async throws {
        try await withServer(.pulseAudio) { server in
            let monitor = try ChildProcess("audiosession", ["monitor"], on: server)
            let music = try await session(named: "Music", on: server)
            let line = try await monitor.line { $0.hasSuffix("Music (\(music.processID)) is active: playback default") }
            #expect(line.text.prefixMatch(of: #/\d\d:\d\d:\d\d  /#) != nil)
            monitor.send(SIGINT)
            #expect(try await monitor.wait().status == 0)
        }
    }
}
