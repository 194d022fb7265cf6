import AVFAudio
import TestSupport
import Testing

/// Offline rendering: modes, states, errors, and the timeline.
@Suite("AVAudioEngine, offline rendering", .limited)
struct EngineManualTests {
    private func saw(_ bench: EngineBench) throws {
        bench.source(try EngineBench.format(44_100, 1)) { Float(($1 * 7) % 1000) / 1000 }
    }

    @Test("E31, E32, E37, E38: start is heard at once and may be repeated, and nothing stops what does not run")
    func states() throws {
        let bench = try EngineBench()
        try saw(bench)
        let engine = bench.engine
        engine.stop()
        engine.pause()
        engine.reset()
        engine.prepare()
        #expect(!engine.isRunning)
        try engine.start()
        try engine.start()
        #expect(engine.isRunning)
        #expect(try bench.left(10).peak > 0)
    }

    @Test("E33: an engine without an I/O node does not start")
    func nothingToStart() throws {
        #expect(EngineBench.code { try AVAudioEngine().start() } == -10875)
        let bench = try EngineBench()
        #expect(EngineBench.code { try bench.engine.start() } == -10875)
        _ = bench.engine.outputNode
        try bench.engine.start()
    }

    @Test("E34, E149: after a pause or a stop the timeline goes on")
    func goingOn() throws {
        let bench = try EngineBench(channels: 1)
        try saw(bench)
        try bench.engine.start()
        var sound = try bench.left(300)
        for stop in [bench.engine.pause, bench.engine.stop] {
            stop()
            #expect(!bench.engine.isRunning && bench.engine.manualRenderingSampleTime == sound.count)
            #expect(EngineBench.code { _ = try bench.left(1) } == -80802)
            try bench.engine.start()
            sound += try bench.left(300)
        }
        let expected = (0..<900).map { Float(($0 * 7) % 1000) / 1000 }
        #expect(sound == expected)
    }

    @Test("E36: reset begins the timeline at 0, and the engine runs on")
    func reset() throws {
        let bench = try EngineBench(channels: 1)
        try saw(bench)
        try bench.engine.start()
        let first = try bench.left(100)
        bench.engine.reset()
        #expect(bench.engine.isRunning && bench.engine.manualRenderingSampleTime == 0)
        #expect(try bench.left(100) == first)
        #expect(first.peak > 0)
    }

