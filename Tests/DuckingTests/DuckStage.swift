import Foundation
import HeadlessServer
import PulseClient
import SessionPolicy
import SoundAnalysis
import TestSupport
import Testing

/// A private server, and everything that real programs do on it while somebody ducks.
struct DuckStage {
    let server: HeadlessServer
    let observer: PulseConnection
    /// Listens to the first sink.
    let ear: MonitorRecording

    var pactl: Pactl { Pactl(server) }

    /// What `audiosession run` is told for a prompt.
    static let ducking = ["--category", "playback", "--mode", "voicePrompt", "--option", "duckOthers"]
    /// And for a session that takes part, and disturbs nobody.
    static let mixing = ["--category", "playback", "--option", "mixWithOthers"]
    /// How often what is random is repeated: `AVFAUDIO_SOAK`, or else `usual`.
    static func rounds(usual: Int) -> Int {
        ProcessInfo.processInfo.environment["AVFAUDIO_SOAK"].flatMap(Int.init) ?? usual
    }

    // MARK: Programs

    /// The `player`, which takes part, repeating a tone for ever.
    func player(_ frequency: Double = Tone.player) async throws -> ChildProcess {
        let file = try Tone.file(frequency, seconds: 1, in: server.directory)
        let player = try ChildProcess("player", ["--loops", "-1", "--json", file.path], on: server)
        try await player.event("started", timeout: hangLimit)
        return player
    }

    /// A `paplay` that knows nothing of us.
    func foreign(
        _ frequency: Double = Tone.music, role: String? = nil, sink: String? = nil
    ) async throws -> ChildProcess {
        let file = try Tone.file(frequency, seconds: 60, in: server.directory)
        let options = (role.map { ["--property=media.role=\($0)"] } ?? []) + (sink.map { ["--device=\($0)"] } ?? [])
        let program = try ChildProcess(tool: "paplay", ["--latency-msec=100"] + options + [file.path], on: server)
        _ = try await stream(of: program)
        return program
    }

    /// A program that speaks PipeWire's own protocol; nil where there is no `pw-play`.
    func native(_ frequency: Double = Tone.native) async throws -> ChildProcess? {
        guard server.kind == .pipeWire, HeadlessServer.findBinary("pw-play") != nil else { return nil }
        let file = try Tone.file(frequency, seconds: 60, in: server.directory)
        return try ChildProcess(tool: "pw-play", [file.path], on: server)
    }

    /// A player that people use, speaking PulseAudio's protocol or, as `pipewire`, PipeWire's own.
    func mpv(_ frequency: Double, output: String = "pulse") async throws -> ChildProcess {
        let file = try Tone.file(frequency, seconds: 60, in: server.directory)
        let quiet = ["--no-config", "--no-video", "--really-quiet", "--ao=\(output)"]
        let program = try ChildProcess(tool: "mpv", quiet + [file.path], on: server)
        try await wait(frequency, at: Tone.level, "of mpv")
        return program
    }

    /// `audiosession run`, around a command that does nothing until the test forgets this or ends it.
    ///
    /// It does not see the variables in `absent`.
    func session(
        _ name: String, _ arguments: [String], awaiting: Bool = true, environment: [String: String] = [:],
        without absent: [String] = []
    ) async throws -> ChildProcess {
        let program = try ChildProcess.executable("audiosession").path
        var command = [program, "run"] + arguments + ["--", "sh", "-c", "exec cat >/dev/null 2>&1"]
        if !absent.isEmpty { command = ["/usr/bin/env"] + absent.flatMap { ["-u", $0] } + command }
        let variables = server.environment.merging(["PULSE_PROP_application.name": name]) { $1 }
        let process = try ChildProcess(
            URL(fileURLWithPath: command[0]), Array(command.dropFirst()),
            environment: variables.merging(environment) { $1 }, input: true)
        if awaiting { try await waitForClaim(of: process) { $0.state == .active } }
        return process
    }

    /// Waits until a process says something of its session.
    func waitForClaim(of process: ChildProcess, where matches: (Claim) -> Bool) async throws {
        try await waitUntil("the claim of \(process.name)", timeout: hangLimit) {
            if let exit = process.exit { throw SupportError("\(process.name) ended: \(exit) \(process.errorText)") }
            return try await observer.clients().compactMap { $0.properties[Claim.property].flatMap { Claim($0) } }
                .contains { $0.pid == process.processID && matches($0) }
        }
    }

