import AVFAudio
import HeadlessServer
import PulseClient
import TestSupport
import Testing

@Suite("When recording goes wrong", .limited)
struct RecorderFailureTests {
    /// Starts a recorder on a file of the server's folder, and waits until it has recorded for half a second.
    private func start(
        _ file: URL, on session: AVAudioSession, _ events: RecorderEvents
    ) async throws -> AVAudioRecorder {
        let recorder = try AVAudioRecorder(url: file, settings: stereoSettings, session: session)
        recorder.delegate = events
        try #require(recorder.record())
        try await recorder.wait(untilTime: 1)
        return recorder
    }

    @Test("More channels than a server carries: false, the delegate learns why, and the file stays as it was")
    func tooManyChannels() async throws {
        try await withServer(.pipeWire) { server in
            let session = try await server.recordingSession()
            let file = server.file("a.wav")
            try Data("kept".utf8).write(to: file)
            for channels in [33, 64] {
                let settings: [String: Any] = [AVNumberOfChannelsKey: channels]
                let recorder = try AVAudioRecorder(url: file, settings: settings, session: session)
                let events = RecorderEvents()
                recorder.delegate = events
                #expect(!recorder.record())
                try await waitUntil("the reason") { !events.errors.isEmpty }
                #expect(events.errors.first?.localizedDescription.contains("\(channels) channels") == true)
            }
            #expect(try Data(contentsOf: file) == Data("kept".utf8))
        }
    }

    @Test("A file that cannot be made: prepareToRecord is false, and the delegate learns why")
    func unwritable() async throws {
        try await withServer(.pulseAudio) { server in
            let session = try await server.recordingSession()
            try FileManager.default.createDirectory(at: server.file("folder.wav"), withIntermediateDirectories: false)
            let cases: [(URL, Int32)] = [
                (server.file("missing/a.wav"), ENOENT), (URL(fileURLWithPath: "/proc/a.wav"), ENOENT),
                (server.file("folder.wav"), EISDIR), (URL(fileURLWithPath: "/dev/full"), ENOSPC),
            ]
            for (url, number) in cases {
                let recorder = try AVAudioRecorder(url: url, settings: [:], session: session)
                let events = RecorderEvents()
                recorder.delegate = events
                #expect(!recorder.prepareToRecord(), "\(url.path)")
                try await waitUntil("the reason") { !events.errors.isEmpty }
                let error = try #require(events.errors.first)
                #expect(error.domain == NSOSStatusErrorDomain)
                let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
                #expect(cause?.domain == NSPOSIXErrorDomain)
                #expect(cause?.code == Int(number), "\(url.path): \(error)")
                #expect(error.localizedDescription.contains(url.path))
                #expect(events.finished == [])
                #expect(!recorder.record())
            }
            #expect(try await Pactl(server).sourceOutputs().isEmpty)
        }
    }

