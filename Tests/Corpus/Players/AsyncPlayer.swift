import AVFoundation

// A model without a single closure: notifications are loops in tasks.
@MainActor
final class AsyncPlayer {
    private let player: AVAudioPlayer
    private var tasks: [Task<Void, Never>] = []
    private(set) var log: [String] = []

    init(_ url: URL) throws {
        try AVAudioSession.sharedInstance().setCategory(.playback)
        player = try AVAudioPlayer(contentsOf: url)
        player.numberOfLoops = -1
        tasks.append(Task { [weak self] in await self?.followInterruptions() })
    }

    func play() { log.append("play \(player.play())") }

    func stop() {
        player.stop()
        tasks.forEach { $0.cancel() }
    }

    private func followInterruptions() async {
        let center = NotificationCenter.default
        for await notification in center.notifications(named: AVAudioSession.interruptionNotification) {
            switch notification.userInfo?[AVAudioSessionInterruptionTypeKey] as? AVAudioSession.InterruptionType {
            case .began?: log.append("began")
            case .ended?: play()
            default: break
            }
        }
        log.append("loop over")
    }
}

extension AsyncPlayer: Story {
    static func run(_ stage: Stage) async throws {
        let app = try AsyncPlayer(stage.sound("song.wav"))
        app.play()
        stage.say(app.log.joined())
        try await stage.until("the end of the interruption") { app.log.count == 3 }
        stage.say(app.log.joined(separator: ", "))
        try await stage.tap("stop")
        app.stop()
        try await stage.until("the end of the loop") { app.log.last == "loop over" }
    }
}
