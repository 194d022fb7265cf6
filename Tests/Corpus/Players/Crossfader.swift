import AVFAudio

// Two decks, one fading out while the other fades in.
final class Crossfader {
    private(set) var decks: [AVAudioPlayer] = []

    init(_ urls: [URL]) throws {
        decks = try urls.map { url in
            let player = try AVAudioPlayer(contentsOf: url)
            player.numberOfLoops = -1
            return player
        }
    }

    func start() { decks[0].play() }

    func fade(over seconds: TimeInterval) {
        decks[1].volume = 0
        decks[1].play()
        decks[0].setVolume(0, fadeDuration: seconds)
        decks[1].setVolume(1, fadeDuration: seconds)
    }
}

extension Crossfader: Story {
    static func run(_ stage: Stage) async throws {
        let app = try Crossfader([stage.sound("song.wav"), stage.sound("second.wav")])
        app.start()
        stage.say("first")
        try await stage.tap("fade")
        app.fade(over: 0.3)
        try await stage.tap("stop")
        stage.say("volumes \(app.decks.map(\.volume))")
        app.decks.forEach { $0.stop() }
    }
}
