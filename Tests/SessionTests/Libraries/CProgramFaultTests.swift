import Foundation
import HeadlessServer
import TestSupport
import Testing

/// Programs in C that end in the middle, or whose server does not answer; see ``CProgram``.
@Suite("Faults of programs in C", .limited)
struct CProgramFaultTests {
    /// The end of a program that lowers others.
    enum End: String, CaseIterable {
        /// `exit()` with an active session.
        case exit
        /// `SIGKILL`.
        case kill
    }

    @Test(
        "A program that ends while it lowers others leaves nothing lowered", arguments: HeadlessServer.Kind.allCases,
        End.allCases)
    func end(kind: HeadlessServer.Kind, end: End) async throws {
        try await withScene(kind) { scene in
            // The first one lowers the streams of other programs, for all.
            let prompt = try await CProgram.peer("Prompt", on: scene.server)
            try await prompt.send("type transient")
            try await prompt.send("activate")
            try await prompt.send("deactivate notify")
            let music = try await scene.peer("music", "playback")
            try await music.send("play 440")
            let foreign = try await ForeignStream.start(on: scene.server, playing: .tone(frequency: 1500))
            for frequency in [440.0, 1500] { try await scene.wait(for: frequency, at: -12) }
            try await prompt.send("activate")
            for frequency in [440.0, 1500] { try await scene.wait(for: frequency, at: -32) }
            switch end {
            case .exit: try await prompt.exit()
            case .kill: try await prompt.kill()
            }
            for frequency in [440.0, 1500] { try await scene.wait(for: frequency, at: -12) }
            #expect(music.interruptions == [])
            try await foreign.stop()
        }
    }

