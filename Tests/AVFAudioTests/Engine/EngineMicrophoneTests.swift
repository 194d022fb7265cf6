import AudioHost
import AudioSession
import Foundation
import Locks
import ScriptedHost
import SessionPolicy
import TestSupport
import Testing

@testable import AVFAudio

/// The desktop's word on the permission to record, as a test gives it.
final class PermissionWord: MicrophonePermission {
    private struct State {
        var permission: MicrophoneFacts.Permission
        var handlers: [@Sendable () -> Void] = []
        var asked = 0
    }

    private let state: Guarded<State>

    init(_ permission: MicrophoneFacts.Permission) { state = Guarded(State(permission: permission)) }

    /// How often a recording began.
    var asked: Int { state.withLock { $0.asked } }
    var permission: MicrophoneFacts.Permission { state.withLock { $0.permission } }
    var isSilencing: Bool { permission != .granted }

    func change(to permission: MicrophoneFacts.Permission) {
        let handlers = state.withLock { state in
            state.permission = permission
            return state.handlers
        }
        for handler in handlers { handler() }
    }

    func prepare() {}
    func observe(_ handler: @escaping @Sendable () -> Void) { state.withLock { $0.handlers.append(handler) } }
    func recordingBegins() { state.withLock { $0.asked += 1 } }
    func request(_ completion: @escaping @Sendable (Bool) -> Void) { completion(permission == .granted) }
}

/// What a tap or a sink got.
final class Captured: Sendable {
    private let state = Guarded<(samples: [Float], formats: [String], times: [Int])>(([], [], []))

    /// The first channel.
    var samples: [Float] { state.withLock { $0.samples } }
    /// The formats of the buffers, each one once in a row.
    var formats: [String] { state.withLock { $0.formats } }
    var times: [Int] { state.withLock { $0.times } }

    func tap(_ node: AVAudioNode, _ format: AVAudioFormat? = nil, size: AVAudioFrameCount = 480) {
        node.installTap(onBus: 0, bufferSize: size, format: format) { [self] buffer, when in
            let name = "\(Int(buffer.format.sampleRate)) \(buffer.format.channelCount)"
            let samples: [Float]
            if let data = buffer.floatChannelData {
                samples = Array(UnsafeBufferPointer(start: data[0], count: Int(buffer.frameLength)))
            } else if let data = buffer.int16ChannelData {
                samples = (0..<Int(buffer.frameLength)).map { Float(data[0][$0 * buffer.stride]) / 32_768 }
            } else {
                samples = []
            }
            state.withLock { state in
                state.samples += samples
                state.times.append(Int(when.sampleTime))
                if state.formats.last != name { state.formats.append(name) }
            }
        }
    }

    var sink: AVAudioSinkNode {
        AVAudioSinkNode { [self] stamp, frames, list in
            let buffers = UnsafeMutableAudioBufferListPointer(UnsafeMutablePointer(mutating: list))
            let samples = Array(UnsafeMutableBufferPointer<Float>(buffers[0]))
            state.withLock { state in
                state.samples += samples
                state.times.append(Int(stamp.pointee.mSampleTime))
            }
            return noErr
        }
    }

    /// The last samples as a recording.
    func last(_ frames: Int, rate: Int) -> Recording {
        Recording(float: samples.suffix(frames), sampleRate: rate, channels: 1)
    }
}

/// The input node and its session, on a host whose time passes as a test lets it.
@Suite("AVAudioEngine and the microphone", .limited)
struct EngineMicrophoneTests {
    private static func device(_ rate: Int, _ channels: Int) -> HardwareFacts.Device {
        .init(rate: rate, channels: channels, latency: 0.03, buffer: 0.01, volume: 1)
    }

    /// Runs `body` with an engine, in a session with a microphone of 48 kHz in mono.
    private func with(
        _ category: AVAudioSession.Category = .record, _ word: PermissionWord? = nil,
        _ body: (ScriptedLab, AVAudioEngine) async throws -> Void
    ) async throws {
        try await ScriptedLab.with(category, microphone: word) { lab in
            lab.host.answer { $0.hardware.input = Self.device(48_000, 1) }
            try await body(lab, AVAudioEngine(session: lab.session))
        }
    }

