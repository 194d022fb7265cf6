import AVKit

// A player that shows what a file says about itself. Like half of the apps that import AVKit, it imports nothing else.
@MainActor
final class TaggedPlayer {
    private let player = AVPlayer()
    private(set) var title = "Unknown"
    private(set) var artist = "Unknown"
    private(set) var artwork: Data?
    private(set) var year: Int?

    func open(_ url: URL) async throws {
        try AVAudioSession.sharedInstance().setCategory(.playback)
        let asset = AVURLAsset(url: url)
        let (metadata, duration) = try await asset.load(.commonMetadata, .duration)
        for item in metadata {
            guard let key = item.commonKey else { continue }
            switch key {
            case .commonKeyTitle: title = try await item.load(.stringValue) ?? title
            case .commonKeyArtist: artist = try await item.load(.stringValue) ?? artist
            case .commonKeyArtwork: artwork = try await item.load(.dataValue)
            case .commonKeyCreationDate: year = try await item.load(.numberValue)?.intValue
            default: break
            }
        }
        guard duration.seconds.isFinite else { return }
        player.replaceCurrentItem(with: AVPlayerItem(asset: asset))
        player.audiovisualBackgroundPlaybackPolicy = .continuesIfPossible
        player.play()
    }

    /// Older apps ask at once, and by the name of the key.
    static func oldTitle(of url: URL) -> String? {
        for item in AVAsset(url: url).commonMetadata where item.commonKey?.rawValue == "title" {
            return item.value as? String ?? item.stringValue
        }
        return nil
    }

    var isPlaying: Bool { player.currentTime().seconds > 0 && player.currentItem?.currentDate() == nil }
}

extension TaggedPlayer: Story {
    static func run(_ stage: Stage) async throws {
        let app = TaggedPlayer()
        let url = stage.sound("tagged.mp3")
        try await app.open(url)
        stage.say("\(app.title) by \(app.artist), \(app.year ?? 0), a picture of \(app.artwork?.count ?? 0) bytes")
        try await stage.until("the sound") { app.isPlaying }
        stage.say("before: \(oldTitle(of: url) ?? "nothing")")
    }
}
