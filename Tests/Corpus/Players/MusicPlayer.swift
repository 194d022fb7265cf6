import AVFoundation

// A music player that pauses for calls and goes on after them, with the notification's raw numbers.
@MainActor
final class MusicPlayer {
    private let session = AVAudioSession.sharedInstance()
    private let player: AVAudioPlayer
    private var observer: NSObjectProtocol?
    var status: (String) -> Void = { _ in }

    init(_ url: URL) throws {
        try session.setCategory(.playback, mode: .default, options: [])
        player = try AVAudioPlayer(contentsOf: url)
        observer = NotificationCenter.default.addObserver(
            forName: AVAudioSession.interruptionNotification, object: session, queue: .main
        ) { [weak self] notification in
            guard let info = notification.userInfo,
                let typeValue = info[AVAudioSessionInterruptionTypeKey] as? UInt,
                let type = AVAudioSession.InterruptionType(rawValue: typeValue)
            else { return }
            let optionsValue = info[AVAudioSessionInterruptionOptionKey] as? UInt ?? 0
            let options = AVAudioSession.InterruptionOptions(rawValue: optionsValue)
            MainActor.assumeIsolated { self?.interruption(type, options) }
        }
    }

    isolated deinit { if let observer = observer { NotificationCenter.default.removeObserver(observer) } }

    func play() {
        do {
            try session.setActive(true)
            status(player.play() ? "playing" : "cannot play")
        } catch {
            status("error \((error as NSError).code)")
        }
    }

    private func interruption(_ type: AVAudioSession.InterruptionType, _ options: AVAudioSession.InterruptionOptions) {
        switch type {
        case .began: status("interrupted, playing \(player.isPlaying)")
        case .ended: if options.contains(.shouldResume) { play() } else { status("waiting") }
        @unknown default: break
        }
    }
}

extension MusicPlayer: Story {
    static func run(_ stage: Stage) async throws {
        let app = try MusicPlayer(stage.sound("album.wav"))
        app.status = stage.say
        app.play()
        try await stage.tap("quit")
    }
}
