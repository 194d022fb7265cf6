import AVFoundation

// An audio book with AVPlayer: a prompt pauses it, and it goes on a little before where it was.
@MainActor
final class AudioBook {
    private let player: AVPlayer
    private var tokens: [NSObjectProtocol] = []
    var status: (String) -> Void = { _ in }

    init(_ url: URL) throws {
        try AVAudioSession.sharedInstance().setCategory(.playback, mode: .spokenAudio)
        player = AVPlayer(url: url)
        let center = NotificationCenter.default
        tokens = [
            center.addObserver(forName: AVPlayer.rateDidChangeNotification, object: player, queue: .main) {
                [weak self] note in
                let reason = note.userInfo?[AVPlayer.rateDidChangeReasonKey] as? AVPlayer.RateDidChangeReason
                MainActor.assumeIsolated { self?.rateChanged(reason) }
            },
            center.addObserver(forName: AVAudioSession.interruptionNotification, object: nil, queue: .main) {
                [weak self] note in
                let options = note.userInfo?[AVAudioSessionInterruptionOptionKey] as? AVAudioSession.InterruptionOptions
                MainActor.assumeIsolated { if options?.contains(.shouldResume) == true { self?.goOn() } }
            },
        ]
    }

    func play() { player.play() }

    private func rateChanged(_ reason: AVPlayer.RateDidChangeReason?) {
        if reason == .audioSessionInterrupted { status("paused, rate \(player.rate)") }
    }

    private func goOn() {
        let back = CMTimeSubtract(player.currentTime(), CMTimeMake(value: 1, timescale: 5))
        player.seek(to: CMTimeMaximum(back, .zero)) { [weak self] finished in
            DispatchQueue.main.async { [weak self] in
                self?.player.play()
                self?.status("going on \(finished)")
            }
        }
    }
}

extension AudioBook: Story {
    static func run(_ stage: Stage) async throws {
        let app = try AudioBook(stage.sound("album.wav"))
        app.status = stage.say
        app.play()
        try await stage.tap("quit")
    }
}