    private func opened(_ lab: ScriptedLab) -> [String] { lab.host.log.filter { $0.hasPrefix("open") } }

    private func isNone(_ format: AVAudioFormat) -> Bool { format.sampleRate == 0 && format.channelCount == 0 }

    /// The code of what the session refuses.
    private func sessionCode(_ body: () throws -> Void) -> Int? {
        do { try body() } catch let error as NSError {
            return error.domain == NSOSStatusErrorDomain && !error.localizedDescription.isEmpty ? error.code : nil
        }
        return 0
    }

    @Test(
        "E51, E54: the input has the device's format, and none where the category does not record; reading it opens nothing"
    )
    func formats() async throws {
        try await with { lab, engine in
            let input = engine.inputNode
            #expect(input.inputFormat(forBus: 0) == (try EngineBench.format(48_000, 1)))
            #expect(input.outputFormat(forBus: 0) == (try EngineBench.format(48_000, 1)))
            #expect(input.presentationLatency == 0.03)
            #expect(opened(lab).isEmpty && lab.host.log.allSatisfy { !$0.hasPrefix("activate") })
            try lab.session.setCategory(.playback)
            #expect(isNone(input.inputFormat(forBus: 0)) && isNone(input.outputFormat(forBus: 0)))
        }
    }

    @Test("E52: without a microphone both formats are 0 Hz, and a start throws only if something uses the input")
    func noMicrophone() async throws {
        try await with(.playAndRecord) { lab, engine in
            lab.host.answer { $0.hardware.input = nil }
            let input = engine.inputNode
            #expect(isNone(input.inputFormat(forBus: 0)) && isNone(input.outputFormat(forBus: 0)))
            _ = engine.mainMixerNode
            try engine.start()
            #expect(engine.isRunning)
            engine.stop()
            let captured = Captured()
            // A format of 0 Hz is that of no device, and ends no program.
            captured.tap(input, input.outputFormat(forBus: 0))
            #expect(sessionCode { try engine.start() } == 561_145_187 && !engine.isRunning)
            input.removeTap(onBus: 0)
            engine.connect(input, to: engine.mainMixerNode, format: input.outputFormat(forBus: 0))
            #expect(sessionCode { try engine.start() } == 561_145_187 && !engine.isRunning)
            lab.host.answer { $0.hardware.input = Self.device(44_100, 2) }
            try engine.start()
            #expect(engine.isRunning && opened(lab).last == "openCapture 2 × 44100 Hz")
            #expect(input.outputFormat(forBus: 0) == (try EngineBench.format(44_100, 2)))
            engine.stop()
        }
    }

    @Test(
        "E56: in a category that does not record a used input makes a start throw, and an unused one does not",
        arguments: [AVAudioSession.Category.playback, .ambient, .soloAmbient])
    func doesNotRecord(category: AVAudioSession.Category) async throws {
        try await with(category) { lab, engine in
            let input = engine.inputNode
            _ = engine.mainMixerNode
            try engine.start()
            engine.stop()
            Captured().tap(input)
            #expect(EngineBench.code { try engine.start() } == -10875 && !engine.isRunning)
            input.removeTap(onBus: 0)
            engine.connect(input, to: Captured().sink, format: nil)
            #expect(EngineBench.code { try engine.start() } == -10875)
            engine.disconnectNodeOutput(input)
            try engine.start()
            #expect(engine.isRunning && opened(lab).allSatisfy { !$0.hasPrefix("openCapture") })
            engine.stop()
        }
    }

