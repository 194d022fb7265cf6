import Foundation
import Glibc
import HeadlessServer
import SessionHistory
import TestSupport
import Testing

/// Scenes that a log tells afterwards, compared with the recorded monitor and with what the processes said, to 20 ms.
@Suite("scenes as they were heard", .serialized, .limited) struct HeardSceneTests {
    @Test(
        "a call or an alarm: the tone stops when the history says so, and plays when it says so",
        .alone, .judges(.time(seconds: 0.02)), arguments: HeadlessServer.Kind.allCases, ["call", "alarm"])
    func foreign(kind: HeadlessServer.Kind, event: String) async throws {
        try await withServer(kind) { server in
            let scene = try await HeardScene(on: server)
            let player = try await scene.player()
            try await scene.waitForSound(after: 0)
            let call = try ChildProcess("audiosession", ["simulate", event, "--json"], on: server)
            let began = try await player.event("interruption") { $0.string("type") == "began" }
            _ = try await scene.log.incident("interrupted") { $0.string("by") != nil }
            try await scene.monitor.wait(seconds: 0.3)
            let frame = scene.monitor.frames
            call.send(SIGINT)
            let finished = try await call.event("finished")
            let ended = try await player.event("interruption", from: began.number) { $0.string("type") == "ended" }
            try await scene.waitForSound(after: frame)
            let told = try await scene.told("interrupted", of: player, explained: "interrupted")
            #expect(told.line.string("rule") == "foreignCall" && told.line.number("byPid") == Double(call.processID))
            let gap = try await scene.gaps().last
            try scene.expect(told.begin, near: gap?.begin, "the tone's stop")
            try scene.expect(told.begin, near: began.number("t"), "the player's word of the beginning")
            // The call's own word: the player waits a moment for another call to follow before it is told.
            try scene.expect(told.end, near: finished.number("t"), "the call's word of its end")
            #expect(try #require(ended.number("t")) > told.end)
            let played = try await scene.played(player, after: told.end)
            try scene.expect(played, near: gap?.end, within: scene.startAccuracy, "the tone's return")
        }
    }

    @Test(
        "an app that is interrupted by another one, which ends or is killed: stop and return as they were heard",
        .alone, .judges(.time(seconds: 0.02)), arguments: HeadlessServer.Kind.allCases, [SIGTERM, SIGKILL])
    func betweenApps(kind: HeadlessServer.Kind, signal: Int32) async throws {
        try await withServer(kind) { server in
            let scene = try await HeardScene(on: server)
            let first = try await scene.player()
            try await scene.waitForSound(after: 0)
            let second = try await scene.player(level: -90)
            let began = try await first.event("interruption") { $0.string("type") == "began" }
            try await scene.monitor.wait(seconds: 0.3)
            let frame = scene.monitor.frames
            second.send(signal)
            let ended = try await first.event("interruption", from: began.number) { $0.string("type") == "ended" }
            try await scene.waitForSound(after: frame)
            let told = try await scene.told("interrupted", of: first, explained: "interrupted")
            #expect(told.line.string("rule") == "newerSession" && told.line.number("byPid") == Double(second.processID))
            let gap = try await scene.gaps().last
            try scene.expect(told.begin, near: gap?.begin, "the tone's stop")
            try scene.expect(told.begin, near: began.number("t"), "the player's word of the beginning")
            try scene.expect(told.end, near: ended.number("t"), "the player's word of the end")
            let played = try await scene.played(first, after: told.end)
            try scene.expect(played, near: gap?.end, within: scene.startAccuracy, "the tone's return")
        }
    }

