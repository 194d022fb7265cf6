import AVFoundation
import AudioFiles
import HeadlessServer
import TestSupport
import Testing

@Suite("What AVPlayer's items log of the network", .serialized, .limited)
struct StreamLogTests {
    /// Counts the notifications of an item.
    // SAFETY: `count` is guarded by `lock`; `token` is set once.
    private final class Notices: @unchecked Sendable {
        private let lock = NSLock()
        private var count = 0
        private var token: (any NSObjectProtocol)?

        var all: Int { lock.withLock { count } }

        init(_ name: Notification.Name, of item: AVPlayerItem) {
            token = NotificationCenter.default.addObserver(forName: name, object: item, queue: nil) { [weak self] _ in
                guard let self else { return }
                lock.withLock { count += 1 }
            }
        }

        deinit { if let token { NotificationCenter.default.removeObserver(token) } }
    }

    @Test(
        "The access log has the address, the bytes, the requests, the stalls and the times of a stream",
        arguments: HeadlessServer.Kind.allCases)
    func access(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            let gate = Gate()
            let data = lab.counter(3).wavData
            var file = WebFile(data: data)
            file.gate = (2 * lab.rate * 4, gate)
            // Else FFmpeg looks at the end of the file too, and reads its beginning twice.
            file.ranges = false
            let served = file
            web.on("/a.wav") { served.answer($0, $1) }
            let item = lab.stream(web.url("/a.wav"))
            let (added, errors) = (
                Notices(.AVPlayerItemNewAccessLogEntry, of: item), Notices(.AVPlayerItemNewErrorLogEntry, of: item)
            )
            #expect(item.accessLog() == nil && item.errorLog() == nil)
            let began = Date()
            let player = lab.player(item)
            let (news, stalls) = (PlayerNews(of: player), StallNews(of: item))
            player.play()
            try await waitUntil("the stall", timeout: hangLimit) { stalls.stalls == 1 }
            let early = try #require(item.accessLog()?.events.first)
            #expect(early.numberOfBytesTransferred <= served.gate?.at ?? 0 && early.numberOfStalls == 1)
            gate.open()
            try await waitUntil("the end", timeout: hangLimit) { news.count("end") == 1 }
            let events = item.accessLog()?.events ?? []
            #expect(events.count == 1 && added.all == 1 && errors.all == 0 && item.errorLog() == nil)
            let event = try #require(events.first)
            #expect(event.uri == web.url("/a.wav").absoluteString && event.playbackType == "FILE")
            #expect(event.numberOfStalls == 1 && event.numberOfMediaRequests == 1)
            #expect(event.numberOfBytesTransferred == data.count)
            let started = try #require(event.playbackStartDate)
            #expect(event.startupTime > 0 && started.timeIntervalSince(began) >= event.startupTime - 0.01)
            #expect(event.transferDuration > 0 && event.observedBitrate > 0)
            #expect(
                abs(event.observedBitrate * event.transferDuration / 8 - Double(data.count)) < 1, "bits a second")
        }
    }

    @Test(
        "A playlist's log counts lists and segments; the error log has the segment that is missing, and why",
        arguments: HeadlessServer.Kind.allCases)
    func playlist(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            let segments = pieces(ofADTS: try lab.tone(1000, seconds: 4), seconds: 1, rate: lab.rate)
            var list = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n"
            for (index, data) in segments.enumerated() {
                let file = WebFile(data: data, type: "audio/aac")
                if index != 1 { web.on("/\(index).aac") { file.answer($0, $1) } }
                list += "#EXTINF:1.0,\n\(index).aac\n"
            }
            let text = WebFile(
                data: Data((list + "#EXT-X-ENDLIST\n").utf8), type: "application/vnd.apple.mpegurl")
            web.on("/a.m3u8") { text.answer($0, $1) }
            let item = lab.stream(web.url("/a.m3u8"))
            let errors = Notices(.AVPlayerItemNewErrorLogEntry, of: item)
            let player = lab.player(item)
            let news = PlayerNews(of: player)
            player.play()
            try await waitUntil("the end", timeout: hangLimit) { news.count("end") == 1 }
            let event = try #require(item.accessLog()?.events.first)
            let given = segments.indices.filter { $0 != 1 }.map { segments[$0].count }.reduce(text.data.count, +)
            #expect(event.playbackType == "VOD" && event.numberOfBytesTransferred == given)
            #expect(event.numberOfMediaRequests == segments.count, "one of them is missing, and the list is one")
            let problems = item.errorLog()?.events ?? []
            // FFmpeg asks more than once.
            let refused = web.requests.count { $0.path == "/1.aac" }
            #expect(refused >= 1 && problems.count == refused && errors.all == refused)
            let problem = try #require(problems.first)
            #expect(problem.uri == web.url("/1.aac").absoluteString)
            #expect(problem.errorDomain == NSURLErrorDomain)
            #expect(problem.errorStatusCode == NSURLErrorFileDoesNotExist && problem.errorComment != nil)
            #expect(problem.date.map { $0 <= Date() } == true)
        }
    }

    @Test("What ends an item is in its error log; a file has no logs", arguments: [HeadlessServer.Kind.pulseAudio])
    func failures(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            let item = lab.stream(web.url("/nothing.wav"))
            let errors = Notices(.AVPlayerItemNewErrorLogEntry, of: item)
            let player = lab.player(item)
            try await waitUntil("the failure", timeout: hangLimit) { errors.all == 1 }
            let events = item.errorLog()?.events ?? []
            #expect(events.map(\.errorStatusCode) == [NSURLErrorFileDoesNotExist])
            #expect(events.first?.uri == web.url("/nothing.wav").absoluteString && item.accessLog() == nil)
            var broken = WebFile(data: lab.counter(4).wavData)
            (broken.ranges, broken.dropsAfter) = (false, 44 + 2 * lab.rate * 4)
            let served = broken
            web.on("/a.wav") { served.answer($0, $1) }
            let second = lab.stream(web.url("/a.wav"))
            player.replaceCurrentItem(with: second)
            player.play()
            try await waitUntil("the second failure", timeout: hangLimit) { second.errorLog() != nil }
            #expect(second.errorLog()?.events.map(\.errorStatusCode) == [NSURLErrorNetworkConnectionLost])
            #expect(second.accessLog()?.events.count == 1)
            let local = try lab.item(lab.counter(0.1))
            player.replaceCurrentItem(with: local)
            try await waitUntilReady(local)
            #expect(local.accessLog() == nil && local.errorLog() == nil)
        }
    }
}
