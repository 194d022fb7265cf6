import AVFoundation

// Plays one file after the other, from the delegate; `@preconcurrency` in place of `nonisolated`.
@MainActor
final class PlaylistPlayer: NSObject, @preconcurrency AVAudioPlayerDelegate {
    private var queue: [URL]
    private var player: AVAudioPlayer?
    var onChange: ((String) -> Void)?

    init(_ urls: [URL]) { queue = urls }

    func next() {
        guard !queue.isEmpty else {
            player = nil
            onChange?("the end")
            return
        }
        let url = queue.removeFirst()
        guard let player = try? AVAudioPlayer(contentsOf: url) else { return next() }
        player.delegate = self
        player.play()
        self.player = player
        onChange?(url.deletingPathExtension().lastPathComponent)
    }

    func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
        if flag { next() }
    }
}

extension PlaylistPlayer: Story {
    static func run(_ stage: Stage) async throws {
        let app = PlaylistPlayer(["effect.wav", "missing.wav", "voice.wav"].map(stage.sound))
        var isOver = false
        app.onChange = {
            stage.say($0)
            isOver = $0 == "the end"
        }
        app.next()
        try await stage.until("the end") { isOver }
    }
}