    @Test(
        "The server is killed: an error, DidFinish(false), and all that was recorded",
        arguments: HeadlessServer.Kind.allCases)
    func serverKilled(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let session = try await server.recordingSession()
            let told = SessionEvents(of: session)
            for name in ["a.wav", "a.flac"] {
                let events = RecorderEvents()
                if name == "a.flac" {
                    try await offPool { try server.restart() }
                    try await waitUntil("the server's return") { told.all.contains(.reset) }
                    try session.setCategory(.playAndRecord)
                }
                let recorder = try await start(server.file(name), on: session, events)
                server.kill()
                try await events.waitForFinish()
                #expect(events.finished == [false])
                #expect(events.errors.map(\.code) == [AVAudioSession.ErrorCode.mediaServicesFailed.rawValue])
                #expect(!recorder.isRecording)
                #expect(!recorder.record())
                recorder.stop()
                #expect(try DecodedFile(recorder.url).seconds >= 0.5)
                #expect(events.finished == [false])
            }
        }
    }

    @Test(
        "A file that is removed while it is recorded into: an error, DidFinish(false); one that is renamed is no error",
        arguments: ["a.flac"])
    func removed(name: String) async throws {
        try await withServer(.pulseAudio) { server in
            let session = try await server.recordingSession()
            let events = RecorderEvents()
            let recorder = try await start(server.file(name), on: session, events)
            try FileManager.default.removeItem(at: recorder.url)
            // Nobody stops it: what goes nowhere is not gone on with.
            try await events.waitForFinish()
            #expect(events.finished == [false] && events.errors.count == 1)
            #expect(events.errors.first?.localizedDescription.contains("was removed") == true, "\(events.errors)")
            #expect(!recorder.isRecording)
            for isStopped in [true, false] {
                let others = RecorderEvents()
                let other = try await start(server.file("other-\(name)"), on: session, others)
                if isStopped {
                    try FileManager.default.removeItem(at: other.url)
                } else {
                    try FileManager.default.moveItem(at: other.url, to: server.file("moved-\(name)"))
                }
                other.stop()
                try await others.waitForFinish()
                #expect(others.finished == [!isStopped] && others.errors.count == (isStopped ? 1 : 0))
            }
            #expect(try DecodedFile(server.file("moved-\(name)")).seconds >= 0.9)
        }
    }

    @Test("A take that the app itself removes when it has stopped was recorded successfully")
    func removedAfterwards() async throws {
        try await withServer(.pulseAudio) { server in
            let session = try await server.recordingSession()
            for round in 1...10 {
                let events = RecorderEvents()
                let recorder = try AVAudioRecorder(
                    url: server.file("a.wav"), settings: stereoSettings, session: session)
                recorder.delegate = events
                #expect(recorder.record())
                recorder.stop()
                #expect(recorder.deleteRecording())
                try await events.waitForFinish()
                #expect(events.finished == [true] && events.errors.isEmpty, "\(round): \(events.errors)")
            }
        }
    }

    @Test("A server that does not answer any more: stop returns, and the file is whole", .judges(.time(seconds: 2.5)))
    func serverFrozen() async throws {
        try await withServer(.pulseAudio) { server in
            let session = try await server.recordingSession()
            let events = RecorderEvents()
            let recorder = try await start(server.file("a.wav"), on: session, events)
            server.suspendProcess()
            defer { server.resumeProcess() }
            let clock = ContinuousClock.now
            recorder.stop()
            #expect(ContinuousClock.now - clock < .seconds(2.5))
            #expect(try DecodedFile(recorder.url).seconds >= 0.5)
            try await events.waitForFinish()
            #expect(events.finished == [true])
        }
    }

    @Test(
        "The stream is killed from a mixer: an error, DidFinish(false), a whole file; and a new take works",
        arguments: HeadlessServer.Kind.allCases)
    func streamKilled(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let session = try await server.recordingSession()
            let events = RecorderEvents()
            let recorder = try await start(server.file("a.flac"), on: session, events)
            let stream = try #require(try await Pactl(server).sourceOutputs().first)
            // pipewire-pulse forgets the wish of a client that leaves at once.
            let mixer = try await server.mixer()
            try await mixer.killSourceOutput(at: UInt32(stream.index))
            try await events.waitForFinish()
            withExtendedLifetime(mixer) {}
            #expect(events.finished == [false])
            #expect(events.errors.count == 1)
            #expect(!recorder.isRecording)
            #expect(try DecodedFile(recorder.url).seconds >= 0.5)
            #expect(recorder.record(forDuration: 0.2))
            try await waitUntil("the second end") { events.finished.count == 2 }
            #expect(events.finished == [false, true])
            #expect(try DecodedFile(recorder.url).frames == 8_820)
        }
    }

    @Test("S51: the source disappears: the recording goes on with the next one, in the same file")
    func sourceRemoved() async throws {
        try await withServer(.pulseAudio) { server in
            let session = try await server.recordingSession()
            let pactl = Pactl(server)
            let first = try await pactl.loadModule("module-null-sink", ["sink_name=first", "norewinds=1"])
            let input = try #require(session.availableInputs?.first { $0.uid == "first.monitor" })
            try session.setPreferredInput(input)
            let events = RecorderEvents()
            let recorder = try await start(server.file("a.wav"), on: session, events)
            try await pactl.unloadModule(first)
            try await recorder.wait(untilTime: recorder.currentTime + 1)
            #expect(recorder.isRecording)
            #expect(events.finished == [])
            let time = recorder.currentTime
            recorder.stop()
            #expect(try DecodedFile(recorder.url).seconds >= time)
            try await events.waitForFinish()
            #expect(events.finished == [true])
        }
    }

    @Test("The last source disappears: an error, DidFinish(false), a whole file")
    func lastSourceRemoved() async throws {
        try await withServer(.pulseAudio) { server in
            let session = try await server.recordingSession()
            let events = RecorderEvents()
            let recorder = try await start(server.file("a.wav"), on: session, events)
            try await Pactl(server).run("unload-module", "module-null-sink")
            try await events.waitForFinish()
            #expect(events.finished == [false])
            #expect(try DecodedFile(recorder.url).seconds >= 0.5)
            #expect(!recorder.record())
        }
    }

    @Test(
        "The program is killed: what was recorded up to a second before can be played",
        arguments: ["wav", "caf", "aiff", "flac"])
    func programKilled(type: String) async throws {
        try await withServer(.pulseAudio) { server in
            let file = server.file("a." + type)
            let program = try ChildProcess("recorder", ["--json", file.path], on: server)
            let progress = try await program.event("progress") { ($0.number("position") ?? 0) >= 2 }
            program.send(SIGKILL)
            try await program.wait()
            #expect(try DecodedFile(file).seconds > (progress.number("position") ?? 0) - 1)
        }
    }

    @Test(
        "The disk is full: an error, DidFinish(false), and what was written opens",
        .enabled(if: SmallDisk.isPossible, "mounting needs root"))
    func diskFull() async throws {
        try await withServer(.pulseAudio) { server in
            let session = try await server.recordingSession()
            let disk = try SmallDisk(at: server.file("disk"), kilobytes: 256)
            defer { disk.unmount() }
            // 256 KiB are 1.5 s of this.
            for name in ["a.wav", "a.caf", "a.aiff"] {
                let events = RecorderEvents()
                let recorder = try AVAudioRecorder(
                    url: server.file("disk/\(name)"), settings: stereoSettings, session: session)
                recorder.delegate = events
                #expect(recorder.record())
                try await events.waitForFinish()
                #expect(events.finished == [false])
                let cause = events.errors.first?.userInfo[NSUnderlyingErrorKey] as? NSError
                #expect(cause?.code == Int(ENOSPC))
                #expect(events.errors.count == 1)
                #expect(!recorder.isRecording)
                #expect(try DecodedFile(recorder.url).seconds > 1, "\(name)")
                #expect(recorder.deleteRecording())
            }
        }
    }
}

extension HeadlessServer {
    /// A connection of its own, as a volume control has one.
    func mixer() async throws -> PulseConnection {
        let connection = try PulseConnection(name: "mixer")
        try await connection.connect(to: address, timeout: .seconds(5))
        return connection
    }
}
