import Foundation
import HeadlessServer
import TestSupport
import Testing

@Suite("audiosession on a terminal", .serialized, .limited) struct CommandTerminalTests {
    @Test("run: Ctrl-Z where no shell could continue it stops nobody, and the session is taken back")
    func withoutShell() async throws {
        try await withServer(.pulseAudio) { server in
            let run = try TerminalProcess(
                "audiosession", ["run", "--", "sh", "-c", "echo ready; read word; exit 5"], on: server)
            try await run.wait(for: "the command") { $0.screen.contains("ready") }
            let ticket = try await ticket(of: run.processID, on: server)
            #expect(ticket != nil)
            run.type("\u{1A}")
            try await waitUntil("another activation") {
                let new = try await self.ticket(of: run.processID, on: server)
                return new != nil && new != ticket
            }
            #expect(run.state != "T")
            run.type("word\n")
            #expect(try await run.waitForExit() == 5)
        }
    }

    /// What the session drew when it was activated; nil while it is not active.
    private func ticket(of process: pid_t, on server: HeadlessServer) async throws -> Substring? {
        let claims = try await Pactl(server).clients().compactMap { $0.properties["avaudiosession.claim"] }
        let claim = claims.first { $0.contains(";pid=\(process);") && $0.contains(";state=active;") }
        return claim?.firstMatch(of: /;seq=(\d+);/)?.1
    }

    @Test(
        "run: continued during a call it stays silent, and is heard again when the call ends",
        arguments: HeadlessServer.Kind.allCases)
    func refused(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let monitor = try await MonitorRecording.start(on: server)
            let shell = try JobShell(on: server)
            let run = try await shell.start(
                "audiosession", ["run", "--category", "playAndRecord", "--", "sh", tone(on: server)])
            try await monitor.waitForSound()
            try await shell.stop(run)
            let call = try ChildProcess("audiosession", ["simulate", "call", "--json"], on: server)
            try await call.event("started")
            try await shell.bringBack(run)
            let silence = try await monitor.waitForSilence(from: monitor.frames)
            call.send(SIGINT)
            try await call.wait()
            try await monitor.waitForSound(from: max(silence, monitor.frames))
            #expect(try await ticket(of: run, on: server) != nil, "it is active")
            #expect(try await Pactl(server).sinkInputs().allSatisfy { !$0.isMuted })
            shell.terminal.type("\u{3}")
            _ = try await shell.waitForEnd()
        }
    }

    /// A script that plays half a minute of a sine, with the servers' own tool.
    ///
    /// It does not stop with its session: that it is silenced is heard.
    private func tone(on server: HeadlessServer) throws -> String {
        let file = server.directory.appendingPathComponent("tone.raw")
        try TestSignal.sine(frequency: 500, level: -12, seconds: 30).rawData.write(to: file)
        guard let program = HeadlessServer.findBinary("pacat") else { throw SupportError("no pacat: run `make setup`") }
        // The tool may need libraries that were unpacked with it, which are nothing to `audiosession`.
        let environment = server.toolEnvironment.map { "\($0)=\($1)" }
        let player = [program.path, "--raw", "--format=s16le", "--rate=44100", "--channels=2", "--latency-msec=50"]
        let script = server.directory.appendingPathComponent("tone.sh")
        let command = JobShell.quoted(["env"] + environment + player + [file.path])
        try Data("trap '' TSTP\nexec \(command)\n".utf8).write(to: script)
        return script.path
    }

    @Test("status, explain, monitor: a name of any length leaves room for what the line says besides")
    func longName() async throws {
        try await withServer(.pulseAudio) { server in
            let name = String(repeating: "x", count: 300)
            let session = try ChildProcess(
                "audiosession", ["run", "--", "sleep", "60"], on: server,
                environment: ["PULSE_PROP_application.name": name])
            try await waitUntil("the session") {
                let status = try TerminalProcess("audiosession", ["status"], on: server)
                _ = try await status.waitForExit()
                return status.screen.contains("xxx…") && status.screen.contains("playback")
            }
            for command in ["explain", "monitor"] {
                let process = try TerminalProcess("audiosession", [command], on: server)
                let (start, end) = command == "explain" ? ("pid ", " is active") : ("", " is active: playback")
                try await process.wait(for: command) {
                    let text = $0.screen.replacing(/\u{1B}\[[0-9;]*m/, with: "")
                    return text.contains("xxx… (\(start)\(session.processID))\(end)")
                }
                process.type("\u{3}")
                _ = try await process.waitForExit()
            }
            withExtendedLifetime(session) {}
        }
    }

    @Test("devices, status: the name of a device leaves room for what stands behind it")
    func longDeviceName() async throws {
        try await withServer(.pulseAudio, sinks: [.init(name: String(repeating: "x", count: 118))]) { server in
            let stream = try await ForeignStream.start(on: server, role: "music")
            for (command, columns, heading) in [("devices", 120 as UInt16, "PORT"), ("status", 156, "TITLE")] {
                let process = try TerminalProcess("audiosession", [command], on: server, columns: columns)
                #expect(try await process.waitForExit(timeout: hangLimit) == 0)
                #expect(process.screen.contains("xxx…") && process.screen.contains(heading), "\(process.screen)")
            }
            try await stream.stop()
        }
    }

    @Test(
        "timeline --live: a row takes the width there is, also after a change of it, with colours unless NO_COLOR is set",
        arguments: [80 as UInt16, 160], [false, true])
    func timeline(columns: UInt16, isPlain: Bool) async throws {
        try await withServer(.pulseAudio) { server in
            let name = "Music " + String(repeating: "m", count: 60)
            let session = try ChildProcess(
                "audiosession", ["run", "--", "sleep", "60"], on: server,
                environment: ["PULSE_PROP_application.name": name])
            let timeline = try TerminalProcess(
                "audiosession", ["timeline", "--live"], on: server, columns: columns,
                environment: isPlain ? ["NO_COLOR": "1"] : [:])
            for width in [Int(columns), 100] {
                timeline.resize(columns: UInt16(width))
                try await timeline.wait(for: "a row of the session, \(width) wide") {
                    $0.lastPicture.contains { $0.hasPrefix("Music mmm") && $0.hasSuffix("─") && $0.count == width }
                }
                let lines = timeline.lastPicture
                #expect(lines.allSatisfy { $0.count <= width }, "\(lines)")
                let axis = try #require(lines.first { $0.contains(/\d\d:\d\d:\d\d/) })
                #expect(axis.matches(of: /\d\d:\d\d:\d\d( |$)/).count == axis.matches(of: /\d\d:\d\d:\d\d/).count)
                #expect(lines.contains { $0.contains("── active") }, "\(lines)")
            }
            #expect(timeline.screen.contains("\u{1B}[32m") != isPlain)
            timeline.type("\u{3}")
            #expect(try await timeline.waitForExit() == 0)
            withExtendedLifetime(session) {}
        }
    }

    @Test("status --watch: Ctrl-Z leaves the shell a cursor")
    func cursor() async throws {
        try await withServer(.pulseAudio) { server in
            let shell = try JobShell(on: server)
            let status = try await shell.start("audiosession", ["status", "--watch"])
            try await shell.terminal.wait(for: "the table") { $0.screen.contains("No sessions.") }
            try await shell.stop(status)
            #expect(shell.terminal.showsCursor)
            try await shell.bringBack(status)
            shell.terminal.type("\u{3}")
            #expect(try await shell.waitForEnd() == 0)
        }
    }
}