    @Test(
        "A program that exits while it lowers others, alone, restores them itself",
        arguments: HeadlessServer.Kind.allCases)
    func exitAlone(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let foreign = try await ForeignStream.start(on: scene.server, playing: .tone(frequency: 1500))
            try await scene.wait(for: 1500, at: -12)
            let prompt = try await CProgram.peer("Prompt", on: scene.server)
            try await prompt.send("type transient")
            try await prompt.send("activate")
            try await scene.wait(for: 1500, at: -32)
            try await prompt.exit()
            // As loud at its end, without a guard's ramp; what the monitor delivers first was rendered before.
            try await scene.letPass(0.1)
            #expect(abs(try await scene.level(of: 1500) + 12) < 1.5)
            try await foreign.stop()
        }
    }

    @Test(
        "A child that exits while its parent lowers others restores nothing, and a program that it runs inherits nothing",
        arguments: HeadlessServer.Kind.allCases)
    func children(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let foreign = try await ForeignStream.start(on: scene.server, playing: .tone(frequency: 1500))
            let prompt = try await CProgram.peer("Prompt", on: scene.server)
            try await prompt.send("type transient")
            try await prompt.send("activate")
            try await scene.wait(for: 1500, at: -32)
            #expect(try await prompt.send("exit-in-child").number("value") == 0)
            #expect(try await prompt.send("inherits").number("value") == 0)
            try await scene.letPass(1)
            #expect(abs(try await scene.level(of: 1500) + 32) < 1.5)
            #expect(try await prompt.send("state").number("value") == 1)
            try await prompt.send("deactivate")
            try await scene.wait(for: 1500, at: -12)
            try await foreign.stop()
        }
    }

    @Test("Four threads use one session at the same time", arguments: HeadlessServer.Kind.allCases)
    func threads(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let checks = try CProgram.start("c-peer", ["threads"], on: server)
            #expect(try await checks.wait(timeout: .seconds(150)).status == 0, "\(checks.outputLines)")
        }
    }

    /// Calls that must return while the server is stopped, with the seconds that the header says they may wait.
    private static let calls: [(command: String, bound: Double)] = [
        ("hint", 2), ("other", 2), ("route", 2), ("available", 2), ("number 1", 2), ("properties 0", 2),
        ("environment", 2), ("export", 2), ("permission", 0), ("warm-up", 0), ("state", 0), ("settings", 0),
        ("preference 1 1", 0), ("ask 3", 0), ("drain 0", 0), ("playing 1", 0), ("playing 0", 0),
        ("question 1 5", 0), ("question 101 6", 0), ("type-async transient 7", 0), ("category-async ambient 8", 0),
        ("category playback default", 2), ("type transient", 2), ("activate-async 1", 0), ("deactivate-async 2", 0),
        ("activate", 2), ("deactivate", 1.25), ("wait 0", 0), ("open 1", 0), ("playing 1", 0), ("close 1", 0),
    ]

    @Test(
        "No call waits longer than its bound for a server that is stopped, and all work again with it",
        arguments: HeadlessServer.Kind.allCases, [false, true])
    func stopped(kind: HeadlessServer.Kind, isConnected: Bool) async throws {
        try await withServer(kind) { server in
            let app = try await CProgram.peer("App", on: server)
            try await app.send("type playback")
            if isConnected { try await app.send("activate") }
            func send(_ signal: Int32) { for process in server.processIDs { kill(process, signal) } }
            send(SIGSTOP)
            for (command, bound) in Self.calls {
                if isConnected, bound > 0, command != "deactivate" {
                    // A server that answered until now, and not one that is known to be silent.
                    send(SIGCONT)
                    try await waitUntil("it is active", timeout: hangLimit) {
                        try await app.attempt("activate").bool("ok") == true
                    }
                    send(SIGSTOP)
                }
                let begin = ContinuousClock.now
                // The answer is read by other threads, which a busy machine delays.
                _ = try await app.attempt(command)
                let time = begin.duration(to: .now)
                #expect(time < .seconds(bound + 1.5), "\(command) took \(time)")
            }
            send(SIGCONT)
            try await app.send("handle 0")
            try await waitUntil("it activates again", timeout: hangLimit) {
                try await app.attempt("activate").bool("ok") == true
            }
            #expect(try await app.attempt("state").number("value") == 1)
            try await app.send("deactivate")
        }
    }

    @Test(
        "A library that is unloaded while it lowers others goes on, beside another copy of it, and leaves nothing lowered",
        .enabled(if: CProgram.hasLoader, "only with the library of a release (make check-library)"),
        arguments: HeadlessServer.Kind.allCases)
    func unloaded(kind: HeadlessServer.Kind) async throws {
        let folder = try #require(CProgram.releaseFolder)
        try await withScene(kind) { scene in
            let foreign = try await ForeignStream.start(on: scene.server, playing: .tone(frequency: 1500))
            try await scene.wait(for: 1500, at: -12)
            let program = try CProgram.start(
                "c-load", ["\(folder)/libavaudiosession.so.1", "\(folder)/another-copy.so"], on: scene.server)
            #expect(try await program.line { $0.hasPrefix("ready") }.text == "ready 0")
            try await scene.wait(for: 1500, at: -32)
            try program.write(line: "end")
            #expect(try await program.wait().status == 0)
            try await scene.wait(for: 1500, at: -12)
            try await foreign.stop()
        }
    }

    @Test(
        "An exit while the server is stopped ends within its bound, and nothing stays lowered",
        arguments: HeadlessServer.Kind.allCases)
    func exitBesideStoppedServer(kind: HeadlessServer.Kind) async throws {
        try await withScene(kind) { scene in
            let foreign = try await ForeignStream.start(on: scene.server, playing: .tone(frequency: 1500))
            try await scene.wait(for: 1500, at: -12)
            // Nobody but the guard is left to restore it.
            let folder = try ChildProcess.executable("audiosession").deletingLastPathComponent().path
            let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin"
            let prompt = try await CProgram.peer("Prompt", on: scene.server, environment: ["PATH": "\(folder):\(path)"])
            try await prompt.send("type transient")
            try await prompt.send("activate")
            try await scene.wait(for: 1500, at: -32)
            for process in scene.server.processIDs { kill(process, SIGSTOP) }
            let begin = ContinuousClock.now
            try await prompt.exit()
            let time = begin.duration(to: .now)
            #expect(time < .seconds(11 + 1.5), "\(time)")
            for process in scene.server.processIDs { kill(process, SIGCONT) }
            try await scene.wait(for: 1500, at: -12)
            try await foreign.stop()
        }
    }
}
