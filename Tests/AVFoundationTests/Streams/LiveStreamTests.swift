import AVFoundation
import AudioFiles
import HeadlessServer
import TestSupport
import Testing

/// A status and a page.
private typealias Refusal = (status: String, page: String)

/// A playlist that grows while it is played.
// SAFETY: everything mutable is guarded by `lock`.
private final class LivePlaylist: @unchecked Sendable {
    private let lock = NSLock()
    private let segments: [Data]
    private let names: Int
    private var published: Int
    private var isEnded = false
    private var answers = 0
    private var refusals = (count: 0, answer: Refusal("", ""))

    /// Serves a list of the first so many segments at a path; after so many names the first one comes again.
    init(_ web: WebServer, _ path: String, _ segments: [Data], published: Int, names: Int) {
        self.segments = segments
        self.names = names
        self.published = published
        for (index, data) in segments.prefix(names).enumerated() {
            let file = WebFile(data: data, type: "audio/aac")
            web.on("/\(index).aac") { file.answer($0, $1) }
        }
        web.on(path) { [self] request, connection in
            if let (status, page) = refusal {
                connection.send(status, ["Content-Length: \(page.utf8.count)"])
                connection.send(Data(page.utf8))
                return
            }
            WebFile(data: Data(text.utf8), type: "application/vnd.apple.mpegurl").answer(request, connection)
        }
    }

    private var text: String {
        lock.withLock {
            answers += 1
            let list = (0..<published).map { "#EXTINF:1.0,\n\($0 % names).aac\n" }.joined()
            return "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:1\n#EXT-X-MEDIA-SEQUENCE:0\n" + list
                + (isEnded ? "#EXT-X-ENDLIST\n" : "")
        }
    }

    /// What is given in place of the list.
    private var refusal: Refusal? {
        lock.withLock {
            guard refusals.count > 0 else { return nil }
            refusals.count -= 1
            return refusals.answer
        }
    }

    /// Gives something else than the list for so many times.
    func refuse(_ count: Int, with answer: Refusal) { lock.withLock { refusals = (count, answer) } }

    /// How often that is still so.
    var refusalsLeft: Int { lock.withLock { refusals.count } }

    /// How often the list was asked for.
    var asked: Int { lock.withLock { answers } }

    /// How many segments there are so far.
    var count: Int { lock.withLock { published } }

    /// Adds segments, and says whether these are the last ones.
    func publish(_ count: Int, isEnd: Bool = false) {
        lock.withLock {
            published += count
            isEnded = isEnd
        }
    }
}

/// A tone in segments of a second, the playlist that grows over them, and a player of it.
private struct Broadcast {
    let segments: Int
    let list: LivePlaylist
    let item: AVPlayerItem
    let player: AVPlayer

    init(
        in lab: AVPlayerLab, by web: WebServer, seconds: Double, published: Int, names: Int = .max,
        limits: StreamLimits = AVPlayerLab.limits
    ) throws {
        let pieces = pieces(ofADTS: try lab.tone(1000, seconds: seconds), seconds: 1, rate: lab.rate)
        segments = pieces.count
        list = LivePlaylist(web, "/live.m3u8", pieces, published: published, names: names)
        item = lab.stream(web.url("/live.m3u8"), limits: limits)
        player = lab.player(item)
    }

    /// Publishes what is not yet, and ends the playlist.
    func publishRest() { list.publish(segments - list.count, isEnd: true) }
}