    @Test(
        "E33, E72: a tap on the input alone is enough, in a category without output, and beside a mixer that nothing leads to"
    )
    func tapAlone() async throws {
        try await with { lab, engine in
            #expect(EngineBench.code { try engine.start() } == -10875)
            let captured = Captured()
            captured.tap(engine.inputNode)
            try engine.start()
            #expect(engine.isRunning && opened(lab) == ["openCapture 1 × 48000 Hz"])
            lab.host.answer { $0.sound = { sin(2 * .pi * 1000 * $0) / 2 } }
            try await lab.pass(seconds: 1)
            try await waitUntil("a second") { captured.samples.count == 48_000 }
            #expect(
                captured.formats == ["48000 1"] && captured.times == stride(from: 0, to: 48_000, by: 480).map { $0 })
            #expect(abs(captured.last(24_000, rate: 48_000).level(ofFrequency: 1000) + 6) < 0.1)
            let time = try #require(engine.inputNode.lastRenderTime)
            #expect(time.isHostTimeValid && (40_000..<48_000).contains(time.sampleTime))
            engine.stop()
            _ = engine.mainMixerNode
            try engine.start()
            #expect(engine.isRunning && opened(lab).allSatisfy { !$0.hasPrefix("openOutput") })
            engine.stop()
        }
    }

    @Test("E55: the microphone is open while the engine runs and something uses the input, and no longer")
    func openWhileUsed() async throws {
        try await with(.playAndRecord) { lab, engine in
            let input = engine.inputNode
            _ = engine.mainMixerNode
            try engine.start()
            #expect(opened(lab).count == 1)
            let (captured, sunk) = (Captured(), Captured())
            captured.tap(input)
            try await waitUntil("the microphone") { opened(lab).count == 2 }
            try await lab.pass(until: "sound") { captured.samples.count > 4800 }
            input.removeTap(onBus: 0)
            try await waitUntil("its end") { lab.host.openCaptures == 0 }
            #expect(engine.isRunning)
            let sink = sunk.sink
            engine.connect(input, to: sink, format: nil)
            try await waitUntil("the microphone") { lab.host.openCaptures == 1 }
            try await lab.pass(until: "sound") { sunk.samples.count > 4800 }
            engine.detach(sink)
            try await waitUntil("its end") { lab.host.openCaptures == 0 }
            captured.tap(input)
            try await waitUntil("the microphone") { lab.host.openCaptures == 1 }
            engine.pause()
            #expect(lab.host.openCaptures == 0)
            try engine.start()
            #expect(lab.host.openCaptures == 1)
            engine.stop()
            #expect(lab.host.openCaptures == 0)
        }
    }

    @Test("E53, E54: a start asks for the permission; without it the formats are 0 Hz, and with it they are right")
    func permission() async throws {
        let word = PermissionWord(.denied)
        try await with(.record, word) { lab, engine in
            let input = engine.inputNode
            #expect(isNone(input.inputFormat(forBus: 0)) && isNone(input.outputFormat(forBus: 0)))
            Captured().tap(input)
            try engine.start()
            #expect(engine.isRunning && lab.host.openCaptures == 1)
            engine.stop()
            word.change(to: .undetermined)
            #expect(input.inputFormat(forBus: 0).sampleRate == 48_000)
            word.change(to: .granted)
            #expect(input.inputFormat(forBus: 0).sampleRate == 48_000)
        }
    }

    @Test("E19, E68: connections and taps of another rate than the device's are converted")
    func converted() async throws {
        try await with { lab, engine in
            lab.host.answer { $0.sound = { sin(2 * .pi * 1000 * $0) / 2 } }
            let (captured, sunk) = (Captured(), Captured())
            let format = try #require(
                AVAudioFormat(commonFormat: .pcmFormatInt16, sampleRate: 16_000, channels: 1, interleaved: true))
            captured.tap(engine.inputNode, format, size: 1600)
            #expect(engine.inputNode.outputFormat(forBus: 0).sampleRate == 48_000)
            engine.connect(engine.inputNode, to: sunk.sink, format: try EngineBench.format(32_000, 1))
            try engine.start()
            try await lab.pass(seconds: 2)
            try await waitUntil("the sound") { captured.samples.count > 30_000 && sunk.samples.count == 64_000 }
            #expect(captured.formats == ["16000 1"])
            #expect(abs(captured.last(16_000, rate: 16_000).level(ofFrequency: 1000) + 6) < 0.2)
            #expect(abs(sunk.last(32_000, rate: 32_000).level(ofFrequency: 1000) + 6) < 0.2)
            engine.stop()
        }
    }

    @Test("E139: a sink gets the sound that the session's mode asks for, at a rate of its own")
    func processed() async throws {
        try await with(.playAndRecord) { lab, engine in
            try lab.session.setMode(.voiceChat)
            let sunk = Captured()
            engine.connect(engine.inputNode, to: sunk.sink, format: try EngineBench.format(24_000, 1))
            try engine.start()
            #expect(lab.host.captureRequests.map(\.processing) == [.voice])
            #expect(lab.host.captureRequests.map(\.rate) == [48_000])
            try await lab.pass(seconds: 0.5)
            try await waitUntil("the sound") { sunk.samples.count == 12_000 }
            engine.stop()
        }
    }

    @Test("E57: an interruption closes the microphone, and a start opens it again")
    func interrupted() async throws {
        try await with { lab, engine in
            let captured = Captured()
            captured.tap(engine.inputNode)
            try engine.start()
            try await lab.pass(until: "sound") { captured.samples.count > 4800 }
            lab.host.report(.interruptionBegan(.foreignCall))
            #expect(!engine.isRunning)
            lab.host.report(.interruptionEnded(.foreignCall, shouldResume: true))
            await mainQueueIsEmpty()
            #expect(!engine.isRunning)
            let before = captured.samples.count
            try engine.start()
            #expect(engine.isRunning)
            try await lab.pass(until: "sound") { captured.samples.count > before + 4800 }
            #expect(throws: (any Error).self) { try lab.session.setActive(false) }
            #expect(!engine.isRunning)
        }
    }

    /// Notes the configuration changes of an engine, with whether it ran and the input's rate.
    private func changes(_ engine: AVAudioEngine) -> (told: Handled, observer: any NSObjectProtocol) {
        let told = Handled()
        let observer = NotificationCenter.default.addObserver(
            forName: .AVAudioEngineConfigurationChange, object: engine, queue: nil
        ) { note in
            guard let engine = note.object as? AVAudioEngine else { return }
            told.note("\(engine.isRunning) \(Int(engine.inputNode.inputFormat(forBus: 0).sampleRate))")
        }
        return (told, observer)
    }

    @Test(
        "E43, E45: where a tap has the device's format, another rate of the input stops the engine before it is told, once"
    )
    func stops() async throws {
        try await with { lab, engine in
            let (told, observer) = changes(engine)
            defer { NotificationCenter.default.removeObserver(observer) }
            let captured = Captured()
            captured.tap(engine.inputNode)
            try engine.start()
            lab.host.answer { $0.hardware.input = Self.device(16_000, 1) }
            engine.device.routeChanged()
            #expect(try await told.first(1) == ["false 16000"] && lab.host.openCaptures == 0)
            engine.device.routeChanged()
            try engine.start()
            #expect(lab.host.captureRequests.last?.rate == 16_000)
            try await lab.pass(until: "sound") { captured.formats == ["16000 1"] }
            engine.device.routeChanged()
            engine.device.settled()
            await mainQueueIsEmpty()
            #expect(told.all.count == 1 && engine.isRunning)
            engine.stop()
        }
    }

    @Test("E40, E45, E47: where the app has chosen the formats the engine goes on with the new input, and tells it")
    func goesOn() async throws {
        try await with { lab, engine in
            let (told, observer) = changes(engine)
            defer { NotificationCenter.default.removeObserver(observer) }
            let events = SessionEvents(of: lab.session)
            let captured = Captured()
            captured.tap(engine.inputNode, try EngineBench.format(16_000, 1), size: 160)
            try engine.start()
            try await lab.pass(until: "sound") { captured.samples.count > 1600 }
            lab.host.answer { $0.hardware.input = Self.device(44_100, 2) }
            engine.device.routeChanged()
            #expect(try await told.first(1) == ["true 44100"])
            #expect(lab.host.captureRequests.map(\.rate) == [48_000, 44_100] && lab.host.openCaptures == 1)
            let before = captured.samples.count
            try await lab.pass(until: "sound") { captured.samples.count > before + 1600 }
            #expect(captured.formats == ["16000 1"] && events.all == [])
            engine.stop()
        }
    }

    @Test("E48, E49: nothing is told while the engine is stopped, and in manual rendering")
    func notTold() async throws {
        try await with { lab, engine in
            let (told, observer) = changes(engine)
            defer { NotificationCenter.default.removeObserver(observer) }
            let captured = Captured()
            captured.tap(engine.inputNode)
            try engine.start()
            engine.stop()
            lab.host.answer { $0.hardware.input = Self.device(16_000, 1) }
            engine.device.routeChanged()
            engine.device.settled()
            #expect(engine.inputNode.inputFormat(forBus: 0).sampleRate == 16_000)
            try engine.enableManualRenderingMode(
                .offline, format: try EngineBench.format(), maximumFrameCount: 512)
            _ = engine.mainMixerNode
            try engine.start()
            lab.host.answer { $0.hardware.input = Self.device(8_000, 1) }
            engine.device.routeChanged()
            engine.device.settled()
            await mainQueueIsEmpty()
            #expect(told.all == [] && lab.host.captureRequests.count == 1)
            engine.stop()
        }
    }

    @Test("E42: an engine may be released in the handler of its configuration change")
    func released() async throws {
        try await with { lab, engine in
            let told = Handled()
            let held = Guarded<AVAudioEngine?>(AVAudioEngine(session: lab.session))
            let observer = NotificationCenter.default.addObserver(
                forName: .AVAudioEngineConfigurationChange, object: nil, queue: nil
            ) { note in
                guard note.object as? AVAudioEngine === held.withLock({ $0 }) else { return }
                held.withLock { $0 = nil }
                told.note("released")
            }
            defer { NotificationCenter.default.removeObserver(observer) }
            try held.withLock { engine in
                guard let engine else { return }
                Captured().tap(engine.inputNode, try EngineBench.format(16_000, 1))
                try engine.start()
            }
            lab.host.answer { $0.hardware.input = Self.device(16_000, 1) }
            held.withLock { $0 }?.device.routeChanged()
            #expect(try await told.first(1) == ["released"])
            try await waitUntil("the end of the engine") { lab.host.openCaptures == 0 }
        }
    }

    @Test("E55: a microphone that ends by itself stops an engine that takes in only, which can be started again")
    func ended() async throws {
        try await with { lab, engine in
            let captured = Captured()
            captured.tap(engine.inputNode)
            try engine.start()
            try await lab.pass(until: "sound") { captured.samples.count > 4800 }
            lab.host.endCaptures()
            #expect(!engine.isRunning)
            let before = captured.samples.count
            try engine.start()
            try await lab.pass(until: "sound") { captured.samples.count > before + 4800 }
            engine.stop()
        }
    }

    @Test("E45: an engine with an output goes on without its microphone, and takes it again when the route changes")
    func returns() async throws {
        try await with(.playAndRecord) { lab, engine in
            _ = engine.mainMixerNode
            let captured = Captured()
            captured.tap(engine.inputNode)
            try engine.start()
            lab.host.endCaptures()
            #expect(engine.isRunning && lab.host.openCaptures == 0)
            engine.device.routeChanged()
            try await waitUntil("the microphone") { lab.host.openCaptures == 1 }
            let before = captured.samples.count
            try await lab.pass(until: "sound") { captured.samples.count > before + 4800 }
            engine.stop()
        }
    }

    @Test("Input that leads to the output is heard there, and taps and sinks beside it get each frame once")
    func monitored() async throws {
        try await with(.playAndRecord) { lab, engine in
            let (tapped, sunk) = (Captured(), Captured())
            tapped.tap(engine.inputNode)
            let sink = sunk.sink
            engine.attach(sink)
            engine.connect(
                engine.inputNode,
                to: [.init(node: engine.mainMixerNode, bus: 0), .init(node: sink, bus: 0)], fromBus: 0, format: nil)
            let heard = Captured()
            heard.tap(engine.mainMixerNode)
            lab.host.answer { $0.sound = { sin(2 * .pi * 1000 * $0) / 2 } }
            try engine.start()
            try await lab.pass(seconds: 2)
            try await waitUntil("the sound") { tapped.samples.count == 96_000 && sunk.samples.count == 96_000 }
            #expect(tapped.samples == sunk.samples)
            try await waitUntil("the output") {
                lab.passAtOnce()
                return heard.samples.suffix(4800).contains { $0 > 0.3 }
            }
            engine.stop()
        }
    }
}
