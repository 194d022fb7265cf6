import AVFoundation
import Foundation
import MediaPlayer
import TestSupport
import Testing

// This module belongs to the main actor, as Xcode's new apps do: what says nothing else is isolated to it.

// SAFETY: of tests that use one thread.
private final class Effect: AVAudioPlayer, @unchecked Sendable {
    var plays = 0

    override init() { super.init() }

    override func play() -> Bool {
        plays += 1
        return super.play()
    }
}

// SAFETY: of tests that use one thread.
private final class Memo: AVAudioRecorder, @unchecked Sendable { var title = "untitled" }

// SAFETY: nothing changes.
private final class MockSession: AVAudioSession, @unchecked Sendable {
    override var category: AVAudioSession.Category { .record }
    override func setCategory(_ category: AVAudioSession.Category) throws {}
}

// SAFETY: of tests that use one thread.
private final class Station: AVPlayer, @unchecked Sendable { var name = "one" }

// SAFETY: nothing is added.
private final class Jukebox: AVQueuePlayer, @unchecked Sendable {}

// SAFETY: nothing is added.
private final class Song: AVPlayerItem, @unchecked Sendable {}

// SAFETY: nothing is added.
private final class Remote: MPRemoteCommandCenter, @unchecked Sendable {}

// SAFETY: nothing is added.
private final class Center: MPNowPlayingInfoCenter, @unchecked Sendable {}

// SAFETY: nothing is added.
private final class Skip: MPSkipIntervalCommand, @unchecked Sendable {}

// SAFETY: nothing is added.
private final class Cover: MPMediaItemArtwork, @unchecked Sendable {}

private final class Language: MPNowPlayingInfoLanguageOption {}

@Suite("Subclasses in a module of the main actor", .limited)
struct SubclassTests {
    @available(*, deprecated, message: "AVAudioSession() is.")
    @Test("Open classes have subclasses")
    func subclasses() {
        let effect = Effect()
        #expect(!effect.play() && effect.plays == 1)
        #expect(Memo().title == "untitled" && MockSession().category == .record)
        #expect(Station().name == "one" && Jukebox().items().isEmpty)
        #expect(Song(url: URL(fileURLWithPath: "/nonexistent/a.wav")).currentTime() == .zero)
        let kinds: [NSObject.Type] = [Remote.self, Center.self, Skip.self, Cover.self, Language.self]
        #expect(kinds.count == 5)
    }
}
