import AVFAudio
import AudioFiles
import AudioHost
import AudioRealtime
import TestSupport
import Testing

@testable import AVMedia

@Suite("The loader of streams", .serialized, .limited)
struct StreamLoaderTests {
    @Test("A loader that has met its end refuses seeks, which nobody would answer")
    func seekAfterEnd() async throws {
        try await withWebServer { web in
            let loader = StreamLoader(url: web.url("/nothing.wav").absoluteString, limits: AVPlayerLab.limits)
            defer { loader.close() }
            loader.start()
            try await waitUntil("the failure", timeout: hangLimit) { loader.current.error != nil }
            #expect(!loader.seek(to: 0))
            #expect(!loader.current.isSeeking && loader.current.isComplete)
        }
    }

    @Test("A place that is asked for again while the loader goes there is reached, and loading goes on")
    func seekAgain() async throws {
        try await withWebServer { web in
            let rate: Int64 = 8000
            let file = WebFile(
                data: TestSignal.sine(seconds: 120, sampleRate: Int(rate)).wavData, type: "audio/wav")
            web.on("/long.wav") { file.answer($0, $1) }
            let loader = StreamLoader(url: web.url("/long.wav").absoluteString, limits: AVPlayerLab.limits)
            defer { loader.close() }
            loader.start()
            try await waitUntil("the format", timeout: hangLimit) { loader.current.format != nil }
            for second in [80, 20, 80, 20, 80, 20] as [Int64] {
                repeat {
                    #expect(loader.seek(to: second * rate))
                    // The loader and the server need the lock and the processor that this takes.
                    await Task.yield()
                } while loader.current.isSeeking
            }
            let arrival = ContinuousClock.now
            try await waitUntil("more than is loaded ahead", timeout: hangLimit) { loader.current.isFull }
            try await waitUntil("the end of the patience with a silent server", timeout: hangLimit) {
                .now - arrival > .milliseconds(400)
            }
            // What is there is taken at once: the time that this takes is the loader's, not that between two looks.
            var place = 20 * rate
            try await waitUntil("the end", timeout: hangLimit) {
                while case let count = loader.take(from: place, count: 4000).count / 2, count > 0 {
                    place += Int64(count)
                }
                return loader.current.isComplete && place >= 119 * rate
            }
        }
    }

    /// A feed for a sound of so many frames at 22 050 Hz, all of which has been loaded.
    private func feed(_ frames: Int, from web: WebServer) async throws -> StreamFeed {
        let sound = TestSignal.sine(seconds: Double(frames) / 22_050, sampleRate: 22_050)
        let file = WebFile(data: sound.wavData, type: "audio/wav")
        web.on("/\(frames).wav") { file.answer($0, $1) }
        let loader = StreamLoader(url: web.url("/\(frames).wav").absoluteString, limits: AVPlayerLab.limits)
        defer { loader.close() }
        loader.start()
        try await waitUntil("the whole stream", timeout: hangLimit) { loader.current.isComplete }
        let format = try #require(loader.current.format)
        let matrix = ChannelMatrix(from: ChannelMatrix.standard(format.channels), to: ChannelMatrix.standard(2))
        let place = OutputPlace(
            id: 0, rate: 48_000, channels: ChannelMatrix.standard(2), device: nil, historySeconds: 1)
        let feed = try StreamFeed(loader, format: format, place: place, matrix: matrix)
        feed.restart(at: 0, rate: 1)
        return feed
    }

    @Test("What a converter holds back at the end is written when there is room, and then the voice ends")
    func tailWithoutRoom() async throws {
        try await withWebServer { web in
            let room = try await feed(1000, from: web).ring.writableFrames
            // A little more than fits: of the 900 frames that the converter gives at the end some have to wait.
            let frames = (room + 400) * 22_050 / 48_000
            let feed = try await feed(frames, from: web)
            #expect(feed.fill())
            #expect(feed.isFinished && !feed.isWritten && feed.ring.writableFrames == 0)
            #expect(!feed.fill())
            let heard = feed.ring.readableFrames
            #expect(feed.ring.skip(frames: heard) == heard)
            #expect(feed.fill() && feed.isWritten && feed.ring.isEnded)
            let all = heard + feed.ring.readableFrames
            #expect(abs(all - frames * 48_000 / 22_050) <= 1, "\(all)")
            #expect(!feed.fill())
        }
    }
}
