import AudioFiles
import AudioSession
import HeadlessServer
import SessionPolicy
import TestSupport
import Testing

@testable import AVFAudio

@Suite("A recording whose input changes", .limited)
struct RecorderInputTests {
    private func recorder(
        _ name: String, on server: HeadlessServer, _ session: AVAudioSession, _ events: RecorderEvents
    ) throws -> AVAudioRecorder {
        let recorder = try AVAudioRecorder(url: server.file(name), settings: stereoSettings, session: session)
        recorder.delegate = events
        return recorder
    }

    /// A recorder of a source that the test can stop.
    private func pipeRecorder(on server: HeadlessServer) async throws -> (PipeSource, AVAudioRecorder, RecorderEvents) {
        try await pipeRecorder(on: server, in: server.recordingSession())
    }

    private func pipeRecorder(
        on server: HeadlessServer, in session: AVAudioSession
    ) async throws -> (PipeSource, AVAudioRecorder, RecorderEvents) {
        let pipe = PipeSource(server)
        try await pipe.load(on: server)
        try session.setPreferredInput(session.availableInputs?.first { $0.uid == "pipe" })
        let events = RecorderEvents()
        return (pipe, try recorder("a.wav", on: server, session, events), events)
    }

    /// PipeWire does not say where a stream is that does not run.
    @Test("S34: a microphone that the user muted interrupts until the recording is moved to another one, too")
    func movedFromMuted() async throws {
        let sinks = [HeadlessServer.NullSink(name: "desk"), HeadlessServer.NullSink(name: "hall")]
        try await withServer(.pulseAudio, sinks: sinks) { server in
            let session = try await server.recordingSession(.record)
            let recorder = try AVAudioRecorder(url: server.file("a.wav"), settings: stereoSettings, session: session)
            let events = RecorderEvents()
            recorder.delegate = events
            #expect(recorder.record())
            try await recorder.wait(untilTime: 0.3)
            let pactl = Pactl(server)
            let stream = try #require(try await pactl.sourceOutputs().first { $0.processID == getpid() })
            let sources = try await pactl.sources()
            let muted = try #require(sources.first { $0.index == stream.device })
            let other = try #require(sources.first { $0.index != stream.device })
            try await pactl.run("set-source-mute", muted.name, "1")
            try await waitUntil("the interruption") { events.interruptions == ["began"] }
            try await pactl.run("move-source-output", "\(stream.index)", other.name)
            try await waitUntil("its end") { events.interruptions == ["began", "ended 1"] }
        }
    }

    @Test(
        "The default source changes, and rate and channels with it: format and timing stay",
        .judges(.time(seconds: 0.05)), arguments: HeadlessServer.Kind.allCases)
    func defaultChanges(kind: HeadlessServer.Kind) async throws {
        let sinks = [
            HeadlessServer.NullSink(name: "desk"), HeadlessServer.NullSink(name: "hall", rate: 48_000, channels: 1),
        ]
        try await withServer(kind, sinks: sinks) { server in
            let session = try await server.recordingSession()
            let tones = try await (server.tone(1_000, sink: "desk"), server.tone(500, sink: "hall"))
            let events = RecorderEvents()
            let recorder = try recorder("a.wav", on: server, session, events)
            let start = recorder.deviceCurrentTime + 1
            #expect(recorder.record(atTime: start))
            try await recorder.wait(untilTime: 1.5)
            try await Pactl(server).setDefault(source: "hall.monitor")
            try await waitUntil("the other source") { events.inputChanges.contains(.moved(source: "hall.monitor")) }
            try await recorder.wait(untilTime: recorder.currentTime + 2)
            let end = recorder.deviceCurrentTime
            recorder.stop()
            let file = try DecodedFile(recorder.url)
            #expect(file.format.sampleRate == 44_100)
            #expect(file.format.channels == 2)
            #expect(abs(file.seconds - (end - start)) < 0.05, "\(file.seconds) of \(end - start) s")
            let sound = file.recording
            #expect(abs((sound.frequency(22_050..<44_100) ?? 0) - 1_000) < 1)
            let late = sound.frames - 44_100..<sound.frames - 4_410
            #expect(abs((sound.frequency(late) ?? 0) - 500) < 1)
            #expect(events.finished == [] || events.finished == [true])
            try await tones.0.stop()
            try await tones.1.stop()
        }
    }

