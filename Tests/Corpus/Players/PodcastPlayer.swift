import AVFoundation

// Speech at another speed, with skips of fifteen seconds; a struct for the state that a view shows.
final class PodcastPlayer {
    struct State: Equatable {
        var position: TimeInterval
        var duration: TimeInterval
        var rate: Float
    }

    private let player: AVAudioPlayer

    init(url: URL) throws {
        let session = AVAudioSession.sharedInstance()
        try session.setCategory(.playback, mode: .spokenAudio, policy: .longFormAudio)
        player = try AVAudioPlayer(contentsOf: url)
        player.enableRate = true
        player.prepareToPlay()
    }

    var state: State { State(position: player.currentTime, duration: player.duration, rate: player.rate) }

    func play(at rate: Float) {
        player.rate = rate
        player.play()
    }

    func skip(_ seconds: TimeInterval) {
        player.currentTime = max(0, min(player.duration, player.currentTime + seconds))
    }

    func pause() { player.pause() }
}

extension PodcastPlayer: Story {
    static func run(_ stage: Stage) async throws {
        let app = try PodcastPlayer(url: stage.sound("album.wav"))
        app.skip(15)
        stage.say("at \(Int(app.state.position)) of \(Int(app.state.duration))")
        app.play(at: 2)
        try await stage.until("a second of the podcast") { app.state.position > 16 }
        app.pause()
        let position = app.state.position
        app.skip(-15)
        stage.say("back \(Int((position - app.state.position).rounded())) at rate \(app.state.rate)")
        app.skip(-15)
        stage.say("at \(app.state.position)")
    }
}
