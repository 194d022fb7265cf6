import AVFoundation

// A player for practice: slower or faster at the same pitch, with seeks, as players of podcasts have them too.
@MainActor
final class PracticePlayer {
    private let engine = AVAudioEngine()
    private let player = AVAudioPlayerNode()
    private let time = AVAudioUnitTimePitch()
    private let equalizer = AVAudioUnitEQ(numberOfBands: 2)
    private let file: AVAudioFile
    private var offset: AVAudioFramePosition = 0
    private var request = 0
    private(set) var hasEnded = false

    init(_ url: URL) throws {
        try AVAudioSession.sharedInstance().setCategory(.playback, mode: .spokenAudio)
        file = try AVAudioFile(forReading: url)
        for node in [player, time, equalizer] { engine.attach(node) }
        engine.connect(player, to: time, format: file.processingFormat)
        engine.connect(time, to: equalizer, format: file.processingFormat)
        engine.connect(equalizer, to: engine.mainMixerNode, format: file.processingFormat)
        equalizer.bands[0].filterType = .highPass
        equalizer.bands[0].frequency = 80
        equalizer.bands[0].bypass = false
        engine.prepare()
        try engine.start()
    }

    var rate: Float {
        get { time.rate }
        set { time.rate = newValue }
    }

    var position: TimeInterval {
        guard let last = player.lastRenderTime, let now = player.playerTime(forNodeTime: last) else {
            return Double(offset) / file.processingFormat.sampleRate
        }
        return Double(offset + now.sampleTime) / file.processingFormat.sampleRate
    }

    var duration: TimeInterval { Double(file.length) / file.processingFormat.sampleRate }

    func seek(to seconds: TimeInterval) {
        player.stop()
        request += 1
        let mine = request
        offset = AVAudioFramePosition(seconds * file.processingFormat.sampleRate)
        let left = AVAudioFrameCount(max(0, file.length - offset))
        player.scheduleSegment(
            file, startingFrame: offset, frameCount: left, at: nil, completionCallbackType: .dataPlayedBack
        ) { [weak self] _ in
            DispatchQueue.main.async { [weak self] in self?.ended(mine) }
        }
    }

    private func ended(_ number: Int) {
        // An older one was cut off by a seek.
        if number == request { hasEnded = true }
    }

    func play() { player.play() }
    func pause() { player.pause() }
    func stop() { engine.stop() }
}

extension PracticePlayer: Story {
    static func run(_ stage: Stage) async throws {
        let player = try PracticePlayer(stage.sound("album.wav"))
        player.rate = 1.5
        player.seek(to: 0)
        player.play()
        try await stage.until("half a second") { player.position > 0.5 }
        player.pause()
        player.seek(to: 29.5)
        stage.say("at \(player.position) of \(player.duration)")
        player.play()
        try await stage.until("the end") { player.hasEnded }
        player.stop()
        stage.say("ended rate \(player.rate)")
    }
}
