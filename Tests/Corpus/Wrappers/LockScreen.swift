import MediaPlayer

// An app with an image type of its own, as UIImage is on iOS. It imports nothing but MediaPlayer.
struct CoverImage {
    let size: CGSize
    let caption: String
}

@MainActor
final class LockScreen {
    private let player: AVAudioPlayer

    init(_ url: URL) throws {
        try AVAudioSession.sharedInstance().setCategory(.playback)
        player = try AVAudioPlayer(contentsOf: url)
    }

    func play(_ cover: CoverImage) {
        player.play()
        let artwork = MPMediaItemArtwork(boundsSize: cover.size) { size in
            CoverImage(size: size, caption: cover.caption)
        }
        MPNowPlayingInfoCenter.default().nowPlayingInfo = [
            MPMediaItemPropertyTitle: "Song", MPMediaItemPropertyArtwork: artwork,
            MPMediaItemPropertyBookmarkTime: NSNumber(value: 12.5),
            MPMediaItemPropertyPlaybackDuration: player.duration,
        ]
    }

    func stop() { player.stop() }

    var artwork: MPMediaItemArtwork? {
        MPNowPlayingInfoCenter.default().nowPlayingInfo?[MPMediaItemPropertyArtwork] as? MPMediaItemArtwork
    }
}

extension LockScreen: Story {
    static func run(_ stage: Stage) async throws {
        let app = try LockScreen(stage.sound("song.wav"))
        app.play(CoverImage(size: CGSize(width: 60, height: 40), caption: "Cover"))
        let image: CoverImage? = app.artwork?.image(at: CGSize(width: 6, height: 4))
        let caption = image?.caption ?? "nothing"
        stage.say("\(app.artwork?.bounds.width ?? 0) wide, \(caption) \(image?.size.width ?? 0) wide")
        let old = MPMediaItemArtwork(image: CoverImage(size: .zero, caption: "Old"))
        let same: CoverImage? = old.image(at: .zero)
        stage.say("\(same?.caption ?? "nothing")")
        app.stop()
    }
}
