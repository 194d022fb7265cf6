import AudioFiles
import AudioRealtime
import Synchronization
import TestSupport
import Testing

@testable import AVFAudio

/// How often something was told.
private final class Told: Sendable {
    let count = Atomic<Int>(0)
}

@Suite("The feed of a player", .timeLimit(.minutes(60)))
struct PlayerFeedTests {
    @Test("The mix is told of frames and of an end that comes without any, and then no more")
    func tellsOfTheEnd() async throws {
        let matrix = ChannelMatrix(from: ChannelMatrix.standard(2), to: ChannelMatrix.standard(2))
        let reader = try AudioFileReader(bytes: [UInt8](TestSignal.sine(seconds: 0.1).wavData))
        let feed = try PlayerFeed(file: reader, sampleRate: 44_100, matrix: matrix, playbackRate: 1)
        let told = Told()
        feed.onFed = { told.count.add(1, ordering: .relaxed) }
        // The last frame is there at once; what follows is found out later.
        feed.restart(at: PlayerTimeline.Place(fileFrame: 4_409, loop: 0)) { $0() }
        try await waitUntil("the end") { told.count.load(ordering: .relaxed) == 1 }
        #expect(feed.voice.isEnded && feed.voice.readableFrames == 1)
        feed.wake()
        feed.queue.sync {}
        #expect(told.count.load(ordering: .relaxed) == 1)
    }
}
