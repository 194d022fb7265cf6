import AudioFiles
import HeadlessServer
import TestSupport
import Testing

@testable import AVMedia

@Suite("What an AVPlayer does not do", .serialized, .limited)
struct PlayerHaltTests {
    @Test("A deactivation is seen in the rate at once, while a command of another thread runs")
    func deactivatedMeanwhile() async throws {
        try await withAVPlayerLab(.pulseAudio) { lab in
            let player = lab.player(try lab.item(lab.counter(60)))
            player.play()
            try await lab.monitor.waitForSound()
            let (core, isRunning, isOver) = (player.core, Log<Bool>(), DispatchSemaphore(value: 0))
            Thread.detachNewThread {
                core.changing {
                    isRunning.note(true)
                    isOver.wait()
                }
            }
            try await waitUntil("the command", timeout: hangLimit) { !isRunning.all.isEmpty }
            #expect(player.rate == 1 && player.timeControlStatus == .playing)
            try? lab.session.setActive(false)
            #expect(player.rate == 0 && player.timeControlStatus == .paused)
            isOver.signal()
            try await waitUntil("the command's end", timeout: hangLimit) { core.facts.value.held == nil }
            #expect(player.rate == 0)
        }
    }

    @Test("An item is free as soon as nobody has its player any more")
    func freeItem() async {
        // In a process of its own, which an item with two players would end.
        await #expect(processExitsWith: .success) {
            let item = AVPlayerItem(url: URL(fileURLWithPath: "/nonexistent/file.wav"))
            let session = AVAudioSession(server: "unix:/nonexistent")
            // Whoever opens the file tells the player, and has it meanwhile; then the observers.
            let told = Log<Bool>()
            let token = item.observe(\.status) { item, _ in told.note(item.status == .failed) }
            let opener = AVPlayer(playerItem: item, session: session)
            try await waitUntil("the failure", timeout: hangLimit) { told.all == [true] }
            opener.replaceCurrentItem(with: nil)
            await MainActor.run {
                var player: AVPlayer? = AVPlayer(playerItem: item, session: session)
                player?.play()
                player?.pause()
                player = nil
                player = AVPlayer(playerItem: item, session: session)
                #expect(player?.currentItem === item)
            }
            withExtendedLifetime(token) {}
        }
    }

    @Test(
        "An item is free as soon as nobody has its player any more, whoever observed that just then", .oneSlot)
    func observedItem() async {
        await #expect(processExitsWith: .success) {
            try await withAVPlayerLab(.pulseAudio) { lab in
                let item = try lab.item(lab.counter(60))
                let opener = lab.player(item)
                try await waitUntilReady(item)
                opener.replaceCurrentItem(with: nil)
                await MainActor.run {
                    var generator = SeededGenerator(seed: 1)
                    let often = CMTime(value: 1, timescale: 100)
                    for _ in 0..<200 {
                        var player: AVPlayer? = lab.player(item)
                        let observer = player?.addPeriodicTimeObserver(forInterval: often, queue: nil) { _ in }
                        player?.play()
                        player?.pause()
                        // What the app does in between, for some time: there is nothing to wait for.
                        usleep(.random(in: 0...200, using: &generator))
                        player = nil
                        player = lab.player(item)
                        #expect(player?.currentItem === item && observer != nil)
                    }
                }
            }
        }
    }

    @Test("An item is free for another thread too while the main thread is told of the player that had it")
    func observedProperties() async {
        await #expect(processExitsWith: .success) {
            let item = AVPlayerItem(url: URL(fileURLWithPath: "/nonexistent"))
            await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
                Thread.detachNewThread {
                    for round in 0..<1000 {
                        let queue = round % 2 == 0 ? nil : AVQueuePlayer()
                        queue?.insert(item, after: nil)
                        let player = queue ?? AVPlayer(playerItem: item)
                        let token = player.observe(\.rate) { _, _ in }
                        player.actionAtItemEnd = .none
                        withExtendedLifetime(token) {}
                    }
                    done.resume()
                }
            }
        }
    }

    @Test(
        "The end of an item that was heard before is not told where the app has gone back in it, or paused",
        .judges(.gap(frames: 0)))
    func backAgain() async throws {
        try await withAVPlayerLab(.pulseAudio) { lab in
            let item = try lab.item(lab.counter(0.3))
            let player = lab.queue([item])
            let ends = EndNews(of: [item])
            player.play()
            try await waitUntil("the first end", timeout: hangLimit) { ends.all == [1] }
            await MainActor.run {
                player.insert(item, after: nil)
                item.seek(to: .zero, completionHandler: nil)
            }
            try await waitUntil("the second end", timeout: hangLimit) {
                ends.all == [1, 1] && player.currentItem == nil
            }
            #expect(stretches(try await lab.counted()) == [1, 1])
            #expect(ends.all == [1, 1])
            await MainActor.run {
                player.insert(item, after: nil)
                player.pause()
            }
            let passed = Log<Int>()
            onMain { passed.note(1) }
            try await waitUntil("what was on its way", timeout: hangLimit) { passed.all == [1] }
            #expect(player.currentItem === item && ends.all == [1, 1])
        }
    }

    @Test(
        "playImmediately does not wait for more, also when it comes before the stream is open",
        arguments: HeadlessServer.Kind.allCases)
    func immediately(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            let gate = Gate()
            defer { gate.open() }
            var file = WebFile(data: lab.counter(3).wavData)
            file.gate = (lab.rate * 4 * 2, gate)
            // Slower than it plays, or a second of it would be enough.
            file.pace = lab.rate * 4 * 9 / 10
            let served = file
            web.on("/a.wav") { served.answer($0, $1) }
            var limits = AVPlayerLab.limits
            limits.silence = 30
            let player = lab.player(lab.stream(web.url("/a.wav"), limits: limits))
            player.playImmediately(atRate: 1)
            try await lab.monitor.waitForSound()
            player.pause()
        }
    }

    @Test(
        "The forward end is an end: nothing more is heard until a seek", .judges(.gap(frames: 0)),
        arguments: HeadlessServer.Kind.allCases)
    func forwardEnd(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let item = try lab.item(lab.counter(4))
            item.forwardPlaybackEndTime = CMTime(seconds: 0.5, preferredTimescale: 600)
            let player = lab.player(item)
            let news = PlayerNews(of: player)
            player.play()
            try await waitUntil("the forward end", timeout: hangLimit) { news.count("end") == 1 }
            let heard = try await lab.counted().count
            player.play()
            #expect(try await lab.counted().count == heard)
            player.actionAtItemEnd = .none
            await player.seek(to: .zero)
            player.play()
            try await waitUntil("the forward end again", timeout: hangLimit) { news.count("end") == 2 }
            let twice = try await lab.counted()
            #expect(stretches(twice) == [1, 1] && player.rate == 1)
            #expect(try await lab.counted().count == twice.count && news.count("end") == 2)
            await player.seek(to: .zero)
            try await waitUntil("the forward end at last", timeout: hangLimit) { news.count("end") == 3 }
            #expect(stretches(try await lab.counted()) == [1, 1, 1])
            // The rate is 1 still, so that the sound goes on where its end is elsewhere.
            item.forwardPlaybackEndTime = .invalid
            try await waitUntil("the end of the sound", timeout: hangLimit) { news.count("end") == 4 }
            let all = try await lab.counted()
            #expect(stretches(all) == [1, 1, 1] && all.last == 4 * lab.rate && player.rate == 1)
        }
    }

    @Test(
        "A player that is paused just behind the forward end has come to it", .alone, .judges(.gap(frames: 0)),
        arguments: HeadlessServer.Kind.allCases)
    func pauseBehindForwardEnd(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let item = try lab.item(lab.counter(4))
            item.forwardPlaybackEndTime = CMTime(seconds: 0.5, preferredTimescale: 600)
            let player = lab.player(item)
            let news = PlayerNews(of: player)
            player.play()
            try await waitUntil("its beginning", timeout: hangLimit) { player.currentTime().seconds > 0.1 }
            // The main queue learns of the forward end only when the player stands, so it is kept busy, and not waited on.
            await MainActor.run {
                holdMainThread { player.currentTime().seconds >= 0.6 }
                player.pause()
            }
            try await waitUntil("the forward end", timeout: hangLimit) { news.count("end") == 1 }
            let heard = try await lab.counted().count
            player.play()
            #expect(try await lab.counted().count == heard)
            player.pause()
        }
    }

    @Test("A category without output is told as a stop of the sound", arguments: HeadlessServer.Kind.allCases)
    func withoutOutput(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let player = lab.player(try lab.item(lab.counter(30)))
            let (news, rates) = (PlayerNews(of: player), Log<Float>())
            let token = player.observe(\.rate, options: [.new]) { _, change in rates.note(change.newValue ?? -1) }
            player.play()
            try await lab.monitor.waitForSound()
            try lab.session.setCategory(.record)
            try await waitUntil("the stop", timeout: hangLimit) { rates.all.last == 0 && player.rate == 0 }
            try await waitUntil("the news of it", timeout: hangLimit) { news.all.count >= 2 }
            #expect(news.all.count == 2 && rates.all == [1, 0], "\(news.all), \(rates.all)")
            withExtendedLifetime(token) {}
        }
    }
}
