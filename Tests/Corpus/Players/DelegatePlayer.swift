import AVFoundation

// A main-actor model that is its player's delegate, as Swift 6 wants it.
@MainActor
final class DelegatePlayer: NSObject {
    private(set) var isPlaying = false
    private(set) var finishes: [Bool] = []
    private var player: AVAudioPlayer?

    func play(_ url: URL) throws {
        let player = try AVAudioPlayer(contentsOf: url)
        player.delegate = self
        player.prepareToPlay()
        isPlaying = player.play()
        self.player = player
    }
}

extension DelegatePlayer: AVAudioPlayerDelegate {
    nonisolated func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
        MainActor.assumeIsolated {
            isPlaying = false
            finishes.append(flag)
        }
    }
}

extension DelegatePlayer: Story {
    static func run(_ stage: Stage) async throws {
        let app = DelegatePlayer()
        try app.play(stage.sound("song.wav"))
        stage.say("playing \(app.isPlaying)")
        try await stage.until("the delegate") { !app.finishes.isEmpty }
        stage.say("finished \(app.finishes) playing \(app.isPlaying)")
    }
}
