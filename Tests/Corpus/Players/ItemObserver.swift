import AVFoundation

// Key-value observing of a player and its item, which keeps a button and a spinner right.
@MainActor
final class ItemObserver {
    private let player = AVPlayer()
    private var tokens: [NSKeyValueObservation] = []
    private(set) var isReady = false
    private(set) var states: [AVPlayer.TimeControlStatus] = []
    private(set) var failure: String?

    func open(_ url: URL) {
        let item = AVPlayerItem(url: url)
        tokens = [
            item.observe(\.status, options: [.new, .initial]) { [weak self] item, _ in
                let (status, error) = (item.status, item.error)
                MainActor.assumeIsolated {
                    switch status {
                    case .readyToPlay: self?.isReady = true
                    case .failed: self?.failure = error.map { ($0 as NSError).domain } ?? "failed"
                    default: break
                    }
                }
            },
            player.observe(\.timeControlStatus, options: [.new]) { [weak self] player, _ in
                let status = player.timeControlStatus
                MainActor.assumeIsolated { self?.states.append(status) }
            },
        ]
        player.replaceCurrentItem(with: item)
        player.play()
    }
}

extension ItemObserver: Story {
    static func run(_ stage: Stage) async throws {
        let app = ItemObserver()
        app.open(stage.sound("second.wav"))
        try await stage.until("the end") { app.isReady && app.states.last == .paused }
        stage.say("played \(app.states.contains(.playing))")
        app.open(stage.sound("missing.wav"))
        try await stage.until("a failure") { app.failure != nil }
        stage.say("failed with \(app.failure ?? "")")
    }
}
