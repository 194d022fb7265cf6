import AVFoundation
import AudioFiles
import HeadlessServer
import TestSupport
import Testing

@Suite("AVPlayer's seeks in streams that do not go well", .serialized, .timeLimit(.minutes(60)))
struct StreamSeekTests {
    private func seconds(_ value: Double) -> CMTime { CMTime(seconds: value, preferredTimescale: 1000) }

    /// Waits for a seek, which must not hang.
    private func outcome(_ item: AVPlayerItem, _ time: CMTime) async throws -> Bool {
        let outcomes = Outcomes()
        item.seek(to: time, completionHandler: outcomes.add("it"))
        try await waitUntil("the seek to \(time.seconds)", timeout: hangLimit) { !outcomes.all.isEmpty }
        return outcomes.all["it"] == true
    }

    @Test(
        "A seek that the server refuses is told as false, and nothing from before it is heard",
        arguments: HeadlessServer.Kind.allCases)
    func refused(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            try await withWebServer { web in
                let limit = 40 * lab.rate * 4
                var file = WebFile(data: lab.counter(60).wavData)
                // Else FFmpeg would read on until it is there.
                file.dropsAfter = limit + lab.rate * 4
                let served = file
                web.on("/a.wav") { request, connection in
                    guard request.range.first > limit else { return served.answer(request, connection) }
                    connection.send("500 Internal Server Error", ["Content-Length: 0"])
                }
                let item = lab.stream(web.url("/a.wav"))
                let player = lab.player(item)
                let news = PlayerNews(of: player)
                try await waitUntil("a full buffer", timeout: hangLimit) { item.isPlaybackBufferFull }
                #expect(try await outcome(item, seconds(50)) == false)
                #expect(abs(item.currentTime().seconds - 50) < 0.01)
                #expect(try await outcome(item, seconds(55)) == false)
                player.play()
                try await waitUntil("the failure", timeout: hangLimit) {
                    news.all.contains { $0.hasPrefix("failed") }
                }
                #expect(try await lab.counted() == [])
            }
        }
    }

    @Test(
        "Seeks from before the stream is open are told what became of them",
        arguments: [HeadlessServer.Kind.pulseAudio])
    func early(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            try await withWebServer { web in
                var file = WebFile(data: lab.counter(60).wavData)
                let whole = file
                web.on("/a.wav") { whole.answer($0, $1) }
                file.ranges = false
                let streamed = file
                web.on("/b.wav") { streamed.answer($0, $1) }
                var results: [String: Bool] = [:]
                for name in ["a.wav", "b.wav", "missing.wav"] {
                    let outcomes = Outcomes()
                    let item = lab.stream(web.url("/\(name)"))
                    item.seek(to: seconds(50), completionHandler: outcomes.add(name))
                    let player = lab.player(item)
                    try await waitUntil("the seek in \(name)", timeout: hangLimit) { !outcomes.all.isEmpty }
                    results.merge(outcomes.all) { $1 }
                    #expect(name != "a.wav" || abs(player.currentTime().seconds - 50) < 0.01)
                    player.replaceCurrentItem(with: nil)
                }
                #expect(results == ["a.wav": true, "b.wav": false, "missing.wav": false])
            }
        }
    }
}
