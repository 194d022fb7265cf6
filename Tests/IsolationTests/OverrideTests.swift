import AVFoundation
import TestSupport
import Testing

// This module is as those of new apps are: what says nothing else belongs to the main actor. A subclass of a class that
// does not say that it belongs to none would do so too, and could not override anything: these compile, or not.

// SAFETY: of the main actor, as the tests are.
private final class CountingPlayer: AVPlayer, @unchecked Sendable {
    var count = 0

    override func play() {
        count += 1
        super.play()
    }

    override func seek(to time: CMTime) { count += 1 }
}

// SAFETY: of the main actor, as the tests are.
private final class Jukebox: AVQueuePlayer, @unchecked Sendable {
    var count = 0

    override func insert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) {
        count += 1
        super.insert(item, after: afterItem)
    }
}

// SAFETY: nothing changes.
private final class Song: AVPlayerItem, @unchecked Sendable {
    let title: String

    init(_ url: URL, title: String) {
        self.title = title
        super.init(asset: Source(url: url, options: nil), automaticallyLoadedAssetKeys: nil)
    }
}

// SAFETY: nothing is added.
private final class Source: AVURLAsset, @unchecked Sendable {
    override var duration: CMTime { CMTime(value: 3, timescale: 1) }
}

// SAFETY: nothing is added.
private final class Loop: AVPlayerLooper, @unchecked Sendable {}

// SAFETY: nothing is added.
private final class Effect: AVAudioPlayer, @unchecked Sendable {
    override func play() -> Bool { false }
}

// SAFETY: nothing is added.
private final class Memo: AVAudioRecorder, @unchecked Sendable {
    override func record() -> Bool { false }
}

@Suite("Overriding in a module of the main actor", .limited)
struct OverrideTests {
    @Test("Classes of the library can have subclasses with members and initializers of their own")
    func subclasses() {
        let player = CountingPlayer()
        ({ (player as AVPlayer).seek(to: .zero) })()
        #expect(player.count == 1)
        let box = Jukebox()
        let song = Song(URL(fileURLWithPath: "/nonexistent"), title: "one")
        box.insert(song, after: nil)
        #expect(box.count == 1 && (box.items().first as? Song)?.title == "one")
        #expect(song.asset.duration.seconds == 3)
    }
}
