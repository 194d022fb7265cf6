import AVFoundation

// Sounds from memory, and errors as NSError, as old code catches them.
final class DataPlayer {
    var player: AVAudioPlayer?
    var lastError: NSError?

    func play(data: Data) -> Bool {
        do {
            player = try AVAudioPlayer(data: data)
            player?.volume = 0.5
            return player?.play() ?? false
        } catch let error as NSError {
            lastError = error
            return false
        }
    }
}

extension DataPlayer: Story {
    static func run(_ stage: Stage) async throws {
        let app = DataPlayer()
        stage.say("nonsense \(app.play(data: Data("nonsense".utf8))) \(app.lastError?.domain ?? "no error")")
        stage.say("sound \(app.play(data: try Data(contentsOf: stage.sound("second.wav"))))")
        stage.say("url \(String(describing: app.player?.url)) channels \(app.player?.numberOfChannels ?? 0)")
        try await stage.until("the end") { app.player?.isPlaying == false }
    }
}
