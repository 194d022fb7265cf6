import AudioHost
import Foundation
import HeadlessServer
import SessionPolicy
import TestSupport
import Testing

@testable import AVFAudio

/// What an engine takes in on a server, where a tone of another program is the microphone's sound.
@Suite("AVAudioEngine on a microphone", .serialized, .limited)
struct EngineCaptureTests {
    /// Two sinks; the monitor of the first one is the microphone, the second one the loudspeaker.
    private static func sinks(_ kind: HeadlessServer.Kind) -> [HeadlessServer.NullSink] {
        ["desk", "hall"].map { .init(name: $0, rate: kind.sink.rate, format: kind.sink.format) }
    }

    private func with(
        _ kind: HeadlessServer.Kind, _ category: AVAudioSession.Category = .record,
        microphone: (any MicrophonePermission)? = nil,
        _ body: (HeadlessServer, AVAudioSession) async throws -> Void
    ) async throws {
        try await withServer(kind, sinks: Self.sinks(kind)) { server in
            let pactl = Pactl(server)
            try await pactl.setDefault(sink: "hall")
            try await waitUntil("the source", timeout: hangLimit) {
                try await pactl.sources().contains { $0.name == "desk.monitor" }
            }
            try await pactl.setDefault(source: "desk.monitor")
            let session = AVAudioSession(server: server.address, meetsDesktop: false, microphone: microphone)
            try session.setCategory(category)
            let tone = try await server.tone(1_000, sink: "desk")
            try await body(server, session)
            try await tone.stop()
        }
    }

    private func captures(_ server: HeadlessServer) async throws -> Int {
        try await Pactl(server).sourceOutputs().count { $0.processID == getpid() }
    }

    /// Waits until the newest tenth of a second has the tone; PipeWire mixes a stereo tone louder into one channel, by
    /// 3 dB.
    private func hears(_ captured: Captured, rate: Int) async throws {
        let before = captured.samples.count
        func level() -> Double { captured.last(rate / 10, rate: rate).level(ofFrequency: 1_000) }
        do {
            try await waitUntil("the tone in a tap", timeout: hangLimit) {
                captured.samples.count > before + rate / 5 && abs(level() + 10.5) < 2.5
            }
        } catch {
            let news = "\(captured.samples.count - before) frames, the last ones at \(level()) dBFS"
            throw SupportError("\(error): \(news), \(captured.formats)")
        }
    }

    @Test(
        "E55, E72, E138: a tap, or a sink, alone makes an engine run, without an output stream; the microphone is open for as long",
        arguments: HeadlessServer.Kind.allCases)
    func alone(kind: HeadlessServer.Kind) async throws {
        try await with(kind) { server, session in
            let engine = AVAudioEngine(session: session)
            let (input, captured, sunk) = (engine.inputNode, Captured(), Captured())
            #expect(input.inputFormat(forBus: 0) == (try EngineBench.format(Double(kind.sink.rate), 2)))
            try engine.start()
            #expect(engine.isRunning)
            #expect(try await captures(server) == 0)
            captured.tap(input)
            try await hears(captured, rate: kind.sink.rate)
            #expect(try await captures(server) == 1)
            #expect(try await Pactl(server).sinkInputs(of: getpid()).isEmpty)
            input.removeTap(onBus: 0)
            try await waitUntil("the microphone's end", timeout: hangLimit) { try await captures(server) == 0 }
            #expect(engine.isRunning)
            engine.stop()
            engine.connect(input, to: sunk.sink, format: nil)
            try engine.start()
            try await hears(sunk, rate: kind.sink.rate)
            engine.stop()
            try await waitUntil("the microphone's end", timeout: hangLimit) { try await captures(server) == 0 }
        }
    }

    @Test(
        "E54: zeros come while the permission is undecided or denied, and sound from the moment at which it is given",
        arguments: HeadlessServer.Kind.allCases)
    func permission(kind: HeadlessServer.Kind) async throws {
        let word = PermissionWord(.undetermined)
        try await with(kind, microphone: word) { _, session in
            let engine = AVAudioEngine(session: session)
            let captured = Captured()
            captured.tap(engine.inputNode)
            #expect(word.asked == 0)
            try engine.start()
            #expect(word.asked == 1)
            try await waitUntil("zeros", timeout: hangLimit) { captured.samples.count > kind.sink.rate / 2 }
            #expect(captured.samples.allSatisfy { $0 == 0 })
            word.change(to: .granted)
            try await hears(captured, rate: kind.sink.rate)
            word.change(to: .denied)
            try await waitUntil("zeros", timeout: hangLimit) {
                captured.samples.suffix(kind.sink.rate / 10).allSatisfy { $0 == 0 }
            }
            #expect(engine.isRunning)
            engine.stop()
        }
    }

