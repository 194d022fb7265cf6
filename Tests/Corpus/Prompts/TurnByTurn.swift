import AVFoundation

// Navigation: the session is active for the prompt only, so that music is lowered no longer than that.
@MainActor
final class TurnByTurn: NSObject {
    private let session = AVAudioSession.sharedInstance()
    private var player: AVAudioPlayer?
    private var completion: (() -> Void)?

    override init() {
        super.init()
        try? session.setCategory(
            .playback, mode: .voicePrompt, options: [.duckOthers, .interruptSpokenAudioAndMixWithOthers])
    }

    func announce(_ url: URL, completion: @escaping () -> Void) {
        self.completion = completion
        do {
            // Before the session is active: others are not disturbed for a prompt that cannot be played.
            player = try AVAudioPlayer(contentsOf: url)
            try session.setActive(true)
            player?.delegate = self
            player?.play()
        } catch { finish() }
    }

    private func finish() {
        player = nil
        try? session.setActive(false, options: .notifyOthersOnDeactivation)
        completion?()
        completion = nil
    }
}

extension TurnByTurn: AVAudioPlayerDelegate {
    nonisolated func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
        MainActor.assumeIsolated { finish() }
    }
}

extension TurnByTurn: Story {
    static func run(_ stage: Stage) async throws {
        let app = TurnByTurn()
        var announced = 0
        app.announce(stage.sound("prompt.wav")) { announced += 1 }
        stage.say("announcing")
        try await stage.until("the end of the prompt") { announced == 1 }
        stage.say("announced")
        app.announce(stage.sound("missing.wav")) { announced += 1 }
        stage.say("again \(announced)")
    }
}
