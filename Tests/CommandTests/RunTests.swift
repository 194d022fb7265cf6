import Foundation
import HeadlessServer
import TestSupport
import Testing

/// A command in a session: what it gets, what happens to it, and how it ends.
@Suite("run", .serialized, .limited) struct RunTests {
    @Test(
        "the command's end is passed on",
        arguments: [("exit 0", 0), ("exit 3", 3), ("kill -TERM $$", 143), ("kill -SEGV $$", 139)])
    func status(script: String, status: Int32) async throws {
        try await withServer(.pulseAudio) { server in
            let run = try await audiosession("run", "--", "sh", "-c", script, on: server)
            #expect(run.exit.status == status && run.exit.signal == nil, "\(run.errors)")
            #expect(run.errors.isEmpty)
        }
    }

    @Test("its end is passed on even if nobody waits for children where it was started")
    func ignoredChildren() async throws {
        try await withServer(.pulseAudio) { server in
            let program = try ChildProcess.executable("audiosession").path
            let run = try ChildProcess(
                tool: "env", ["--ignore-signal=CHLD", program, "run", "--", "sh", "-c", "exit 3"], on: server)
            #expect(try await run.wait().status == 3)
        }
    }

    @Test(
        "words, variables and the program's name are passed on as they are, also where they are not UTF-8",
        arguments: [
            #"exec "$0" run -- printf %s "$(printf "caf\351")""#,
            #"WORD=$(printf "caf\351"); export WORD; exec "$0" run -- sh -c 'printf %s "$WORD"'"#,
            #"cd "$1"; ln -s /bin/sh "$(printf "caf\351")"; exec "$0" run -- ./caf?* -c 'printf "caf\351"'"#,
        ])
    func bytes(script: String) async throws {
        try await withServer(.pulseAudio) { server in
            let program = try ChildProcess.executable("audiosession").path
            let run = try ChildProcess(tool: "sh", ["-c", script, program, server.directory.path], on: server)
            #expect(try await run.wait().status == 0, "\(run.errorText)")
            #expect(run.output() == Array("caf".utf8) + [0xE9])
        }
    }

    @Test("a script that names no interpreter is one for the shell", arguments: [true, false])
    func script(inPath: Bool) async throws {
        try await withServer(.pulseAudio) { server in
            let script = server.directory.appendingPathComponent("script").path
            try await writeScript(#"echo "$1 $0"; exit 3"#, to: URL(fileURLWithPath: script))
            let path = ProcessInfo.processInfo.environment["PATH", default: "/usr/bin:/bin"]
            let run = try await audiosession(
                "run", "--", inPath ? "script" : script, "word", on: server,
                environment: ["PATH": "\(server.directory.path):\(path)"])
            #expect(run.exit.status == 3, "\(run.errors)")
            #expect(run.output == "word \(script)\n")
        }
    }

    @Test("a command that cannot be run is 127 or 126, and interrupts nobody")
    func notFound() async throws {
        try await withServer(.pulseAudio) { server in
            let music = try await session(named: "Music", on: server)
            let monitor = try ChildProcess("audiosession", ["monitor", "--json"], on: server)
            try await monitor.event("active")
            expectFailure(try await audiosession("run", "--", "no-such-command", on: server), 127, saying: "not found")
            expectFailure(try await audiosession("run", "--", "/no/such", on: server), 127, saying: "No such file")
            expectFailure(try await audiosession("run", "--", "/etc/passwd", on: server), 126, saying: "denied")
            expectFailure(try await audiosession("run", "--", "/tmp", on: server), 126, saying: "directory")
            music.send(SIGTERM)
            let end = try await monitor.event("inactive")
            #expect(end.string("app") == "Music" && end.number == 1, "nothing else happened")
        }
    }

    @Test("its streams belong to the session, and carry the category's role", arguments: HeadlessServer.Kind.allCases)
    func environment(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let movie = try await session(
                "--mode", "moviePlayback", named: "Movie", on: server, playing: try tone(500, on: server))
            var streams: [Pactl.Object] = []
            try await waitUntil("the stream") {
                streams = try await Pactl(server).sinkInputs()
                return !streams.isEmpty
            }
            let owner = try #require(streams.first?.properties["avaudiosession.owner"])
            #expect(owner.count == 16 && owner.allSatisfy(\.isHexDigit))
            #expect(streams.first?.role == "video")
            let claims = try await Pactl(server).clients().compactMap { $0.properties["avaudiosession.claim"] }
            #expect(claims.contains { $0.contains("uid=\(owner)") })
            let status = try await audiosession("status", "--json", on: server)
            #expect(!status.events.contains { $0.string("event") == "stream" }, "it is not foreign")
            withExtendedLifetime(movie) {}
        }
    }