    @Test(
        "E43, E46: the microphone changes its rate: removeTap, inputFormat, installTap and start in the handler go on",
        arguments: HeadlessServer.Kind.allCases)
    func changes(kind: HeadlessServer.Kind) async throws {
        let other = kind.sink.rate == 48_000 ? 44_100 : 48_000
        let sinks = [kind.sink, HeadlessServer.NullSink(name: "hall", rate: other, channels: 1)]
        try await withServer(kind, sinks: sinks) { server in
            let session = try await server.recordingSession(.record)
            let pactl = Pactl(server)
            try await pactl.setDefault(source: "\(kind.sink.name).monitor")
            let tone = try await server.tone(1_000, sink: "hall")
            let engine = AVAudioEngine(session: session)
            let (captured, told) = (Captured(), Handled())
            let observer = NotificationCenter.default.addObserver(
                forName: .AVAudioEngineConfigurationChange, object: engine, queue: nil
            ) { note in
                guard let engine = note.object as? AVAudioEngine else { return }
                let wasRunning = engine.isRunning
                engine.inputNode.removeTap(onBus: 0)
                let format = engine.inputNode.inputFormat(forBus: 0)
                captured.tap(engine.inputNode, format)
                try? engine.start()
                told.note("\(wasRunning) \(Int(format.sampleRate)) \(format.channelCount) \(engine.isRunning)")
            }
            defer { NotificationCenter.default.removeObserver(observer) }
            captured.tap(engine.inputNode)
            try engine.start()
            try await waitUntil("some sound", timeout: hangLimit) { !captured.formats.isEmpty }
            try await pactl.setDefault(source: "hall.monitor")
            #expect(try await told.first(1) == ["false \(other) 1 true"])
            try await hears(captured, rate: other)
            #expect(captured.formats == ["\(kind.sink.rate) 2", "\(other) 1"] && told.all.count == 1)
            engine.stop()
            try await tone.stop()
        }
    }

    @Test(
        "E52, E64: a microphone that is led to the output is heard there at the mixer's volume, and for seconds without a gap",
        .judges(.gap(frames: 22)), arguments: HeadlessServer.Kind.allCases)
    func led(kind: HeadlessServer.Kind) async throws {
        try await with(kind, .playAndRecord) { server, session in
            let engine = AVAudioEngine(session: session)
            engine.connect(engine.inputNode, to: engine.mainMixerNode, format: nil)
            engine.mainMixerNode.outputVolume = 0.5
            let monitor = try await MonitorRecording.start(on: server, sink: Self.sinks(kind)[1])
            try engine.start()
            try await monitor.waitForSound()
            // A delivery that is late makes a gap: more waits after that, so that such gaps end.
            var gaps: [Int] = []
            repeat {
                let first = monitor.frames
                try await monitor.wait(seconds: 3)
                let heard = monitor.soFar(from: first)
                // The pitch moves until the difference of the clocks is found, so no level of one frequency is judged.
                let peak = 20 * log10(heard.channels[0].map(abs).max() ?? 0)
                #expect(abs(peak + 18) < 1, "\(peak) dBFS")
                gaps.append(heard.channels[0].split { abs($0) > 0.02 }.map(\.count).max() ?? 0)
                // Half a period of silence would be 22 frames.
            } while gaps.last ?? 0 >= 22 && gaps.count < 10
            #expect(gaps.last ?? 0 < 22, "\(gaps) frames")
            engine.stop()
            _ = try await monitor.stop()
        }
    }

    @Test(
        "E57, E60: a call and the loss of the server stop an engine that takes in, and it can be started again",
        arguments: HeadlessServer.Kind.allCases)
    func stopped(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [kind.sink]) { server in
            let session = try await server.recordingSession(.record)
            let engine = AVAudioEngine(session: session)
            let captured = Captured()
            captured.tap(engine.inputNode)
            let events = SessionEvents(of: session)
            try engine.start()
            try await waitUntil("frames", timeout: hangLimit) { captured.samples.count > 4_800 }
            let call = try await ForeignStream.start(on: server, role: "phone")
            try await events.wait(for: [.began], timeout: hangLimit)
            #expect(!engine.isRunning)
            try await call.stop()
            try await events.wait(for: [.began, .ended(shouldResume: true)], timeout: hangLimit)
            var before = captured.samples.count
            try engine.start()
            try await waitUntil("frames", timeout: hangLimit) { captured.samples.count > before + 4_800 }
            server.kill()
            try await events.wait(for: [.began, .ended(shouldResume: true), .lost], timeout: hangLimit)
            #expect(!engine.isRunning)
            #expect(throws: (any Error).self) { try engine.start() }
            try await offPool { try server.restart() }
            try await events.wait(for: [.began, .ended(shouldResume: true), .lost, .reset], timeout: hangLimit)
            if kind == .pipeWire { try await Pactl(server).waitForDefaultSource { $0.contains(".monitor") } }
            try session.setCategory(.record)
            before = captured.samples.count
            try engine.start()
            try await waitUntil("frames", timeout: hangLimit) { captured.samples.count > before + 4_800 }
            engine.stop()
        }
    }
}
