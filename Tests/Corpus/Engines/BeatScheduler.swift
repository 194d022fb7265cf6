import AVFoundation

// A metronome whose tempo may change at each beat: two beats are scheduled ahead, at times of the player.
final class BeatScheduler {
    private let engine = AVAudioEngine()
    private let player = AVAudioPlayerNode()
    private let queue = DispatchQueue(label: "beats")
    private let tick: AVAudioPCMBuffer
    private let rate: Double
    private var next: AVAudioFramePosition = 0
    private var scheduled = 0
    private var isRunning = false
    private var secondsPerBeat: Double

    init(tick url: URL, beatsPerMinute: Double) throws {
        let file = try AVAudioFile(forReading: url)
        guard
            let tick = AVAudioPCMBuffer(
                pcmFormat: file.processingFormat, frameCapacity: AVAudioFrameCount(file.length))
        else { throw CocoaError(.fileReadUnknown) }
        try file.read(into: tick)
        self.tick = tick
        rate = file.processingFormat.sampleRate
        secondsPerBeat = 60 / beatsPerMinute
        engine.attach(player)
        engine.connect(player, to: engine.mainMixerNode, format: file.processingFormat)
        try engine.start()
    }

    func start() {
        queue.sync {
            isRunning = true
            schedule()
            schedule()
        }
        player.play()
    }

    // On the queue.
    private func schedule() {
        guard isRunning else { return }
        let time = AVAudioTime(sampleTime: next, atRate: rate)
        next += AVAudioFramePosition(secondsPerBeat * rate)
        scheduled += 1
        player.scheduleBuffer(tick, at: time, options: []) { [self] in
            queue.async { self.schedule() }
        }
    }

    var beats: Int { queue.sync { scheduled } }

    func stop() {
        queue.sync { isRunning = false }
        player.stop()
        engine.stop()
    }
}

// SAFETY: the queue guards what changes.
extension BeatScheduler: @unchecked Sendable {}

extension BeatScheduler: Story {
    static func run(_ stage: Stage) async throws {
        try AVAudioSession.sharedInstance().setCategory(.playback, options: .mixWithOthers)
        let metronome = try BeatScheduler(tick: stage.sound("tick.wav"), beatsPerMinute: 480)
        metronome.start()
        try await stage.until("nine beats") { metronome.beats > 8 }
        metronome.stop()
        stage.say("ticked")
    }
}
