import Foundation
import HeadlessServer
import TestSupport
import Testing

/// Programs in C; see ``CProgram``.
@Suite("Programs in C", .limited)
struct CProgramTests {
    private func value(_ command: String, of peer: Peer) async throws -> Double? {
        try await peer.attempt(command).number("value")
    }

    // MARK: Interruptions

    @Test(
        "An interrupted one is told by whom, falls silent with its other libraries, and resumes",
        arguments: HeadlessServer.Kind.allCases)
    func interrupted(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let reader = try await CProgram.peer("Reader", on: scene.server)
            try await reader.send("type playback")
            try await reader.send("activate")
            try await reader.wait(for: "active")
            let stream = try await ForeignStream.start(
                on: scene.server, playing: .tone(frequency: 1500),
                properties: ["application.process.id": "\(reader.processID)"])
            try await scene.wait(for: 1500, at: -12)

            let second = try await scene.peer("second", "playback")
            try await second.send("activate")
            let began = try await reader.waitForInterruption()
            #expect(began.string("application") == "second" && began.number("reason") == 0)
            #expect(began.number("pid") == Double(second.processID))
            #expect(try await value("state", of: reader) == 2)
            try await scene.wait(for: 1500, at: nil)

            try await second.send("deactivate notify")
            #expect(try await reader.waitForEnd().number("option") == 1)
            #expect(try await value("state", of: reader) == 0)
            try await reader.send("activate")
            try await scene.wait(for: 1500, at: -12)
            #expect(try await value("state", of: reader) == 1)

            // The other way round: others know it by its name.
            try await second.send("activate")
            try await reader.waitForInterruption()
            try await reader.send("activate-async 7")
            let reply = try await reader.wait(for: "reply")
            #expect(reply.number("cookie") == 7 && reply.number("error") == 0)
            let other = try await second.waitForInterruption()
            #expect(other.string("originName") == "Reader")
            #expect(other.number("originPID") == Double(reader.processID))
            try await reader.send("deactivate-async 8")
            #expect(try await second.waitForEnd().number("option") == 1)
            try await reader.wait(for: "inactive")
            try await stream.stop()
        }
    }

    @Test("A transient sound lowers others while it lasts", arguments: HeadlessServer.Kind.allCases)
    func transient(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let music = try await scene.peer("music", "playback")
            try await music.send("play 440")
            try await scene.wait(for: 440, at: -12)
            let prompt = try await CProgram.peer("Prompt", on: scene.server)
            try await prompt.send("type transient")
            try await prompt.send("activate")
            try await scene.wait(for: 440, at: -32)
            try await prompt.send("deactivate notify")
            try await scene.wait(for: 440, at: -12)
            #expect(music.interruptions == [])
        }
    }

    @Test(
        "The examples with poll and GLib are interrupted, and resume",
        arguments: CProgram.examples, HeadlessServer.Kind.allCases)
    func example(program: String, kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let example = try CProgram.start(program, on: server)
            try await example.line(timeout: hangLimit) { $0 == "active: play" }
            let second = try await Peer.start(on: server, name: "second")
            try await second.send("category playback")
            try await second.send("activate")
            let line = try await example.line(timeout: hangLimit) { $0 == "interrupted by second: pause" }
            try await second.send("deactivate notify")
            try await example.line(from: line.number, timeout: hangLimit) { $0 == "active: play" }
            example.send(SIGTERM)
            #expect(try await example.wait().status == 0)
            #expect(example.errorText.isEmpty)
        }
    }

    @Test("The example with poll tries again when the call is over that refused it")
    func retry() async throws {
        try await withServer(.pulseAudio) { server in
            let call = try await Peer.start(on: server, name: "call")
            try await call.send("category playAndRecord voiceChat")
            try await call.send("activate")
            let example = try CProgram.start("c-poll", ["play-and-record"], on: server)
            let line = try await example.line(timeout: hangLimit) { $0.hasPrefix("not active: A call") }
            try await call.send("deactivate")
            try await example.line(from: line.number, timeout: hangLimit) { $0 == "active: play" }
            example.send(SIGTERM)
            #expect(try await example.wait(timeout: hangLimit).status == 0)
        }
    }

    // MARK: Handles and events

    @Test("Each handle is told everything, and what is closed leaves the others as they are")
    func handles() async throws {
        try await withServer(.pulseAudio) { server in
            let app = try await CProgram.peer("App", on: server)
            try await app.send("open 1")
            try await app.send("type playback")
            try await app.send("activate")
            for handle in [0.0, 1] { try await app.wait(for: "active") { $0.number("handle") == handle } }
            // An answer belongs to the handle that asked.
            try await app.send("deactivate-async 3")
            #expect(try await app.wait(for: "reply").number("handle") == 1)
            for handle in [0.0, 1] { try await app.wait(for: "inactive") { $0.number("handle") == handle } }
            try await app.send("close 1")
            try await app.send("handle 0")
            try await app.send("activate")
            try await app.wait(for: "active")
            #expect(app.events("active").count == 3 && app.events("reply").count == 1)
        }
    }

    @Test("A queue that nobody looks into keeps the last 256 events and every answer")
    func full() async throws {
        try await withServer(.pulseAudio) { server in
            let app = try await CProgram.peer("App", on: server)
            try await app.send("open 1")
            try await app.send("quiet 1")
            #expect(try await value("wait 0", of: app) == 0)
            try await app.send("activate-async 5")
            for _ in 0..<7 { try await app.send("cycle 20") }
            #expect(try await value("wait -1", of: app) == 1)
            #expect(try await value("drain 1", of: app) == 258)
            let told = app.events("dropped", "reply", "active", "inactive").filter { $0.number("handle") == 1 }
            #expect(told.count { $0.string("event") == "dropped" } == 1)
            #expect(told.first?.string("event") == "dropped" && told.last?.string("event") == "inactive")
            #expect(told.contains { $0.number("cookie") == 5 })
            #expect(try await value("drain 1", of: app) == 0)
            #expect(try await value("wait 0", of: app) == 0)
        }
    }

    // MARK: Settings and questions

    @Test("The web's types are categories, and names are checked")
    func settings() async throws {
        let app = try await CProgram.peer("App")
        let wanted = [
            ("ambient", "ambient", 0.0), ("playback", "playback", 0), ("transient", "playback", 3),
            ("transient-solo", "playback", 0), ("play-and-record", "playAndRecord", 0), ("auto", "soloAmbient", 0),
        ]
        for (type, category, options) in wanted {
            try await app.send("type \(type)")
            try await app.send("settings")
            let settings = try await app.wait(for: "settings")
            #expect(settings.string("category") == category && settings.number("options") == options, "\(type)")
            #expect(settings.string("mode") == "default")
        }
        try await app.send("category playAndRecord voiceChat")
        try await app.send("settings")
        let settings = try await app.wait(for: "settings")
        #expect(settings.string("mode") == "voiceChat" && settings.number("options") == 4)
        try await app.send("preference 1 0")
    }

    @Test("What is asked of the server is answered", arguments: HeadlessServer.Kind.allCases)
    func questions(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let app = try await CProgram.peer("App", on: server)
            try await app.send("type playback")
            #expect(try await value("route", of: app) == 1)
            let route = try await app.wait(for: "current")
            #expect(route.strings("outputs")?.count == 1 && route.strings("inputs") == [])
            #expect(route.string("type") == "Virtual" && route.number("channels") == 2)

            for question in ["hint", "other"] { #expect(try await value(question, of: app) == 0, "\(question)") }
            let music = try await Peer.start(on: server, name: "music")
            try await music.send("category playback")
            try await music.send("play 440")
            for question in ["hint", "other"] {
                try await waitUntil(question, timeout: hangLimit) { try await value(question, of: app) == 1 }
            }
            #expect(try await value("permission", of: app) == 2)
            try await app.send("ask 9")
            let permission = try await app.wait(for: "permission")
            #expect(permission.number("cookie") == 9 && permission.number("flag") == 1)
        }
    }

    @Test("Properties and environment make streams the session's")
    func streams() async throws {
        try await withServer(.pulseAudio) { server in
            let app = try await CProgram.peer("App", on: server, environment: ["PULSE_PROP": "a=b"])
            try await app.send("category playAndRecord voiceChat")
            #expect(try await value("properties 0", of: app) == 4)
            let properties = try #require(try await app.wait(for: "texts").strings("texts"))
            let owner = try #require(properties.dropFirst().first)
            #expect(properties == ["avaudiosession.owner", owner, "media.role", "phone"])
            #expect(owner.count == 16 && UInt64(owner, radix: 16) != nil)
            try await app.send("environment")
            let environment = try #require(try await app.wait(for: "texts").strings("texts"))
            // The owner and role of a parent, which stood there, are replaced.
            let pulse = "c='d  e' f=g avaudiosession.owner=\(owner) media.role=phone"
            let pipeWire = "{ h = i j = k avaudiosession.owner = \"\(owner)\" }"
            #expect(environment == ["HOME=/nowhere", "PULSE_PROP=\(pulse)", "PIPEWIRE_PROPS=\(pipeWire)"])
            // Once more does not make it longer, and the role is that of the category.
            for role in ["phone", "phone", "music"] {
                if role == "music" { try await app.send("type playback") }
                try await app.send("export")
                let exported = try await app.wait(for: "exported")
                #expect(exported.string("pulse") == "a=b avaudiosession.owner=\(owner) media.role=\(role)")
                #expect(exported.string("pipewire") == "{ avaudiosession.owner = \"\(owner)\" }")
            }
        }
    }

    @Test(
        "One that says that it plays is interrupted when its output is unplugged",
        arguments: HeadlessServer.Kind.allCases)
    func unplugged(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let app = try await CProgram.peer("App", on: server)
            try await app.send("type playback")
            try await app.send("activate")
            try await app.send("playing 1")
            let pid = "\(app.processID)"
            let unplug = try ChildProcess("audiosession", ["simulate", "unplug", "--pid", pid], on: server)
            #expect(try await app.waitForInterruption().number("reason") == 4)
            let change = try await app.wait(for: "route") { $0.number("reason") == 2 }
            #expect(change.strings("outputs")?.count == 1)
            #expect(try await unplug.wait().status == 0)
        }
    }

    @Test("A name that comes too late, and a deactivation while streams run, are errors")
    func wrongTime() async throws {
        try await withServer(.pulseAudio) { server in
            let app = try await CProgram.peer("App", on: server)
            try await app.send("open 1")
            try await app.send("activate")
            #expect(try await app.attempt("identify org.example.Late").string("name") == "AVAS_ERROR_STATE")
            try await app.send("playing 1")
            let busy = try await app.attempt("deactivate")
            #expect(busy.string("name") == "AVAS_ERROR_BUSY")
            #expect(busy.string("message") == "Streams were running when the session was deactivated.")
            #expect(try await value("state", of: app) == 0)
            // The streams of a closed handle do not count.
            try await app.send("activate")
            try await app.send("close 1")
            try await app.send("handle 0")
            try await app.send("deactivate")
        }
    }

    @Test("A call refuses one that records; the end of the call, and the main sound of others, are events")
    func refused() async throws {
        try await withScene(.pulseAudio) { scene in
            let other = try await scene.peer("other", "playAndRecord voiceChat")
            try await other.send("activate")
            let app = try await CProgram.peer("App", on: scene.server)
            try await app.send("category record default")
            #expect(try await app.attempt("activate").string("name") == "AVAS_ERROR_CALL")
            try await other.send("deactivate")
            try await app.wait(for: "mayRetry")
            try await app.send("type ambient")
            try await app.send("activate")
            try await other.send("category playback")
            try await other.send("play 440")
            #expect(try await app.wait(for: "hint").number("flag") == 1)
            try await other.send("pause")
            #expect(try await app.wait(for: "hint").number("flag") == 0)
        }
    }

    @Test("Without a server it is said, and the server's loss and return are events")
    func server() async throws {
        let nowhere = try await CProgram.peer("App", environment: ["PULSE_SERVER": "unix:/nonexistent"])
        let device = ["route", "available", "number 1"]
        for command in device + ["activate", "hint", "other", "properties 0", "environment", "export"] {
            #expect(try await nowhere.attempt(command).string("name") == "AVAS_ERROR_NO_SERVER", "\(command)")
        }
        try await nowhere.send("activate-async 4")
        #expect(try await nowhere.wait(for: "reply").number("error") == -4)
        try await withServer(.pulseAudio) { server in
            let app = try await CProgram.peer("App", on: server)
            try await app.send("type playback")
            try await app.send("activate")
            try await app.send("playing 1")
            server.kill()
            try await app.wait(for: "lost")
            #expect(try await value("state", of: app) == 3)
            for command in ["activate", "playing 1"] {
                #expect(try await app.attempt(command).string("name") == "AVAS_ERROR_NO_SERVER", "\(command)")
            }
            try await offPool { try server.restart() }
            try await app.wait(for: "back")
            try await app.send("type playback")
            try await app.send("activate")
            // Whoever counts again finds no stream of the lost server, which would be AVAS_ERROR_BUSY.
            try await app.send("open 1")
            try await app.send("playing 0")
            try await app.send("deactivate")
        }
    }

    // MARK: Manners

    @Test(
        "A program with the rights of another group ignores its caller's settings, and asks no bus of its caller's",
        .enabled(if: ForeignGroup.isPossible, "no right to make programs of another group"))
    func rights() async throws {
        try await withServer(.pulseAudio) { server in
            let bus = try listeningSocket(at: server.directory.appendingPathComponent("bus").path)
            defer { close(bus) }
            func isCalled() -> Bool {
                var entry = pollfd(fd: bus, events: Int16(POLLIN), revents: 0)
                return poll(&entry, 1, 0) == 1
            }
            let program = server.directory.appendingPathComponent("c-peer-of-another-group")
            try await ForeignGroup.makeCopy(of: CProgram.url("c-peer"), at: program)
            let steps = server.directory.appendingPathComponent("steps").path
            let environment = [
                "AVAUDIOSESSION_ROLE": "omit", "AVAUDIOSESSION_TRACE": steps,
                "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(server.directory.path)/bus",
            ]
            let app = try await CProgram.peer("App", on: server, environment: environment, at: program)
            #expect(try await value("permission", of: app) == 2)
            #expect(try await value("properties 0", of: app) == 4)
            try await app.send("activate")
            try await app.send("deactivate")
            #expect(!isCalled() && !FileManager.default.fileExists(atPath: steps))
            // Any other program does as its environment says.
            let other = try await CProgram.peer("Other", on: server, environment: environment)
            #expect(try await value("properties 0", of: other) == 2)
            try await other.send("activate")
            try await waitUntil("the steps", timeout: hangLimit) { FileManager.default.fileExists(atPath: steps) }
            try await other.send("ask 1")
            try await waitUntil("the bus is called", timeout: hangLimit) { isCalled() }
        }
    }

    @Test("Wrong arguments are errors, for every function")
    func wrong() async throws {
        try await withServer(.pulseAudio) { server in
            let checks = try CProgram.start("c-peer", ["wrong"], on: server)
            #expect(try await checks.wait(timeout: hangLimit).status == 0, "\(checks.outputLines)")
        }
    }

    @Test(
        "A child made with fork() is refused and ends, whatever its parent's threads were at",
        arguments: HeadlessServer.Kind.allCases)
    func fork(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let checks = try CProgram.start("c-peer", ["fork"], on: server)
            #expect(try await checks.wait(timeout: .seconds(150)).status == 0, "\(checks.outputLines)")
        }
    }

    @Test("No thread of the library takes a signal, and none is caught", arguments: HeadlessServer.Kind.allCases)
    func signals(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            // The package's programs have a runtime beside them, whose crash reporter catches signals.
            let isOurs = CProgram.releaseFolder == nil
            let app = try await CProgram.peer(
                "App", on: server, environment: isOurs ? ["SWIFT_BACKTRACE": "enable=no"] : [:])
            try await app.send("type transient")
            try await app.send("activate-async 1")
            try await app.wait(for: "reply")
            try await app.send("ask 2")
            try await app.wait(for: "permission")
            // A thread blocks them in its first lines, and one may have begun just now.
            try await waitUntil("signals are blocked", timeout: hangLimit) {
                try await value("open-threads", of: app) == 0
            }
            #expect(try await value("caught", of: app) == 0)
        }
    }
}
