import Foundation
import HeadlessServer
import PulseClient
import SessionPolicy
import TestSupport
import Testing

/// What is told of a server with real sessions on it.
@Suite("status, explain and devices", .serialized, .limited) struct StatusTests {
    @Test("sessions with their verdicts, foreign streams and the route", arguments: HeadlessServer.Kind.allCases)
    func status(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let music = try await session(named: "Music", on: server)
            let prompt = try await session(
                "--mode", "voicePrompt", "--option", "duckOthers", named: "Prompt", on: server)
            let foreign = try await ForeignStream.start(on: server, role: "music")
            let status = try await audiosession("status", "--json", on: server)
            #expect(status.exit.status == 0, "\(status.errors)")
            let one = try #require(status.event("session", app: "Music"))
            #expect(one.number("pid") == Double(music.processID))
            #expect(one.string("category") == "playback" && one.string("mode") == "default")
            #expect(one.string("state") == "active" && one.bool("ducked") == true)
            #expect(one.description.contains(#""duckedBy":["Prompt"]"#))
            let two = try #require(status.event("session", app: "Prompt"))
            #expect(two.string("state") == "active" && two.bool("ducked") == false)
            #expect(two.description.contains(#""options":["mixWithOthers","duckOthers"]"#))
            let stream = status.events.first { $0.number("stream") == Double(foreign.index) }
            #expect(stream?.number("pid") == Double(foreign.process.processID))
            #expect(stream?.string("role") == "music" && stream?.bool("corked") == false)
            let route = status.events.first { $0.string("event") == "route" }
            #expect(route?.string("output") == "test_out")
            let table = try await audiosession("status", on: server).output
            #expect(table.contains("active, ducked by Prompt") && !table.contains("\u{1B}"))
            withExtendedLifetime(prompt) {}
        }
    }

    @Test("columns stand under one another, whatever is in them")
    func wideNames() async throws {
        try await withServer(.pulseAudio) { server in
            let names = ["音楽プレーヤー", "Prompt", "🎧🇯🇵 e\u{301}"]
            var held: [ChildProcess] = []
            for name in names {
                held.append(try await session("--option", "mixWithOthers", named: name, on: server))
            }
            let table = try await audiosession("status", on: server).output
            let lines = table.split(separator: "\n")
            let places = try (["PID"] + held.map { "\($0.processID) " }).map { word in
                let line = try #require(lines.first { $0.contains(word) })
                // By hand: here each of these takes two columns, but the letter with its accent.
                return line[..<line.range(of: word)!.lowerBound].reduce(0) { $0 + ($1.isASCII || $1 == "é" ? 1 : 2) }
            }
            #expect(Set(places).count == 1, "\(places)\n\(table)")
            withExtendedLifetime(held) {}
        }
    }

    @Test(
        "explain says lowered only of what is: not on another sink, and not where the server has its own policy",
        arguments: HeadlessServer.Kind.allCases)
    func reach(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let pactl = Pactl(server)
            _ = try await pactl.loadModule("module-null-sink", ["sink_name=elsewhere"])
            try await waitUntil("another sink") { try await pactl.sinks().contains { $0.name == "elsewhere" } }
            let far = try await ForeignStream.start(on: server, sink: "elsewhere")
            let prompt = try await session(
                "--mode", "voicePrompt", "--option", "duckOthers", named: "Prompt", on: server)
            let text = try await audiosession("explain", on: server).output
            #expect(text.contains("Prompt asked for duckOthers, but is heard on another device"), "\(text)")
            #expect(!text.contains("It is lowered"))
            try await far.stop()
            // After all else: a server that lowers by itself must not have a stream of ours moved.
            guard kind == .pulseAudio else { return withExtendedLifetime(prompt) {} }
            _ = try await pactl.loadModule("module-role-ducking", [])
            let near = try await ForeignStream.start(on: server, sink: "test_out")
            let other = try await audiosession("explain", on: server).output
            #expect(
                other.contains("no session lowers it, since the sound server lowers streams by a policy"), "\(other)")
            #expect(!other.contains("It is lowered"))
            try await near.stop()
            withExtendedLifetime(prompt) {}
        }
    }

    @Test("an interrupted session names its interrupter, explain the command", arguments: HeadlessServer.Kind.allCases)
    func interrupted(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let music = try await session(named: "Music", on: server)
            let film = try await session("--mode", "moviePlayback", named: "Film", on: server)
            let status = try await audiosession("status", "--json", on: server)
            let victim = try #require(status.event("session", app: "Music"))
            #expect(victim.string("state") == "interrupted" && victim.string("by") == "Film")
            #expect(victim.string("rule") == "newerSession")
            #expect(victim.number("byPid") == Double(film.processID))
            let text = try await audiosession("explain", on: server).output
            #expect(text.contains("Music (pid \(music.processID)) is interrupted."))
            #expect(text.contains("Film was activated later"))
            #expect(text.contains("-> kill \(film.processID)   (ends Film)"))
            let json = try await audiosession("explain", "--json", on: server)
            #expect(json.output.contains(#""commands":["kill \#(film.processID)"]"#))
        }
    }

    @Test("a foreign call is named as the culprit", arguments: HeadlessServer.Kind.allCases)
    func foreignCall(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            var claim = Claim(seq: 5, uid: 5, state: .active, pid: 4_711)
            let music = try PulseConnection(name: "Music", properties: [Claim.property: claim.encoded])
            try await music.connect(to: server.address, timeout: .seconds(2))
            let monitor = try ChildProcess("audiosession", ["monitor", "--json"], on: server)
            try await monitor.event("active")
            let call = try ChildProcess("audiosession", ["simulate", "call", "--json"], on: server)
            let stream = try #require(try await call.event("started").number("stream"))
            claim = claim.interrupted()
            try await music.updateProperties([Claim.property: claim.encoded])
            let began = try await monitor.event("interruption")
            #expect(began.string("by") == "Simulated call" && began.number("byStream") == stream)
            let text = try await audiosession("explain", on: server).output
            #expect(text.contains("Music (pid 4711) is interrupted."))
            #expect(text.contains("-> audiosession end \(Int(stream))   (ends that stream)"))
            call.send(SIGINT)
            let ended = try await monitor.event("interruption", from: began.number + 1)
            #expect(ended.string("type") == "ended" && ended.bool("shouldResume") == true)
            await music.close()
        }
    }

    @Test("end ends a stream of another program, and says if there is none", arguments: HeadlessServer.Kind.allCases)
    func end(_ kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let tone = try await ForeignStream.start(on: server)
            let end = try await audiosession("end", "\(tone.index)", "--json", on: server)
            #expect(end.exit.status == 0 && end.output.contains("\"ended\"") && end.output.contains("\(tone.index)"))
            let again = try await audiosession("end", "\(tone.index)", on: server)
            expectFailure(again, 1, saying: "there is no playback stream \(tone.index)")
        }
    }

    @Test("a stopped process counts as inactive, and names of strangers are no commands to a terminal")
    func strangers() async throws {
        try await withServer(.pulseAudio) { server in
            let music = try await session(named: "Music", on: server)
            music.send(SIGSTOP)
            let odd = try ChildProcess(
                "audiosession", ["run", "--option", "mixWithOthers", "--", "sleep", "60"], on: server,
                environment: ["PULSE_PROP_application.name": "Evil\u{1B}[2J"])
            try await waitUntil("both") {
                let text = try await audiosession("status", on: server).output
                return text.contains("stopped") && text.contains("Evil[2J") && !text.contains("\u{1B}")
            }
            let text = try await audiosession("explain", on: server).output
            #expect(text.contains("-> kill -CONT \(music.processID)"))
            music.send(SIGCONT)
            withExtendedLifetime(odd) {}
        }
    }

    @Test("names of devices are no commands to a terminal, and exact for programs")
    func devices() async throws {
        let name = "evil\u{1B}[2J\u{7F}\u{9B}2J\u{2028}\u{202E}\u{2067}\u{200F}\u{61C}"
        try await withServer(.pulseAudio, sinks: [.init(properties: "device.description='\(name)'")]) { server in
            for command in ["devices", "status"] {
                let output = try await audiosession(command, on: server).output
                #expect(
                    output.contains("evil[2J") && !output.hasControls && !output.turns, "\(output.debugDescription)")
            }
            let json = try await audiosession("devices", "--json", on: server)
            #expect(json.events.contains { $0.string("description") == name }, "\(json.output)")
            #expect(
                !json.output.hasControls && !json.output.turns && !json.output.unicodeScalars.contains("\u{2028}"),
                "\(json.output)")
        }
        let bus = ["DBUS_SESSION_BUS_ADDRESS": "unix:abstract=\(name)"]
        let doctor = try await audiosession("doctor", environment: bus)
        #expect(doctor.output.contains("evil[2J") && !doctor.output.contains("\u{1B}"), "\(doctor.output)")
    }

    @Test("broken claims are no sessions, and doctor says so", arguments: HeadlessServer.Kind.allCases)
    func brokenClaims(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let connection = try PulseConnection(name: "broken", properties: ["avaudiosession.claim": "1;seq=-1"])
            try await connection.connect(to: server.address, timeout: .seconds(2))
            let status = try await audiosession("status", "--json", on: server)
            #expect(status.event("session", app: "broken") == nil)
            let doctor = try await audiosession("doctor", on: server)
            #expect(doctor.exit.status == 0)
            #expect(doctor.output.contains("warn  sessions:"))
            await connection.close()
        }
    }

    @Test("an empty server")
    func empty() async throws {
        try await withServer(.pulseAudio) { server in
            #expect(try await audiosession("status", on: server).output.contains("No sessions."))
            #expect(try await audiosession("explain", on: server).output.contains("nobody is heard"))
            let bare = try await audiosession(on: server)
            #expect(bare.exit.status == 0 && bare.output.contains("No sessions."), "status is the default")
        }
    }
}

extension String {
    /// Whether there is anything in it that a terminal would take for a command, but for ends of lines.
    fileprivate var hasControls: Bool {
        unicodeScalars.contains { ($0.value < 0x20 && $0 != "\n") || (0x7F...0x9F).contains($0.value) }
    }

    /// Whether something in it turns the order of the text behind it.
    fileprivate var turns: Bool {
        unicodeScalars.contains { "\u{202E}\u{2067}\u{200F}\u{61C}".unicodeScalars.contains($0) }
    }
}
