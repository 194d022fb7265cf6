import AVFoundation
import AudioFiles
import TestSupport
import Testing

@testable import AVFAudio

@Suite("The loader of streams", .serialized, .timeLimit(.minutes(60)))
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
}
