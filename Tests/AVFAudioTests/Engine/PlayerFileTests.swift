import AVFAudio
import TestSupport
import Testing

/// Files and segments of player nodes, on rendered samples.
@Suite("AVAudioPlayerNode, files", .limited)
struct PlayerFileTests {
    private func saw(_ frames: Int) -> [Float] { (0..<frames).map { Float($0 % 1001 + 1) / 2000 } }

    @Test("E118, E126: files are played whole, one after another, whatever framePosition is, which stays")
    func files() async throws {
        let lab = try PlayerBench()
        let folder = try FileFolder()
        // More than is read ahead.
        let sound = saw(150_000)
        let file = try AVAudioFile(forReading: try lab.file(folder, sound))
        file.framePosition = 777
        lab.player.scheduleFile(file, at: nil, completionHandler: lab.note("file"))
        lab.player.scheduleBuffer(try lab.buffer(0.9, 64), completionHandler: lab.note("buffer"))
        lab.player.scheduleFile(file, at: nil, completionHandler: lab.note("again"))
        lab.player.play()
        let rendered = try lab.rendered(150_000 + 64 + 150_000 + 64, block: 4096)
        #expect(rendered == sound + values(0.9, 64) + sound + zeros(64))
        #expect(file.framePosition == 777)
        #expect(try await lab.handled.first(3) == ["file", "buffer", "again"])
    }

    @Test("E118: a segment has the frames that exist; none, a negative start and a file that is gone are no failure")
    func segments() async throws {
        let lab = try PlayerBench()
        let folder = try FileFolder()
        let sound = saw(4410)
        let url = try lab.file(folder, sound)
        let file = try AVAudioFile(forReading: url)
        let player = lab.player
        func schedule(_ start: Int64, _ frames: UInt32) {
            player.scheduleSegment(
                file, startingFrame: start, frameCount: frames, at: nil, completionHandler: lab.note("\(start)"))
        }
        schedule(4000, 5000)
        schedule(100, 0)
        schedule(-5, 10)
        schedule(9000, 10)
        schedule(200, 50)
        player.play()
        let expected = sound[4000...] + sound[..<10] + sound[200..<250] + zeros(30)
        #expect(try lab.rendered(500) == Array(expected))
        #expect(try await lab.handled.first(5) == ["4000", "100", "-5", "9000", "200"])
        try FileManager.default.removeItem(at: url)
        player.scheduleFile(file, at: nil, completionHandler: lab.note("gone"))
        #expect(try await lab.handled.first(6).last == "gone")
        #expect(try lab.rendered(64) == zeros(64))
    }

    @Test("E119, E128: files are converted to the player's rate and channels, at their length")
    func rates() throws {
        let lab = try PlayerBench(rate: 48_000)
        let folder = try FileFolder()
        let url = try lab.file(folder, (0..<22_050).map { tone(500, $0, amplitude: 0.5) })
        lab.player.scheduleFile(try AVAudioFile(forReading: url), at: nil)
        lab.player.play()
        let sound = try lab.rendered(23_000, block: 1000)
        // The mixer converts the player's 48 kHz back, 53 frames late: 48 of the lower rate.
        let errors = (500..<21_500).map { (frame: Int) -> Float in
            let seconds = Double(frame) / 44_100 - 53.0 / 48_000
            let expected: Double = 0.5 * sin(1000 * Double.pi * seconds)
            return abs(sound[frame] - Float(expected))
        }
        #expect((errors.max() ?? 1) < 0.001)
        #expect(Array(sound[22_300...]).peak == 0 && Array(sound[21_900..<22_000]).peak > 0.4)
    }

