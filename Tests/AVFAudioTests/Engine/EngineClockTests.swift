import HeadlessServer
import Locks
import ScriptedHost
import TestSupport
import Testing

@testable import AVFAudio

/// The times of an engine's blocks, buffers and nodes on a device, and what costs a server nothing.
@Suite("AVAudioEngine, times on a device", .serialized, .limited)
struct EngineClockTests {
    /// The times that functions of an engine were given.
    private final class Stamps: Sendable {
        private let noted = Guarded<[AVAudioTime]>([])

        var all: [AVAudioTime] { noted.value }

        func note(_ stamp: UnsafePointer<AudioTimeStamp>, _ rate: Double) {
            let time = AVAudioTime(audioTimeStamp: stamp, sampleRate: rate)
            noted.withLock { $0.append(time) }
        }

        func note(_ time: AVAudioTime) { noted.withLock { $0.append(time) } }
    }

    /// The host time of a sample time, in seconds; nil where a time has not both.
    private func offset(_ time: AVAudioTime) -> Double? {
        guard time.isHostTimeValid, time.isSampleTimeValid else { return nil }
        return AVAudioTime.seconds(forHostTime: time.hostTime) - Double(time.sampleTime) / time.sampleRate
    }

    @Test(
        "E134, E194: blocks of sources and sinks, buffers of taps and nodes have one host time for one frame",
        .judges(.time(seconds: 0.02)), arguments: HeadlessServer.Kind.allCases)
    func oneClock(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let engine = AVAudioEngine(session: lab.session)
            let format = try EngineBench.format(Double(lab.rate), 2)
            let (sources, sinks, taps) = (Stamps(), Stamps(), Stamps())
            let source = AVAudioSourceNode { isSilence, stamp, _, list in
                sources.note(stamp, format.sampleRate)
                for buffer in UnsafeMutableAudioBufferListPointer(list) {
                    if let data = buffer.mData { memset(data, 0, Int(buffer.mDataByteSize)) }
                }
                isSilence.pointee = true
                return noErr
            }
            let sink = AVAudioSinkNode { stamp, _, _ in
                sinks.note(stamp, format.sampleRate)
                return noErr
            }
            for node in [source, sink] { engine.attach(node) }
            let points = [
                AVAudioConnectionPoint(node: engine.mainMixerNode, bus: 0), AVAudioConnectionPoint(node: sink, bus: 0),
            ]
            engine.connect(source, to: points, fromBus: 0, format: format)
            source.installTap(onBus: 0, bufferSize: 1024, format: nil) { taps.note($1) }
            try engine.start()
            try await waitUntil("two seconds of blocks", timeout: hangLimit) {
                sources.all.last.map { $0.sampleTime > 2 * Int64(lab.rate) } == true
            }
            let node = try #require(source.lastRenderTime)
            engine.stop()
            let expected = try #require(offset(node))
            for stamps in [sources, sinks, taps] {
                // The first blocks fill the server's queue, before anything is heard.
                let times = stamps.all.filter { $0.sampleTime > Int64(lab.rate) }
                #expect(times.count > 20)
                let offsets = times.compactMap(offset).sorted()
                try #require(offsets.count == times.count)
                // PipeWire takes 21 ms at a time. One may have been measured while the machine stood still.
                #expect(abs(offsets[offsets.count / 2] - expected) < 0.03)
                #expect(offsets[offsets.count * 9 / 10] - offsets[offsets.count / 10] < 0.03)
            }
            // A block is heard after it was rendered, and soon.
            let now = AVAudioTime.seconds(forHostTime: mach_absolute_time())
            #expect(abs(AVAudioTime.seconds(forHostTime: node.hostTime) - now) < 1)
        }
    }

    @Test("E194: in manual rendering blocks and buffers have sample times alone")
    func manual() async throws {
        let bench = try EngineBench()
        let (stamps, taps) = (Stamps(), Stamps())
        let source = AVAudioSourceNode { _, stamp, _, _ in
            stamps.note(stamp, 44_100)
            return noErr
        }
        bench.engine.attach(source)
        bench.engine.connect(source, to: bench.engine.mainMixerNode, format: nil)
        source.installTap(onBus: 0, bufferSize: 512, format: nil) { taps.note($1) }
        try bench.engine.start()
        _ = try bench.rendered(1024)
        try await waitUntil("two buffers") { taps.all.count == 2 }
        for times in [stamps.all, taps.all] {
            #expect(times.map(\.sampleTime) == [0, 512] && times.allSatisfy { !$0.isHostTimeValid })
        }
    }

    @Test("E195: a player's deviceCurrentTime counts the seconds of its output, and host times those of the machine")
    func deviceTime() async throws {
        try await ScriptedLab.with(.playback) { lab in
            let player = try lab.player(lab.sine(seconds: 5))
            #expect(player.prepareToPlay() && player.play())
            let before = (player.deviceCurrentTime, mach_absolute_time())
            // The scripted device plays two seconds as fast as it can.
            try await lab.pass(seconds: 2)
            #expect(abs(player.deviceCurrentTime - before.0 - 2) < 0.1)
            #expect(AVAudioTime.seconds(forHostTime: mach_absolute_time() - before.1) != 2)
            player.stop()
        }
    }

    @Test(
        "E39: an engine with auto shutdown runs on while nothing plays, its clock goes on, and a player is heard again",
        arguments: HeadlessServer.Kind.allCases)
    func autoShutdown(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let (engine, player) = (AVAudioEngine(session: lab.session), AVAudioPlayerNode())
            #expect(!engine.isAutoShutdownEnabled)
            engine.isAutoShutdownEnabled = true
            #expect(engine.isAutoShutdownEnabled)
            let format = try EngineBench.format(Double(lab.rate), 1)
            engine.attach(player)
            engine.connect(player, to: engine.mainMixerNode, format: format)
            try engine.start()
            player.play()
            let first = try #require(player.lastRenderTime)
            try await waitUntil("two idle seconds of the clock", timeout: hangLimit) {
                player.lastRenderTime.map { $0.sampleTime - first.sampleTime > 2 * Int64(lab.rate) } == true
            }
            #expect(engine.isRunning && player.isPlaying)
            let frames = AVAudioFrameCount(lab.rate)
            let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: frames))
            buffer.fill((0..<lab.rate).map { tone(500, $0, amplitude: 0.25, rate: format.sampleRate) })
            player.scheduleBuffer(buffer)
            try await lab.monitor.waitForSound(timeout: hangLimit)
            engine.stop()
        }
    }

    @Test("E62: an engine plays on while the main thread of its program does nothing else")
    func mainThreadIsBusy() async throws {
        try await withPlayerLab(.pulseAudio) { lab in
            let engine = AVAudioEngine(session: lab.session)
            let rate = Double(lab.rate)
            let source = EngineBench.node { _, frame in tone(500, frame, amplitude: 0.25, rate: rate) }
            engine.attach(source)
            engine.connect(source, to: engine.mainMixerNode, format: try EngineBench.format(rate, 2))
            try engine.start()
            try await lab.monitor.waitForSound(timeout: hangLimit)
            let (monitor, frames) = (lab.monitor, lab.rate)
            let first = monitor.frames
            await MainActor.run { holdMainThread { monitor.frames > first + frames } }
            let heard = lab.monitor.soFar(from: first)
            // An engine that needs the main thread is silent after its first 50 ms; a slow machine has gaps.
            let tenths = (5..<10).map { $0 * lab.rate / 10..<($0 + 1) * lab.rate / 10 }
            #expect(tenths.contains { heard.level(ofFrequency: 500, $0) > -20 })
            engine.stop()
        }
    }

    @Test(
        "E142: neither nodes, nor connections, nor manual rendering ask a server",
        arguments: HeadlessServer.Kind.allCases)
    func asksNobody(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let proxy = try CountingProxy(to: server)
            defer { proxy.stop() }
            let session = AVAudioSession(server: proxy.address)
            let (engine, player) = (AVAudioEngine(session: session), AVAudioPlayerNode())
            engine.attach(player)
            engine.connect(player, to: engine.mainMixerNode, format: nil)
            _ = (engine.outputNode, engine.inputNode)
            engine.prepare()
            let format = try EngineBench.format()
            try engine.enableManualRenderingMode(.offline, format: format, maximumFrameCount: 512)
            try engine.start()
            let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 512))
            #expect(try engine.renderOffline(512, to: buffer) == .success)
            engine.stop()
            engine.disableManualRenderingMode()
            #expect(proxy.commands.isEmpty)
            // The proxy would have seen it.
            #expect(engine.outputNode.outputFormat(forBus: 0).sampleRate > 0)
            #expect(!proxy.commands.isEmpty)
        }
    }
}
