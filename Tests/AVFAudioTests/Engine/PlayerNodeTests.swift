import AVFAudio
import TestSupport
import Testing

/// Buffers, times and states of player nodes, on rendered samples.
@Suite("AVAudioPlayerNode", .limited)
struct PlayerNodeTests {
    @Test("E100: a player is paused when made, and isPlaying stays true when its queue is empty")
    func paused() throws {
        let lab = try PlayerBench()
        lab.player.scheduleBuffer(try lab.buffer(1, 100))
        #expect(try lab.rendered(64) == zeros(64))
        #expect(!lab.player.isPlaying)
        lab.player.play()
        #expect(try lab.rendered(256) == values(1, 100) + zeros(156))
        #expect(lab.player.isPlaying)
    }

    @Test(
        "E29, E101: a player does not play while the engine does not run, or is connected to nothing; never a failure")
    func notRunning() throws {
        let lab = try PlayerBench(starts: false)
        lab.player.play()
        #expect(!lab.player.isPlaying)
        #expect(EngineBench.code { try lab.player.playAudio() } == -80802)
        #expect(EngineBench.code { try AVAudioPlayerNode().playAudio() } == -80802)
        try lab.bench.engine.start()
        lab.bench.engine.disconnectNodeOutput(lab.player)
        #expect(EngineBench.code { try lab.player.playAudio() } == -10876)
        lab.player.scheduleBuffer(try lab.buffer(0.5, 100))
        lab.player.play()
        #expect(try lab.rendered(64) == zeros(64))
        lab.bench.engine.connect(lab.player, to: lab.bench.engine.mainMixerNode, format: lab.format)
        #expect(try lab.rendered(128) == values(0.5, 100) + zeros(28))
        try lab.player.playAudio()
    }

    @Test("E102, E129: buffers follow each other without a gap")
    func gapless() async throws {
        let lab = try PlayerBench()
        lab.player.play()
        for index in 1...3 {
            lab.player.scheduleBuffer(try lab.buffer(Float(index), 512), completionHandler: lab.note("\(index)"))
        }
        let expected = (1...3).flatMap { values(Float($0), 512) } + zeros(64)
        #expect(try lab.rendered(1600) == expected)
        #expect(try await lab.handled.first(3) == ["1", "2", "3"])
    }

    @Test("E103, E104: a time counts from the player's start at its own rate, and a past one means at once")
    func times() throws {
        let lab = try PlayerBench()
        _ = try lab.rendered(100)
        lab.player.play()
        lab.player.scheduleBuffer(try lab.buffer(1, 10), at: AVAudioTime(sampleTime: 50, atRate: 22_050))
        lab.player.scheduleBuffer(try lab.buffer(2, 10), at: lab.at(3))
        lab.player.scheduleBuffer(try lab.buffer(3, 10), at: AVAudioTime(hostTime: 1 << 62))
        let never = AVAudioTime(sampleTime: 1 << 61, atRate: 0.001)
        lab.player.scheduleBuffer(try lab.buffer(4, 10), at: never)
        let expected = zeros(100) + values(1, 10) + values(2, 10) + values(3, 10) + zeros(70)
        #expect(try lab.rendered(200) == expected)
    }

    @Test("E105, E106: loops repeat until they are interrupted, at once or at the end of their pass")
    func loops() async throws {
        let lab = try PlayerBench()
        let saw = (1...96).map { Float($0) }
        lab.player.play()
        lab.player.scheduleBuffer(try lab.buffer(saw), at: nil, options: .loops, completionHandler: lab.note("loop"))
        lab.player.scheduleBuffer(try lab.buffer(9, 10), at: nil, completionHandler: lab.note("waits"))
        #expect(try lab.rendered(96 * 4 + 32) == [[Float]](repeating: saw, count: 4).flatMap(\.self) + saw[..<32])
        lab.player.scheduleBuffer(
            try lab.buffer(500, 32), at: nil, options: [.interruptsAtLoop, .loops], completionHandler: lab.note("next"))
        #expect(try lab.rendered(128) == saw[32...] + values(500, 64))
        lab.player.scheduleBuffer(try lab.buffer(7, 16), at: nil, options: .interrupts)
        #expect(try lab.rendered(64) == values(7, 16) + zeros(48))
        #expect(try await lab.handled.first(3) == ["loop", "waits", "next"])
    }

