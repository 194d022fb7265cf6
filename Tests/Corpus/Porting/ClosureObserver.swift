import AVFoundation

// docs/porting.md: an observer without `#selector`.
@MainActor
final class ClosureObserver {
    private var observers: [NSObjectProtocol] = []
    private(set) var resumed = 0

    func setupNotifications() {
        let center = NotificationCenter.default
        observers.append(
            center.addObserver(
                forName: AVAudioSession.interruptionNotification, object: AVAudioSession.sharedInstance(), queue: .main
            ) { [weak self] notification in
                let type = notification.userInfo?[AVAudioSessionInterruptionTypeKey] as? AVAudioSession.InterruptionType
                MainActor.assumeIsolated { self?.handleInterruption(type) }
            })
    }

    func handleInterruption(_ type: AVAudioSession.InterruptionType?) {
        if type == .ended { resumed += 1 }
    }
}

extension ClosureObserver: Story {
    static func run(_ stage: Stage) async throws {
        let app = ClosureObserver()
        app.setupNotifications()
        let info = [AVAudioSessionInterruptionTypeKey: NSNumber(value: 0)]
        NotificationCenter.default.post(
            name: AVAudioSession.interruptionNotification, object: AVAudioSession.sharedInstance(), userInfo: info)
        try await stage.until("the observer") { app.resumed == 1 }
        stage.say("resumed \(app.resumed)")
    }
}
