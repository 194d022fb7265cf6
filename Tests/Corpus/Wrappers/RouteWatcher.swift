import AVFoundation

// Pauses when the headphones go, as the guide says: the old route is in the notification.
@MainActor
final class RouteWatcher {
    private let player: AVAudioPlayer
    private var observer: NSObjectProtocol?
    private(set) var events: [String] = []

    init(_ url: URL) throws {
        try AVAudioSession.sharedInstance().setCategory(.playback)
        player = try AVAudioPlayer(contentsOf: url)
        observer = NotificationCenter.default.addObserver(
            forName: AVAudioSession.routeChangeNotification, object: nil, queue: nil
        ) { [weak self] notification in
            guard let userInfo = notification.userInfo,
                let reasonValue = userInfo[AVAudioSessionRouteChangeReasonKey] as? UInt,
                let reason = AVAudioSession.RouteChangeReason(rawValue: reasonValue)
            else { return }
            let previous = userInfo[AVAudioSessionRouteChangePreviousRouteKey] as? AVAudioSessionRouteDescription
            let old = previous?.outputs.first?.uid ?? "none"
            let new = AVAudioSession.sharedInstance().currentRoute.outputs.first?.uid ?? "none"
            // Route changes may come on any thread.
            DispatchQueue.main.async { [weak self] in self?.routeChanged(reason, old, new) }
        }
    }

    func play() { player.play() }

    private func routeChanged(_ reason: AVAudioSession.RouteChangeReason, _ old: String, _ new: String) {
        switch reason {
        case .oldDeviceUnavailable:
            player.pause()
            events.append("lost \(old), on \(new), playing \(player.isPlaying)")
        case .newDeviceAvailable: events.append("new \(new)")
        default: break
        }
    }
}

extension RouteWatcher: Story {
    static func run(_ stage: Stage) async throws {
        let app = try RouteWatcher(stage.sound("album.wav"))
        app.play()
        stage.say("playing")
        try await stage.until("the loss") { app.events.contains { $0.hasPrefix("lost") } }
        stage.say(app.events.last ?? "")
    }
}
