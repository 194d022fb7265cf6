import AVFoundation
import AudioFiles
import TestSupport
import Testing

@Suite("How far an asset is loaded", .limited)
struct AssetStatusTests {
    /// Writes half a second of sound, and removes it afterwards.
    private func withSound(_ body: (URL) async throws -> Void) async throws {
        let signal = TestSignal.sine(frequency: 440, level: -12, seconds: 0.5, sampleRate: 44_100)
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).wav")
        try signal.writeWAV(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        try await body(url)
    }

    @Test("The status by key is unknown at first, then loaded, and the properties are there")
    func loaded() async throws {
        try await withSound { url in
            let asset = AVURLAsset(url: url)
            #expect(asset.statusOfValue(forKey: "duration", error: nil) == .unknown)
            #expect(asset.status(of: .duration) == .notYetLoaded)
            await withCheckedContinuation { continuation in
                asset.loadValuesAsynchronously(forKeys: ["duration"]) { continuation.resume() }
            }
            var error: NSError? = NSError(domain: "old", code: 1)
            #expect(asset.statusOfValue(forKey: "duration", error: &error) == .loaded)
            #expect(error == nil)
            #expect(asset.status(of: .duration) == .loaded(CMTime(value: 22_050, timescale: 44_100)))
            let (duration, isPlayable, isPrecise) = try await asset.load(
                .duration, .isPlayable, .providesPreciseDurationAndTiming)
            #expect(duration.seconds == 0.5 && isPlayable && isPrecise)
        }
    }

    @Test("A file that is not there is failed, with its error, until it is there")
    func failed() async throws {
        try await withSound { url in
            let later = url.appendingPathExtension("later.wav")
            defer { try? FileManager.default.removeItem(at: later) }
            let asset = AVURLAsset(url: later)
            #expect(!asset.isPlayable)
            var error: NSError?
            #expect(asset.statusOfValue(forKey: "playable", error: &error) == .failed)
            #expect(error?.domain == NSURLErrorDomain && error?.code == NSURLErrorFileDoesNotExist)
            guard case .failed(let same) = asset.status(of: .isPlayable) else {
                Issue.record("not failed")
                return
            }
            #expect(same == error)
            try FileManager.default.copyItem(at: url, to: later)
            #expect(asset.isPlayable && asset.status(of: .isPlayable) == .loaded(true))
        }
    }

    @Test("A server is waited for while its asset is loading; cancelLoading makes that cancelled")
    func cancelled() async throws {
        try await withWebServer { web in
            web.on("/silent.wav") { _, connection in connection.waitForEnd() }
            var limits = StreamLimits()
            (limits.opening, limits.silence) = (3600, 3600)
            let asset = AVURLAsset(url: web.url("/silent.wav"), limits: limits)
            let ends = Log<Int>()
            asset.loadValuesAsynchronously(forKeys: ["duration"]) { ends.note(1) }
            #expect(asset.statusOfValue(forKey: "duration", error: nil) == .loading)
            #expect(asset.status(of: .duration) == .loading)
            asset.cancelLoading()
            try await waitUntil("the end", timeout: hangLimit) { ends.all.count == 1 }
            var error: NSError?
            #expect(asset.statusOfValue(forKey: "duration", error: &error) == .cancelled)
            #expect(error?.code == NSURLErrorCancelled)
            #expect(asset.status(of: .duration) == .notYetLoaded)
        }
    }

    @Test("An item takes the keys that it is to load as texts, as properties, or none")
    func itemKeys() {
        let asset = AVURLAsset(url: URL(fileURLWithPath: "/nonexistent"))
        #expect(AVPlayerItem(asset: asset, automaticallyLoadedAssetKeys: [.duration, .isPlayable]).asset === asset)
        #expect(AVPlayerItem(asset: asset, automaticallyLoadedAssetKeys: ["duration"]).asset === asset)
        #expect(AVPlayerItem(asset: asset, automaticallyLoadedAssetKeys: nil).asset === asset)
    }
}
