import AudioFiles
import Foundation
import HeadlessServer
import TestSupport
import Testing

@Suite("recorder", .serialized, .limited) struct RecorderTests {
    @Test(
        "records what is heard, for as long as it was told", .judges(.time(seconds: 0.03)),
        arguments: HeadlessServer.Kind.allCases)
    func records(kind: HeadlessServer.Kind) async throws {
        let folder = try Folder()
        let (file, out) = (try folder.tone(20), folder.path("out.wav"))
        try await withServer(kind) { server in
            let player = try ChildProcess("player", ["--json", "--option", "mixWithOthers", file], on: server)
            try await player.event("progress")
            let result = try await run(
                "recorder", ["--json", "--option", "mixWithOthers", "--duration", "1.2", out], on: server)
            #expect(result.exit.status == 0, "\(result.errors)")
            #expect(result.order == ["active", "started", "finished", "inactive"])
            #expect(result.events.contains { $0.string("event") == "progress" && ($0.number("position") ?? 0) > 0.3 })
            let recording = try contents(ofFile: out)
            #expect(abs(recording.duration - 1.2) < 0.03)
            let range = try #require(recording.soundRange())
            #expect(abs((recording.frequency(range) ?? 0) - 1_000) < 2)
        }
    }

    @Test("the extension chooses the container", arguments: ["wav", "aif", "aiff", "caf", "flac"])
    func containers(name: String) async throws {
        let folder = try Folder()
        let out = folder.path("out.\(name)")
        try await withServer(.pulseAudio) { server in
            let result = try await run("recorder", ["--duration", "0.3", "--channels", "1", out], on: server)
            #expect(result.exit.status == 0, "\(result.errors)")
            let magic = ["wav": "RIFF", "aif": "FORM", "aiff": "FORM", "caf": "caff", "flac": "fLaC"]
            #expect(try Data(contentsOf: URL(fileURLWithPath: out)).prefix(4) == Data((magic[name] ?? "").utf8))
            #expect(abs(try seconds(ofFile: out) - 0.3) < 0.03)
        }
    }

    @Test(
        "SIGINT, SIGTERM, SIGHUP and the end of its reader close the file and end it with 0",
        arguments: [SIGINT, SIGTERM, SIGHUP, SIGPIPE])
    func signals(number: Int32) async throws {
        let folder = try Folder()
        let out = folder.path("out.wav")
        try await withServer(.pulseAudio) { server in
            let program = try ChildProcess.executable("recorder").path
            // Whoever runs the tests may ignore hang-ups.
            let recorder = try ChildProcess(
                tool: "env", ["--default-signal=HUP,PIPE", program, "--json", out], on: server)
            let progress = try await recorder.event("progress")
            recorder.send(number)
            let result = try await finish(recorder, timeout: .seconds(5))
            #expect(result.exit.status == 0, "\(result.errors)")
            #expect(result.order == ["active", "started", "finished", "inactive"])
            #expect(try seconds(ofFile: out) >= (progress.number("position") ?? 1) - 0.05)
        }
    }

    @Test("a hang-up that is to be ignored (nohup) ends no recording")
    func ignoredHangUp() async throws {
        let folder = try Folder()
        let out = folder.path("out.wav")
        try await withServer(.pulseAudio) { server in
            let program = try ChildProcess.executable("recorder").path
            let recorder = try ChildProcess(tool: "env", ["--ignore-signal=HUP", program, "--json", out], on: server)
            let position = try await recorder.event("progress").number("position") ?? 0
            recorder.send(SIGHUP)
            try await recorder.event("progress") { $0.number("position") ?? 0 > position + 1 }
            recorder.send(SIGINT)
            let result = try await finish(recorder, timeout: .seconds(5))
            #expect(result.exit.status == 0, "\(result.errors)")
            #expect(try seconds(ofFile: out) > position + 1)
        }
    }

    @Test("outputs that cannot be created are 73")
    func notCreatable() async throws {
        let folder = try Folder()
        let inMissing = folder.path("missing/out.wav")
        expectFailure(try await run("recorder", [inMissing]), 73, of: "recorder", saying: inMissing)
        let directory = folder.path("folder.wav")
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        expectFailure(try await run("recorder", [directory]), 73, of: "recorder", saying: "directory")
        expectFailure(try await run("recorder", ["/dev/null/out.wav"]), 73, of: "recorder")
    }

