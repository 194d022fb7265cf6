import AVFAudio
import Foundation
import HeadlessServer
import Locks
import TestSupport
import Testing

/// What an engine is on a server, where sound is judged by its sink's monitor.
@Suite("AVAudioEngine on a device", .serialized, .limited)
struct EngineDeviceTests {
    /// An engine that plays a tone at −12 dBFS.
    private static func tone(
        _ frequency: Double = 500, in session: AVAudioSession, rate: Int
    ) throws -> AVAudioEngine {
        let engine = AVAudioEngine(session: session)
        let source = EngineBench.node { _, frame in
            AVFAudioTests.tone(frequency, frame, amplitude: 0.25, rate: Double(rate))
        }
        engine.attach(source)
        engine.connect(source, to: engine.mainMixerNode, format: try EngineBench.format(Double(rate), 2))
        return engine
    }

    /// Waits until tones of these frequencies, and none of 3 kHz, are heard from now on.
    private static func hears(_ frequencies: [Double], _ monitor: MonitorRecording) async throws {
        try await waitUntil("tones of \(frequencies) Hz", timeout: hangLimit) {
            let first = monitor.frames
            try await monitor.wait(seconds: 0.1)
            let heard = monitor.soFar(from: first)
            return frequencies.allSatisfy { heard.level(ofFrequency: $0, channel: 0) > -20 }
                && heard.level(ofFrequency: 3000, channel: 0) < -40
        }
    }

