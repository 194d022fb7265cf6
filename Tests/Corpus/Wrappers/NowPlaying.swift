import AVFoundation
import MediaPlayer

// The lock screen of a player: what plays, and the buttons.
@MainActor
final class NowPlaying {
    private let player: AVPlayer
    private var targets: [Any] = []

    init(_ url: URL) {
        player = AVPlayer(url: url)
        let center = MPRemoteCommandCenter.shared()
        center.skipForwardCommand.preferredIntervals = [15]
        center.nextTrackCommand.isEnabled = false
        targets = [
            center.playCommand.addTarget { [weak self] _ in self.map { $0.remote { $0.play() } } ?? .commandFailed },
            center.pauseCommand.addTarget { [weak self] _ in self.map { $0.remote { $0.pause() } } ?? .commandFailed },
            center.changePlaybackPositionCommand.addTarget { [weak self] event in
                guard let event = event as? MPChangePlaybackPositionCommandEvent else { return .commandFailed }
                self?.player.seek(to: CMTime(seconds: event.positionTime, preferredTimescale: 600))
                return .success
            },
        ]
    }

    func show(_ title: String, by artist: String) {
        player.play()
        var info = [String: Any]()
        info[MPMediaItemPropertyTitle] = title
        info[MPMediaItemPropertyArtist] = artist
        info[MPNowPlayingInfoPropertyElapsedPlaybackTime] = player.currentTime().seconds
        info[MPMediaItemPropertyPlaybackDuration] = player.currentItem?.asset.duration.seconds
        info[MPNowPlayingInfoPropertyPlaybackRate] = player.rate
        MPNowPlayingInfoCenter.default().nowPlayingInfo = info
        MPNowPlayingInfoCenter.default().playbackState = .playing
    }

    private func remote(_ action: (AVPlayer) -> Void) -> MPRemoteCommandHandlerStatus {
        guard player.currentItem != nil else { return .noActionableNowPlayingItem }
        action(player)
        return .success
    }

    var rate: Float { player.rate }
}

extension NowPlaying: Story {
    static func run(_ stage: Stage) async throws {
        let app = NowPlaying(stage.sound("album.wav"))
        app.show("Sine", by: "A. Tester")
        try await stage.until("the sound") { app.player.currentTime().seconds > 0 }
        stage.say("shown")
        try await stage.until("a pause from outside") { app.rate == 0 }
        let title = MPNowPlayingInfoCenter.default().nowPlayingInfo?[MPMediaItemPropertyTitle] as? String
        stage.say("paused \(title ?? "nothing")")
        // The remote control waits for its answer.
        try await stage.tap("quit")
    }
}