    @Test(
        "a session on another machine interrupts one here, and is told by its name and machine",
        .alone, .judges(.time(seconds: 0.02)),
        .enabled(if: namespacesAreAllowed, "needs namespaces of users"), arguments: HeadlessServer.Kind.allCases)
    func otherHost(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let scene = try await HeardScene(on: server)
            let player = try await scene.player()
            try await scene.waitForSound(after: 0)
            let file = server.directory.appendingPathComponent("tone90.wav")
            try TestSignal.sine(frequency: 500, level: -90, seconds: 1).writeWAV(to: file)
            let script = "hostname kitchen && exec \"$0\" --json --loops -1 \"$1\""
            let program = try ChildProcess.executable("player").path
            let remote = try ChildProcess(
                try #require(HeadlessServer.findBinary("unshare")),
                ["--user", "--map-current-user", "--keep-caps", "--uts", "sh", "-c", script, program, file.path],
                environment: server.environment)
            let began = try await player.event("interruption") { $0.string("type") == "began" }
            try await scene.monitor.wait(seconds: 0.3)
            let frame = scene.monitor.frames
            remote.send(SIGTERM)
            let ended = try await player.event("interruption", from: began.number) { $0.string("type") == "ended" }
            try await scene.waitForSound(after: frame)
            let told = try await scene.told("interrupted", of: player, explained: "activated later")
            #expect(told.line.string("rule") == "newerSession")
            let past = try await scene.explained(at: (told.begin + told.end) / 2).output
            #expect(past.contains("kitchen"), "\(past)")
            let gap = try await scene.gaps().last
            try scene.expect(told.begin, near: gap?.begin, "the tone's stop")
            try scene.expect(told.begin, near: began.number("t"), "the player's word of the beginning")
            try scene.expect(told.end, near: ended.number("t"), "the player's word of the end")
            let played = try await scene.played(player, after: told.end)
            try scene.expect(played, near: gap?.end, within: scene.startAccuracy, "the tone's return")
        }
    }

    @Test(
        "a program that is lowered, by a prompt that ends or is killed: lower and as loud as before as it was heard",
        .alone, .judges(.time(seconds: 0.02)), arguments: HeadlessServer.Kind.allCases, [SIGTERM, SIGKILL])
    func ducked(kind: HeadlessServer.Kind, signal: Int32) async throws {
        try await withServer(kind) { server in
            let scene = try await HeardScene(on: server)
            let foreign = try await ForeignStream.start(
                on: server, playing: .tone(frequency: 500), role: "music")
            try await scene.log.event("started") { $0.integer("pid") == Int(foreign.process.processID) }
            try await scene.waitForSound(after: 0)
            let prompt = try await session(
                "--mode", "voicePrompt", "--option", "duckOthers", named: "Prompt", on: server)
            try await scene.monitor.wait(for: 500, at: -32)
            try await scene.monitor.wait(seconds: 0.3)
            prompt.send(signal)
            try await scene.monitor.wait(for: 500, at: -12)
            try await scene.monitor.wait(seconds: 0.3)
            let told = try await scene.told(
                "ducked", of: foreign.process, explained: "lowered", titled: "stream \(foreign.index) of ")
            #expect(told.line.string("by") == "Prompt" && told.line.string("rule") == "duckOthers")
            // The volume glides: its first and its last half a decibel count.
            let fall = try await scene.gaps(threshold: -12.5).first { $0.end > told.begin }
            let rise = try await scene.gaps(threshold: -31).last { $0.begin < told.end }
            try scene.expect(told.begin, near: fall?.begin, within: scene.gainAccuracy, "the lower tone")
            try scene.expect(told.end, near: rise?.end, within: scene.gainAccuracy, "the rise of the tone")
        }
    }

    @Test(
        "a player that is killed while it plays: its end is that of its tone", .alone, .judges(.time(seconds: 0.02)),
        arguments: HeadlessServer.Kind.allCases)
    func killed(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let scene = try await HeardScene(on: server)
            let player = try await scene.player()
            try await scene.waitForSound(after: 0)
            let order = scene.now
            player.send(SIGKILL)
            try await player.wait()
            let death = scene.span(since: order)
            try await scene.log.event("inactive") { $0.flag("vanished") }
            try await scene.monitor.waitForSilence(threshold: -30, from: scene.monitor.frames)
            let events = try HistoryReader(HistoryFolder(scene.log.folder)).events
            let gone = try #require(events.last { $0.name == "inactive" })
            #expect(gone.integer("pid") == Int(player.processID))
            #expect(death.contains(gone.moment.monotonic), "\(gone.moment.monotonic) is not in \(death)")
            let name = "pid \(player.processID)"
            #expect(try await scene.explained(at: gone.moment.monotonic - 0.1).output.contains(name))
            #expect(try await !scene.explained(at: gone.moment.monotonic + 0.1).output.contains(name))
            try scene.expect(gone.moment.monotonic, near: try await scene.lastSound(), "the tone's end")
        }
    }

    @Test(
        "an output that is unplugged: the route changes, and the player pauses, when its tone ends",
        .alone, .judges(.time(seconds: 0.02)), arguments: HeadlessServer.Kind.allCases)
    func unplugged(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let pactl = Pactl(server)
            let sink = HeadlessServer.NullSink(name: "plugged")
            let module = try await pactl.loadModule(
                "module-null-sink", ["sink_name=plugged", "rate=\(sink.rate)", "channels=\(sink.channels)"])
            try await pactl.setDefault(sink: "plugged")
            let scene = try await HeardScene(on: server, sink: sink)
            let player = try await scene.player()
            try await scene.waitForSound(after: 0)
            try await pactl.unloadModule(module)
            let change = try await player.event("routeChange") { $0.string("reason") == "oldDeviceUnavailable" }
            let told = try await scene.log.incident("route") { $0.string("text")?.hasPrefix("plugged -> ") == true }
            try await scene.log.event("paused") { $0.integer("pid") == Int(player.processID) }
            let paused = try scene.lastEvent("paused")
            let (route, said) = (told.number("t") ?? 0, change.number("t") ?? 0)
            try scene.expect(route, near: try await scene.lastSound(), "the tone's end")
            try scene.expect(paused, near: said, within: 0.05, "the player's word of the change")
            try scene.expect(route, near: said, within: 0.05, "the player's word of the change")
        }
    }

    @Test(
        "a suspended output: an interruption without a culprit, from the tone's stop to its return",
        .alone, .judges(.time(seconds: 0.02)), arguments: HeadlessServer.Kind.allCases)
    func suspended(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let scene = try await HeardScene(on: server)
            let player = try await scene.player()
            try await scene.waitForSound(after: 0)
            let suspension = try ChildProcess(
                "audiosession", ["simulate", "suspend", "--pid", "\(player.processID)"], on: server)
            let began = try await player.event("interruption") { $0.string("type") == "began" }
            try await scene.monitor.wait(seconds: 0.3)
            let frame = scene.monitor.frames
            suspension.send(SIGINT)
            let ended = try await player.event("interruption", from: began.number) { $0.string("type") == "ended" }
            try await scene.waitForSound(after: frame)
            let told = try await scene.told("interrupted", of: player, explained: "interrupted")
            #expect(told.line.string("by") == nil && told.line.string("rule") == nil)
            let gap = try await scene.gaps().last
            try scene.expect(told.begin, near: gap?.begin, "the tone's stop")
            try scene.expect(told.begin, near: began.number("t"), "the player's word of the beginning")
            try scene.expect(told.end, near: ended.number("t"), within: 0.05, "the player's word of the end")
            let played = try await scene.played(player, after: told.end)
            try scene.expect(played, near: gap?.end, within: scene.startAccuracy, "the tone's return")
        }
    }

    @Test(
        "a restart of the server: the log loses it when the tone ends and the player says so",
        .alone, .judges(.time(seconds: 0.02)), arguments: HeadlessServer.Kind.allCases)
    func restarted(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let scene = try await HeardScene(on: server)
            let player = try await scene.player()
            try await scene.waitForSound(after: 0)
            server.kill()
            let lost = try await player.event("mediaServicesWereLost")
            let told = try await scene.log.incident("serverLost") { _ in true }
            try await offPool { try server.restart() }
            let reset = try await player.event("mediaServicesWereReset")
            let again = try await scene.log.incident("serverReset") { _ in true }
            let t = told.number("t") ?? 0
            try scene.expect(t, near: try await scene.lastSound(), "the tone's end")
            try scene.expect(t, near: lost.number("t"), "the player's word of the loss")
            #expect(try #require(again.number("t")) > t && (try #require(reset.number("t"))) > t)
            let past = try await scene.explained(at: t + 0.002)
            #expect(past.output.hasPrefix("There was no sound server at "), "\(past.output)")
        }
    }

    @Test(
        "a stream that is moved leaves its sink when the history says so", .alone, .judges(.time(seconds: 0.02)),
        arguments: HeadlessServer.Kind.allCases)
    func moved(kind: HeadlessServer.Kind) async throws {
        let sinks = [HeadlessServer.NullSink(name: "one"), HeadlessServer.NullSink(name: "two")]
        try await withServer(kind, sinks: sinks) { server in
            let pactl = Pactl(server)
            let scene = try await HeardScene(on: server, sink: sinks[0])
            let foreign = try await ForeignStream.start(on: server, playing: .tone(frequency: 500), sink: "one")
            try await scene.log.event("started") { $0.integer("stream") == foreign.index }
            try await scene.waitForSound(after: 0)
            let order = scene.now
            try await pactl.move(sinkInput: foreign.index, to: "two")
            let move = scene.span(since: order)
            // PipeWire may have linked the stream with the default sink first.
            let told = try await scene.log.incident("moved") {
                $0.number("stream") == Double(foreign.index) && $0.string("text")?.hasSuffix("-> two") == true
            }
            let moment = try #require(told.number("t"))
            #expect(move.contains(moment), "\(moment) is not in \(move)")
            try await scene.monitor.waitForSilence(threshold: -30, from: scene.monitor.frames)
            try scene.expect(moment, near: try await scene.lastSound(), "the tone's end")
        }
    }

    @Test(
        "a locked screen: a game is silent from the mark of the lock to that of its end", .alone,
        .judges(.time(seconds: 0.02)),
        arguments: HeadlessServer.Kind.allCases)
    func locked(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let desktop = try await MockDesktop(in: server.directory, owning: ["saver"])
            let scene = try await HeardScene(on: server, environment: desktop.environment)
            let game = try await scene.player("--category", "ambient", environment: desktop.environment)
            try await scene.waitForSound(after: 0)
            var order = scene.now
            try await desktop.order("saver 1")
            let lock = scene.span(since: order)
            try await scene.log.event("quiet") { $0.flag("on") }
            try await scene.monitor.wait(for: 500, at: nil)
            try await scene.monitor.wait(seconds: 0.3)
            let (locked, frame) = (HistoryClocks.system.now.monotonic, scene.monitor.frames)
            order = scene.now
            try await desktop.order("saver 0")
            let unlock = scene.span(since: order)
            try await scene.log.event("quiet") { !$0.flag("on") }
            try await scene.waitForSound(after: frame)
            let events = try HistoryReader(HistoryFolder(scene.log.folder)).events
            let marks = events.filter { $0.name == "quiet" && $0.text("reason") == "locked" }
            #expect(marks.count == 2)
            let (begin, end) = (marks.first?.moment.monotonic ?? 0, marks.last?.moment.monotonic ?? 0)
            #expect(lock.contains(begin) && unlock.contains(end), "\(begin), \(end) are not in \(lock), \(unlock)")
            let fall = try await scene.gaps(threshold: -12.5).first { $0.end > begin }
            let rise = try await scene.gaps(threshold: -60).last { $0.begin < end }
            try scene.expect(begin, near: fall?.begin, within: scene.gainAccuracy, "the tone's fall")
            try scene.expect(end, near: rise?.end, within: scene.gainAccuracy, "the tone's return")
            let past = try await scene.explained(at: locked)
            #expect(past.output.contains("The screen was locked.\n"), "\(past.output)")
            #expect(try await scene.log.run("history").output.contains("the screen is unlocked"))
            desktop.kill()
            withExtendedLifetime(game) {}
        }
    }

    @Test(
        "a game that a recording mutes is silent as long as the history says", .alone, .judges(.time(seconds: 0.02)),
        arguments: HeadlessServer.Kind.allCases)
    func muted(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let scene = try await HeardScene(on: server)
            let game = try await scene.player("--category", "ambient")
            try await scene.waitForSound(after: 0)
            let recorder = try await session(
                "--category", "record", named: "Recorder", on: server,
                environment: ["AVAUDIOSESSION_MICROPHONE": "allow"])
            try await scene.monitor.wait(seconds: 0.3)
            let frame = scene.monitor.frames
            recorder.send(SIGTERM)
            try await scene.waitForSound(after: frame)
            let told = try await scene.told("muted", of: game, explained: "record")
            #expect(told.line.string("by") == "Recorder" && told.line.string("rule") == "recording")
            let fall = try await scene.gaps(threshold: -12.5).first { $0.end > told.begin }
            let rise = try await scene.gaps(threshold: -60).last { $0.begin < told.end }
            try scene.expect(told.begin, near: fall?.begin, within: scene.gainAccuracy, "the tone's fall")
            try scene.expect(told.end, near: rise?.end, within: scene.gainAccuracy, "the tone's return")
        }
    }
}