    @Test("E107, E109: stop drops everything, tells each handler, and begins time at 0; the engine runs on")
    func stop() async throws {
        let lab = try PlayerBench()
        lab.player.play()
        for index in 1...3 {
            lab.player.scheduleBuffer(try lab.buffer(1, 100), completionHandler: lab.note("\(index)"))
        }
        _ = try lab.rendered(150)
        lab.player.stop()
        #expect(!lab.player.isPlaying && lab.bench.engine.isRunning)
        // Nothing is rendered for it.
        #expect(try await lab.handled.first(3) == ["1", "2", "3"])
        lab.player.play()
        #expect(try lab.rendered(64) == zeros(64))
        let node = try #require(lab.player.lastRenderTime)
        #expect(lab.player.playerTime(forNodeTime: node)?.sampleTime == 0)
    }

    @Test("E108: stop may be called by a handler, as may all else, and by a thread that renders")
    func inside() async throws {
        let lab = try PlayerBench()
        let (player, handled) = (lab.player, lab.handled)
        let next = AVReadOnlyAudioPCMBuffer(copying: try lab.buffer(2, 64))
        player.scheduleBuffer(try lab.buffer(1, 64)) {
            player.stop()
            player.scheduleBuffer(next) { handled.note("second") }
            player.play()
            handled.note("first")
        }
        player.play()
        _ = try lab.rendered(64)
        #expect(try await handled.first(1) == ["first"])
        #expect(try lab.rendered(64) == values(2, 64))
        #expect(try await handled.first(2) == ["first", "second"])
        let source = AVAudioSourceNode { _, _, _, _ in
            player.stop()
            return -1
        }
        player.scheduleBuffer(try lab.buffer(3, 640), completionHandler: lab.note("third"))
        lab.bench.engine.attach(source)
        lab.bench.engine.connect(source, to: lab.bench.engine.mainMixerNode, format: lab.format)
        _ = try lab.rendered(1)
        #expect(try await handled.first(3).last == "third")
    }

    @Test("E110, E111: consumed and rendered come while it is rendered; played back never does but by stop")
    func types() async throws {
        let lab = try PlayerBench()
        lab.player.play()
        for (name, type) in [("consumed", 0), ("rendered", 1), ("heard", 2)] as [(String, Int)] {
            let type = try #require(AVAudioPlayerNodeCompletionCallbackType(rawValue: type))
            lab.player.scheduleBuffer(try lab.buffer(1, 64), completionCallbackType: type) { [handled = lab.handled] in
                #expect($0 == type)
                handled.note(name)
            }
        }
        lab.player.scheduleBuffer(try lab.buffer(1, 64), completionHandler: lab.note("last"))
        #expect(lab.handled.all.isEmpty)
        _ = try lab.rendered(256)
        #expect(try await lab.handled.first(3) == ["consumed", "rendered", "last"])
        lab.player.stop()
        #expect(try await lab.handled.first(4).last == "heard")
    }

    @Test("E112: a pause keeps the position to the frame, and time stands still")
    func pause() throws {
        let lab = try PlayerBench()
        let saw = (1...300).map { Float($0) }
        lab.player.scheduleBuffer(try lab.buffer(saw))
        lab.player.play()
        #expect(try lab.rendered(111) == Array(saw[..<111]))
        lab.player.pause()
        #expect(!lab.player.isPlaying)
        #expect(try lab.rendered(70) == zeros(70))
        lab.player.play()
        #expect(try lab.rendered(50, block: 50) == Array(saw[111..<161]))
        let node = try #require(lab.player.lastRenderTime)
        #expect(node.sampleTime == 181 && lab.player.playerTime(forNodeTime: node)?.sampleTime == 111)
        lab.bench.engine.pause()
        try lab.bench.engine.start()
        #expect(try lab.rendered(139) == Array(saw[161...]))
    }

