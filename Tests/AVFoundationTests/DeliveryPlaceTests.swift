import Foundation
import HeadlessServer
import TestSupport
import Testing

@testable import AVMedia

/// An app that has chosen where it is told of things, and whose main thread does nothing.
///
/// In a process of its own: the choice is the process's.
@Suite("Where an AVPlayer tells its app", .limited) struct DeliveryPlaceTests {
    /// Notes whether it is called on the queue that was chosen.
    // SAFETY: it has no state but what guards itself.
    private final class Receiver: AVPlayerItemMetadataOutputPushDelegate, @unchecked Sendable {
        let places: Log<Bool>
        let queue: OperationQueue

        init(_ places: Log<Bool>, _ queue: OperationQueue) { (self.places, self.queue) = (places, queue) }

        func metadataOutput(
            _ output: AVPlayerItemMetadataOutput, didOutputTimedMetadataGroups groups: [AVTimedMetadataGroup],
            from track: AVPlayerItemTrack?
        ) {
            places.note(OperationQueue.current === queue)
        }
    }

    @Test(
        "Observers, outputs and forward ends without a queue of their own come on the one that the app has chosen",
        .oneSlot)
    func chosenQueue() async {
        await #expect(processExitsWith: .success) {
            try await withAVPlayerLab(.pulseAudio) { lab in
                let queue = OperationQueue()
                queue.maxConcurrentOperationCount = 1
                AVAudioSession.deliver(on: queue)
                let (ticks, bounds, groups) = (Log<Bool>(), Log<Bool>(), Log<Bool>())
                let item = try lab.item(lab.counter(4))
                item.forwardPlaybackEndTime = CMTime(value: 3, timescale: 10)
                let player = lab.player(item)
                let (news, receiver) = (PlayerNews(of: player), Receiver(groups, queue))
                let output = AVPlayerItemMetadataOutput(identifiers: nil)
                output.setDelegate(receiver, queue: nil)
                let tenth = CMTime(value: 1, timescale: 10)
                let tokens = [
                    player.addPeriodicTimeObserver(forInterval: tenth, queue: nil) { _ in
                        ticks.note(OperationQueue.current === queue)
                    },
                    player.addBoundaryTimeObserver(forTimes: [NSValue(time: tenth)], queue: nil) {
                        bounds.note(OperationQueue.current === queue)
                    },
                ]
                player.play()
                output.tell(AVTimedMetadataGroup(items: [], timeRange: .invalid))
                await MainActor.run {
                    holdMainThread(for: 5) {
                        news.count("end") == 1 && ticks.all.count > 2 && !bounds.all.isEmpty && !groups.all.isEmpty
                    }
                }
                #expect(news.count("end") == 1 && player.rate == 0)
                #expect(ticks.all.count > 2 && !ticks.all.contains(false))
                #expect(bounds.all == [true] && groups.all == [true])
                for token in tokens { player.removeTimeObserver(token) }
                // Neither does a looper of a part need the main thread to go back to its beginning.
                let (loops, part) = (lab.queue([]), CMTimeRange(start: tenth, duration: tenth))
                let looper = AVPlayerLooper(
                    player: loops, templateItem: try lab.item(lab.counter(4)), timeRange: part)
                let counts = Log<Bool>()
                let token = looper.observe(\.loopCount) { _, _ in counts.note(OperationQueue.current === queue) }
                loops.play()
                await MainActor.run { holdMainThread(for: 5) { looper.loopCount >= 3 && counts.all.count >= 3 } }
                #expect(looper.loopCount >= 3 && counts.all.count >= 3 && !counts.all.contains(false))
                looper.disableLooping()
                token.invalidate()
            }
        }
    }
}
