import AVFoundation

// Players and items of one's own, with what the app knows of them. Without `@unchecked Sendable` they compile with a
// warning.
// SAFETY: of the main actor.
@MainActor
final class StationPlayer: AVPlayer, @unchecked Sendable {
    let name: String

    init(name: String) {
        self.name = name
        super.init()
    }
}

// SAFETY: an app of one thread.
final class Jukebox: AVQueuePlayer, @unchecked Sendable {
    private(set) var inserted = 0

    override init() { super.init() }

    override func insert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) {
        inserted += 1
        super.insert(item, after: afterItem)
    }
}

// SAFETY: nothing changes.
class Song: AVPlayerItem, @unchecked Sendable {
    let title: String

    init(_ url: URL, title: String) {
        self.title = title
        super.init(asset: AVURLAsset(url: url), automaticallyLoadedAssetKeys: nil)
    }
}

// SAFETY: nothing is added.
final class Effect: AVAudioPlayer, @unchecked Sendable {}

// SAFETY: an app of one thread.
final class Memo: AVAudioRecorder, @unchecked Sendable {
    var title = "untitled"
}

final class Subclasses {}

extension Subclasses: Story {
    static func run(_ stage: Stage) async throws {
        let station = StationPlayer(name: "one")
        stage.say("\(station.name) \(station.currentItem == nil)")
        let box = Jukebox()
        let songs = ["effect.wav", "voice.wav"].map { Song(stage.sound($0), title: $0) }
        for song in songs { box.insert(song, after: nil) }
        stage.say("\(box.inserted) \(box.items().compactMap { ($0 as? Song)?.title })")
        box.play()
        try await stage.until("the end") { box.currentItem == nil }
        let effect = try Effect(contentsOf: stage.sound("effect.wav"))
        stage.say("\(effect.prepareToPlay()) \(effect.numberOfChannels)")
        stage.say("\(AVQueuePlayer(url: stage.sound("effect.wav")).items().count)")
    }
}