    @Test("E114: play(at:) begins at the exact frame of the node, and a past time at once")
    func playAt() throws {
        for (start, rate) in [(512, 44_100.0), (700, 44_100), (350, 22_050)] {
            let lab = try PlayerBench()
            let second = AVAudioPlayerNode()
            lab.bench.engine.attach(second)
            lab.bench.engine.connect(second, to: lab.bench.engine.mainMixerNode, format: lab.format)
            for player in [lab.player, second] {
                player.scheduleBuffer(try lab.buffer(0.5, 4096))
                player.play(at: AVAudioTime(sampleTime: Int64(start), atRate: rate))
            }
            let frame = Int(Double(start) * 44_100 / rate)
            #expect(try lab.rendered(1536, block: 512) == zeros(frame) + values(1, 1536 - frame))
            let third = AVAudioPlayerNode()
            lab.bench.engine.connect(third, to: lab.bench.engine.mainMixerNode, format: lab.format)
            third.scheduleBuffer(try lab.buffer(2, 10))
            third.play(at: lab.at(100))
            #expect(try lab.rendered(20) == values(3, 10) + values(1, 10))
        }
    }

    @Test("E115: buffers of other rates, encodings and channel counts are converted")
    func otherFormats() throws {
        let lab = try PlayerBench()
        let half = try EngineBench.format(22_050, 2)
        let slow = try #require(AVAudioPCMBuffer(pcmFormat: half, frameCapacity: 1000))
        slow.fill((0..<1000).flatMap { [tone(441, $0, rate: 22_050), 0] })
        lab.player.scheduleBuffer(slow)
        let integers = try #require(
            AVAudioFormat(commonFormat: .pcmFormatInt16, sampleRate: 44_100, channels: 1, interleaved: true))
        let short = try #require(AVAudioPCMBuffer(pcmFormat: integers, frameCapacity: 100))
        short.fill([Int16](repeating: 0x2000, count: 100))
        lab.player.scheduleBuffer(short)
        lab.player.play()
        let sound = try lab.rendered(2200)
        #expect(Array(sound[2000...]) == values(0.25, 100) + zeros(100))
        let errors = (100..<1900).map { abs(sound[$0] - tone(441, $0, amplitude: 0.5)) }
        #expect((errors.max() ?? 1) < 0.001)
    }

    @Test("E116: a buffer without frames plays nothing, and its handler is called in turn")
    func empty() async throws {
        let lab = try PlayerBench()
        lab.player.scheduleBuffer(try lab.buffer([]), completionHandler: lab.note("first"))
        #expect(try await lab.handled.first(1) == ["first"])
        lab.player.scheduleBuffer(try lab.buffer(1, 32), completionHandler: lab.note("sound"))
        lab.player.scheduleBuffer(try lab.buffer([]), completionHandler: lab.note("empty"))
        lab.player.play()
        #expect(try lab.rendered(64) == values(1, 32) + zeros(32))
        #expect(try await lab.handled.first(3) == ["first", "sound", "empty"])
        lab.player.scheduleBuffer(try lab.buffer(1, 640))
        lab.player.scheduleBuffer(try lab.buffer([]), at: nil, options: .interrupts, completionHandler: lab.note("cut"))
        #expect(try lab.rendered(64) == zeros(64))
        #expect(try await lab.handled.first(4).last == "cut")
    }

    @Test("E122, E123, E124: player time is node time from the start on, goes on without sound, and is nil else")
    func playerTime() throws {
        let lab = try PlayerBench()
        _ = try lab.rendered(100)
        let player = lab.player
        #expect(player.playerTime(forNodeTime: lab.at(0)) == nil && player.nodeTime(forPlayerTime: lab.at(0)) == nil)
        player.play()
        #expect(player.playerTime(forNodeTime: lab.at(100)) == nil)
        _ = try lab.rendered(64)
        let time = try #require(player.playerTime(forNodeTime: AVAudioTime(sampleTime: 75, atRate: 22_050)))
        #expect(time.sampleTime == 50 && time.sampleRate == 44_100)
        #expect(player.nodeTime(forPlayerTime: lab.at(50))?.sampleTime == 150)
        #expect(player.playerTime(forNodeTime: AVAudioTime(hostTime: 5)) == nil)
        _ = try lab.rendered(1000)
        let node = try #require(player.lastRenderTime)
        #expect(player.playerTime(forNodeTime: node)?.sampleTime == node.sampleTime - 100)
        player.pause()
        #expect(player.playerTime(forNodeTime: node) == nil)
        lab.bench.engine.stop()
        #expect(player.lastRenderTime == nil)
    }

    @Test("E126, E127: handlers may schedule what comes next, and after an empty queue it begins at once")
    func streaming() async throws {
        let lab = try PlayerBench()
        lab.player.play()
        _ = try lab.rendered(100)
        for index in 0..<5 {
            lab.player.scheduleBuffer(try lab.buffer(Float(index), 64), completionHandler: lab.note("\(index)"))
            #expect(try lab.rendered(64) == values(Float(index), 64))
            #expect(try await lab.handled.first(index + 1).last == "\(index)")
        }
    }

    @Test("E35: engine.stop stops players: handlers are called, nothing is left, time begins at 0")
    func engineStop() async throws {
        let lab = try PlayerBench()
        lab.player.scheduleBuffer(try lab.buffer(1, 1000), completionHandler: lab.note("dropped"))
        lab.player.play()
        _ = try lab.rendered(100)
        lab.bench.engine.stop()
        #expect(!lab.player.isPlaying)
        #expect(try await lab.handled.first(1) == ["dropped"])
        try lab.bench.engine.start()
        #expect(try lab.rendered(64) == zeros(64))
    }

    @Test("E36, E130: reset empties a player's queue and leaves isPlaying as it is")
    func reset() async throws {
        let lab = try PlayerBench()
        lab.player.scheduleBuffer(try lab.buffer(1, 1000), completionHandler: lab.note("one"))
        lab.player.play()
        _ = try lab.rendered(100)
        lab.player.reset()
        #expect(try await lab.handled.first(1) == ["one"])
        lab.player.scheduleBuffer(try lab.buffer(2, 1000), completionHandler: lab.note("two"))
        #expect(lab.player.isPlaying)
        #expect(try lab.rendered(64) == values(2, 64))
        lab.bench.engine.reset()
        #expect(try await lab.handled.first(2) == ["one", "two"])
        lab.player.scheduleBuffer(try lab.buffer(3, 64))
        #expect(try lab.rendered(64) == values(3, 64))
        #expect(lab.player.isPlaying)
    }

    @Test("sounds that were scheduled before the connection, or in another format, are played in the new one")
    func connectedLater() async throws {
        let bench = try EngineBench()
        let player = AVAudioPlayerNode()
        let mono = try EngineBench.format(44_100, 1)
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: mono, frameCapacity: 64))
        buffer.fill(values(1, 64))
        let handled = Handled()
        player.scheduleBuffer(buffer) { handled.note("played") }
        bench.engine.attach(player)
        bench.engine.connect(player, to: bench.engine.mainMixerNode, format: mono)
        try bench.engine.start()
        player.play()
        #expect(abs(try bench.left(64)[63] - 0.70710677) < 1e-6)
        #expect(try await handled.first(1) == ["played"])
    }

    @Test("handlers are called when a player, or its engine, goes")
    func gone() async throws {
        let handled = Handled()
        do {
            let lab = try PlayerBench()
            lab.player.scheduleBuffer(try lab.buffer(1, 10)) { handled.note("engine") }
        }
        #expect(try await handled.first(1) == ["engine"])
        do {
            let player = AVAudioPlayerNode()
            let buffer = try #require(AVAudioPCMBuffer(pcmFormat: EngineBench.format(), frameCapacity: 8))
            buffer.frameLength = 8
            player.scheduleBuffer(buffer) { handled.note("player") }
        }
        #expect(try await handled.first(2) == ["engine", "player"])
    }
}
