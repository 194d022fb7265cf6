import AVFoundation

// A metronome of the simple kind: a bar as a buffer that repeats, and a count of beats by the player's time.
final class ClickTrack {
    private let engine = AVAudioEngine()
    private let player = AVAudioPlayerNode()
    private let bar: AVAudioPCMBuffer
    private let framesPerBeat: AVAudioFrameCount

    init(tick url: URL, beatsPerMinute: Double, beats: Int) throws {
        let file = try AVAudioFile(forReading: url)
        let format = file.processingFormat
        framesPerBeat = AVAudioFrameCount(format.sampleRate * 60 / beatsPerMinute)
        guard let bar = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: framesPerBeat * AVAudioFrameCount(beats)),
            let tick = AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(file.length))
        else { throw CocoaError(.fileReadUnknown) }
        try file.read(into: tick)
        bar.frameLength = bar.frameCapacity
        for channel in 0..<Int(format.channelCount) {
            guard let target = bar.floatChannelData?[channel], let source = tick.floatChannelData?[channel] else {
                continue
            }
            target.update(repeating: 0, count: Int(bar.frameLength))
            for beat in 0..<beats {
                (target + beat * Int(framesPerBeat)).update(from: source, count: Int(tick.frameLength))
            }
        }
        self.bar = bar
        engine.attach(player)
        engine.connect(player, to: engine.mainMixerNode, format: format)
        try engine.start()
    }

    func start() {
        player.scheduleBuffer(bar, at: nil, options: [.interrupts, .loops], completionHandler: nil)
        player.play()
    }

    func stop() { player.stop() }

    var beat: Int {
        guard let time = player.lastRenderTime, let now = player.playerTime(forNodeTime: time) else { return 0 }
        return Int(now.sampleTime) / Int(framesPerBeat)
    }
}

extension ClickTrack: Story {
    static func run(_ stage: Stage) async throws {
        try AVAudioSession.sharedInstance().setCategory(.playback, options: .mixWithOthers)
        let track = try ClickTrack(tick: stage.sound("tick.wav"), beatsPerMinute: 480, beats: 3)
        track.start()
        try await stage.until("eight beats") { track.beat >= 8 }
        track.stop()
        stage.say("beats at least 8, then \(track.beat)")
    }
}
