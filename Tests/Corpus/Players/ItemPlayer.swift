import AVFoundation

// AVPlayer with a progress bar: a periodic observer and the notification of the end.
@MainActor
final class ItemPlayer {
    private let player: AVPlayer
    private var timeObserver: Any?
    private(set) var progress: [Double] = []
    private(set) var isOver = false

    init(_ url: URL) {
        player = AVPlayer(playerItem: AVPlayerItem(asset: AVURLAsset(url: url)))
        let interval = CMTime(seconds: 0.1, preferredTimescale: CMTimeScale(NSEC_PER_SEC))
        timeObserver = player.addPeriodicTimeObserver(forInterval: interval, queue: .main) { [weak self] time in
            let seconds = CMTimeGetSeconds(time)
            MainActor.assumeIsolated { self?.progress.append(seconds) }
        }
        _ = NotificationCenter.default.addObserver(
            forName: AVPlayerItem.didPlayToEndTimeNotification, object: player.currentItem, queue: .main
        ) { [weak self] _ in MainActor.assumeIsolated { self?.ended() } }
    }

    func play() { player.play() }

    private func ended() {
        isOver = true
        if let observer = timeObserver { player.removeTimeObserver(observer) }
        timeObserver = nil
        player.seek(to: .zero)
    }

    var position: Double { player.currentTime().seconds }
}

extension ItemPlayer: Story {
    static func run(_ stage: Stage) async throws {
        let app = ItemPlayer(stage.sound("song.wav"))
        app.play()
        try await stage.until("the end") { app.isOver }
        stage.say("rising \(app.progress == app.progress.sorted()) several \(app.progress.count > 3)")
        try await stage.until("the beginning") { app.position == 0 }
    }
}