    @Test("what is not the file's fault is not said to be: a category without input is 1, and makes no file")
    func notTheFilesFault() async throws {
        let folder = try Folder()
        let out = folder.path("out.wav")
        try await withServer(.pulseAudio) { server in
            let result = try await run("recorder", ["--category", "playback", out], on: server)
            expectFailure(result, 1, of: "recorder", saying: "category playback")
            #expect(!FileManager.default.fileExists(atPath: out))
        }
    }

    @Test("a file that cannot be begun is 73, with the reason and its name once")
    func cannotBegin() async throws {
        let folder = try Folder()
        let out = folder.path("out.wav")
        // It may be written to, as far as one can see.
        let listener = try listeningSocket(at: out)
        defer { close(listener) }
        try await withServer(.pulseAudio) { server in
            let result = try await run("recorder", ["--duration", "1", out], on: server)
            expectFailure(result, 73, of: "recorder", saying: "No such device or address")
            #expect(result.errors.first?.components(separatedBy: out).count == 2, "\(result.errors)")
        }
    }

    @Test("--input chooses a source by its UID; one that is not there is 66, with those that are")
    func inputs() async throws {
        let folder = try Folder()
        let out = folder.path("out.wav")
        try await withServer(.pulseAudio, sinks: [.init(), .init(name: "second")]) { server in
            let wrong = try await run("recorder", ["--input", "gramophone", out], on: server)
            expectFailure(wrong, 66, of: "recorder", saying: "test_out.monitor")
            let tone = try await ForeignStream.start(
                on: server, playing: .tone(frequency: 1_000), role: nil, sink: "second")
            let right = try await run("recorder", ["--input", "second.monitor", "--duration", "0.5", out], on: server)
            #expect(right.exit.status == 0, "\(right.errors)")
            #expect(try contents(ofFile: out).soundRange() != nil)
            try await tone.stop()
        }
    }

    @Test("an input that gives no sound until it is stopped is 66")
    func deadInput() async throws {
        let folder = try Folder()
        let out = folder.path("out.wav")
        try await withServer(.pulseAudio) { server in
            let arguments = ["source_name=pipe", "file=\(folder.path("pipe"))"]
            _ = try await Pactl(server).loadModule("module-pipe-source", arguments)
            let recorder = try ChildProcess("recorder", ["--json", "--input", "pipe", out], on: server)
            try await recorder.event("started")
            let start = ContinuousClock.now
            try await waitUntil("a second", timeout: hangLimit) { ContinuousClock.now - start > .seconds(1.2) }
            recorder.send(SIGINT)
            let result = try await finish(recorder)
            // On a machine that is too slow for that, silence stands for it already.
            guard try seconds(ofFile: out) == 0 else { return #expect(result.exit.status == 0) }
            expectFailure(result, 66, of: "recorder", saying: "the input gives no sound")
        }
    }

    @Test("a disk that is full ends it with 1 or 73 and one line")
    func diskFull() async throws {
        let folder = try Folder()
        let out = folder.path("out.wav")
        try FileManager.default.createSymbolicLink(atPath: out, withDestinationPath: "/dev/full")
        try await withServer(.pulseAudio) { server in
            let result = try await run("recorder", ["--duration", "1", out], on: server)
            #expect([1, 73].contains(result.exit.status))
            #expect(result.errors.count == 1, "\(result.errors)")
        }
    }

    @Test(
        "a disk that fills up ends it with 1, and what fits is readable",
        .enabled(if: getuid() == 0, "mounting needs root"))
    func diskFills() async throws {
        let folder = try Folder()
        let mounted = await call("/bin/mount", ["-t", "tmpfs", "-o", "size=128k", "tmpfs", folder.url.path])
        guard mounted else { return }
        let outcome = await Task { try await fill(folder.path("out.wav")) }.result
        _ = await call("/bin/umount", [folder.url.path])
        try outcome.get()
    }

    private func fill(_ out: String) async throws {
        try await withServer(.pulseAudio) { server in
            let result = try await run("recorder", ["--json", "--duration", "10", out], on: server)
            #expect(result.exit.status == 1)
            #expect(result.errors.count == 1, "\(result.errors)")
            #expect(result.order.contains("error"))
            #expect(try seconds(ofFile: out) > 0.2)
        }
    }

    private func call(_ program: String, _ arguments: [String]) async -> Bool {
        guard let process = try? ChildProcess(URL(fileURLWithPath: program), arguments) else { return false }
        return (try? await process.wait())?.status == 0
    }
}