    @Test("what the environment says already stays")
    func merging() async throws {
        try await withServer(.pulseAudio) { server in
            let run = try await audiosession(
                "run", "--", "sh", "-c", "echo $PULSE_PROP; echo $PIPEWIRE_PROPS", on: server,
                environment: ["PULSE_PROP": "media.role=game a='b c'", "PIPEWIRE_PROPS": " { x = y } "])
            let lines = run.output.split(separator: "\n")
            #expect(lines.first?.wholeMatch(of: /media.role=game a='b c' avaudiosession.owner=[0-9a-f]{16}/) != nil)
            #expect(lines.last?.wholeMatch(of: /\{\s+x = y\s+avaudiosession.owner = "[0-9a-f]{16}" \}/) != nil)
        }
    }

    @Test("--headless leads the command to a private server, and leaves it its own home, folders and buses")
    func headless() async throws {
        let home = FileManager.default.temporaryDirectory.appendingPathComponent("run-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: home) }
        let own = [
            "HOME": home.path, "XDG_RUNTIME_DIR": home.path, "XDG_CONFIG_HOME": "\(home.path)/config",
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(home.path)/bus", "PIPEWIRE_REMOTE": "\(home.path)/pipewire-0",
        ]
        let run = try await audiosession(
            "run", "--headless", "--", "sh", "-c", "echo kept >$HOME/kept; exec env", environment: own)
        #expect(run.exit.status == 0, "\(run.errors)")
        let words = run.output.split(separator: "\n").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        let variables = Dictionary(words.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { first, _ in first }
        for (key, value) in own where key != "PIPEWIRE_REMOTE" { #expect(variables[key] == value, "\(key)") }
        #expect(FileManager.default.fileExists(atPath: home.appendingPathComponent("kept").path))
        let server = try #require(variables["PULSE_SERVER"])
        #expect(server != nowhere["PULSE_SERVER"] && server.hasPrefix("unix:"))
        #expect(variables["PIPEWIRE_RUNTIME_DIR"].map { server.contains($0) } == true)
        #expect(variables["PIPEWIRE_REMOTE"] == nil)
    }

    @Test(
        "interrupted it is silent, later streams too, and heard again afterwards",
        arguments: HeadlessServer.Kind.allCases)
    func silenced(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let monitor = try await MonitorRecording.start(on: server)
            let later = server.directory.appendingPathComponent("later").path
            let words = try tone(500, on: server)
            // The command plays, and plays a second stream once the file is there.
            let script = "\"$@\" & while [ ! -e \(later) ]; do sleep 0.02; done; \"$@\" & wait"
            let music = try await session(
                named: "Music", on: server, playing: ["sh", "-c", script, "sh"] + words)
            try await monitor.waitForSound()
            let film = try await session(named: "Film", on: server)
            try await monitor.waitForSilence(from: monitor.frames)
            try Data().write(to: URL(fileURLWithPath: later))
            try await waitUntil("two streams") { try await Pactl(server).sinkInputs().count == 2 }
            try await monitor.waitForSilence(from: monitor.frames)
            film.send(SIGTERM)
            try await monitor.waitForSound(from: monitor.frames)
            try await waitUntil("nothing muted") {
                try await Pactl(server).sinkInputs().allSatisfy { !$0.isMuted }
            }
            music.send(SIGTERM)
        }
    }

    @Test("continued while another session is active, it does not interrupt that")
    func continued() async throws {
        try await withServer(.pulseAudio) { server in
            let script = "trap 'echo continued' CONT; echo ready; while :; do sleep 0.02; done"
            let music = try await session(named: "Music", on: server, playing: ["sh", "-c", script])
            try await music.line { $0 == "ready" }
            let film = try await session(named: "Film", on: server)
            try await waitUntil("the interruption") {
                try await audiosession("status", "--json", on: server).event("session", app: "Music")?
                    .string("state") == "interrupted"
            }
            // The second one is passed on after all that the first one leads to.
            for count in 1...2 {
                music.send(SIGCONT)
                try await waitUntil("the signal") { music.outputLines.count { $0 == "continued" } >= count }
            }
            let status = try await audiosession("status", "--json", on: server)
            #expect(status.event("session", app: "Film")?.string("state") == "active")
            #expect(status.event("session", app: "Music")?.string("state") == "interrupted")
            film.send(SIGTERM)
            try await waitUntil("the session's return") {
                try await audiosession("status", "--json", on: server).event("session", app: "Music")?
                    .string("state") == "active"
            }
            withExtendedLifetime(music) {}
        }
    }

    @Test("what the user muted, or set a slider to meanwhile, is the user's")
    func usersVolumes() async throws {
        try await withServer(.pulseAudio) { server in
            let pactl = Pactl(server)
            let words = try tone(500, on: server)
            let music = try await session(
                named: "Music", on: server, playing: ["sh", "-c", "\"$@\" & \"$@\" & wait", "sh"] + words)
            var streams: [Int] = []
            try await waitUntil("two streams") {
                streams = try await pactl.sinkInputs().map(\.index).sorted()
                return streams.count == 2
            }
            try await pactl.setMute(true, sinkInput: streams[0])
            let film = try await session(named: "Film", on: server)
            let monitor = try await MonitorRecording.start(on: server)
            try await monitor.waitForSilence(from: monitor.frames)
            try await pactl.setVolume(0.5, sinkInput: streams[1])
            let moved = monitor.frames
            try await monitor.waitForSound(from: moved)
            // Whatever else changes on the server: it is not silenced again.
            let other = try await ForeignStream.start(on: server)
            try await other.stop()
            let level = -12 + 60 * log10(0.5)
            try await monitor.wait(for: 500, at: level)
            film.send(SIGTERM)
            try await waitUntil("the session's return") {
                try await audiosession("status", "--json", on: server).event("session", app: "Music")?
                    .string("state") == "active"
            }
            let muted = try await pactl.sinkInputs().filter(\.isMuted).map(\.index)
            #expect(muted == [streams[0]])
            try await monitor.wait(for: 500, at: level)
            withExtendedLifetime(music) {}
        }
    }

    @Test(
        "killed while silent, it leaves nothing muted for the program's next stream",
        arguments: HeadlessServer.Kind.allCases)
    func nothingRemembered(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let monitor = try await MonitorRecording.start(on: server)
            let words = try tone(500, on: server)
            let music = try await session(named: "Music", on: server, playing: words)
            try await monitor.waitForSound()
            let film = try await session(named: "Film", on: server)
            try await monitor.waitForSilence(from: monitor.frames)
            let silenced = try #require(try await Pactl(server).sinkInputs().first?.processID)
            // The player goes on without its session, as after a crash, and ends; then the film does.
            kill(music.processID, SIGKILL)
            kill(silenced, SIGKILL)
            try await music.wait()
            film.send(SIGTERM)
            try await film.wait()
            let again = try await session(named: "Again", on: server, playing: words)
            try await monitor.waitForSound(from: monitor.frames)
            withExtendedLifetime(again) {}
        }
    }

    @Test(
        "killed while silent, what its command still plays is heard again", arguments: HeadlessServer.Kind.allCases)
    func killedWhileSilent(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let monitor = try await MonitorRecording.start(on: server)
            let music = try await session(named: "Music", on: server, playing: try tone(500, on: server))
            try await monitor.waitForSound()
            let player = try #require(try await Pactl(server).sinkInputs().first?.processID)
            defer { kill(player, SIGKILL) }
            let film = try await session(named: "Film", on: server)
            let silence = try await monitor.waitForSilence(from: monitor.frames)
            kill(music.processID, SIGKILL)
            try await monitor.waitForSound(from: silence)
            #expect(try await Pactl(server).sinkInputs().allSatisfy { !$0.isMuted })
            withExtendedLifetime(film) {}
        }
    }

