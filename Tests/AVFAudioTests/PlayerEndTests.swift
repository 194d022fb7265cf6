import AVFAudio
import Foundation
import HeadlessServer
import TestSupport
import Testing

/// What a player tells of its end, and what it takes up when it begins anew.
@Suite("The end of a player's sound", .serialized, .timeLimit(.minutes(60)))
struct PlayerEndTests {
    @Test(
        "S101: a player that is stopped after its end, before the main queue could tell of that, does not finish",
        arguments: HeadlessServer.Kind.allCases)
    func stoppedBeforeTold(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let events = PlayerEvents()
            let player = try lab.player(lab.counter(seconds: 0.2), events: events)
            await MainActor.run {
                playToTheEnd(player)
                player.stop()
            }
            await mainQueueIsEmpty()
            #expect(events.finished.isEmpty)
            #expect(player.play())
            try await events.waitForFinish()
            #expect(events.finished == [true])
        }
    }

    /// Keeps the calling thread until the sound is over.
    private func playToTheEnd(_ player: AVAudioPlayer) {
        #expect(player.play())
        while player.isPlaying { sched_yield() }
    }

    /// Returns when all has been told that was on its way.
    private func mainQueueIsEmpty() async {
        await withCheckedContinuation { continuation in OperationQueue.main.addOperation { continuation.resume() } }
    }
}
