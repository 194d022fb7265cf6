import Foundation
import HeadlessServer
import TestSupport
import Testing

@Suite(.limited) struct HeadlessServerTests {
    @Test(arguments: HeadlessServer.Kind.allCases) func itHasTheSinksThatWereAskedFor(_ kind: HeadlessServer.Kind)
        async throws
    {
        let sinks: [HeadlessServer.NullSink] = [
            .init(name: "one", rate: 48_000),
            .init(name: "two", channels: 1, properties: "device.description='Second sink'"),
        ]
        try await withServer(kind, sinks: sinks) { server in
            let pactl = Pactl(server)
            #expect(try await pactl.sinks().map(\.name).filter { $0 != "auto_null" } == ["one", "two"])
            #expect(try await pactl.sink("one")?.sampleSpecification.hasSuffix("2ch 48000Hz") == true)
            #expect(try await pactl.sink("two")?.properties["device.description"] == "Second sink")
            let information = try await pactl.run("info")
            #expect(information.contains("Default Sink: one\n"))
            #expect(information.contains("Default Source: one.monitor\n"))
            #expect(server.version.contains("."))
        }
    }

    @Test("The view's lists are those that pactl prints", arguments: HeadlessServer.Kind.allCases)
    func lists(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let pactl = Pactl(server)
            let foreign = try await ForeignStream.start(on: server, role: "music")
            let input = try await pactl.waitForSinkInput(of: foreign.process.processID) { $0.device != nil }
            try await pactl.setVolume(0.5, sinkInput: input.index)
            try await pactl.setMute(true, sinkInput: input.index)
            // A device may fall idle between the two questions.
            try await waitUntil("the same lists") {
                let lists = [
                    "sinks": try await pactl.sinks(), "sources": try await pactl.sources(),
                    "sink-inputs": try await pactl.sinkInputs(),
                ]
                for (what, objects) in lists {
                    let printed = try Self.printed(try await pactl.run("-f", "json", "list", what))
                    if printed != objects.map(Self.description) { return false }
                }
                return true
            }
            let changed = try await pactl.waitForSinkInput(of: foreign.process.processID)
            #expect(changed.volume == 0.5 && changed.isMuted && changed.role == "music" && !changed.isCorked)
        }
    }

    private static func description(_ object: Pactl.Object) -> String {
        "\(object.index) \(object.name) \(object.state) \(object.isMuted) \(object.isCorked) \(object.volume)"
            + " \(object.device ?? -1) \(object.client ?? -1) \(object.sampleSpecification)"
            + " \(object.processID ?? 0) \(object.role ?? "")"
    }

    private static func printed(_ json: String) throws -> [String] {
        let objects = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]]
        return try #require(objects).map { object in
            // Some indices are printed as strings.
            func number(_ key: String) -> Int {
                (object[key] as? NSNumber)?.intValue ?? (object[key] as? String).flatMap { Int($0) } ?? -1
            }
            func text(_ key: String) -> String { object[key] as? String ?? "" }
            let channels = object["volume"] as? [String: [String: Any]] ?? [:]
            let volume = (channels["front-left"]?["value"] as? NSNumber)?.doubleValue ?? 0
            let properties = object["properties"] as? [String: Any] ?? [:]
            return "\(number("index")) \(text("name")) \(text("state")) \(object["mute"] as? Bool ?? false)"
                + " \(object["corked"] as? Bool ?? false) \(volume / 65_536)"
                + " \(max(number("sink"), object["state"] == nil ? number("source") : -1)) \(number("client"))"
                + " \(text("sample_specification"))"
                + " \(properties["application.process.id"] as? String ?? "0")"
                + " \(properties["media.role"] as? String ?? "")"
        }
    }

    /// Bit by bit at the sink's own rate: the loop through server and monitor adds and loses nothing.
    @Test(.judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases) func whatIsPlayedIsRecordedExactly(
        _ kind: HeadlessServer.Kind
    )
        async throws
    {
        try await withServer(kind) { server in
            let noise = TestSignal.noise(seconds: 1)
            let file = try noise.writeWAV(to: server.directory.appendingPathComponent("noise.wav"))
            let monitor = try await MonitorRecording.start(on: server)
            let player = try await ForeignStream.start(on: server, playing: .file(file))
            let start = try await monitor.waitForSound()
            let end = try await monitor.waitForSilence(duration: 0.1, from: start)
            #expect(abs(end - start - noise.frames) < 100)
            try await player.process.wait()
            let heard = try await monitor.stop()
            #expect(
                heard.firstFrame(of: noise.samples) != nil,
                "\(heard.frames) frames, sound in \(String(describing: heard.soundRange()))")
        }
    }

    @Test(arguments: HeadlessServer.Kind.allCases) func aKilledServerComesBackAtItsAddress(_ kind: HeadlessServer.Kind)
        async throws
    {
        try await withServer(kind) { server in
            let foreign = try await ForeignStream.start(on: server)
            server.kill()
            try await foreign.process.wait()
            #expect(FileManager.default.fileExists(atPath: server.directory.path + "/pulse/native"))
            let address = server.address
            try await offPool { try server.restart() }
            #expect(server.address == address)
            #expect(try await Pactl(server).sink("test_out") != nil)
        }
    }

    @Test("A restart keeps the sink that was chosen: PipeWire") func aChoiceIsKept() async throws {
        let sinks = [HeadlessServer.NullSink(name: "desk"), HeadlessServer.NullSink(name: "hall")]
        try await withServer(.pipeWire, sinks: sinks) { server in
            try await Pactl(server).run("set-default-sink", "hall")
            let file = server.directory.path + "/state/wireplumber/default-nodes"
            try await waitUntil("a choice that is saved") {
                (try? String(contentsOfFile: file, encoding: .utf8))?.contains("sink=hall") == true
            }
            try await offPool { try server.restart() }
            #expect(try await Pactl(server).run("get-default-sink").contains("hall"))
        }
    }

    @Test(arguments: HeadlessServer.Kind.allCases) func aFrozenServerAnswersLater(_ kind: HeadlessServer.Kind)
        async throws
    {
        try await withServer(kind) { server in
            server.suspendProcess()
            let question = try ChildProcess(tool: "pactl", ["info"], on: server)
            for process in server.processIDs {
                try await waitUntil("stopped") {
                    try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8).contains(") T ")
                }
            }
            #expect(question.exit == nil)
            server.resumeProcess()
            #expect(try await question.wait().status == 0)
        }
    }

    @Test(.privateServer(.pulseAudio, sinks: [.init(rewinds: true)], modules: ["module-role-cork"]))
    func modulesAndRewindsAreThere() async throws {
        let server = try PrivateServerTrait.server
        #expect(try await Pactl(server).run("list", "short", "modules").contains("module-role-cork"))
        let music = try await ForeignStream.start(on: server, playing: .tone(frequency: 440), role: "music")
        let call = try await ForeignStream.start(on: server, role: "phone")
        try await waitUntil("the cork") {
            try await Pactl(server).sinkInputs().contains { $0.index == music.index && $0.isMuted }
        }
        try await call.kill()
        try await music.stop()
        try await waitUntil("a rewind in the log") { server.log.contains("Rewound") }
    }

    @Test func aModuleThatDoesNotExistIsAnErrorAndLeavesNothing() throws {
        let error = #expect(throws: HeadlessServerError.self) {
            try HeadlessServer.start(.pulseAudio, modules: ["module-of-the-neighbours"])
        }
        #expect(error?.description.contains("module-of-the-neighbours") == true)
    }

    /// It has no more than its folder then, of which only this test can know that it is nobody's: it has no log.
    @Test func noDescriptorsAreAnErrorAndLeaveNothing() async throws {
        func strays() throws -> Set<String> {
            let names = try FileManager.default.contentsOfDirectory(atPath: "/tmp").filter { $0.hasPrefix("avfaudio-") }
            return Set(
                names.filter { name in
                    let files = try? FileManager.default.contentsOfDirectory(atPath: "/tmp/\(name)")
                    return files?.sorted() == ["config", "pulse"]
                })
        }
        let before = try strays()
        let owner = try ChildProcess("session-peer", ["server", "poor"])
        try await owner.line { $0.hasPrefix("cannot make a socket: Too many open files") }
        // Others may be about to start one.
        try await waitUntil("no folder") { try strays().isSubset(of: before) }
    }

    @Test("a signal that comes between the server's folder and who would remove it leaves nothing")
    func hasty() async throws {
        let owner = try ChildProcess("session-peer", ["server", "hasty"])
        let folder = try await owner.line { $0.hasPrefix("/tmp/") }.text
        #expect(try await owner.wait().signal == SIGINT)
        try await waitUntil("no folder") { !FileManager.default.fileExists(atPath: folder) }
    }

    /// A stand-in on the search path never gets anywhere the first time, and is the real program after that.
    @Test("a program that hangs is started again", arguments: ["pactl", "pipewire-pulse"])
    func hangs(program: String) async throws {
        let real = try #require(HeadlessServer.findBinary(program)).path
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("headless-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let hung = folder.appendingPathComponent("hung").path
        let stand = folder.appendingPathComponent(program)
        let script = """
            #!/bin/sh
            if mkdir '\(hung)' 2>/dev/null; then exec tail -f /dev/null; fi
            exec '\(real)' "$@"
            """
        try await writeScript(script, to: stand)
        let path = folder.path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")
        let owner = try ChildProcess("session-peer", ["server", "pipeWire"], environment: ["PATH": path])
        try await owner.line(timeout: .seconds(30)) { $0.hasPrefix("/tmp/") }
        #expect(FileManager.default.fileExists(atPath: hung))
    }

    @Test(arguments: HeadlessServer.Kind.allCases) func stoppingLeavesNothing(_ kind: HeadlessServer.Kind) async throws
    {
        let server = try await offPool { try HeadlessServer.start(kind) }
        let processes = server.processIDs
        #expect(processes.count == (kind == .pulseAudio ? 1 : 3))
        server.stop()
        server.stop()
        #expect(processes.allSatisfy { kill($0, 0) == -1 })
        #expect(!FileManager.default.fileExists(atPath: server.directory.path))
    }

    /// The owner dies without a chance to clean up; its supervisor does it.
    @Test(arguments: HeadlessServer.Kind.allCases) func aKilledOwnerLeavesNothing(_ kind: HeadlessServer.Kind)
        async throws
    {
        let owner = try ChildProcess("session-peer", ["server", kind.rawValue])
        let words = try await owner.line { $0.hasPrefix("/tmp/") }.text.split(separator: " ")
        let processes = words.dropFirst().compactMap { pid_t($0) }
        #expect(processes.count == (kind == .pulseAudio ? 1 : 3))
        #expect(processes.allSatisfy { kill($0, 0) == 0 })
        owner.send(SIGKILL)
        #expect(try await owner.wait().signal == SIGKILL)
        try await waitUntil("the end of the server") {
            processes.allSatisfy { kill($0, 0) == -1 } && !FileManager.default.fileExists(atPath: String(words[0]))
        }
    }
}
