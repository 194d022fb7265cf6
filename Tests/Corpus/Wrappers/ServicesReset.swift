import AVFoundation

// Makes everything anew when the media services were reset, and waits for the user.
@MainActor
final class ServicesReset {
    private let url: URL
    private var player: AVAudioPlayer?
    private var observers: [NSObjectProtocol] = []
    private(set) var events: [String] = []

    init(_ url: URL) {
        self.url = url
        build()
        for name in [
            AVAudioSession.mediaServicesWereLostNotification, AVAudioSession.mediaServicesWereResetNotification,
        ] {
            observers.append(
                NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { [weak self] note in
                    let isReset = note.name == AVAudioSession.mediaServicesWereResetNotification
                    MainActor.assumeIsolated { isReset ? self?.reset() : self?.lost() }
                })
        }
    }

    func play() { events.append("play \(player?.play() ?? false)") }

    private func build() {
        try? AVAudioSession.sharedInstance().setCategory(.playback)
        player = try? AVAudioPlayer(contentsOf: url)
    }

    private func lost() { events.append("lost") }

    private func reset() {
        let category = AVAudioSession.sharedInstance().category
        build()
        events.append("reset from \(category.rawValue)")
    }
}

extension ServicesReset: Story {
    static func run(_ stage: Stage) async throws {
        let app = ServicesReset(stage.sound("song.wav"))
        app.play()
        stage.say("playing")
        try await stage.until("the reset") { app.events.count == 3 }
        try await stage.tap("play")
        app.play()
        stage.say(app.events.joined(separator: ", "))
    }
}
