import AVFAudio
import HeadlessServer
import TestSupport
import Testing

/// Changes of speed where nobody may wait: on a device, and in the realtime mode.
@Suite("AVAudioUnitTimeEffect on a device", .serialized, .limited)
struct TimeEffectDeviceTests {
    /// Leads a player through a unit to the main mixer.
    private func connect(
        _ player: AVAudioPlayerNode, _ unit: AVAudioUnitVarispeed, in engine: AVAudioEngine, _ format: AVAudioFormat
    ) {
        engine.connect(player, to: unit, format: format)
        engine.connect(unit, to: engine.mainMixerNode, format: format)
    }

    @Test("E228, E231: a tone on a device follows the rate", arguments: HeadlessServer.Kind.allCases)
    func device(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let engine = AVAudioEngine(session: lab.session)
            let (player, unit) = (AVAudioPlayerNode(), AVAudioUnitVarispeed())
            unit.rate = 2
            let rate = Double(lab.rate)
            let format = try EngineBench.format(rate, 1)
            connect(player, unit, in: engine, format)
            let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(lab.rate)))
            buffer.fill((0..<lab.rate).map { tone(500, $0, amplitude: 0.25, rate: rate) })
            try engine.start()
            player.scheduleBuffer(buffer, at: nil, options: .loops)
            player.play()
            for (speed, frequency) in [(3, 1500), (2, 1000)] as [(Float, Double)] {
                unit.rate = speed
                try await waitUntil("a tone of \(frequency) Hz", timeout: hangLimit) {
                    let first = lab.monitor.frames
                    try await lab.monitor.wait(seconds: 0.1)
                    let heard = lab.monitor.soFar(from: first)
                    return heard.level(ofFrequency: frequency, channel: 0) > -20
                        && heard.level(ofFrequency: 2500 - frequency, channel: 0) < -40
                }
            }
            engine.stop()
        }
    }

    @Test("E229, E230: the realtime mode gives the same samples as the offline mode")
    func realtime() throws {
        let samples = (0..<4000).map { tone(440, $0, amplitude: 0.5) }
        let offline = try PlayerBench(starts: false)
        let unit = AVAudioUnitVarispeed()
        unit.rate = 1.3
        connect(offline.player, unit, in: offline.bench.engine, offline.format)
        try offline.bench.engine.start()
        offline.player.scheduleBuffer(try offline.buffer(samples), completionHandler: nil)
        offline.player.play()
        let expected = try offline.rendered(2048)
        let lab = try RealtimeBench()
        let other = AVAudioUnitVarispeed()
        other.rate = 1.3
        connect(lab.player, other, in: lab.engine, lab.format)
        lab.player.scheduleBuffer(try lab.buffer(samples), completionHandler: nil)
        lab.player.play()
        let sound = (0..<32).flatMap { _ in lab.block(64) }
        #expect(sound.peak > 0.49 && sound == expected)
    }
}
