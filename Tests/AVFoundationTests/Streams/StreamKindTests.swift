import AVFoundation
import AudioFiles
import HeadlessServer
import TestSupport
import Testing

@Suite("AVPlayer's playlists, radios and seeks", .serialized, .limited)
struct StreamKindTests {
    @Test(
        "A seek to what is not loaded asks for that part, and one to what is loaded asks for nothing",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func seeking(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            let file = WebFile(data: lab.counter(60).wavData)
            web.on("/a.wav") { file.answer($0, $1) }
            let item = lab.stream(web.url("/a.wav"))
            let player = lab.player(item)
            try await waitUntil("a full buffer", timeout: hangLimit) { item.isPlaybackBufferFull }
            let loaded = try #require(item.loadedTimeRanges.first?.timeRangeValue)
            #expect(loaded.start == .zero && loaded.end.seconds < 40)
            #expect(item.seekableTimeRanges.map(\.timeRangeValue.end.seconds) == [item.duration.seconds])
            let before = web.requests.count
            #expect(await player.seek(to: CMTime(value: 12_345, timescale: CMTimeScale(lab.rate))))
            #expect(web.requests.count == before)
            player.play()
            try await lab.monitor.waitForSound()
            try await lab.monitor.wait(seconds: 0.3)
            #expect(
                await player.seek(to: CMTime(value: CMTimeValue(50 * lab.rate), timescale: CMTimeScale(lab.rate))))
            let first = lab.monitor.frames
            #expect(player.rate == 1)
            try await lab.monitor.waitForSound(from: first)
            try await lab.monitor.wait(seconds: 0.3)
            #expect(player.currentTime().seconds > 50)
            player.pause()
            #expect(stretches(try await lab.counted()) == [12_346, 50 * lab.rate + 1])
            #expect(web.requests.contains { $0.range.first >= 44 + 49 * lab.rate * 4 })
            // To its end, where playing tells of it at once.
            let news = PlayerNews(of: player)
            #expect(await player.seek(to: item.duration))
            #expect(player.currentTime() == item.duration)
            player.play()
            try await waitUntil("the end", timeout: hangLimit) { news.count("end") == 1 }
        }
    }

    @Test(
        "Seeks that a server does not answer are given up for later ones, and when that is asked for",
        arguments: HeadlessServer.Kind.allCases)
    func givenUp(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            let file = WebFile(data: lab.counter(60).wavData)
            let limit = 40 * lab.rate * 4
            web.on("/a.wav") { request, connection in
                if request.range.first > limit { connection.waitForEnd() } else { file.answer(request, connection) }
            }
            var limits = AVPlayerLab.limits
            limits.silence = 3600
            limits.reading = 3600
            let item = lab.stream(web.url("/a.wav"), limits: limits)
            let player = lab.player(item)
            try await waitUntil("a full buffer", timeout: hangLimit) { item.isPlaybackBufferFull }
            let outcomes = Outcomes()
            func seek(_ name: String, _ seconds: Double) {
                player.seek(
                    to: CMTime(seconds: seconds, preferredTimescale: 1000), completionHandler: outcomes.add(name))
            }
            seek("first", 50)
            try await waitUntil("the request", timeout: hangLimit) {
                web.requests.contains { $0.range.first > limit }
            }
            seek("second", 55)
            try await waitUntil("the first", timeout: hangLimit) { outcomes.all == ["first": false] }
            item.cancelPendingSeeks()
            try await waitUntil("the second", timeout: hangLimit) { outcomes.all["second"] == false }
            seek("third", 30)
            try await waitUntil("the third", timeout: hangLimit) { outcomes.all["third"] == true }
            player.play()
            try await lab.monitor.waitForSound()
            player.pause()
            #expect(runs(try await lab.counted()).first?.lowerBound == 30 * lab.rate + 1)
        }
    }

    @Test(
        "A stream in AAC is heard as long as it is, and twice as fast in half the time",
        .judges(.time(seconds: 0.1)), arguments: HeadlessServer.Kind.allCases)
    func aac(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            let file = WebFile(data: try lab.tone(1000, seconds: 4), type: "audio/aac")
            web.on("/a.aac") { file.answer($0, $1) }
            let item = lab.stream(web.url("/a.aac"))
            let player = lab.player(item)
            let news = PlayerNews(of: player)
            player.rate = 2
            do { try await waitUntil("the end", timeout: hangLimit) { news.count("end") == 1 } } catch {
                let place = "\(player.timeControlStatus) at \(player.currentTime().seconds) s"
                let loaded = "loaded \(item.loadedTimeRanges) of \(item.duration.seconds) s"
                throw SupportError("\(error): \(place), \(loaded), \(news.all)")
            }
            try await lab.monitor.wait(seconds: 0.3)
            #expect((190...215).contains(lab.heard(1000)), "\(lab.heard(1000))")
        }
    }

    @Test("A stream that is longer than it seems is heard to its end, after a pause beyond the seeming one too")
    func longerThanItSeems() async throws {
        try await withStreamLab(.pulseAudio) { lab, web in
            let item = try lab.seeminglyShort(web)
            let player = lab.player(item)
            let news = PlayerNews(of: player)
            player.play()
            try await waitUntilReady(item)
            let seeming = item.asset.duration.seconds
            #expect(seeming < 4)
            try await waitUntil("its seeming end", timeout: hangLimit) { player.currentTime().seconds > seeming + 0.2 }
            // The sound is made anew from there on.
            player.rate = 2
            player.pause()
            player.play()
            try await waitUntil("the end", timeout: hangLimit) { news.count("end") == 1 }
            #expect(player.currentTime().seconds > 8.9)
        }
    }

    @Test("Cookies that come with a playlist go with what is asked for from its server, and nowhere else")
    func cookies() async throws {
        try await withStreamLab(.pulseAudio) { lab, web in
            let segments = pieces(ofADTS: try lab.tone(1000, seconds: 3), seconds: 1, rate: lab.rate)
            let port = try #require(web.url("/").port)
            var list = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n"
            for (index, data) in segments.enumerated() {
                let file = WebFile(data: data, type: "audio/aac")
                let isElsewhere = index == 1
                web.on("/\(index).aac") { request, connection in
                    guard (request.headers["cookie"]?.contains("ticket=42") ?? false) != isElsewhere else {
                        _ = connection.send("403 Forbidden", ["Content-Length: 0"])
                        return
                    }
                    file.answer(request, connection)
                }
                list += "#EXTINF:1.0,\n" + (isElsewhere ? "http://localhost:\(port)/" : "") + "\(index).aac\n"
            }
            let playlist = WebFile(
                data: Data((list + "#EXT-X-ENDLIST\n").utf8), type: "application/vnd.apple.mpegurl",
                headers: ["Set-Cookie: ticket=42; Path=/"])
            web.on("/a.m3u8") { playlist.answer($0, $1) }
            let player = lab.player(lab.stream(web.url("/a.m3u8")))
            let news = PlayerNews(of: player)
            player.play()
            try await waitUntil("the end", timeout: hangLimit) { news.count("end") == 1 }
            try await lab.monitor.wait(seconds: 0.3)
            #expect(lab.heard(1000) > 280, "\(lab.heard(1000))")
        }
    }

    @Test(
        "A playlist's segments are heard one after the other", .judges(.time(seconds: 0.15)),
        arguments: HeadlessServer.Kind.allCases)
    func playlist(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            let segments = pieces(ofADTS: try lab.tone(1000, seconds: 4), seconds: 1, rate: lab.rate)
            var list = "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n"
            for (index, data) in segments.enumerated() {
                let file = WebFile(data: data, type: "audio/aac")
                web.on("/\(index).aac") { file.answer($0, $1) }
                list += "#EXTINF:1.0,\n\(index).aac\n"
            }
            let playlist = WebFile(
                data: Data((list + "#EXT-X-ENDLIST\n").utf8), type: "application/vnd.apple.mpegurl")
            web.on("/a.m3u8") { playlist.answer($0, $1) }
            let item = lab.stream(web.url("/a.m3u8"))
            let player = lab.player(item)
            let news = PlayerNews(of: player)
            player.play()
            try await waitUntil("the end", timeout: hangLimit) { news.all.count == 3 }
            #expect(news.all.last == "end")
            #expect((3.5...5.5).contains(item.duration.seconds), "\(item.duration.seconds)")
            try await lab.monitor.wait(seconds: 0.3)
            #expect((385...415).contains(lab.heard(1000)), "\(lab.heard(1000))")
            let asked = Set(web.requests.map(\.path))
            #expect(asked == Set(["/a.m3u8"] + segments.indices.map { "/\($0).aac" }))
        }
    }

    @Test(
        "A playlist cannot open files, and what is missing of one is an error", arguments: HeadlessServer.Kind.allCases)
    func playlistOfFiles(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            let secret = server(lab, try lab.tone(440, seconds: 2))
            for (name, segment) in [("file", secret.absoluteString), ("path", secret.path), ("gone", "gone.aac")] {
                let list = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2.0,\n\(segment)\n#EXT-X-ENDLIST\n"
                let playlist = WebFile(data: Data(list.utf8), type: "application/vnd.apple.mpegurl")
                web.on("/\(name).m3u8") { playlist.answer($0, $1) }
                let item = lab.stream(web.url("/\(name).m3u8"))
                let player = lab.player(item)
                player.play()
                try await waitUntil("the failure", timeout: hangLimit) { item.status == .failed }
                #expect(
                    (item.error as? NSError)?.domain == NSURLErrorDomain,
                    "\(name): \(String(describing: item.error))")
            }
            #expect(lab.monitor.soFar().soundRange(threshold: -60) == nil)
        }
    }

    @Test(
        "Lists of other types than HLS are no sounds: FFmpeg would not ask us for what they name",
        arguments: [HeadlessServer.Kind.pulseAudio])
    func otherLists(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            let sound = WebFile(data: try lab.tone(1000, seconds: 2), type: "audio/aac")
            web.on("/s.aac") { sound.answer($0, $1) }
            let wave = WebFile(data: lab.sine(1000, seconds: 2).wavData)
            web.on("/s.wav") { wave.answer($0, $1) }
            for (name, list, type) in [
                ("a.mpd", manifest(web.url("/s.aac")), "application/dash+xml"),
                ("a.ffconcat", "ffconcat version 1.0\nfile s.wav\n", "audio/x-ffconcat"),
            ] {
                let file = WebFile(data: Data(list.utf8), type: type)
                web.on("/\(name)") { file.answer($0, $1) }
                let item = lab.stream(web.url("/\(name)"))
                let player = lab.player(item)
                player.play()
                try await waitUntil("an outcome of \(name)", timeout: hangLimit) { item.status != .unknown }
                let error = item.error as? NSError
                #expect(error?.code == AVError.Code.fileFormatNotRecognized.rawValue, "\(name)")
                #expect(Set(web.requests.map(\.path)).isDisjoint(with: ["/s.aac", "/s.wav"]), "\(name)")
                player.replaceCurrentItem(with: nil)
            }
        }
    }

    /// A DASH manifest of one sound.
    private func manifest(_ url: URL) -> String {
        """
        <?xml version="1.0"?>
        <MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT2S" \
        profiles="urn:mpeg:dash:profile:isoff-on-demand:2011">
        <Period><AdaptationSet contentType="audio" mimeType="audio/mp4">
        <Representation id="1" bandwidth="64000"><BaseURL>\(url.absoluteString)</BaseURL></Representation>
        </AdaptationSet></Period></MPD>
        """
    }

    private func server(_ lab: AVPlayerLab, _ data: Data) -> URL {
        let url = lab.server.directory.appendingPathComponent("secret.aac")
        try? data.write(to: url)
        return url
    }

    /// Keeps the titles that a radio announces.
    // SAFETY: `list` is guarded by `lock`.
    private final class Titles: AVPlayerItemMetadataOutputPushDelegate, @unchecked Sendable {
        private let lock = NSLock()
        private var list: [String] = []

        var all: [String] { lock.withLock { list } }

        func metadataOutput(
            _ output: AVPlayerItemMetadataOutput, didOutputTimedMetadataGroups groups: [AVTimedMetadataGroup],
            from track: AVPlayerItemTrack?
        ) {
            let titles = groups.flatMap(\.items).filter { $0.commonKey == .commonKeyTitle }.compactMap(\.stringValue)
            lock.withLock { list += titles }
        }
    }

    /// Sends a radio's sound, with what it announces after each block.
    private func broadcast(_ sound: Data, title: String, _ connection: WebConnection) {
        let block = 4_000
        connection.send("200 OK", ["Content-Type: audio/aac", "icy-name: Test", "icy-metaint: \(block)"])
        var place = 0
        while place + block <= sound.count {
            guard connection.send(sound[place..<place + block]) else { return }
            place += block
            var text = Data("StreamTitle='\(title)';".utf8)
            text += Data(count: (16 - text.count % 16) % 16)
            connection.send(Data([UInt8(text.count / 16)]) + text)
        }
    }

    @Test(
        "A radio has no end, tells what it plays when that is heard, and is joined again where it breaks off",
        arguments: HeadlessServer.Kind.allCases)
    func radio(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            let sound = try lab.tone(1000, seconds: 3)
            let gate = Gate()
            web.on("/radio") { [self] _, connection in
                gate.pass()
                broadcast(sound, title: gate.arrived == 1 ? "One - It's a \"song\"" : "Two", connection)
            }
            gate.open(2)
            let item = lab.stream(web.url("/radio"))
            let titles = Titles()
            let output = AVPlayerItemMetadataOutput(identifiers: nil)
            output.setDelegate(titles, queue: nil)
            item.add(output)
            let player = lab.player(item)
            player.play()
            try await waitUntil("the titles", timeout: hangLimit) { titles.all.prefix(2).count == 2 }
            #expect(titles.all.prefix(2) == ["One - It's a \"song\"", "Two"])
            #expect(item.timedMetadata?.first?.identifier == .icyMetadataStreamTitle)
            #expect(item.duration.isIndefinite && item.status == .readyToPlay)
            #expect(web.requests.first?.headers["icy-metadata"] == "1")
            try await waitUntil("more than it sends at once", timeout: hangLimit) { lab.heard(1000) > 400 }
            #expect(web.requests.count >= 2 && player.rate == 1 && item.status == .readyToPlay)
            gate.open()
        }
    }

    @Test("A radio has no place to seek to but what is loaded", arguments: [HeadlessServer.Kind.pulseAudio])
    func liveSeek(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            let sound = try lab.tone(1000, seconds: 10)
            let gate = Gate()
            defer { gate.open() }
            web.on("/radio") { [self] _, connection in
                broadcast(sound, title: "One", connection)
                gate.pass()
            }
            let item = lab.stream(web.url("/radio"))
            let player = lab.player(item)
            let news = PlayerNews(of: player)
            player.play()
            try await waitUntil("the sound", timeout: hangLimit) { lab.heard(1000) > 20 }
            // How apps go back to what is broadcast now.
            #expect(await player.seek(to: .positiveInfinity) == false)
            #expect(player.rate == 1 && item.duration.isIndefinite)
            let before = lab.heard(1000)
            try await waitUntil("more of it", timeout: hangLimit) { lab.heard(1000) > before + 50 }
            #expect(await player.seek(to: CMTime(seconds: 0.5, preferredTimescale: 1000)))
            #expect(news.all == ["SetRateCalled true 1.0"])
        }
    }

    @Test("A radio that gives little each time is joined with pauses", arguments: [HeadlessServer.Kind.pulseAudio])
    func poorRadio(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            let sound = try lab.tone(1000, seconds: 1)
            web.on("/radio") { [self] _, connection in broadcast(sound, title: "One", connection) }
            let player = lab.player(lab.stream(web.url("/radio")))
            try await waitUntil("the second connection", timeout: hangLimit) { web.requests.count >= 2 }
            let second = ContinuousClock.now
            try await waitUntil("more of them", timeout: hangLimit) { web.requests.count >= 4 }
            #expect(ContinuousClock.now - second > .seconds(1.5))
            player.replaceCurrentItem(with: nil)
        }
    }

    @Test(
        "A file that is served as radios are, but in parts where they are asked for, has an end",
        .judges(.gap(frames: 0)), arguments: [HeadlessServer.Kind.pulseAudio])
    func fileOfRadio(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            var file = WebFile(data: lab.counter(1).wavData)
            file.headers = ["icy-name: Test"]
            let served = file
            web.on("/a.wav") { served.answer($0, $1) }
            let item = lab.stream(web.url("/a.wav"))
            let player = lab.player(item)
            let news = PlayerNews(of: player)
            player.play()
            try await waitUntil("the end", timeout: hangLimit) { news.count("end") == 1 }
            #expect(abs(item.duration.seconds - 1) < 1e-4)
            #expect(runs(try await lab.counted()) == [1...lab.rate])
        }
    }
}
