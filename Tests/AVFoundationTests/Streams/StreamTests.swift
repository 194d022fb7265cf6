import AVFoundation
import AudioFiles
import HeadlessServer
import TestSupport
import Testing

/// Streams from a web server of the test's own, judged on the sink's monitor by a signal that counts its frames.
@Suite("AVPlayer's streams", .serialized, .limited)
struct StreamTests {
    @Test(
        "A progressive stream is heard whole, and nothing but it is asked for", .judges(.gap(frames: 0)),
        arguments: HeadlessServer.Kind.allCases)
    func whole(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            let file = WebFile(data: lab.counter(2).wavData)
            web.on("/a.wav") { file.answer($0, $1) }
            let item = lab.stream(web.url("/a.wav"))
            #expect(item.status == .unknown && item.duration.isIndefinite && item.loadedTimeRanges.isEmpty)
            let player = lab.player(item)
            let news = PlayerNews(of: player)
            player.play()
            #expect(player.rate == 1)
            try await waitUntil("the end", timeout: hangLimit) { news.count("end") == 1 }
            #expect(abs(item.duration.seconds - 2) < 1e-4 && item.status == .readyToPlay)
            #expect(item.isPlaybackBufferFull && item.isPlaybackLikelyToKeepUp && !item.isPlaybackBufferEmpty)
            #expect(item.loadedTimeRanges.first?.timeRangeValue.end == item.duration)
            #expect(player.rate == 0 && player.currentTime() == item.duration)
            #expect(news.all == ["SetRateCalled true 1.0", "SetRateCalled true 0.0", "end"])
            #expect(runs(try await lab.counted()) == [1...2 * lab.rate])
            let asset = AVURLAsset(url: web.url("/a.wav"))
            #expect(abs(try await asset.load(.duration).seconds - 2) < 1e-4)
            #expect(Set(web.requests.map(\.path)) == ["/a.wav"])
            #expect(web.requests.allSatisfy { $0.headers["user-agent"] == "swift-avfaudio-linux" })
        }
    }

    @Test(
        "A stall is told, waits with the rate kept, and goes on at the very frame",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func stall(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            let gate = Gate()
            var file = WebFile(data: lab.counter(3).wavData)
            file.gate = (2 * lab.rate * 4 + lab.rate, gate)
            let served = file
            web.on("/a.wav") { served.answer($0, $1) }
            let item = lab.stream(web.url("/a.wav"))
            let player = lab.player(item)
            let (news, stalls) = (PlayerNews(of: player), StallNews(of: item))
            player.play()
            try await lab.monitor.waitForSound()
            #expect(player.timeControlStatus == .playing && player.reasonForWaitingToPlay == nil)
            try await waitUntil("the stall", timeout: hangLimit) { stalls.stalls == 1 }
            #expect(player.rate == 1 && player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
            #expect(player.reasonForWaitingToPlay == .toMinimizeStalls)
            #expect(item.isPlaybackBufferEmpty && !item.isPlaybackLikelyToKeepUp && !item.isPlaybackBufferFull)
            gate.open()
            try await waitUntil("the end", timeout: hangLimit) { news.count("end") == 1 }
            #expect(runs(try await lab.counted()) == [1...3 * lab.rate])
            #expect(stalls.stalls == 1)
        }
    }

    @Test(
        "A player that does not wait starts with what is there, and a stall sets its rate to 0",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func impatient(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            let gate = Gate()
            var file = WebFile(data: lab.counter(3).wavData)
            // Too little to wait for.
            file.gate = (lab.rate * 4 * 2, gate)
            let served = file
            web.on("/a.wav") { served.answer($0, $1) }
            let item = lab.stream(web.url("/a.wav"))
            let player = lab.player(item)
            player.automaticallyWaitsToMinimizeStalling = false
            let (news, stalls) = (PlayerNews(of: player), StallNews(of: item))
            player.play()
            try await waitUntil("the stall", timeout: hangLimit) { stalls.stalls == 1 && player.rate == 0 }
            #expect(player.timeControlStatus == .paused)
            gate.open()
            try await waitUntil("more", timeout: hangLimit) { !item.isPlaybackBufferEmpty }
            player.play()
            try await waitUntil("the end", timeout: hangLimit) { news.count("end") == 1 }
            #expect(runs(try await lab.counted()) == [1...3 * lab.rate])
        }
    }

    @Test(
        "Connections that break off are made again from there on; nobody is told",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func drops(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            var file = WebFile(data: lab.counter(4).wavData)
            file.dropsAfter = 250_000
            let served = file
            web.on("/a.wav") { served.answer($0, $1) }
            let item = lab.stream(web.url("/a.wav"))
            let player = lab.player(item)
            let news = PlayerNews(of: player)
            player.play()
            try await waitUntil("the end", timeout: hangLimit) { news.count("end") == 1 }
            #expect(runs(try await lab.counted()) == [1...4 * lab.rate])
            #expect(web.requests.count >= 3)
            #expect(Set(web.requests.map(\.path)) == ["/a.wav"])
        }
    }

    @Test(
        "A stream that breaks off for good is heard up to there, and fails with the connection's error",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func lost(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            var file = WebFile(data: lab.counter(4).wavData)
            file.ranges = false
            file.dropsAfter = 44 + 2 * lab.rate * 4
            let served = file
            web.on("/a.wav") { served.answer($0, $1) }
            let item = lab.stream(web.url("/a.wav"))
            let player = lab.player(item)
            let news = PlayerNews(of: player)
            player.play()
            try await waitUntil("the failure", timeout: hangLimit) {
                news.count("failed \(NSURLErrorNetworkConnectionLost)") == 1
            }
            #expect(item.status == .failed && player.rate == 0)
            #expect((item.error as? NSError)?.domain == NSURLErrorDomain)
            let counted = try await lab.counted()
            #expect(counted == Array(1...max(1, counted.count)) && counted.count <= 2 * lab.rate)
            #expect(counted.count > lab.rate * 3 / 2, "a demuxer's packet may be lost with the connection")
        }
    }

    @Test(
        "Lengths that are not true: what is there is heard; what is missing is an error, what is too much is not",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func lies(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            let data = lab.counter(1).wavData
            let (long, short) = (WebFile(data: data, claimedLength: data.count * 2), 44 + lab.rate * 2)
            let cut = WebFile(data: data, claimedLength: short)
            web.on("/long.wav") { long.answer($0, $1) }
            web.on("/short.wav") { cut.answer($0, $1) }
            let item = lab.stream(web.url("/short.wav"))
            let player = lab.player(item)
            let news = PlayerNews(of: player)
            player.play()
            try await waitUntil("the end", timeout: hangLimit) { news.count("end") == 1 }
            #expect(runs(try await lab.counted()) == [1...lab.rate / 2])
            player.replaceCurrentItem(with: lab.stream(web.url("/long.wav")))
            player.play()
            try await waitUntil("the second end", timeout: hangLimit) {
                news.all.contains { $0.hasPrefix("failed") } || news.count("end") == 2
            }
            #expect(runs(try await lab.counted()) == [1...lab.rate / 2, 1...lab.rate])
        }
    }

    @Test(
        "A session that is deactivated ends waiting as it ends playing: nothing is heard when more comes",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func deactivated(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            let gate = Gate()
            var file = WebFile(data: lab.counter(2).wavData)
            file.gate = (44 + lab.rate * 4, gate)
            let served = file
            web.on("/a.wav") { served.answer($0, $1) }
            let item = lab.stream(web.url("/a.wav"))
            let player = lab.player(item)
            let stalls = StallNews(of: item)
            player.play()
            try await waitUntil("the stall", timeout: hangLimit) { stalls.stalls == 1 }
            try? lab.session.setActive(false)
            try await waitUntil("the rate", timeout: hangLimit) { player.rate == 0 }
            let first = lab.monitor.frames
            gate.open()
            try await waitUntil("all of it", timeout: hangLimit) { item.isPlaybackBufferFull }
            try await lab.monitor.wait(seconds: 0.3)
            #expect(lab.monitor.soFar(from: first + lab.rate / 10).soundRange(threshold: -60) == nil)
            let news = PlayerNews(of: player)
            player.play()
            try await waitUntil("the end", timeout: hangLimit) { news.count("end") == 1 }
            #expect(runs(try await lab.counted()) == [1...2 * lab.rate])
        }
    }

    @Test(
        "A slow line loses nothing, whether it stalls or not", .judges(.gap(frames: 0)),
        arguments: HeadlessServer.Kind.allCases)
    func slow(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            var file = WebFile(data: lab.counter(2).wavData)
            // As fast as it plays, less what the machine takes.
            file.pace = lab.rate * 4
            let served = file
            web.on("/a.wav") { served.answer($0, $1) }
            let player = lab.player(lab.stream(web.url("/a.wav")))
            player.automaticallyWaitsToMinimizeStalling = false
            let news = PlayerNews(of: player)
            player.play()
            try await waitUntil("the end", timeout: hangLimit) {
                if news.count("end") == 0 && player.rate == 0 { player.play() }
                return news.count("end") == 1
            }
            #expect(runs(try await lab.counted()) == [1...2 * lab.rate])
        }
    }

    @Test(
        "A server that falls silent is asked again for the rest", .judges(.gap(frames: 0)),
        arguments: HeadlessServer.Kind.allCases)
    func fallsSilent(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            let gate = Gate()
            defer { gate.open() }
            let whole = WebFile(data: lab.counter(2).wavData)
            var file = whole
            file.gate = (44 + lab.rate * 4, gate)
            let silent = file
            web.on("/a.wav") { request, connection in
                (gate.arrived == 0 ? silent : whole).answer(request, connection)
            }
            let player = lab.player(lab.stream(web.url("/a.wav"), limits: AVPlayerLab.impatient))
            let news = PlayerNews(of: player)
            player.play()
            try await waitUntil("the end", timeout: hangLimit) { news.count("end") == 1 }
            #expect(runs(try await lab.counted()) == [1...2 * lab.rate])
            #expect(web.requests.map(\.range.first).contains { $0 > 0 && $0 <= 44 + lab.rate * 4 })
        }
    }
}
