import AVFoundation

// Music that fades away when a timer fires.
@MainActor
final class SleepTimer {
    private let player: AVAudioPlayer
    private var timer: Timer?
    private(set) var isAsleep = false

    init(_ url: URL) throws {
        player = try AVAudioPlayer(contentsOf: url)
        player.numberOfLoops = -1
        player.play()
    }

    func sleep(after seconds: TimeInterval, fade: TimeInterval) {
        timer = Timer.scheduledTimer(withTimeInterval: seconds, repeats: false) { [weak self] _ in
            MainActor.assumeIsolated {
                self?.player.setVolume(0, fadeDuration: fade)
                self?.finish(after: fade)
            }
        }
    }

    private func finish(after seconds: TimeInterval) {
        DispatchQueue.main.asyncAfter(deadline: .now() + seconds) { [weak self] in
            self?.player.stop()
            self?.isAsleep = true
        }
    }
}

extension SleepTimer: Story {
    static func run(_ stage: Stage) async throws {
        let app = try SleepTimer(stage.sound("song.wav"))
        app.sleep(after: 0.3, fade: 0.2)
        try await stage.until("sleep") { app.isAsleep }
        stage.say("asleep")
    }
}
