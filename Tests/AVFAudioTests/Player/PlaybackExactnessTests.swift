import AVFAudio
import HeadlessServer
import TestSupport
import Testing

@Suite("What the player plays arrives", .limited)
struct PlaybackExactnessTests {
    @Test(
        "A 16-bit file at volume 1 arrives bit for bit, from the first sample to the last", .limited,
        .judges(.gap(frames: 0)))
    func bitExact() async throws {
        try await withServer(.pulseAudio) { server in
            let signal = TestSignal.noise(seconds: 1.5)
            let file = try signal.writeWAV(to: server.directory.appendingPathComponent("noise.wav"))
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback)
            let monitor = try await MonitorRecording.start(on: server)
            let player = try AVAudioPlayer(contentsOf: file, session: session)
            let delegate = PlayerEvents()
            player.delegate = delegate
            #expect(player.play())
            try await delegate.waitForFinish()
            try await monitor.wait(seconds: 0.2)
            let heard = try await monitor.stop()
            let start = try #require(heard.firstFrame(of: Array(signal.samples.prefix(2000))))
            let range = start * 2..<start * 2 + signal.samples.count
            try #require(heard.pcm16.count >= range.upperBound)
            #expect(Array(heard.pcm16[range]) == signal.samples)
        }
    }
}
