import AVFoundation

// docs/porting.md: what an app without UIKit does when it ends, and a timer in place of a display link.
@MainActor
final class AppLifecycle {
    private let player: AVAudioPlayer
    private var signals: [DispatchSourceSignal] = []
    private var display: Timer?
    private(set) var frames = 0
    private(set) var isOver = false

    init(_ url: URL) throws {
        player = try AVAudioPlayer(contentsOf: url)
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
            source.setEventHandler { [weak self] in MainActor.assumeIsolated { self?.willTerminate() } }
            source.resume()
            signals.append(source)
        }
        display = Timer.scheduledTimer(withTimeInterval: 1.0 / 60, repeats: true) { [weak self] _ in
            MainActor.assumeIsolated { self?.frames += 1 }
        }
    }

    func play() -> Bool { player.play() }

    private func willTerminate() {
        player.stop()
        try? AVAudioSession.sharedInstance().setActive(false, options: .notifyOthersOnDeactivation)
        isOver = true
    }
}

extension AppLifecycle: Story {
    static func run(_ stage: Stage) async throws {
        let app = try AppLifecycle(stage.sound("album.wav"))
        stage.say("playing \(app.play())")
        try await stage.until("the end") { app.isOver && app.frames > 0 }
        stage.say("over")
    }
}
