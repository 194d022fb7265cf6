import AVFoundation
import TestSupport
import Testing

@Suite("Subclasses override what Apple's let them override", .limited)
struct OverridingTests {
    /// Notes what it is asked for, and does none of it.
    // SAFETY: of one test, which does one thing after the other.
    private final class Player: AVPlayer, @unchecked Sendable {
        var calls: [String] = []

        override func currentTime() -> CMTime { CMTime(value: 7, timescale: 1) }
        override func seek(to time: CMTime) { calls.append("seek \(time.seconds)") }
        override func seek(to time: CMTime, completionHandler: @escaping @Sendable (Bool) -> Void) {
            calls.append("seek \(time.seconds), then")
            completionHandler(true)
        }
        override func seek(to time: CMTime, toleranceBefore: CMTime, toleranceAfter: CMTime) {
            calls.append("near \(time.seconds)")
        }
        override func seek(to date: Date) { calls.append("date") }
        override func addPeriodicTimeObserver(
            forInterval interval: CMTime, queue: DispatchQueue?, using block: @escaping @Sendable (CMTime) -> Void
        ) -> Any {
            calls.append("every \(interval.seconds)")
            return super.addPeriodicTimeObserver(forInterval: interval, queue: queue, using: block)
        }
        override func removeTimeObserver(_ observer: Any) {
            calls.append("remove")
            super.removeTimeObserver(observer)
        }
    }

    @Test("A player's seeks, position and observers")
    func player() async {
        let mine = Player()
        let player: AVPlayer = mine
        let third = CMTime(value: 3, timescale: 1)
        // Not the asynchronous ones.
        ({ player.seek(to: third) })()
        player.seek(to: third) { _ in }
        ({ player.seek(to: third, toleranceBefore: .zero, toleranceAfter: .zero) })()
        player.seek(to: Date())
        let token = player.addPeriodicTimeObserver(forInterval: third, queue: nil) { _ in }
        player.removeTimeObserver(token)
        #expect(mine.calls == ["seek 3.0", "seek 3.0, then", "near 3.0", "date", "every 3.0", "remove"])
        #expect(player.currentTime().seconds == 7)
        // There is no item; and it does not go by way of the one that is overridden.
        #expect(await player.seek(to: third, toleranceBefore: .zero, toleranceAfter: .zero) == false)
        #expect(mine.calls.count == 6)
    }

    /// Has what others do not see.
    // SAFETY: nothing changes.
    private final class Item: AVPlayerItem, @unchecked Sendable {
        override var asset: AVAsset { AVURLAsset(url: URL(fileURLWithPath: "/other")) }
        override var forwardPlaybackEndTime: CMTime {
            get { CMTime(value: 5, timescale: 1) }
            set { super.forwardPlaybackEndTime = newValue }
        }
        override var audioTimePitchAlgorithm: AVAudioTimePitchAlgorithm {
            get { .spectral }
            set { super.audioTimePitchAlgorithm = newValue }
        }
        override func accessLog() -> AVPlayerItemAccessLog? { nil }
    }

    @Test("An item's asset, and how it is played")
    func item() {
        let item: AVPlayerItem = Item(
            asset: AVURLAsset(url: URL(fileURLWithPath: "/nonexistent")), automaticallyLoadedAssetKeys: nil)
        #expect((item.asset as? AVURLAsset)?.url.path == "/other")
        item.forwardPlaybackEndTime = .zero
        #expect(item.forwardPlaybackEndTime.seconds == 5 && item.audioTimePitchAlgorithm == .spectral)
        #expect(item.accessLog() == nil)
    }

    /// Is loaded at once.
    // SAFETY: nothing changes.
    private final class Asset: AVURLAsset, @unchecked Sendable {
        override func loadValuesAsynchronously(
            forKeys keys: [String], completionHandler handler: (@Sendable () -> Void)? = nil
        ) {
            handler?()
        }
        override func statusOfValue(
            forKey key: String, error outError: UnsafeMutablePointer<NSError?>?
        ) -> AVKeyValueStatus { .loaded }
    }

    @Test("An asset's loading by keys")
    func asset() async {
        let asset: AVAsset = Asset(url: URL(fileURLWithPath: "/nonexistent"), options: nil)
        await withCheckedContinuation { continuation in
            asset.loadValuesAsynchronously(forKeys: []) { continuation.resume() }
        }
        #expect(asset.statusOfValue(forKey: "duration", error: nil) == .loaded)
    }
}