    /// Ends processes as a user would, and returns when they are gone.
    func end(_ processes: ChildProcess?...) async throws {
        for process in processes { process?.send(SIGTERM) }
        for process in processes { try await process?.wait() }
    }

    // MARK: Listening

    /// The level of a tone in the last tenth of a second, in dBFS.
    func level(_ frequency: Double, on ear: MonitorRecording? = nil) -> Double {
        let ear = ear ?? self.ear
        return ear.soFar(from: max(0, ear.frames - 4_410)).steadyLevel(frequency)
    }

    /// Waits until a tone has had a level for a tenth of a second.
    func wait(
        _ frequency: Double, at level: Double, on ear: MonitorRecording? = nil, _ what: String = "",
        timeout: Duration = hangLimit
    ) async throws {
        var last = 0.0
        do {
            try await waitUntil(timeout: timeout) {
                last = self.level(frequency, on: ear)
                return abs(last - level) < 1
            }
        } catch { throw SupportError("\(Int(frequency)) Hz at \(level) dBFS expected, \(last) heard \(what)") }
    }

    /// Listens for so many seconds, and returns what was heard.
    func listen(seconds: Double) async throws -> Recording {
        let first = ear.frames
        try await ear.wait(seconds: seconds)
        return ear.soFar(from: first)
    }

    // MARK: What the server shows and remembers

    /// The stream of a process.
    func stream(of process: ChildProcess) async throws -> Int {
        try await pactl.waitForSinkInput(of: process.processID, timeout: hangLimit).index
    }

    /// The volume of each playback stream, each channel in the server's scale.
    func volumes() async throws -> [UInt32: [UInt32]] {
        Dictionary(try await observer.sinkInputs().map { ($0.index, $0.volume.values) }) { $1 }
    }

    /// What the server remembers for the next streams.
    func memory() async throws -> [String: [UInt32]] {
        Dictionary(try await observer.restoreEntries().map { ($0.name, $0.volume?.values ?? []) }) { $1 }
    }

    /// Waits until volumes are what they were, and the server remembers nothing else than before.
    ///
    /// Of what came meanwhile, everything must be at 100 %.
    func waitForVolumes(like before: Volumes, _ what: String = "") async throws {
        var now = before
        do {
            try await waitUntil(timeout: hangLimit) {
                now = try await currentVolumes()
                return now.isLike(before)
            }
        } catch { throw SupportError("\(before) expected, and 100 % for what is new, but found \(now) \(what)") }
    }

    /// The volumes of streams, and what the server remembers: no channels where that is nothing.
    struct Volumes {
        let streams: [UInt32: [UInt32]]
        let memory: [String: [UInt32]]

        func isLike(_ before: Volumes) -> Bool {
            func isFull(_ volume: [UInt32]) -> Bool { volume.allSatisfy { $0 == 0x10000 } }
            func isLike(_ volume: [UInt32], _ old: [UInt32]?) -> Bool {
                // Once a stream's volume was set, the server remembers it with any change of the stream. Nothing
                // remembered and 100 % are the same to the next one.
                volume == old || isFull(volume) && old.map(isFull) ?? true
            }
            return streams.allSatisfy { isLike($0.value, before.streams[$0.key]) }
                && memory.allSatisfy { isLike($0.value, before.memory[$0.key]) }
        }
    }

    func currentVolumes() async throws -> Volumes {
        Volumes(streams: try await volumes(), memory: try await memory())
    }

    // MARK: What is left behind

    /// Nothing is left of a ducking: no guard, no entry in the ledger, no file but that and the lock.
    func waitUntilNothingIsLeft(_ what: String = "") async throws {
        var last = ""
        do {
            try await waitUntil(timeout: hangLimit) {
                let guards = guards()
                let files = ledgerFiles()
                let odd = files.filter { $0 != "lock" && ($0.hasSuffix(".new") || !$0.hasPrefix("ducked-")) }
                last = "guards \(guards), files \(files), \(ledger()?.text ?? "no ledger")"
                return guards.isEmpty && odd.isEmpty && ledger()?.isEmpty ?? true
            }
        } catch {
            let clients = try await pactl.run("list", "clients").split(separator: "\n")
                .filter { $0.hasPrefix("Client") || $0.contains("avaudiosession.") || $0.contains("process.id") }
            throw SupportError("something is left: \(last) \(what)\n\(clients.joined(separator: "\n"))")
        }
    }

