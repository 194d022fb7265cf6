import AudioSession
import Foundation
import Locks
import ScriptedHost
import SessionPolicy
import TestSupport
import Testing

@testable import AVFAudio

/// An engine and its session, on a host whose time passes as fast as the engine renders.
@Suite("AVAudioEngine and its session", .limited)
struct EngineSessionTests {
    /// An engine with a player node, in the output's format.
    private struct Bench {
        let engine: AVAudioEngine
        let player = AVAudioPlayerNode()
        let format: AVAudioFormat

        init(_ lab: ScriptedLab) throws {
            engine = AVAudioEngine(session: lab.session)
            format = try EngineBench.format(Double(lab.rate), 2)
            engine.attach(player)
            engine.connect(player, to: engine.mainMixerNode, format: format)
        }

        func buffer(seconds: Double) throws -> AVAudioPCMBuffer {
            let frames = AVAudioFrameCount(seconds * format.sampleRate)
            let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: frames))
            buffer.fill([Float](repeating: 0.5, count: 2 * Int(frames)))
            return buffer
        }
    }

    @Test("E31, E32, E38, E50: a start activates the session, once, and a second start does nothing")
    func activates() async throws {
        try await ScriptedLab.with(.playback) { lab in
            let engine = try Bench(lab).engine
            engine.prepare()
            #expect(!engine.isRunning && lab.host.log.allSatisfy { !$0.hasPrefix("activate") })
            try engine.start()
            #expect(engine.isRunning)
            let calls = { lab.host.log.filter { $0.hasPrefix("activate") || $0.hasPrefix("openOutput") }.count }
            #expect(calls() == 2)
            try engine.start()
            #expect(engine.isRunning && calls() == 2)
            engine.stop()
            #expect(!engine.isRunning)
        }
    }

    @Test("E51, E56: in a category that does not play nothing is activated, and the output's format is 0 Hz")
    func doesNotPlay() async throws {
        try await ScriptedLab.with(.record) { lab in
            let engine = try Bench(lab).engine
            #expect(EngineBench.code { try engine.start() } == -10875 && !engine.isRunning)
            #expect(lab.host.log.allSatisfy { !$0.hasPrefix("activate") })
            let format = engine.outputNode.outputFormat(forBus: 0)
            #expect(format.sampleRate == 0 && format.channelCount == 0)
        }
    }

    @Test("E58: what the session refuses is thrown by start, with its code, and the engine can be started later")
    func refused() async throws {
        try await ScriptedLab.with(.playback) { lab in
            let engine = try Bench(lab).engine
            func code() -> Int? {
                do { try engine.start() } catch let error as NSError {
                    return error.domain == NSOSStatusErrorDomain && !engine.isRunning ? error.code : nil
                }
                return 0
            }
            lab.host.answer { $0.activationError = SessionError(.insufficientPriority, "There is a call.") }
            #expect(code() == 561_017_449)
            lab.host.answer { $0.activationError = nil }
            lab.host.answer { $0.connectionError = SessionError(.mediaServicesFailed, "There is no server.") }
            #expect(code() == AVAudioSession.ErrorCode.mediaServicesFailed.rawValue)
            lab.host.answer { $0.connectionError = nil }
            #expect(code() == 0 && engine.isRunning)
        }
    }

    @Test("E12, E17: the output node has the device's latency and format, and 44 100 Hz in stereo without a server")
    func device() async throws {
        try await ScriptedLab.with(.playback) { lab in
            let bench = try Bench(lab)
            let output = bench.engine.outputNode
            #expect(output.outputFormat(forBus: 0) == (try EngineBench.format()))
            lab.host.answer {
                $0.hardware.output = .init(rate: 32_000, channels: 1, latency: 0.125, buffer: 0.01, volume: 1)
            }
            #expect(output.outputFormat(forBus: 0) == (try EngineBench.format(32_000, 1)))
            #expect(output.presentationLatency == 0.125 && bench.player.outputPresentationLatency == 0.125)
            #expect(AVAudioPlayerNode().outputPresentationLatency == 0)
            try bench.engine.enableManualRenderingMode(.offline, format: bench.format, maximumFrameCount: 64)
            #expect(output.presentationLatency == 0 && bench.player.outputPresentationLatency == 0)
            #expect(output.outputFormat(forBus: 0) == bench.format)
        }
    }

    @Test("E57, E34: an interruption stops the engine and no player, and a start goes on at the very frame")
    func interrupted() async throws {
        try await ScriptedLab.with(.playback) { lab in
            let bench = try Bench(lab)
            let (engine, player) = (bench.engine, bench.player)
            try engine.start()
            player.scheduleBuffer(try bench.buffer(seconds: 10))
            player.play()
            try await lab.pass(seconds: 0.5)
            let before = lab.host.framesHeard
            lab.host.report(.interruptionBegan(.foreignCall))
            #expect(!engine.isRunning && player.isPlaying && player.lastRenderTime == nil)
            lab.host.advance(frames: lab.rate)
            #expect(lab.host.framesHeard == before)
            lab.host.report(.interruptionEnded(.foreignCall, shouldResume: true))
            await mainQueueIsEmpty()
            #expect(!engine.isRunning)
            try engine.start()
            #expect(engine.isRunning && engine.device.heard == before)
            try await lab.pass(seconds: 0.5)
            #expect(engine.device.heard == before + lab.rate / 2)
        }
    }

    @Test("E59: a deactivation throws isBusy, and stops the engine all the same")
    func deactivated() async throws {
        try await ScriptedLab.with(.playback) { lab in
            let engine = try Bench(lab).engine
            try engine.start()
            try await lab.pass(seconds: 0.1)
            #expect(throws: (any Error).self) { try lab.session.setActive(false) }
            #expect(!engine.isRunning)
            try engine.start()
            #expect(engine.isRunning)
            try await lab.pass(seconds: 0.1)
            engine.stop()
            try lab.session.setActive(false)
        }
    }

    @Test("E61: manual rendering asks nothing of the session, and goes on through its interruptions")
    func manual() async throws {
        try await ScriptedLab.with(.playback) { lab in
            let bench = try Bench(lab)
            let engine = bench.engine
            try engine.start()
            engine.stop()
            let opened = { lab.host.log.filter { $0.hasPrefix("open") }.count }
            let before = opened()
            try engine.enableManualRenderingMode(.offline, format: bench.format, maximumFrameCount: 64)
            try engine.start()
            lab.host.report(.interruptionBegan(.foreignCall))
            #expect(engine.isRunning && opened() == before)
            let buffer = try #require(AVAudioPCMBuffer(pcmFormat: bench.format, frameCapacity: 64))
            #expect(try engine.renderOffline(64, to: buffer) == .success)
            #expect(engine.outputNode.lastRenderTime?.isHostTimeValid == false)
        }
    }

    @Test("E10, E122: on a device times of nodes have host times, and player times take them over")
    func times() async throws {
        try await ScriptedLab.with(.playback) { lab in
            let bench = try Bench(lab)
            let player = bench.player
            #expect(player.lastRenderTime == nil)
            try bench.engine.start()
            player.play()
            try await lab.pass(seconds: 0.5)
            let node = try #require(player.lastRenderTime)
            #expect(node.isHostTimeValid && node.sampleTime >= Int64(lab.rate) * 4 / 10)
            let heard = AVAudioTime.seconds(forHostTime: node.hostTime)
            // A block is rendered ahead of the listener, who here hears nothing more.
            #expect(abs(heard - AVAudioTime.seconds(forHostTime: mach_absolute_time())) < 60)
            let time = try #require(player.playerTime(forNodeTime: node))
            #expect(time.hostTime == node.hostTime && time.sampleTime <= node.sampleTime && time.sampleTime > 0)
            // The position that is heard in two seconds is two seconds behind the one that is heard now.
            let later = try #require(bench.engine.device.position(at: mach_absolute_time() + 2_000_000_000))
            #expect(abs(later - (bench.engine.device.heard ?? 0) - 2 * lab.rate) < lab.rate)
        }
    }

    @Test("E110: dataPlayedBack comes when the last frame was heard, and not when it was rendered")
    func playedBack() async throws {
        try await ScriptedLab.with(.playback) { lab in
            let bench = try Bench(lab)
            let (player, handled) = (bench.player, Handled())
            try bench.engine.start()
            player.scheduleBuffer(try bench.buffer(seconds: 0.26), completionCallbackType: .dataPlayedBack) { _ in
                handled.note("heard")
            }
            player.scheduleBuffer(try bench.buffer(seconds: 0.01), completionCallbackType: .dataRendered) { _ in
                handled.note("rendered")
            }
            // Behind the block of 0.05 s that may be rendered already.
            player.play(at: AVAudioTime(sampleTime: Int64(lab.rate / 10), atRate: Double(lab.rate)))
            // Now the block in which both end is rendered, and not heard.
            try await lab.pass(seconds: 0.35)
            #expect(try await handled.first(1) == ["rendered"])
            player.scheduleBuffer(try bench.buffer(seconds: 0)) { handled.note("empty") }
            #expect(try await handled.first(2) == ["rendered", "empty"])
            try await lab.pass(seconds: 0.05)
            #expect(try await handled.first(3) == ["rendered", "empty", "heard"])
        }
    }

    @Test("E40, E44: another rate of the device is told, with its format, and another device of the same rate is not")
    func configurationChange() async throws {
        try await ScriptedLab.with(.playback) { lab in
            let engine = try Bench(lab).engine
            let told = Handled()
            let observer = NotificationCenter.default.addObserver(
                forName: .AVAudioEngineConfigurationChange, object: engine, queue: nil
            ) { note in
                guard let engine = note.object as? AVAudioEngine else { return }
                told.note("\(engine.isRunning) \(engine.outputNode.outputFormat(forBus: 0).sampleRate)")
            }
            defer { NotificationCenter.default.removeObserver(observer) }
            func change(to rate: Int) {
                lab.host.answer {
                    $0.hardware.output = .init(rate: rate, channels: 2, latency: 0, buffer: 0.01, volume: 1)
                }
                let route = Route(inputs: [], outputs: [])
                lab.host.report(
                    .routeChanged(RouteChange(reason: .newDeviceAvailable, previous: route, current: route)))
            }
            try engine.start()
            change(to: lab.rate)
            change(to: lab.rate)
            change(to: 16_000)
            #expect(try await told.first(1) == ["true 16000.0"])
            change(to: 16_000)
            change(to: 22_050)
            // In the order of the changes: nothing else was told before.
            #expect(try await told.first(2) == ["true 16000.0", "true 22050.0"])
        }
    }

    @Test("E37, E108: an engine may be stopped by a function that renders, and by several threads at once")
    func stopsInside() async throws {
        try await ScriptedLab.with(.playback) { lab in
            let bench = try Bench(lab)
            let engine = bench.engine
            let calls = Guarded(0)
            let source = AVAudioSourceNode { [weak engine] _, _, _, _ in
                engine?.stop()
                calls.withLock { $0 += 1 }
                return noErr
            }
            engine.connect(source, to: engine.mainMixerNode, format: bench.format)
            for round in 1...100 {
                try engine.start()
                try await waitUntil("the stop") { calls.value == round }
                #expect(!engine.isRunning && !lab.session.core.isIORunning)
            }
            // Player nodes and times take part, since they have locks of their own.
            let shared = UncheckedBox(bench)
            try await offPool {
                DispatchQueue.concurrentPerform(iterations: 4) { thread in
                    let (engine, player) = (shared.value.engine, shared.value.player)
                    for step in 0..<100 {
                        switch (step * 3 + thread) % 7 {
                        case 0, 1, 2: try? engine.start()
                        case 3: engine.pause()
                        case 4: engine.stop()
                        case 5: player.play(at: AVAudioTime(hostTime: mach_absolute_time()))
                        default: _ = player.lastRenderTime.flatMap { player.playerTime(forNodeTime: $0) }
                        }
                    }
                }
            }
            engine.stop()
            engine.detach(source)
            #expect(!engine.isRunning && !lab.session.core.isIORunning)
            try engine.start()
            #expect(engine.isRunning)
        }
    }

    @Test("E8: an engine that goes away stops, and gives its session back")
    func goesAway() async throws {
        try await ScriptedLab.with(.playback) { lab in
            var engine: AVAudioEngine? = try Bench(lab).engine
            try engine?.start()
            try await lab.pass(seconds: 0.1)
            #expect(lab.session.core.isIORunning)
            engine = nil
            try await waitUntil("the end of the sound") { !lab.session.core.isIORunning }
        }
    }
}
