import AVFoundation

// The player of every tutorial: one property, one method, errors printed.
class SimplePlayer {
    var player: AVAudioPlayer?

    func playSound(_ url: URL) {
        do {
            try AVAudioSession.sharedInstance().setCategory(.playback, mode: .default)
            try AVAudioSession.sharedInstance().setActive(true)
            player = try AVAudioPlayer(contentsOf: url, fileTypeHint: AVFileType.wav.rawValue)
            guard let player = player else { return }
            player.play()
        } catch let error {
            print(error.localizedDescription)
        }
    }
}

extension SimplePlayer: Story {
    static func run(_ stage: Stage) async throws {
        let app = SimplePlayer()
        app.playSound(stage.sound("nothing.wav"))
        app.playSound(stage.sound("song.wav"))
        stage.say("playing \(app.player?.isPlaying == true)")
        try await stage.until("the end") { app.player?.isPlaying == false }
        stage.say("at \(app.player?.currentTime ?? -1)")
    }
}