    @Test(
        "The source is taken away and comes back: the recording goes on in time",
        .judges(.time(seconds: 0.05)), arguments: HeadlessServer.Kind.allCases)
    func sourceReturns(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let session = try await server.recordingSession()
            let pactl = Pactl(server)
            let arguments = ["sink_name=usb", "rate=44100", "norewinds=1"]
            var module = try await pactl.loadModule("module-null-sink", arguments)
            try await waitUntil("the source") { session.availableInputs?.contains { $0.uid == "usb.monitor" } == true }
            try session.setPreferredInput(session.availableInputs?.first { $0.uid == "usb.monitor" })
            let events = RecorderEvents()
            let recorder = try recorder("a.caf", on: server, session, events)
            let start = recorder.deviceCurrentTime + 1
            #expect(recorder.record(atTime: start))
            try await recorder.wait(untilTime: 1)
            try await pactl.unloadModule(module)
            try await recorder.wait(untilTime: 2)
            module = try await pactl.loadModule("module-null-sink", arguments)
            try await recorder.wait(untilTime: 3)
            #expect(recorder.isRecording)
            let end = recorder.deviceCurrentTime
            recorder.stop()
            let file = try DecodedFile(recorder.url)
            #expect(abs(file.seconds - (end - start)) < 0.05, "\(file.seconds) of \(end - start) s")
            try await events.waitForFinish()
            #expect(events.finished == [true])
            #expect(events.errors == [])
            let moved = events.inputChanges.contains { if case .moved = $0 { true } else { false } }
            #expect(moved, "\(events.inputChanges)")
        }
    }

    @Test(
        "No frames for two seconds: told once; silence stands for them, and what comes then is in time",
        .judges(.time(seconds: 0.02)))
    func hangs() async throws {
        try await withServer(.pulseAudio) { server in
            let (pipe, recorder, events) = try await pipeRecorder(on: server)
            let start = recorder.deviceCurrentTime
            #expect(recorder.record(atTime: start))
            try await recorder.wait(untilTime: 1)
            pipe.isPaused = true
            try await waitUntil("the news") { events.inputChanges.contains(.lost) }
            // Time goes on though nothing comes.
            try await recorder.wait(untilTime: 3)
            pipe.isPaused = false
            let restored = { () -> Double? in
                for case .restored(let silence) in events.inputChanges { return silence }
                return nil
            }
            try await waitUntil("the return") { restored() != nil }
            try await recorder.wait(untilTime: recorder.currentTime + 1)
            let end = recorder.deviceCurrentTime
            recorder.stop()
            #expect(events.inputChanges.count == 2, "\(events.inputChanges)")
            let silence = try #require(restored())
            #expect(silence > 2.5)
            let sound = try DecodedFile(recorder.url).recording
            #expect(abs(sound.duration - (end - start)) < 0.25, "\(sound.duration) of \(end - start) s")
            let gaps = sound.gaps(minimumFrames: 4_410)
            #expect(gaps.count == 1)
            #expect(abs(Double(gaps.first?.count ?? 0) / 44_100 - silence) < 0.02, "\(gaps) and \(silence) s")
            pipe.stop()
        }
    }

    @Test(
        "An input that hangs again, right after it came back: all sound keeps its order", .judges(.time(seconds: 0.3)))
    func hangsAgain() async throws {
        try await withServer(.pulseAudio) { server in
            let (pipe, recorder, events) = try await pipeRecorder(on: server)
            #expect(recorder.record())
            func goOn(_ seconds: Double) async throws {
                let end = recorder.deviceCurrentTime + seconds
                try await waitUntil("\(seconds) s") { recorder.deviceCurrentTime >= end }
            }
            try await recorder.wait(untilTime: 1)
            pipe.isPaused = true
            try await goOn(0.9)
            pipe.isPaused = false
            try await goOn(0.2)
            pipe.isPaused = true
            try await waitUntil("the news") { events.inputChanges.contains(.lost) }
            // Long enough for silence to be put in its place.
            try await goOn(2.5)
            pipe.isPaused = false
            try await goOn(1)
            recorder.stop()
            let gaps = try DecodedFile(recorder.url).recording.gaps(minimumFrames: 4_410)
            #expect(gaps.count == 2, "\(gaps)")
            #expect(gaps.count < 2 || abs(Double(gaps[0].count) / 44_100 - 0.9) < 0.3, "\(gaps)")
            pipe.stop()
        }
    }

    @Test("Levels of an input that hangs are those of the silence that stands for it")
    func levelsOfHanging() async throws {
        try await withServer(.pulseAudio) { server in
            let (pipe, recorder, events) = try await pipeRecorder(on: server)
            recorder.isMeteringEnabled = true
            #expect(recorder.record())
            try await recorder.wait(untilTime: 0.5)
            recorder.updateMeters()
            #expect(recorder.peakPower(forChannel: 0) > -30)
            pipe.isPaused = true
            try await waitUntil("the news") { events.inputChanges.contains(.lost) }
            recorder.updateMeters()
            try await recorder.wait(untilTime: recorder.currentTime + 1)
            recorder.updateMeters()
            for channel in 0...1 {
                #expect(recorder.peakPower(forChannel: channel) == -160)
                #expect(recorder.averagePower(forChannel: channel) == -160)
            }
            recorder.stop()
            pipe.stop()
        }
    }

    @Test("A session that ends while record() waits for the last frames of before is not recorded in")
    func endsWhileAwaited() async throws {
        try await withServer(.pulseAudio) { server in
            let session = try await server.recordingSession()
            let (pipe, recorder, _) = try await pipeRecorder(on: server, in: session)
            try session.setActive(true)
            #expect(recorder.record())
            try await recorder.wait(untilTime: 0.5)
            // What was heard last does not come, and is waited for.
            pipe.isPaused = true
            let end = recorder.deviceCurrentTime + 0.2
            try await waitUntil("the hole") { recorder.deviceCurrentTime > end }
            #expect(throws: NSError.self) { try session.setActive(false) }
            let beginning = Task { try await offPool { recorder.record() } }
            try await waitUntil("the session") { session.core.standing == .active }
            try? session.setActive(false)
            let isRecording = try await beginning.value
            #expect(recorder.isRecording == isRecording)
            #expect(!isRecording || session.core.standing == .active)
            recorder.stop()
            pipe.stop()
        }
    }

    @Test(
        "channelAssignments: of an input whose channels have no places but numbers, those are recorded",
        arguments: HeadlessServer.Kind.allCases)
    func numberedChannels(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [.init(name: "desk", rate: 48_000, channels: 8)]) { server in
            let session = try await server.recordingSession()
            let tones = [500.0, 2_000].map { TestSignal.sine(frequency: $0, seconds: 10, sampleRate: 48_000) }
            let samples = (0..<tones[0].frames).flatMap { [tones[0].samples[2 * $0], tones[1].samples[2 * $0]] }
            let wave = try TestSignal(samples: samples, sampleRate: 48_000).writeWAV(to: server.file("tones.wav"))
            let player = try AVAudioPlayer(contentsOf: wave, session: session)
            try session.setActive(true)
            player.channelAssignments = session.currentRoute.outputs.first?.channels.map { [$0[2], $0[5]] }
            #expect(player.play())
            let settings: [String: Any] = [AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 2]
            let recorder = try AVAudioRecorder(url: server.file("a.wav"), settings: settings, session: session)
            recorder.channelAssignments = session.currentRoute.inputs.first?.channels.map { [$0[5], $0[2]] }
            #expect(recorder.channelAssignments?.count == 2)
            #expect(recorder.record())
            try await recorder.wait(untilTime: 1.5)
            recorder.stop()
            let sound = try DecodedFile(recorder.url).recording
            let late = sound.frames - 24_000..<sound.frames
            #expect(abs((sound.frequency(late, channel: 0) ?? 0) - 2_000) < 1)
            #expect(abs((sound.frequency(late, channel: 1) ?? 0) - 500) < 1)
        }
    }

    @Test("A recording that ends while its input is dead is as long as it was meant to be")
    func endsDead() async throws {
        try await withServer(.pulseAudio) { server in
            let (pipe, recorder, events) = try await pipeRecorder(on: server)
            #expect(recorder.record(forDuration: 4))
            try await recorder.wait(untilTime: 1)
            pipe.isPaused = true
            try await events.waitForFinish()
            #expect(events.finished == [true])
            #expect(events.inputChanges == [.lost])
            let file = try DecodedFile(recorder.url)
            #expect(file.frames == 4 * 44_100)
            pipe.stop()
        }
    }

    @Test(
        "Nothing but zeros for two seconds: told once, and once more when there is sound",
        arguments: HeadlessServer.Kind.allCases)
    func flat(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let session = try await server.recordingSession()
            let events = RecorderEvents()
            let recorder = try recorder("a.wav", on: server, session, events)
            #expect(recorder.record())
            try await recorder.wait(untilTime: 1.8)
            #expect(events.inputChanges == [])
            try await waitUntil("the news") { events.inputChanges == [.flat] }
            let tone = try await server.tone(1_000)
            try await waitUntil("the sound") { events.inputChanges == [.flat, .restored(silence: 0)] }
            recorder.stop()
            try await tone.stop()
        }
    }

    @Test(
        "currentTime never goes back, also while it is found out what a server that stopped has lost",
        arguments: HeadlessServer.Kind.allCases)
    func timeNeverGoesBack(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let session = try await server.recordingSession()
            let recorder = try recorder("a.wav", on: server, session, RecorderEvents())
            #expect(recorder.record())
            var last = 0.0
            func watch(until goal: Double) async throws {
                try await waitUntil("\(goal) s") {
                    let time = recorder.currentTime
                    #expect(time >= last)
                    last = time
                    return recorder.deviceCurrentTime >= goal
                }
            }
            try await recorder.wait(untilTime: 1)
            server.suspendProcess()
            try await watch(until: recorder.deviceCurrentTime + 1)
            server.resumeProcess()
            try await watch(until: recorder.deviceCurrentTime + 1.5)
            recorder.pause()
            let end = recorder.currentTime
            recorder.stop()
            #expect(try abs(DecodedFile(recorder.url).seconds - end) < 0.000_1)
        }
    }

    @Test("A server that stops for a while and then hands over everything at once: nothing is put in between")
    func frozenServer() async throws {
        try await withServer(.pulseAudio) { server in
            let session = try await server.recordingSession()
            let events = RecorderEvents()
            let recorder = try recorder("a.wav", on: server, session, events)
            #expect(recorder.record())
            try await recorder.wait(untilTime: 1)
            server.suspendProcess()
            let goal = recorder.deviceCurrentTime + 2.5
            try await waitUntil("the stall") { recorder.deviceCurrentTime >= goal }
            server.resumeProcess()
            try await recorder.wait(untilTime: 5)
            recorder.stop()
            let changes = events.inputChanges.filter { $0 != .flat && $0 != .lost }
            for case .restored(let silence) in changes { #expect(silence < 0.05) }
        }
    }
}

