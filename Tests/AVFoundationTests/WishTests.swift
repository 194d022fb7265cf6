import AVFoundation
import TestSupport
import Testing

@Suite("Wishes of players and items", .limited)
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

    @Test("An item of a stream loads as much ahead as it was told before it was open, or is told now")
    func buffer() async throws {
        try await withWebServer { web in
            let file = WebFile(data: TestSignal.sine(seconds: 120, sampleRate: 8000).wavData, type: "audio/wav")
            web.on("/long.wav") { file.answer($0, $1) }
            let item = AVPlayerItem(url: web.url("/long.wav"))
            item.preferredForwardBufferDuration = 3
            let player = AVPlayer(playerItem: item)
            var loaded: Double { item.loadedTimeRanges.first?.timeRangeValue.duration.seconds ?? 0 }
            try await waitUntil("a full buffer", timeout: hangLimit) { item.isPlaybackBufferFull }
            #expect((3...6).contains(loaded), "\(loaded) s")
            item.preferredForwardBufferDuration = 60
            try await waitUntil("more", timeout: hangLimit) { loaded >= 60 }
            withExtendedLifetime(player) {}
        }
    }
}