    /// As over a network: without PipeWire's own socket beside the address, only a mute is left.
    @Test(
        "where no process can lower streams, its streams are muted, and given back at every end",
        arguments: [false, true])
    func muted(isKilled: Bool) async throws {
        try await withServer(.pipeWire) { server in
            let alias = server.directory.appendingPathComponent("alias").path
            let socket = String(server.address.dropFirst("unix:".count))
            try FileManager.default.createSymbolicLink(atPath: alias, withDestinationPath: socket)
            let far = ["PULSE_SERVER": "unix:" + alias]
            let monitor = try await MonitorRecording.start(on: server)
            let music = try await session(
                named: "Music", on: server, environment: far, playing: try tone(500, on: server))
            try await monitor.waitForSound()
            let player = try #require(try await Pactl(server).sinkInputs().first?.processID)
            defer { kill(player, SIGKILL) }
            let film = try await session(named: "Film", on: server, environment: far)
            let silence = try await monitor.waitForSilence(from: monitor.frames)
            #expect(try await Pactl(server).sinkInputs().filter(\.isMuted).count == 1)
            if isKilled { kill(music.processID, SIGKILL) } else { film.send(SIGTERM) }
            try await monitor.waitForSound(from: silence)
            #expect(try await Pactl(server).sinkInputs().allSatisfy { !$0.isMuted })
            withExtendedLifetime((music, film)) {}
        }
    }

