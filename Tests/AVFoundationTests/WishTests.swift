import AVFoundation
import TestSupport
import Testing

@Suite("Wishes that are kept without effect", .limited)
struct WishTests {
    @Test("A player has Apple's values at first, and then what it was told")
    func player() {
        let player = AVPlayer()
        #expect(player.allowsExternalPlayback && player.preventsDisplaySleepDuringVideoPlayback)
        #expect(!player.usesExternalPlaybackWhileExternalScreenIsActive && !player.isExternalPlaybackActive)
        player.allowsExternalPlayback = false
        player.preventsDisplaySleepDuringVideoPlayback = false
        player.usesExternalPlaybackWhileExternalScreenIsActive = true
        #expect(!player.allowsExternalPlayback && !player.preventsDisplaySleepDuringVideoPlayback)
        #expect(player.usesExternalPlaybackWhileExternalScreenIsActive && !player.isExternalPlaybackActive)
    }

    @Test("An item has Apple's values at first, and then what it was told")
    func item() {
        let item = AVPlayerItem(url: URL(fileURLWithPath: "/nonexistent"))
        #expect(item.preferredForwardBufferDuration == 0 && item.preferredPeakBitRate == 0)
        #expect(!item.canUseNetworkResourcesForLiveStreamingWhilePaused)
        item.preferredForwardBufferDuration = 5
        item.preferredPeakBitRate = 64_000
        item.canUseNetworkResourcesForLiveStreamingWhilePaused = true
        #expect(item.preferredForwardBufferDuration == 5 && item.preferredPeakBitRate == 64_000)
        #expect(item.canUseNetworkResourcesForLiveStreamingWhilePaused)
    }
}