/// A source that gives what is written into a FIFO: a tone, as fast as it sounds.
// SAFETY: `paused` and `stopped` are guarded by `lock`.
private final class PipeSource: @unchecked Sendable {
    private let path: String
    private let lock = NSLock()
    private var paused = false
    private var stopped = false

    init(_ server: HeadlessServer) { path = server.file("pipe").path }

    var isPaused: Bool {
        get { lock.withLock { paused } }
        set { lock.withLock { paused = newValue } }
    }

    func stop() { lock.withLock { stopped = true } }

    /// Makes the source, and begins to feed it.
    func load(on server: HeadlessServer) async throws {
        let arguments = ["source_name=pipe", "file=\(path)", "format=s16le", "rate=44100", "channels=2"]
        _ = try await Pactl(server).loadModule("module-pipe-source", arguments)
        // For reading too: a server that is gone is no signal then; and what nobody reads is not waited for.
        let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        try #require(descriptor >= 0)
        Thread.detachNewThread { [self] in feed(descriptor) }
    }

    private func feed(_ descriptor: Int32) {
        let piece = TestSignal.sine(frequency: 1_000, seconds: 0.01).rawData
        var due = DispatchTime.now().uptimeNanoseconds
        while !lock.withLock({ stopped }) {
            due += 10_000_000
            let now = DispatchTime.now().uptimeNanoseconds
            // A microphone gives its sound when it is due: this wait is the source's clock, and no test waits by it.
            if due > now { usleep(UInt32((due - now) / 1_000)) }
            if isPaused { continue }
            piece.withUnsafeBytes { _ = write(descriptor, $0.baseAddress, $0.count) }
        }
        close(descriptor)
    }

    deinit { stop() }
}