@Suite("AVPlayer's live streams", .serialized, .limited)
struct LiveStreamTests {
    @Test(
        "A playlist that grows has no duration, is heard as its segments come, and ends with its end",
        .judges(.time(seconds: 0.15)), arguments: HeadlessServer.Kind.allCases)
    func grows(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            let live = try Broadcast(in: lab, by: web, seconds: 8, published: 3)
            let (list, item, player) = (live.list, live.item, live.player)
            let news = PlayerNews(of: player)
            player.play()
            try await waitUntil("the sound", timeout: hangLimit) { lab.heard(1000) > 50 }
            #expect(item.duration.isIndefinite && item.status == .readyToPlay && player.rate == 1)
            list.publish(2)
            try await waitUntil("more of it", timeout: hangLimit) { lab.heard(1000) > 320 }
            #expect(item.duration.isIndefinite && news.all.count == 1)
            live.publishRest()
            try await waitUntil("the end", timeout: hangLimit) { news.count("end") == 1 }
            try await lab.monitor.wait(seconds: 0.3)
            #expect((780...815).contains(lab.heard(1000)), "\(lab.heard(1000))")
            #expect(Set(web.requests.map(\.path)).count == live.segments + 1)
        }
    }

    @Test(
        "A playlist that does not grow any more is waited for, and goes on when it does",
        .judges(.time(seconds: 0.15)), arguments: HeadlessServer.Kind.allCases)
    func stopsGrowing(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            let live = try Broadcast(in: lab, by: web, seconds: 5, published: 2)
            let (list, item, player) = (live.list, live.item, live.player)
            let (news, stalls) = (PlayerNews(of: player), StallNews(of: item))
            player.play()
            try await waitUntil("the stall", timeout: hangLimit) { stalls.stalls == 1 }
            let asked = list.asked
            try await waitUntil("more looks", timeout: hangLimit) { list.asked >= asked + 8 || player.rate == 0 }
            #expect(player.rate == 1 && player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
            #expect(player.reasonForWaitingToPlay == .toMinimizeStalls && item.status == .readyToPlay)
            live.publishRest()
            try await waitUntil("the end", timeout: hangLimit) { news.count("end") == 1 }
            try await lab.monitor.wait(seconds: 0.3)
            #expect((480...515).contains(lab.heard(1000)), "\(lab.heard(1000))")
            #expect(news.all == ["SetRateCalled true 1.0", "SetRateCalled true 0.0", "end"])
        }
    }

    @Test(
        "A live playlist that is not given for a moment is asked for again, and nothing is lost or heard twice",
        .judges(.time(seconds: 0.15)), arguments: HeadlessServer.Kind.allCases,
        [("503 Service Unavailable", ""), ("200 OK", "<html>one moment, please</html>"), ("200 OK", "")])
    func refused(kind: HeadlessServer.Kind, answer: (status: String, page: String)) async throws {
        try await withStreamLab(kind) { lab, web in
            let live = try Broadcast(in: lab, by: web, seconds: 5, published: 3)
            let (list, item, player) = (live.list, live.item, live.player)
            let news = PlayerNews(of: player)
            player.play()
            try await waitUntil("the sound", timeout: hangLimit) { lab.heard(1000) > 50 }
            list.refuse(3, with: answer)
            try await waitUntil("the refusals", timeout: hangLimit) {
                list.refusalsLeft == 0 || item.status == .failed
            }
            live.publishRest()
            try await waitUntil("the end", timeout: hangLimit) { news.all.count == 3 }
            #expect(news.all.last == "end" && item.error == nil)
            try await lab.monitor.wait(seconds: 0.3)
            #expect((480...515).contains(lab.heard(1000)), "\(lab.heard(1000))")
            #expect(item.errorLog()?.events.map(\.errorStatusCode) == [-1011, -1011, -1011])
        }
    }

    @Test(
        "A segment that is refused is passed over, although another one had its name",
        .judges(.time(seconds: 0.15)), arguments: HeadlessServer.Kind.allCases)
    func namedAgain(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            let live = try Broadcast(in: lab, by: web, seconds: 5, published: 3, names: 3)
            let (item, player) = (live.item, live.player)
            let news = PlayerNews(of: player)
            player.play()
            try await waitUntil("all there is", timeout: hangLimit) {
                Set(web.requests.map(\.path)).count == 4 && lab.heard(1000) > 50
            }
            let refused = Log<String>()
            web.on("/0.aac") { request, connection in
                refused.note(request.path)
                connection.send("503 Service Unavailable", ["Content-Length: 0"])
            }
            live.publishRest()
            try await waitUntil("the end", timeout: hangLimit) { news.all.count == 3 }
            #expect(news.all.last == "end" && item.error == nil)
            #expect(!refused.all.isEmpty)
            #expect(item.errorLog()?.events.map(\.errorStatusCode) == refused.all.map { _ in -1011 })
            try await lab.monitor.wait(seconds: 0.3)
            // Five of six segments, the last of which is as long as the third.
            #expect((470...505).contains(lab.heard(1000)), "\(lab.heard(1000))")
        }
    }

    @Test(
        "A playlist that stops growing for good fails in the end, with what it had heard",
        .judges(.time(seconds: 0.15)), arguments: [HeadlessServer.Kind.pulseAudio])
    func givenUp(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            var limits = AVPlayerLab.limits
            limits.reading = 3
            let live = try Broadcast(in: lab, by: web, seconds: 2, published: 2, limits: limits)
            let (list, item, player) = (live.list, live.item, live.player)
            let news = PlayerNews(of: player)
            player.play()
            try await waitUntil("the failure", timeout: hangLimit) {
                news.count("failed \(NSURLErrorTimedOut)") == 1
            }
            #expect(item.status == .failed && player.rate == 0 && list.asked > 3)
            #expect((180...215).contains(lab.heard(1000)), "\(lab.heard(1000))")
        }
    }
}