    @Test("E140, E143: the mode needs a stopped engine, may be entered again, and is as it was asked for")
    func modes() throws {
        let engine = AVAudioEngine()
        let (one, two) = (try EngineBench.format(48_000, 1), try EngineBench.format())
        try engine.enableManualRenderingMode(.offline, format: one, maximumFrameCount: 100)
        try engine.enableManualRenderingMode(.offline, format: two, maximumFrameCount: 200)
        #expect(engine.isInManualRenderingMode && engine.manualRenderingMode == .offline)
        #expect(engine.manualRenderingFormat == two && engine.manualRenderingMaximumFrameCount == 200)
        #expect(engine.manualRenderingSampleTime == 0)
        _ = engine.outputNode
        try engine.start()
        #expect(
            EngineBench.code {
                try engine.enableManualRenderingMode(.offline, format: one, maximumFrameCount: 1)
            } == -80801)
        #expect(engine.manualRenderingFormat == two)
    }

    @Test("E141: formats of the common kinds are rendered, and others refused")
    func formats() throws {
        for interleaved in [false, true] {
            let bench = try EngineBench(.pcmFormatInt16, interleaved: interleaved)
            bench.source(try EngineBench.format()) { channel, _ in channel == 0 ? 0.5 : -2 }
            try bench.engine.start()
            let buffer = try #require(
                AVAudioPCMBuffer(pcmFormat: bench.engine.manualRenderingFormat, frameCapacity: 8))
            #expect(try bench.engine.renderOffline(8, to: buffer) == .success)
            #expect(buffer.frames(Int16.self) == (0..<16).map { $0 % 2 == 0 ? 0x4000 : -0x8000 })
        }
        let engine = AVAudioEngine()
        #expect(
            EngineBench.code {
                try engine.enableManualRenderingMode(
                    .offline, format: engine.manualRenderingFormat, maximumFrameCount: 8)
            } == -10868)
        #expect(
            EngineBench.code {
                try engine.enableManualRenderingMode(
                    .offline, format: try EngineBench.format(), maximumFrameCount: 0)
            } == -50)
        #expect(!engine.isInManualRenderingMode)
    }

    @Test("E144: wrong sizes, states, modes and buffers throw, and render nothing")
    func errors() throws {
        let bench = try EngineBench(maximum: 100)
        _ = bench.engine.mainMixerNode
        let format = bench.engine.manualRenderingFormat
        let small = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 50))
        let large = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 500))
        let other = try #require(AVAudioPCMBuffer(pcmFormat: try EngineBench.format(8000, 1), frameCapacity: 50))
        func code(_ engine: AVAudioEngine, _ frames: UInt32, _ buffer: AVAudioPCMBuffer) -> Int? {
            EngineBench.code { _ = try engine.renderOffline(frames, to: buffer) }
        }
        #expect(code(bench.engine, 10, small) == -80802)
        #expect(code(AVAudioEngine(), 10, small) == -80800)
        try bench.engine.start()
        #expect(code(bench.engine, 101, large) == -50 && code(bench.engine, 51, small) == -50)
        #expect(code(bench.engine, 10, other) == -50)
        #expect(bench.engine.manualRenderingSampleTime == 0)
        #expect(code(bench.engine, 100, large) == 0)
    }

    @Test("E145: a rendering of nothing is silence and success, and the time grows")
    func silence() throws {
        let bench = try EngineBench()
        _ = bench.engine.outputNode
        try bench.engine.start()
        let buffer = try #require(
            AVAudioPCMBuffer(pcmFormat: bench.engine.manualRenderingFormat, frameCapacity: 77))
        for index in 0..<77 { buffer.floatChannelData?[1][index] = 1 }
        #expect(try bench.engine.renderOffline(70, to: buffer) == .success)
        #expect(buffer.frameLength == 70 && buffer.frames(Float.self).peak == 0)
        #expect(bench.engine.manualRenderingSampleTime == 70)
        #expect(try bench.engine.renderOffline(0, to: buffer) == .success)
        #expect(buffer.frameLength == 0)
    }

    @Test("E10: the time of the newest block is told without a host time, while a node leads to the output")
    func lastRenderTime() throws {
        let bench = try EngineBench(rate: 48_000, channels: 1)
        let engine = bench.engine
        let node = bench.source(try EngineBench.format(48_000, 1)) { _, _ in 0 }
        #expect(node.lastRenderTime == nil)
        try engine.start()
        _ = try bench.left(300, block: 100)
        let time = try #require(node.lastRenderTime)
        #expect(time.sampleTime == 200 && time.sampleRate == 48_000 && !time.isHostTimeValid)
        #expect(engine.outputNode.lastRenderTime?.sampleTime == 200)
        engine.disconnectNodeOutput(node)
        #expect(node.lastRenderTime == nil && engine.mainMixerNode.lastRenderTime?.sampleTime == 200)
        engine.stop()
        #expect(engine.outputNode.lastRenderTime == nil)
    }

    @Test("E150: leaving the mode stops the engine, keeps connections, and may be repeated")
    func leaving() throws {
        let bench = try EngineBench()
        try saw(bench)
        let engine = bench.engine
        try engine.start()
        _ = try bench.left(10)
        for _ in 0..<2 {
            engine.disableManualRenderingMode()
            #expect(!engine.isRunning && !engine.isInManualRenderingMode)
            #expect(engine.manualRenderingFormat.channelCount == 0 && engine.manualRenderingMaximumFrameCount == 0)
        }
        #expect(engine.inputConnectionPoint(for: engine.mainMixerNode, inputBus: 0)?.node != nil)
        try engine.enableManualRenderingMode(.offline, format: try EngineBench.format(), maximumFrameCount: 512)
        try engine.start()
        #expect(try bench.left(10).peak > 0)
    }

    @Test("E155: sources and mixers sound the same in blocks of every size, bit for bit")
    func blocks() throws {
        func sound(_ block: Int) throws -> [[Float]] {
            let bench = try EngineBench()
            try saw(bench)
            let source = bench.source(try EngineBench.format()) { tone(Double($0 + 1) * 100, $1, amplitude: 0.7) }
            source.pan = -0.3
            source.volume = 1.3
            bench.engine.mainMixerNode.outputVolume = 0.7
            try bench.engine.start()
            return try bench.rendered(10_000, block: block)
        }
        let expected = try sound(10_000 / 3)
        for block in [1, 64, 512, 1000, 4096] { #expect(try sound(block) == expected, "blocks of \(block)") }
    }

    @Test("a rendering inside of a rendering renders nothing, and the functions of a graph may change it")
    func inside() throws {
        let bench = try EngineBench(channels: 1)
        let engine = bench.engine
        let node = AVAudioSourceNode { [weak engine] _, _, _, data in
            guard let engine, let buffer = AVAudioPCMBuffer(pcmFormat: engine.manualRenderingFormat, frameCapacity: 4)
            else { return -1 }
            #expect((try? engine.renderOffline(4, to: buffer)) == .cannotDoInCurrentContext)
            engine.disconnectNodeInput(engine.mainMixerNode)
            engine.reset()
            engine.disableManualRenderingMode()
            UnsafeMutableBufferPointer<Float>(UnsafeMutableAudioBufferListPointer(data)[0]).update(repeating: 1)
            return noErr
        }
        engine.attach(node)
        engine.connect(node, to: engine.mainMixerNode, format: try EngineBench.format(44_100, 1))
        try engine.start()
        #expect(try bench.left(4) == [1, 1, 1, 1])
        #expect(!engine.isRunning && engine.isInManualRenderingMode && engine.manualRenderingSampleTime == 4)
        try engine.start()
        #expect(try bench.left(4) == [0, 0, 0, 0])
    }
}