    @Test("a session of its own silences itself: the command's player is not muted from outside")
    func ownSession() async throws {
        try await withServer(.pulseAudio) { server in
            let file = server.directory.appendingPathComponent("tone.wav")
            try TestSignal.sine(frequency: 500, seconds: 20).wavData.write(to: file)
            let player = try ChildProcess.executable("player").path
            let outer = try await session(named: "Outer", on: server, playing: [player, file.path])
            let monitor = try await MonitorRecording.start(on: server)
            try await monitor.waitForSound()
            try await waitUntil("both sessions") {
                let status = try await audiosession("status", "--json", on: server)
                return status.event("session", app: "Outer")?.string("state") == "interrupted"
            }
            try await monitor.wait(seconds: 0.3)
            #expect(try await Pactl(server).sinkInputs().allSatisfy { !$0.isMuted })
            withExtendedLifetime(outer) {}
        }
    }

    @Test("a call in progress refuses a recording: 1, and the command is not started")
    func refused() async throws {
        try await withServer(.pulseAudio) { server in
            let call = try await session(
                "--category", "playAndRecord", "--mode", "voiceChat", named: "Call", on: server)
            let run = try await audiosession(
                "run", "--category", "record", "--", "sh", "-c", "echo started", on: server)
            expectFailure(run, 1, saying: "call")
            #expect(run.output.isEmpty)
            withExtendedLifetime(call) {}
        }
    }

