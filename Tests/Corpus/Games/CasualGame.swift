import AVFoundation

// Mixes with the user's music, and has music of its own only while there is none.
@MainActor
final class CasualGame {
    private let session = AVAudioSession.sharedInstance()
    private let music: AVAudioPlayer
    private let effect: AVAudioPlayer
    private var observer: NSObjectProtocol?

    init(music: URL, effect: URL) throws {
        try session.setCategory(.ambient)
        self.music = try AVAudioPlayer(contentsOf: music)
        self.effect = try AVAudioPlayer(contentsOf: effect)
        self.music.numberOfLoops = -1
        observer = NotificationCenter.default.addObserver(
            forName: AVAudioSession.silenceSecondaryAudioHintNotification, object: nil, queue: nil
        ) { [weak self] note in
            let type = note.userInfo?[AVAudioSessionSilenceSecondaryAudioHintTypeKey] as? UInt
            guard let hint = type.flatMap(AVAudioSession.SilenceSecondaryAudioHintType.init(rawValue:)) else { return }
            // It is posted on the main thread.
            MainActor.assumeIsolated { self?.secondaryAudioHint(hint) }
        }
    }

    func start() throws {
        try session.setActive(true)
        if !session.secondaryAudioShouldBeSilencedHint { music.play() }
    }

    func shoot() {
        effect.currentTime = 0
        effect.play()
    }

    private func secondaryAudioHint(_ hint: AVAudioSession.SilenceSecondaryAudioHintType) {
        if hint == .begin { music.pause() } else { music.play() }
    }

    var hasMusic: Bool { music.isPlaying }
}

extension CasualGame: Story {
    static func run(_ stage: Stage) async throws {
        let app = try CasualGame(music: stage.sound("second.wav"), effect: stage.sound("effect.wav"))
        try app.start()
        stage.say("music \(app.hasMusic)")
        try await stage.until("somebody's music") { !app.hasMusic }
        stage.say("music \(app.hasMusic)")
        app.shoot()
        try await stage.until("its end") { app.hasMusic }
        stage.say("music \(app.hasMusic)")
        try await stage.tap("quit")
    }
}
