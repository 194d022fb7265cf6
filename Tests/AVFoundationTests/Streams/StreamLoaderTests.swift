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

    @Test("As much is loaded ahead as the app says, and more or less from the moment on when it says so")
    func ahead() async throws {
        try await withWebServer { web in
            let rate = 8000
            let file = WebFile(data: TestSignal.sine(seconds: 120, sampleRate: rate).wavData, type: "audio/wav")
            web.on("/long.wav") { file.answer($0, $1) }
            let loader = StreamLoader(url: web.url("/long.wav").absoluteString, limits: AVPlayerLab.limits)
            defer { loader.close() }
            func loaded() async throws -> Int {
                try await waitUntil("a full buffer", timeout: hangLimit) { loader.current.isFull }
                return loader.current.frames.count / rate
            }
            loader.load(ahead: 3)
            loader.start()
            let few = try await loaded()
            #expect((3...6).contains(few), "\(few) s")
            loader.load(ahead: 60)
            let many = try await loaded()
            #expect((60...63).contains(many), "\(many) s")
            loader.load(ahead: 0)
            #expect(loader.current.isFull)
        }
    }

    @Test(
        "Of a playlist's variants the best one below the peak bit rate is read", arguments: [0, 50_000, 100_000, 1e9])
    func variants(peak: Double) async throws {
        try await withWebServer { web in
            var list = "#EXTM3U\n"
            let variants = [("middle", 660.0, 90_000), ("low", 440, 60_000), ("high", 880, 200_000)]
            for (name, frequency, bitRate) in variants {
                let file = WebFile(
                    data: try encoded(.sine(frequency: frequency, seconds: 2, sampleRate: 48_000)),
                    type: "audio/aac")
                web.on("/\(name).aac") { file.answer($0, $1) }
                let segments = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2.0,\n\(name).aac\n#EXT-X-ENDLIST\n"
                let variant = WebFile(data: Data(segments.utf8), type: "application/vnd.apple.mpegurl")
                web.on("/\(name).m3u8") { variant.answer($0, $1) }
                list += "#EXT-X-STREAM-INF:BANDWIDTH=\(bitRate)\n\(name).m3u8\n"
            }
            let master = WebFile(data: Data(list.utf8), type: "application/vnd.apple.mpegurl")
            web.on("/a.m3u8") { master.answer($0, $1) }
            var limits = AVPlayerLab.limits
            limits.peakBitRate = peak
            let loader = StreamLoader(url: web.url("/a.m3u8").absoluteString, limits: limits)
            defer { loader.close() }
            loader.start()
            try await waitUntil("a second", timeout: hangLimit) { loader.current.frames.count > 48_000 }
            let samples = loader.take(from: 16_384, count: 8192)
            // Each crossing of zero upwards, of the first of two channels.
            let left = stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
            let waves = zip(left, left.dropFirst()).count { $0 < 0 && $1 >= 0 }
            let frequency = Double(waves) * 48_000 / Double(left.count)
            let expected: [Double: Double] = [0: 660, 50_000: 440, 100_000: 660, 1e9: 880]
            #expect(abs(frequency - (expected[peak] ?? 0)) < 20, "\(frequency) Hz")
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
