import AVFoundation
import AudioFiles
import Foundation
import HeadlessServer
import TestSupport
import Testing

@Suite("AVPlayer's seeks in streams that do not go well", .serialized, .limited)
struct StreamSeekTests {
    private func seconds(_ value: Double) -> CMTime { CMTime(seconds: value, preferredTimescale: 1000) }

    /// Serves the first 41 seconds of a file; who asks for what is beyond 40 seconds gets another answer.
    ///
    /// No connection gives more, wherever it begins: FFmpeg would read on until a wanted part is there, and one that
    /// had to be made again would bring the rest.
    private func serveFront(
        of data: Data, rate: Int, at path: String, of web: WebServer,
        beyond: @escaping WebServer.Answer
    ) {
        let file = WebFile(data: data)
        let limit = 40 * rate * 4
        web.on(path) { request, connection in
            guard request.range.first <= limit else { return beyond(request, connection) }
            var front = file
            front.dropsAfter = limit + rate * 4 - request.range.first
            front.answer(request, connection)
        }
    }

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
        try await withStreamLab(kind) { lab, web in
            serveFront(of: lab.counter(60).wavData, rate: lab.rate, at: "/a.wav", of: web) { _, connection in
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

    @Test(
        "A seek that the server refuses for a moment gets there, with a new connection",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func refusedForAMoment(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            let file = WebFile(data: lab.counter(60).wavData)
            let refused = Log<String>()
            serveFront(of: file.data, rate: lab.rate, at: "/a.wav", of: web) { request, connection in
                guard refused.all.count < 2 else { return file.answer(request, connection) }
                refused.note(request.path)
                connection.send("503 Service Unavailable", ["Content-Length: 0"])
            }
            let item = lab.stream(web.url("/a.wav"))
            let player = lab.player(item)
            let news = PlayerNews(of: player)
            try await waitUntil("a full buffer", timeout: hangLimit) { item.isPlaybackBufferFull }
            #expect(try await outcome(item, seconds(59)))
            #expect(refused.all.count == 2)
            player.play()
            try await waitUntil("the end", timeout: hangLimit) { news.all.last == "end" }
            #expect(runs(try await lab.counted()) == [59 * lab.rate + 1...60 * lab.rate])
        }
    }

    @Test(
        "A seek that waits is told as false when its item goes: for the stream to open, and for a part of it",
        arguments: HeadlessServer.Kind.allCases)
    func gone(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            serveFront(of: lab.counter(60).wavData, rate: lab.rate, at: "/far.wav", of: web) { $1.waitForEnd() }
            web.on("/silent.wav") { _, connection in connection.waitForEnd() }
            var limits = AVPlayerLab.limits
            limits.silence = 60
            for name in ["silent", "far"] {
                let player = lab.player(lab.stream(web.url("/\(name).wav"), limits: limits))
                if name == "far" {
                    try await waitUntil("a full buffer", timeout: hangLimit) {
                        player.currentItem?.isPlaybackBufferFull == true
                    }
                }
                let (outcomes, before) = (Outcomes(), name == "far" ? web.requests.count : 0)
                player.seek(to: seconds(50), completionHandler: outcomes.add("it"))
                try await waitUntil("the request", timeout: hangLimit) { web.requests.count > before }
                #expect(outcomes.calls == 0)
                player.replaceCurrentItem(with: nil)
                try await waitUntil("the end of the seek in \(name)", timeout: hangLimit) { outcomes.calls > 0 }
                #expect(outcomes.all == ["it": false] && outcomes.calls == 1)
            }
        }
    }

    /// Threads of this process that load streams.
    private var loaders: Int {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.count { task in
            let name = try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
            return name?.hasPrefix("AVPlayer stream") == true
        }
    }

    @Test(
        "Forty seeks in quick succession: each is told once, the last one wins, and the server is hardly asked more",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases, [0, 0.02])
    func scrubbing(kind: HeadlessServer.Kind, pause: Double) async throws {
        try await withAVPlayerLab(kind) { lab in
            try await withWebServer { web in
                var file = WebFile(data: lab.counter(120).wavData)
                // A line that a slider is quicker than.
                file.pace = 20_000_000
                let served = file
                web.on("/a.wav") { served.answer($0, $1) }
                let item = lab.stream(web.url("/a.wav"))
                let player = lab.player(item)
                let news = PlayerNews(of: player)
                player.play()
                try await lab.monitor.waitForSound()
                #expect(loaders >= 1)
                let (outcomes, before) = (Outcomes(), web.requests.count)
                // There and back, as a slider goes.
                let places = (0..<40).map { $0 < 20 ? 30 + 4 * $0 : 110 - 4 * ($0 - 20) }
                let begin = ContinuousClock.now
                for (index, place) in places.enumerated() {
                    player.seek(to: seconds(Double(place)), completionHandler: outcomes.add("\(index)"))
                    if pause > 0 { try await lab.monitor.wait(seconds: pause) }
                }
                // A busy machine may be asked for some of the places while this thread waits for a processor.
                let late = Int((ContinuousClock.now - begin) / .milliseconds(1))
                try await waitUntil("all handlers", timeout: hangLimit) { outcomes.all.count == 40 }
                let first = lab.monitor.frames
                #expect(outcomes.all["39"] == true && player.rate == 1)
                if pause == 0 { #expect(outcomes.all.values.count { $0 } < 5 + late) }
                try await lab.monitor.waitForSound(from: first)
                try await lab.monitor.wait(seconds: 0.5)
                player.pause()
                let last = try #require(runs(try await lab.counted()).last)
                #expect(last.lowerBound == places[39] * lab.rate + 1 && last.count > lab.rate / 4)
                #expect(abs(player.currentTime().seconds - Double(last.upperBound) / Double(lab.rate)) < 0.01)
                #expect(outcomes.calls == 40 && news.all == ["SetRateCalled true 1.0", "SetRateCalled true 0.0"])
                let asked = web.requests.count - before
                // At the most one for each that is not given up before it was asked for.
                #expect(asked <= (pause == 0 ? min(8 + late, 44) : 44), "\(asked) requests, \(late) ms")
                player.replaceCurrentItem(with: nil)
            }
            try await waitUntil("the end of the threads", timeout: hangLimit) { loaders == 0 }
        }
    }

    @Test(
        "Seeks from before the stream is open are told what became of them",
        arguments: [HeadlessServer.Kind.pulseAudio])
    func early(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
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

    @Test("timeJumped is told of seeks that got there only", arguments: [HeadlessServer.Kind.pulseAudio])
    func jumps(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            var file = WebFile(data: lab.counter(60).wavData)
            file.ranges = false
            let served = file
            web.on("/a.wav") { served.answer($0, $1) }
            let item = lab.stream(web.url("/a.wav"))
            let jumps = Log<Int>()
            let token = NotificationCenter.default.addObserver(
                forName: AVPlayerItem.timeJumpedNotification, object: item, queue: nil
            ) { _ in jumps.note(1) }
            item.seek(to: seconds(50), completionHandler: nil)
            let player = lab.player(item)
            try await waitUntilReady(item)
            #expect(await player.seek(to: seconds(50)) == false)
            await waitForMain()
            #expect(jumps.all.isEmpty, "the server gives no parts, neither before it was open nor now")
            try await waitUntil("a second", timeout: hangLimit) {
                item.loadedTimeRanges.contains { $0.timeRangeValue.end.seconds > 1 }
            }
            #expect(await player.seek(to: seconds(1)))
            await waitForMain()
            #expect(jumps.all == [1])
            NotificationCenter.default.removeObserver(token)
        }
    }

    @Test(
        "A stream that is longer than it seems is sought in beyond its seeming end, as far as it is loaded",
        .judges(.time(seconds: 0.1)))
    func beyondTheSeemingEnd() async throws {
        try await withStreamLab(.pulseAudio) { lab, web in
            let item = try lab.seeminglyShort(web)
            let player = lab.player(item)
            let news = PlayerNews(of: player)
            try await waitUntil("all of it", timeout: hangLimit) { item.isPlaybackBufferFull }
            #expect(item.asset.duration.seconds < 4 && item.duration.seconds > 8.9)
            #expect(!item.asset.providesPreciseDurationAndTiming)
            #expect(await player.seek(to: seconds(7)))
            #expect(abs(player.currentTime().seconds - 7) < 0.01)
            player.play()
            try await waitUntil("the end", timeout: hangLimit) { news.count("end") == 1 }
            try await lab.monitor.wait(seconds: 0.3)
            #expect((190...215).contains(lab.heard(1000)), "\(lab.heard(1000))")
            // An end is what there is beyond it.
            #expect(await player.seek(to: seconds(60)))
            #expect(player.currentTime().seconds > 8.9)
        }
    }

    @Test("A stream that is shorter than it seems says so when all of it is there, and ends there")
    func beforeTheSeemingEnd() async throws {
        try await withStreamLab(.pulseAudio) { lab, web in
            let quiet = try lab.adts(.silence(seconds: 1, sampleRate: lab.rate))
            let data = try quiet + lab.adts(.noise(seconds: 0.5, sampleRate: lab.rate), bitRate: 320_000)
            let file = WebFile(data: data, type: "audio/aac")
            web.on("/a.aac") { file.answer($0, $1) }
            let item = lab.stream(web.url("/a.aac"))
            let player = lab.player(item)
            let (news, lengths) = (PlayerNews(of: player), Log<Double>())
            let observation = item.observe(\.duration) { item, _ in lengths.note(item.duration.seconds) }
            try await waitUntil("all of it", timeout: hangLimit) { item.isPlaybackBufferFull }
            #expect(item.asset.duration.seconds > 3)
            #expect((1.5...1.7).contains(item.duration.seconds), "\(item.duration)")
            player.play()
            try await waitUntil("the end", timeout: hangLimit) { news.count("end") == 1 }
            #expect(player.currentTime() == item.duration)
            #expect(lengths.all.last == item.duration.seconds, "\(lengths.all)")
            observation.invalidate()
        }
    }
}