    @Test("E106: an interrupted file is dropped, and at its loop's end it was played whole")
    func interrupted() async throws {
        let lab = try PlayerBench()
        let folder = try FileFolder()
        let sound = saw(100_000)
        let file = try AVAudioFile(forReading: try lab.file(folder, sound))
        lab.player.scheduleFile(file, at: nil, completionHandler: lab.note("whole"))
        lab.player.scheduleFile(file, at: nil, completionHandler: lab.note("waits"))
        lab.player.play()
        _ = try lab.rendered(30_000, block: 3000)
        lab.player.scheduleBuffer(try lab.buffer(2, 100), at: nil, options: .interruptsAtLoop)
        #expect(try lab.rendered(70_200, block: 3000) == sound[30_000...] + values(2, 100) + zeros(100))
        #expect(try await lab.handled.first(2) == ["whole", "waits"])
        lab.player.scheduleFile(file, at: nil, completionHandler: lab.note("cut"))
        lab.player.scheduleFile(file, at: nil, completionHandler: lab.note("behind"))
        _ = try lab.rendered(30_000, block: 3000)
        lab.player.scheduleBuffer(try lab.buffer(3, 50), at: nil, options: .interrupts)
        #expect(try lab.rendered(100) == values(3, 50) + zeros(50))
        #expect(try await lab.handled.first(4) == ["whole", "waits", "cut", "behind"])
    }

    @Test("E120, E154: a file that is being written plays what is in it, and no frame is late offline")
    func growing() throws {
        let lab = try PlayerBench()
        let folder = try FileFolder()
        let url = folder.url("growing.wav")
        let file = try AVAudioFile(forWriting: url, settings: lab.format.settings)
        try file.write(from: try lab.buffer(saw(44_100)))
        lab.player.scheduleFile(file, at: nil)
        lab.player.play()
        let sound = try lab.rendered(60_000, block: 4096)
        let count = sound.firstIndex(of: 0) ?? 0
        #expect(count > 0 && Array(sound[..<count]) == Array(saw(44_100)[..<count]))
        #expect(Array(sound[count...]).peak == 0)
    }

    @Test("E154: no frame is late where a block has more frames than are usually read ahead")
    func longBlocks() throws {
        let bench = try EngineBench(rate: 8000, channels: 1)
        let folder = try FileFolder()
        let lab = try PlayerBench()
        let file = try AVAudioFile(forReading: try lab.file(folder, values(1, 110_000), rate: 192_000))
        let player = AVAudioPlayerNode()
        bench.engine.connect(player, to: bench.engine.mainMixerNode, format: file.processingFormat)
        try bench.engine.start()
        player.scheduleFile(file, at: nil)
        player.play()
        let sound = try bench.left(4096, block: 4096)
        #expect(sound[100...].allSatisfy { abs($0 - 1) < 0.001 })
    }

    @Test("E121: preparing reads so many frames that they may go from the file")
    func preparing() throws {
        let lab = try PlayerBench()
        let folder = try FileFolder()
        let sound = saw(200_000)
        let url = try lab.file(folder, sound)
        lab.player.scheduleFile(try AVAudioFile(forReading: url), at: nil)
        lab.player.prepare(withFrameCount: 200_000)
        try FileHandle(forWritingTo: url).truncate(atOffset: 0)
        try lab.bench.engine.start()
        lab.player.play()
        #expect(try lab.rendered(200_100, block: 4096) == sound + zeros(100))
    }

    @Test("E155: players sound the same in blocks of every size, at several rates, bit for bit")
    func blocks() throws {
        let folder = try FileFolder()
        func sound(_ block: Int) throws -> [Float] {
            let lab = try PlayerBench(rate: 48_000)
            let file = try AVAudioFile(forReading: try lab.file(folder, saw(3000), name: "\(block).wav"))
            let second = AVAudioPlayerNode()
            lab.bench.engine.attach(second)
            lab.bench.engine.connect(second, to: lab.bench.engine.mainMixerNode, format: try EngineBench.format())
            lab.player.scheduleBuffer(try lab.buffer(saw(777)), at: lab.at(99))
            lab.player.scheduleFile(file, at: lab.at(1200))
            second.scheduleBuffer(try lab.buffer(saw(313)), at: nil, options: .loops)
            lab.player.play()
            second.play(at: AVAudioTime(sampleTime: 555, atRate: 44_100))
            return try lab.rendered(6000, block: block)
        }
        let expected = try sound(6000 / 2)
        #expect(expected.peak > 0.5)
        for block in [1, 64, 512, 1000, 4096] { #expect(try sound(block) == expected, "blocks of \(block)") }
    }
}
