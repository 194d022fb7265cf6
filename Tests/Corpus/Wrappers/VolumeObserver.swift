import AVFoundation

// Observes the volume keys, by key-value observing.
@MainActor
final class VolumeObserver {
    private var observation: NSKeyValueObservation?
    private(set) var percents: [Int] = []

    func start() throws {
        let session = AVAudioSession.sharedInstance()
        try session.setActive(true)
        observation = session.observe(\.outputVolume, options: [.initial, .new]) { [weak self] _, change in
            guard let volume = change.newValue else { return }
            MainActor.assumeIsolated { self?.percents.append(Int((volume * 100).rounded())) }
        }
    }

    func stop() { observation = nil }
}

extension VolumeObserver: Story {
    static func run(_ stage: Stage) async throws {
        let app = VolumeObserver()
        try app.start()
        stage.say("volumes \(app.percents.count)")
        try await stage.until("30 %") { app.percents.last == 30 }
        try await stage.tap("louder")
        try await stage.until("70 %") { app.percents.last == 70 }
        app.stop()
        stage.say("heard 70")
    }
}
