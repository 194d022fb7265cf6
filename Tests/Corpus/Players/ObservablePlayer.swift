import AVFoundation

// A model of the Observation framework, which AVFoundation shows: what SwiftUI would show is asked for with tracking.
@MainActor
@Observable
final class ObservablePlayer {
    private(set) var title = "nothing"
    private(set) var isPlaying = false
    @ObservationIgnored private var player: AVAudioPlayer?
    @ObservationIgnored private var delegate: Finish?

    func play(_ url: URL) throws {
        let player = try AVAudioPlayer(contentsOf: url)
        delegate = Finish { [weak self] in self?.isPlaying = false }
        player.delegate = delegate
        title = url.deletingPathExtension().lastPathComponent
        isPlaying = player.play()
        self.player = player
    }

    @MainActor
    private final class Finish: NSObject, @MainActor AVAudioPlayerDelegate {
        private let action: () -> Void

        init(_ action: @escaping () -> Void) { self.action = action }

        func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) { action() }
    }
}

extension ObservablePlayer: Story {
    /// Shows the model, and again after each change, as a view does.
    private func show(on stage: Stage) {
        withObservationTracking {
            stage.say("\(title) \(isPlaying)")
        } onChange: {
            Task { @MainActor in self.show(on: stage) }
        }
    }

    static func run(_ stage: Stage) async throws {
        let app = ObservablePlayer()
        app.show(on: stage)
        try app.play(stage.sound("second.wav"))
        try await stage.until("the end") { !app.isPlaying }
        // The last change is shown in a task of its own.
        try await stage.tap("close")
    }
}
