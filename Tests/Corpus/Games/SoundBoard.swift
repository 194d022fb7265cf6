import AVFoundation

// Buttons that play over one another, each with a closure for its end: a delegate object per button.
final class SoundButton: NSObject, AVAudioPlayerDelegate {
    private let player: AVAudioPlayer
    private let ended: () -> Void

    init(_ url: URL, volume: Float, ended: @escaping () -> Void) throws {
        player = try AVAudioPlayer(contentsOf: url)
        self.ended = ended
        super.init()
        player.delegate = self
        player.volume = volume
    }

    func press() { if player.isPlaying { player.stop() } else { player.play() } }

    func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) { ended() }
}

enum SoundBoard: Story {
    static func run(_ stage: Stage) async throws {
        var ends: [String] = []
        let buttons = try ["song.wav", "second.wav", "effect.wav"].map { name in
            try SoundButton(stage.sound(name), volume: 0.7) { ends.append(name) }
        }
        buttons.forEach { $0.press() }
        try await stage.until("all ends") { ends.count == 3 }
        // A busy machine may tell of several ends at once, in any order.
        stage.say(ends.sorted().joined(separator: " "))
    }
}