    /// Waits until `audiosession status` lists exactly these sessions, all of them undisturbed.
    func waitForSessions(of processes: [ChildProcess], _ what: String = "") async throws {
        var text = ""
        do {
            try await waitUntil(timeout: hangLimit) {
                let status = try ChildProcess("audiosession", ["status", "--json"], on: server)
                try await status.wait()
                text = status.outputLines.joined(separator: "\n")
                let sessions = status.outputLines.compactMap { JSONLine($0) }.filter { $0.string("event") == "session" }
                let found = sessions.compactMap { $0.number("pid") }.map { Int32($0) }
                return found.sorted() == processes.map(\.processID).sorted()
                    && sessions.allSatisfy { $0.string("state") != "interrupted" && $0.bool("ducked") == false }
            }
        } catch { throw SupportError("sessions of \(processes.map(\.processID)) expected, but: \(text) \(what)") }
    }

    /// The ledger in the runtime directory.
    func ledger() -> DuckLedger? {
        ledgerFiles().first { $0.hasPrefix("ducked-") && !$0.hasSuffix(".new") }
            .flatMap { try? String(contentsOfFile: ledgerFolder + "/" + $0, encoding: .utf8) }
            .flatMap { DuckLedger($0) }
    }

    /// Where the ledger is, on this run of the server.
    func ledgerPath() async throws -> String {
        ledgerFolder + "/ducked-" + String(try await observer.serverInfo().cookie, radix: 16)
    }

    /// Waits until another process has written what is lowered.
    func waitForOwner(otherThan owner: UInt32?) async throws {
        try await waitUntil("another owner", timeout: hangLimit) {
            ledger().map { !$0.isEmpty && $0.owner != owner } ?? false
        }
    }

    private var runtimeFolder: String { server.environment["XDG_RUNTIME_DIR"] ?? "/nonexistent" }
    private var ledgerFolder: String { runtimeFolder + "/avaudiosession" }

    private func ledgerFiles() -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: ledgerFolder)) ?? []
    }

    /// The processes `audiosession guard` of this server, among them those that only start a guard.
    func guards() -> [Int32] { processes(with: ["XDG_RUNTIME_DIR=\(runtimeFolder)"]) }

    /// The guard of this server, once it has been started by the process that does only that.
    func guardProcess() async throws -> Int32 {
        var found: Int32?
        try await waitUntil("a guard", timeout: hangLimit) {
            found = processes(with: ["XDG_RUNTIME_DIR=\(runtimeFolder)", "AVAUDIOSESSION_GUARD=1"]).first
            return found != nil
        }
        return try #require(found)
    }

    private func processes(with variables: [String]) -> [Int32] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { Int32($0) } ?? []
        return all.filter { process in
            guard let command = FileManager.default.contents(atPath: "/proc/\(process)/cmdline"),
                command.split(separator: 0).dropFirst().map({ String(decoding: $0, as: UTF8.self) }) == ["guard"],
                let environment = FileManager.default.contents(atPath: "/proc/\(process)/environ")
            else { return false }
            let entries = environment.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            return variables.allSatisfy(entries.contains)
        }
    }
}

/// Runs `body` on a private server that remembers the volumes of streams, as every desktop's does.
func withStage(
    _ kind: HeadlessServer.Kind, sinks: [HeadlessServer.NullSink] = [.init()], modules others: [String] = [],
    _ body: (DuckStage) async throws -> Void
) async throws {
    let modules = (kind == .pulseAudio ? ["module-stream-restore restore_device=false"] : []) + others
    try await withServer(kind, sinks: sinks, modules: modules) { server in
        let observer = try PulseConnection(name: "observer")
        try await observer.connect(to: server.address, timeout: .seconds(5))
        let ear = try await MonitorRecording.start(on: server, sink: sinks[0])
        try await body(DuckStage(server: server, observer: observer, ear: ear))
        let processes = server.processIDs
        #expect(!processes.isEmpty && processes.allSatisfy { kill($0, 0) == 0 }, "the sound server died: \(server.log)")
        await observer.close()
    }
}
