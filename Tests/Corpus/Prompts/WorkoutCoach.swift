import AVFoundation

// An interval timer that counts down over the user's own music.
actor WorkoutCoach {
    enum Cue: String, CaseIterable { case work, rest }

    private let sounds: [Cue: URL]
    private var player: AVAudioPlayer?

    init(_ sounds: [Cue: URL]) { self.sounds = sounds }

    func prepare() throws {
        try AVAudioSession.sharedInstance().setCategory(.playback, options: [.duckOthers])
    }

    func speak(_ cue: Cue) async throws {
        guard let url = sounds[cue] else { return }
        let session = AVAudioSession.sharedInstance()
        try await session.activate(options: [])
        let player = try AVAudioPlayer(contentsOf: url)
        self.player = player
        player.play()
        while player.isPlaying { await Task.yield() }
        _ = try? await session.deactivate(options: .notifyOthersOnDeactivation)
    }
}

extension WorkoutCoach: Story {
    static func run(_ stage: Stage) async throws {
        let app = WorkoutCoach([.work: stage.sound("effect.wav"), .rest: stage.sound("voice.wav")])
        try await app.prepare()
        for cue in Cue.allCases {
            try await app.speak(cue)
            stage.say(cue.rawValue)
        }
        stage.say("others lowered \(AVAudioSession.sharedInstance().categoryOptions.contains(.duckOthers))")
    }
}
