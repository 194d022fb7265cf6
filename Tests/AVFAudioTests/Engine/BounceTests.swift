import AVFAudio
import TestSupport
import Testing

/// What apps that render to a file, and those that hold on to buffers and times, rely on.
@Suite("AVAudioEngine, sound for files", .limited)
struct BounceTests {
    @Test("E152: of a bounce with a late effect, what is rendered after its latency is the sound, whole")
    func latency() throws {
        let lab = try PlayerBench()
        let (engine, unit) = (lab.bench.engine, AVAudioUnitTimePitch())
        engine.attach(unit)
        engine.connect(lab.player, to: unit, format: lab.format)
        engine.connect(unit, to: engine.mainMixerNode, format: lab.format)
        let sound = (0..<5000).map { tone(330, $0, amplitude: 0.5) }
        lab.player.scheduleBuffer(try lab.buffer(sound))
        lab.player.play()
        let late = Int((unit.latency * lab.format.sampleRate).rounded())
        #expect(late > 0)
        let rendered = try lab.rendered(sound.count + late, block: 512)
        #expect(rendered[..<late].allSatisfy { $0 == 0 } && Array(rendered[late...]) == sound)
    }

    @Test("E75: the main mixer's tap hears all that is rendered, also in another format than the output has")
    func tapOfTheMainMixer() async throws {
        let lab = try PlayerBench()
        let heard = Captured()
        let stereo = try EngineBench.format(22_050, 2)
        heard.tap(lab.bench.engine.mainMixerNode, stereo)
        lab.player.scheduleBuffer(try lab.buffer((0..<44_100).map { tone(500, $0, amplitude: 0.5) }))
        lab.player.play()
        _ = try lab.rendered(44_100, block: 4096)
        try await waitUntil("half a second of the tap") { heard.samples.count >= 11_025 }
        #expect(heard.formats == ["22050 2"])
        #expect(abs(heard.last(4410, rate: 22_050).level(ofFrequency: 500) + 6) < 0.5)
    }

    @Test("E113: offline a pause is silent from the next frame on, without a ramp, and so is the way back")
    func pauses() throws {
        let lab = try PlayerBench()
        let saw: [Float] = (1...256).map { Float($0) / 256 }
        lab.player.scheduleBuffer(try lab.buffer(saw))
        lab.player.play()
        var rendered = try lab.rendered(100)
        lab.player.pause()
        rendered += try lab.rendered(50)
        lab.player.play()
        rendered += try lab.rendered(156)
        let expected: [Float] = Array(saw[..<100]) + zeros(50) + Array(saw[100...])
        #expect(rendered == expected)
    }

    @Test("E117: a scheduled buffer is not copied, and is retained until it was consumed")
    func buffers() async throws {
        let lab = try PlayerBench()
        weak var kept: AVAudioPCMBuffer?
        do {
            let buffer = try lab.buffer(0.25, 64)
            kept = buffer
            lab.player.scheduleBuffer(buffer, completionHandler: lab.note("consumed"))
        }
        // What an app must not do shows whose memory is played.
        try #require(kept).fill(values(0.5, 64))
        lab.player.play()
        #expect(try lab.rendered(64) == values(0.5, 64))
        #expect(try await lab.handled.first(1) == ["consumed"])
        try await waitUntil("the buffer's end") { kept == nil }
    }

    @Test(
        "E166: a compressed file has its exact length, and its samples begin where those of the sound did",
        arguments: ["m4a", "caf"])
    func compressed(_ type: String) throws {
        let folder = try FileFolder()
        let url = folder.url("sound.\(type)")
        let frames = 50_001
        let settings: [String: Any] = [
            AVFormatIDKey: kAudioFormatMPEG4AAC, AVSampleRateKey: 44_100, AVNumberOfChannelsKey: 1,
            AVEncoderBitRateKey: 128_000,
        ]
        let sound = (0..<frames).map { $0 < 20_000 ? 0 : tone(440, $0, amplitude: 0.5) }
        let writing = try AVAudioFile(forWriting: url, settings: settings)
        let buffer = try #require(
            AVAudioPCMBuffer(pcmFormat: writing.processingFormat, frameCapacity: UInt32(frames)))
        buffer.fill(sound)
        try writing.write(from: buffer)
        writing.close()

        let file = try AVAudioFile(forReading: url)
        #expect(file.length == frames)
        let read = try #require(
            AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: UInt32(frames) + 4096))
        try file.read(into: read)
        let samples = read.frames(Float.self)
        #expect(samples.count == frames)
        // A codec's delay, 1024 frames or more, would turn the tone's phase, or silence its beginning.
        let error = zip(samples[21_000..<45_000], sound[21_000..<45_000]).map { abs($0 - $1) }.max() ?? 1
        #expect(error < 0.05, "\(error)")
    }

    @Test("E176: buffers stay with whoever made them, and read-only buffers go anywhere")
    func sendable() {
        #expect(!isSendable(AVAudioPCMBuffer.self) && !isSendable(AVAudioCompressedBuffer.self))
        #expect(isSendable(AVReadOnlyAudioPCMBuffer.self))
    }
}

/// What the compiler knows of a type.
private func isSendable<Value: Sendable>(_: Value.Type) -> Bool { true }

private func isSendable<Value>(_: Value.Type) -> Bool { false }
