import AVFoundation

// docs/porting.md: a protocol whose members may be left out, without `@objc optional`.
@MainActor
protocol SongPlayerDelegate: AnyObject {
    func songPlayerDidFinish(_ player: SongPlayer)
    func songPlayer(_ player: SongPlayer, didFailWith error: Error)
}

extension SongPlayerDelegate {
    func songPlayerDidFinish(_ player: SongPlayer) {}
    func songPlayer(_ player: SongPlayer, didFailWith error: Error) {}
}

@MainActor
final class SongPlayer: NSObject, @preconcurrency AVAudioPlayerDelegate {
    weak var delegate: SongPlayerDelegate?
    private var player: AVAudioPlayer?

    func play(_ url: URL) {
        do {
            player = try AVAudioPlayer(contentsOf: url)
            player?.delegate = self
            player?.play()
        } catch {
            delegate?.songPlayer(self, didFailWith: error)
        }
    }

    func audioPlayerDidFinishPlaying(_ player: AVAudioPlayer, successfully flag: Bool) {
        delegate?.songPlayerDidFinish(self)
    }
}

@MainActor
final class OptionalDelegate: SongPlayerDelegate {
    private(set) var finishes = 0

    func songPlayerDidFinish(_ player: SongPlayer) { finishes += 1 }
}

extension OptionalDelegate: Story {
    static func run(_ stage: Stage) async throws {
        let (app, player) = (OptionalDelegate(), SongPlayer())
        player.delegate = app
        // Nobody implements this one.
        player.play(stage.sound("missing.wav"))
        player.play(stage.sound("effect.wav"))
        try await stage.until("the end") { app.finishes == 1 }
        stage.say("finished \(app.finishes)")
    }
}