extension HeardScene {
    /// The seconds by which the return of a tone may differ from the beginning of its session's playing.
    ///
    /// On PipeWire a stream that goes on is linked first.
    var startAccuracy: Double { server.kind == .pipeWire ? 0.04 : Self.accuracy }

    /// The seconds by which a change of level may be heard later than it is told.
    ///
    /// What is queued is heard first: 20 ms in PulseAudio's null sink, which does not rewind, and two cycles on PipeWire, where the
    /// first half decibel of the glide comes on top.
    var gainAccuracy: Double { server.kind == .pipeWire ? 0.05 : 0.03 }

    /// The time of the last event of a name.
    func lastEvent(_ name: String) throws -> Double {
        try HistoryReader(HistoryFolder(log.folder)).events.last { $0.name == name }?.moment.monotonic ?? 0
    }

    /// The time at which the history says that a player plays again.
    func played(_ player: ChildProcess, after moment: Double) async throws -> Double {
        var found: HistoryEvent?
        try await waitUntil("the player plays") {
            found = try HistoryReader(HistoryFolder(log.folder)).events.first {
                $0.name == "started" && $0.integer("pid") == Int(player.processID)
                    && $0.moment.monotonic >= moment - 0.001
            }
            return found != nil
        }
        return try #require(found).moment.monotonic
    }
}