    // The end of a session stays on the server for 100 ms, in which others must have read it.
    @Test(
        "signals are passed on, and the session ends in good order", .judges(.time(seconds: 0.1)),
        arguments: [SIGINT, SIGTERM, SIGHUP])
    func signals(number: Int32) async throws {
        try await withServer(.pulseAudio) { server in
            let script = "trap 'exit 7' INT TERM HUP; echo ready; while :; do sleep 0.02; done"
            try await expectGoodEnd(of: script, status: 7, on: server) { $0.send(number) }
        }
    }

    @Test("a hang-up that is to be ignored (nohup) does not end it, and reaches a command that wants it")
    func ignoredHangUp() async throws {
        try await withServer(.pulseAudio) { server in
            let cue = server.directory.appendingPathComponent("cue")
            // It ends with the server's folder, too.
            let script = """
                trap 'echo heard' HUP; echo ready; cd \(server.directory.path)
                while [ -d "$PWD" -a ! -e cue ]; do sleep 0.02; done; exit 5
                """
            let command = try ChildProcess(
                tool: "env",
                [
                    "--ignore-signal=HUP", try ChildProcess.executable("audiosession").path, "run", "--",
                    "env", "--default-signal=HUP", "sh", "-c", script,
                ], on: server)
            try await command.line { $0 == "ready" }
            command.send(SIGHUP)
            try await command.line { $0 == "heard" }
            try Data().write(to: cue)
            #expect(try await command.wait().status == 5)
        }
    }

    @Test("a command that SIGINT ends is followed, so that a shell leaves its loop; one that only says 130 is not")
    func interruptedCommand() async throws {
        try await withServer(.pulseAudio) { server in
            func end(_ script: String) async throws -> ChildProcess.Exit {
                let program = try ChildProcess.executable("audiosession").path
                let run = try ChildProcess(
                    tool: "env", ["--default-signal=INT", program, "run", "--", "sh", "-c", script], on: server)
                return try await run.wait()
            }
            let (interrupted, said) = (try await end("kill -INT $$"), try await end("exit 130"))
            #expect(interrupted.signal == SIGINT && said.status == 130)
            #expect(try await end("kill -TERM $$").status == 128 + SIGTERM)
        }
    }

    @Test("a command that crashes ends the session in good order", .judges(.time(seconds: 0.1)))
    func crash() async throws {
        try await withServer(.pulseAudio) { server in
            let cue = server.directory.appendingPathComponent("cue")
            let script = "echo ready; while [ ! -e \(cue.path) ]; do sleep 0.02; done; kill -KILL $$"
            try await expectGoodEnd(of: script, status: 137, on: server) { _ in try Data().write(to: cue) }
        }
    }

    /// Runs a script that says `ready`, ends it, and expects that others hear that they may go on.
    private func expectGoodEnd(
        of script: String, status: Int32, on server: HeadlessServer, _ end: (ChildProcess) throws -> Void
    ) async throws {
        let victim = try await session(named: "Victim", on: server)
        let monitor = try ChildProcess("audiosession", ["monitor", "--json"], on: server)
        // Whoever runs the tests may ignore hang-ups, and a shell cannot trap what it was told to ignore.
        let program = try ChildProcess.executable("audiosession").path
        let command = try ChildProcess(
            tool: "env", ["--default-signal=HUP", program, "run", "--", "sh", "-c", script], on: server)
        try await monitor.event("interruption")
        try await command.line { $0 == "ready" }
        try end(command)
        #expect(try await command.wait().status == status)
        #expect(try await monitor.event("inactive").bool("notify") == true)
        #expect(try await monitor.event("interruption") { $0.string("type") == "ended" }.bool("shouldResume") == true)
        withExtendedLifetime(victim) {}
    }

    @Test("its input, output and errors are the caller's")
    func streams() async throws {
        try await withServer(.pulseAudio) { server in
            let run = try await audiosession("run", "--", "sh", "-c", "echo out; echo err >&2; cat", on: server)
            #expect(run.output == "out\n" && run.errors == ["err"])
        }
    }
}
