import Foundation
import HeadlessServer
import Locks
import TestSupport
import Testing

@testable import AVFAudio

/// Changes of a graph that plays to a device and takes in from one.
@Suite("AVAudioEngine, changes while it runs on a device", .serialized, .limited)
struct EngineStormTests {
    /// Ten thousand changes with AVFAUDIO_LONG_TESTS, a twentieth of them otherwise.
    private static let changes = ProcessInfo.processInfo.environment["AVFAUDIO_LONG_TESTS"] == nil ? 500 : 10_000

    @Test(
        "E22, E55, E108: after random changes from four threads, the input's among them, what stays is heard, and nothing is left",
        arguments: HeadlessServer.Kind.allCases)
    func changes(kind: HeadlessServer.Kind) async throws {
        weak var gone: AVAudioEngine?
        try await withPlayerLab(kind, category: .playAndRecord) { lab in
            try await lab.pactl.waitForDefaultSource { $0.contains(".monitor") }
            let engine = AVAudioEngine(session: lab.session)
            gone = engine
            let source = EngineBench.node { _, frame in
                AVFAudioTests.tone(500, frame, amplitude: 0.25, rate: Double(lab.rate))
            }
            engine.attach(source)
            engine.connect(source, to: engine.mainMixerNode, format: try EngineBench.format(Double(lab.rate), 2))
            try engine.start()
            try await lab.monitor.waitForSound()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for thread in 0..<4 {
                    group.addTask {
                        try await offPool { try Self.change(engine, seed: UInt64(thread), Self.changes / 4) }
                    }
                }
                try await group.waitForAll()
            }
            // Four busy threads leave the sound less than its time on some machines; manual rendering judges glitches.
            try await waitUntil("the tone", timeout: hangLimit) {
                let after = lab.monitor.frames
                try await lab.monitor.wait(seconds: 0.1)
                return abs(lab.monitor.soFar(from: after).level(ofFrequency: 500) + 12) < 1
            }
            #expect(engine.isRunning)
            engine.stop()
        }
        try await waitUntil("the engine is freed") { gone == nil }
    }

    /// Changes what the thread itself has made, and on the first thread what hangs at the input.
    private static func change(_ engine: AVAudioEngine, seed: UInt64, _ count: Int) throws {
        var random = SeededGenerator(seed: seed)
        let (mixer, player, main, input) = (
            AVAudioMixerNode(), AVAudioPlayerNode(), engine.mainMixerNode, engine.inputNode
        )
        let sink = AVAudioSinkNode { _, _, _ in noErr }
        let formats = try [EngineBench.format(44_100, 2), EngineBench.format(16_000, 1)]
        mixer.outputVolume = 0
        for node in [mixer, player, sink] { engine.attach(node) }
        for _ in 0..<count {
            let format = formats[Int.random(in: 0..<2, using: &random)]
            switch Int.random(in: 0..<(seed == 0 ? 12 : 7), using: &random) {
            case 0: engine.connect(player, to: mixer, format: format)
            case 1: engine.connect(mixer, to: main, format: format)
            case 2: engine.disconnectNodeOutput(mixer)
            case 3: player.play()
            case 4: player.stop()
            case 5: try? mixer.installAudioTap(onBus: 0, bufferSize: 100, format: format) { _, _ in }
            case 6: mixer.removeTap(onBus: 0)
            case 7: try? input.installAudioTap(onBus: 0, bufferSize: 480, format: format) { _, _ in }
            case 8: input.removeTap(onBus: 0)
            case 9: engine.connect(input, to: sink, format: format)
            case 10: engine.connect(input, to: mixer, format: nil)
            default: engine.disconnectNodeOutput(input)
            }
        }
        for node in [mixer, player, sink] { engine.detach(node) }
        if seed == 0 { input.removeTap(onBus: 0) }
    }

    @Test(
        "E108: stop may be called by a tap and a sink of the input while others start the engine",
        arguments: HeadlessServer.Kind.allCases)
    func stopsEverywhere(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [kind.sink]) { server in
            let session = try await server.recordingSession(.record)
            let engine = AVAudioEngine(session: session)
            let stops = Guarded(0)
            weak let stopped = engine
            let stop: @Sendable () -> Void = {
                stopped?.stop()
                stops.withLock { $0 += 1 }
            }
            let sink = AVAudioSinkNode { _, _, _ in
                stop()
                return noErr
            }
            engine.connect(engine.inputNode, to: sink, format: nil)
            engine.inputNode.installTap(onBus: 0, bufferSize: 64, format: nil) { _, _ in stop() }
            for _ in 0..<Self.changes / 50 {
                let before = stops.withLock { $0 }
                try await offPool { try engine.start() }
                try await waitUntil("the stop", timeout: hangLimit) {
                    stops.withLock { $0 } > before && !engine.isRunning
                }
            }
            engine.stop()
            #expect(!engine.isRunning)
        }
    }
}