    @Test(
        "E38, E50, E59, E63: engines are heard beside players, in the device's format, and are muted and end with the session",
        arguments: HeadlessServer.Kind.allCases)
    func heard(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let engine = try Self.tone(in: lab.session, rate: lab.rate)
            #expect(engine.outputNode.outputFormat(forBus: 0) == (try EngineBench.format(Double(lab.rate), 2)))
            try engine.start()
            #expect(engine.isRunning)
            try await Self.hears([500], lab.monitor)
            try lab.session.setOutputMuted(true)
            try await lab.monitor.waitForSilence(from: lab.monitor.frames)
            #expect(engine.isRunning)
            try lab.session.setOutputMuted(false)
            try await Self.hears([500], lab.monitor)
            #expect(throws: (any Error).self) { try lab.session.setActive(false) }
            #expect(!engine.isRunning)
            try await lab.monitor.waitForSilence(from: lab.monitor.frames)
            let other = try Self.tone(900, in: lab.session, rate: lab.rate)
            let player = try lab.player(lab.sine(1500, seconds: 30))
            #expect(player.play())
            try engine.start()
            try other.start()
            try await Self.hears([500, 900, 1500], lab.monitor)
            engine.stop()
            #expect(!engine.isRunning && other.isRunning && player.isPlaying)
            try await Self.hears([900, 1500], lab.monitor)
            other.stop()
            player.stop()
            try await lab.monitor.waitForSilence(from: lab.monitor.frames)
        }
    }

    /// Whether the kernel lets this user raise a thread's priority.
    private static let raisesPriorities: Bool = {
        let answer = DispatchSemaphore(value: 0)
        let isGranted = Guarded(false)
        Thread.detachNewThread {
            isGranted.withLock { $0 = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, -11) == 0 }
            answer.signal()
        }
        answer.wait()
        return isGranted.withLock { $0 }
    }()

    @Test(
        "Blocks are rendered with the priority of the sound's own thread",
        .enabled(if: raisesPriorities, "needs a kernel that grants a nice value of -11 (ulimit -e 31)"),
        arguments: HeadlessServer.Kind.allCases)
    func priority(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let engine = AVAudioEngine(session: lab.session)
            let values = Guarded(Set<Int32>())
            let source = EngineBench.node { _, _ in
                values.withLock { _ = $0.insert(getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)) }
                return 0.25
            }
            engine.attach(source)
            engine.connect(source, to: engine.mainMixerNode, format: try EngineBench.format(Double(lab.rate), 2))
            try engine.start()
            try await lab.monitor.waitForSound()
            engine.stop()
            #expect(values.withLock { $0 } == [-11])
        }
    }

    @Test(
        "E57: a call stops the engine, and a start afterwards goes on at the very frame",
        .judges(.gap(frames: 1)), arguments: HeadlessServer.Kind.allCases)
    func call(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let engine = AVAudioEngine(session: lab.session)
            let player = AVAudioPlayerNode()
            let file = try AVAudioFile(forReading: lab.file(lab.counter(seconds: 30)))
            engine.attach(player)
            engine.connect(player, to: engine.mainMixerNode, format: file.processingFormat)
            let events = SessionEvents(of: lab.session)
            try engine.start()
            player.scheduleFile(file, at: nil)
            player.play()
            try await lab.monitor.waitForSound()
            try await lab.monitor.wait(seconds: 0.3)
            let call = try await ForeignStream.start(on: lab.server, role: "phone")
            try await events.wait(for: [.began])
            #expect(!engine.isRunning && player.isPlaying)
            try await lab.monitor.waitForSilence(from: lab.monitor.frames)
            try await call.stop()
            try await events.wait(for: [.began, .ended(shouldResume: true)])
            #expect(!engine.isRunning)
            let before = lab.monitor.frames
            try engine.start()
            try await lab.monitor.waitForSound(from: before)
            try await lab.monitor.wait(seconds: 0.3)
            engine.stop()
            let counted = try await lab.heard().counted
            #expect(breaks(in: counted) == [])
            #expect(counted.first == 1)
        }
    }

    @Test("E57: PulseAudio's own policy stops an engine without players, and its end lets it start again")
    func serverPolicy() async throws {
        try await withServer(.pulseAudio, modules: ["module-role-cork"]) { server in
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback)
            let engine = try Self.tone(in: session, rate: 44_100)
            let events = SessionEvents(of: session)
            let monitor = try await MonitorRecording.start(on: server)
            try engine.start()
            try await Self.hears([500], monitor)
            let call = try await ForeignStream.start(on: server, role: "phone")
            try await events.wait(for: [.began], timeout: hangLimit)
            #expect(!engine.isRunning)
            try await monitor.waitForSilence(from: monitor.frames)
            try await call.stop()
            try await events.wait(for: [.began, .ended(shouldResume: true)], timeout: hangLimit)
            try engine.start()
            try await Self.hears([500], monitor)
            #expect(events.all == [.began, .ended(shouldResume: true)])
            engine.stop()
            _ = try await monitor.stop()
        }
    }

    @Test(
        "S51: headphones are pulled: the engine stops, is not heard on the speakers, and can be started there",
        .judges(.gap(frames: 441)), arguments: HeadlessServer.Kind.allCases)
    func pulled(kind: HeadlessServer.Kind) async throws {
        let speakers = HeadlessServer.NullSink(name: "speakers")
        try await withServer(kind, sinks: [speakers]) { server in
            let pactl = Pactl(server)
            let headphones = try await plugHeadphones(pactl)
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback)
            let engine = try Self.tone(in: session, rate: 44_100)
            try engine.start()
            try await waitUntil("the headphones") { session.currentRoute.outputs.map(\.uid) == ["phones"] }
            let monitor = try await MonitorRecording.start(on: server, sink: speakers)
            let events = SessionEvents(of: session)
            try await pactl.unloadModule(headphones)
            try await events.wait(for: [.began], timeout: hangLimit)
            #expect(!engine.isRunning)
            try await monitor.wait(seconds: 0.2)
            let leak = monitor.soFar().soundRange(threshold: -90)?.count ?? 0
            #expect(leak <= 441, "no more than a block that the server had rendered")
            try engine.start()
            try await Self.hears([500], monitor)
            engine.stop()
            _ = try await monitor.stop()
        }
    }

    @Test(
        "E60: the loss of the server stops the engine, which starts again after its return",
        arguments: HeadlessServer.Kind.allCases)
    func serverLost(kind: HeadlessServer.Kind) async throws {
        let sink = kind.sink
        try await withServer(kind, sinks: [sink]) { server in
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback)
            let engine = try Self.tone(in: session, rate: sink.rate)
            let events = SessionEvents(of: session)
            try engine.start()
            server.kill()
            try await events.wait(for: [.lost], timeout: hangLimit)
            #expect(!engine.isRunning)
            #expect(throws: (any Error).self) { try engine.start() }
            try await offPool { try server.restart() }
            try await events.wait(for: [.lost, .reset], timeout: hangLimit)
            try session.setCategory(.playback)
            let monitor = try await MonitorRecording.start(on: server, sink: sink)
            try engine.start()
            #expect(engine.isRunning)
            try await Self.hears([500], monitor)
            engine.stop()
            _ = try await monitor.stop()
        }
    }

    @Test(
        "E26, E40, E41, E79: on another rate the engine goes on and tells it, and the next start takes it over, for taps too",
        arguments: HeadlessServer.Kind.allCases)
    func otherRate(kind: HeadlessServer.Kind) async throws {
        let sinks = [
            HeadlessServer.NullSink(name: "desk", rate: 44_100), HeadlessServer.NullSink(name: "hall", rate: 48_000),
        ]
        try await withServer(kind, sinks: sinks) { server in
            let pactl = Pactl(server)
            try await pactl.setDefault(sink: "desk")
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback)
            let engine = try Self.tone(in: session, rate: 44_100)
            let told = Handled()
            let observer = NotificationCenter.default.addObserver(
                forName: AVAudioEngine.configurationChangeNotification, object: engine, queue: nil
            ) { note in
                guard let engine = note.object as? AVAudioEngine else { return }
                told.note("\(engine.isRunning) \(engine.outputNode.outputFormat(forBus: 0).sampleRate)")
            }
            defer { NotificationCenter.default.removeObserver(observer) }
            let tapped = Handled()
            engine.mainMixerNode.installTap(onBus: 0, bufferSize: 1024, format: nil) { buffer, _ in
                tapped.note("\(buffer.format.sampleRate) \(buffer.frameLength)")
            }
            try engine.start()
            #expect(try await tapped.first(1).allSatisfy { $0 == "44100.0 1024" })
            let monitor = try await MonitorRecording.start(on: server, sink: sinks[1])
            try await pactl.setDefault(sink: "hall")
            #expect(try await told.first(1) == ["true 48000.0"])
            try await Self.hears([500], monitor)
            let streams = { try await pactl.sinkInputs(of: ProcessInfo.processInfo.processIdentifier) }
            #expect(try await streams().allSatisfy { $0.sampleSpecification.hasSuffix("44100Hz") })
            engine.stop()
            try engine.start()
            #expect(engine.mainMixerNode.outputFormat(forBus: 0).sampleRate == 48_000)
            try await Self.hears([500], monitor)
            #expect(try await streams().allSatisfy { $0.sampleSpecification.hasSuffix("48000Hz") })
            try await waitUntil("the tap") { tapped.all.last == "48000.0 1024" }
            engine.stop()
            _ = try await monitor.stop()
        }
    }
}
