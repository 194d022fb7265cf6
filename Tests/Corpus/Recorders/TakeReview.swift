import AVFoundation

// The recording manager of many apps: it goes to playback while the recorder still runs, then stops it.
final class TakeReview {
    private let session = AVAudioSession.sharedInstance()
    private var recorder: AVAudioRecorder?
    private var player: AVAudioPlayer?

    func record(to url: URL) throws {
        try session.setCategory(.playAndRecord)
        try session.setActive(true)
        recorder = try AVAudioRecorder(url: url, settings: [AVSampleRateKey: 44_100, AVNumberOfChannelsKey: 2])
        recorder?.record()
    }

    var seconds: TimeInterval { recorder?.currentTime ?? 0 }

    func review() throws -> TimeInterval {
        guard let recorder = recorder else { return 0 }
        try session.setCategory(.playback)
        try session.setActive(true)
        recorder.stop()
        let player = try AVAudioPlayer(contentsOf: recorder.url)
        player.play()
        self.player = player
        return player.duration
    }

    var isReviewing: Bool { player?.isPlaying ?? false }
}

extension TakeReview: Story {
    static func run(_ stage: Stage) async throws {
        let app = TakeReview()
        try app.record(to: stage.sound("take.wav"))
        try await stage.until("a take") { app.seconds > 0.2 }
        stage.say("reviewing \(try app.review() >= 0.2)")
        try await stage.until("the end") { !app.isReviewing }
    }
}
