import AudioFiles
import HeadlessServer
import TestSupport
import Testing

@testable import AVMedia

@Suite("What an item wishes of its playback", .serialized, .limited)
struct ItemPlaybackTests {
    @Test(
        "Playing ends at the forward end, once, and goes on after it", .judges(.gap(frames: 0)),
        arguments: HeadlessServer.Kind.allCases)
    func forwardEnd(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let item = try lab.item(lab.counter(4))
            item.forwardPlaybackEndTime = CMTime(seconds: 0.5, preferredTimescale: 600)
            let player = lab.player(item)
            let news = PlayerNews(of: player)
            player.play()
            try await waitUntil("the forward end", timeout: hangLimit) { news.count("end") == 1 }
            #expect(player.rate == 0)
            let reached = player.currentTime().seconds
            // The pause takes back what was on its way, to where the server has come in its cycle.
            #expect(reached >= 0.45 && reached < 4, "\(reached)")
            item.forwardPlaybackEndTime = .invalid
            player.play()
            try await waitUntil("the end", timeout: hangLimit) { news.count("end") == 2 }
            #expect(try await lab.counted().count == 4 * lab.rate, "nothing is left out or repeated")
        }
    }

    @Test(
        "In a queue the next item follows at the forward end", .judges(.gap(frames: 0)),
        arguments: HeadlessServer.Kind.allCases)
    func forwardEndInAQueue(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let items = try lab.countingItems([4, 1])
            items[0].forwardPlaybackEndTime = CMTime(seconds: 0.5, preferredTimescale: 600)
            let (player, ends) = (lab.queue(items), EndNews(of: items))
            player.play()
            try await waitUntil("both ends", timeout: hangLimit) { ends.all.count == 2 }
            #expect(ends.all == [1, 2])
            #expect(player.currentItem == nil)
            let heard = runs(try await lab.counted())
            #expect(heard.last == 4 * lab.rate + 1...5 * lab.rate, "\(heard)")
            #expect(heard.first.map { $0.lowerBound == 1 && $0.count < 4 * lab.rate } == true, "\(heard)")
        }
    }

    @Test(
        "Damage that is passed over ends no item: it is heard to its end, and again",
        arguments: HeadlessServer.Kind.allCases, [AudioContainer.mpeg, .ogg])
    func passedDamage(kind: HeadlessServer.Kind, container: AudioContainer) async throws {
        try await withAVPlayerLab(kind) { lab in
            let path = lab.server.directory.appendingPathComponent("damaged.\(container == .ogg ? "ogg" : "mp3")")
            let signal = lab.sine(440, seconds: 2)
            let writer = try AudioFileWriter(
                path: path.path, container: container, encoding: container == .ogg ? .vorbis : .mp3,
                sampleRate: Double(lab.rate), channels: signal.channels)
            try writer.write(int16: signal.samples, frames: signal.frames)
            try writer.close()
            var bytes = try Data(contentsOf: path)
            // A page that does not fit its sum, and less than the index promises.
            if container == .ogg { bytes[bytes.count / 2] ^= 0x55 } else { bytes = bytes.prefix(bytes.count / 2) }
            try bytes.write(to: path)
            let item = AVPlayerItem(url: path)
            let player = lab.player(item)
            let news = PlayerNews(of: player)
            for round in 1...2 {
                player.play()
                try await waitUntil("the end", timeout: hangLimit) { news.count("end") == round }
                #expect(item.status == .readyToPlay && item.error == nil)
                #expect(await player.seek(to: .zero))
            }
            #expect(try #require(lab.monitor.soFar().soundRange()).count > lab.rate)
        }
    }

    @Test("varispeed is not taken, and the pitch is kept as before")
    func pitch() {
        let item = AVPlayerItem(url: URL(fileURLWithPath: "/nonexistent"))
        #expect(item.audioTimePitchAlgorithm == .timeDomain)
        item.audioTimePitchAlgorithm = .spectral
        item.audioTimePitchAlgorithm = .varispeed
        #expect(item.audioTimePitchAlgorithm == .spectral)
        #expect(!item.reversePlaybackEndTime.isValid)
    }

    @Test("There are no dates to go to")
    func dates() async throws {
        let item = AVPlayerItem(url: URL(fileURLWithPath: "/nonexistent"))
        #expect(!item.seek(to: Date()))
        let player = AVPlayer(playerItem: nil)
        let arrived = await withCheckedContinuation { continuation in
            player.seek(to: Date()) { continuation.resume(returning: $0) }
        }
        #expect(!arrived)
    }

    @Test("cancelLoading ends the wait for a server that says nothing, and a later question is asked anew")
    func cancelling() async throws {
        try await withWebServer { web in
            let asked = Log<Int>()
            web.on("/silent.wav") { _, connection in
                asked.note(1)
                connection.waitForEnd()
            }
            // Nobody else gives up before the test does.
            var limits = StreamLimits()
            (limits.opening, limits.silence) = (3600, 3600)
            let asset = AVURLAsset(url: web.url("/silent.wav"), limits: limits)
            let answers = Log<Bool>()
            for round in 1...2 {
                let loading = Task { answers.note((try? await asset.load(.duration)) != nil) }
                try await waitUntil("a question", timeout: hangLimit) { asked.all.count == round }
                asset.cancelLoading()
                try await waitUntil("no answer", timeout: hangLimit) { answers.all.count == round }
                await loading.value
            }
            #expect(answers.all == [false, false])
        }
    }

    @Test("cancelLoading ends the wait of all who asked before it, also of those whose turn has not come")
    func cancellingAll() async throws {
        try await withWebServer { web in
            let asked = Log<Int>()
            web.on("/silent.wav") { _, connection in
                asked.note(1)
                connection.waitForEnd()
            }
            var limits = StreamLimits()
            (limits.opening, limits.silence) = (3600, 3600)
            let asset = AVURLAsset(url: web.url("/silent.wav"), limits: limits)
            let ends = Log<Int>()
            for _ in 1...3 { asset.loadValuesAsynchronously(forKeys: ["duration"]) { ends.note(1) } }
            try await waitUntil("a question", timeout: hangLimit) { asked.all.count == 1 }
            asset.cancelLoading()
            try await waitUntil("three ends", timeout: hangLimit) { ends.all.count == 3 }
            #expect(asked.all.count == 1, "one of them asked, and the others for nothing any more")
            for _ in 1...3 { asset.loadValuesAsynchronously(forKeys: ["duration"]) { ends.note(1) } }
            asset.cancelLoading()
            try await waitUntil("three more", timeout: hangLimit) { ends.all.count == 6 }
        }
    }

    @Test(
        "At the forward end, as at the sound's, the rate has changed before the end is told",
        arguments: HeadlessServer.Kind.allCases)
    func forwardEndInOrder(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let item = try lab.item(lab.counter(4))
            item.forwardPlaybackEndTime = CMTime(seconds: 0.5, preferredTimescale: 600)
            let player = lab.player(item)
            let news = PlayerNews(of: player)
            player.play()
            try await waitUntil("all news", timeout: hangLimit) { news.all.count == 3 }
            #expect(news.all == ["SetRateCalled true 1.0", "SetRateCalled true 0.0", "end"])
        }
    }

    @Test(
        "No thread sees an item stopped between its playing and its forward end",
        arguments: HeadlessServer.Kind.allCases)
    func standingAtForwardEnd(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let file = try lab.file(lab.counter(2))
            for _ in 0..<20 {
                let item = AVPlayerItem(url: file)
                item.forwardPlaybackEndTime = CMTime(seconds: 0.15, preferredTimescale: 600)
                let player = lab.player(item)
                player.play()
                // Whoever looks late sees it at its end already.
                try await waitUntil("its beginning", timeout: hangLimit) {
                    [.running, .finished].contains(item.sound.standing)
                }
                // Looks without a pause in between: what is wrong here is wrong for some microseconds.
                let last = try await offPool {
                    let deadline = ContinuousClock.now + .seconds(10)
                    var standing = item.sound.standing
                    while standing == .running, ContinuousClock.now < deadline { standing = item.sound.standing }
                    return standing
                }
                #expect(last == .finished)
            }
        }
    }

    // PulseAudio takes back to the frame.
    @Test(
        "A pause that takes back what led to the forward end leaves it to be come to", .alone,
        arguments: [HeadlessServer.Kind.pipeWire])
    func pauseBeforeForwardEnd(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            // The server steps back to the beginning of its cycle, if not to its end.
            let end = CMTime(value: 23 * 1024 + 575, timescale: 48_000)
            let file = try lab.file(lab.counter(4))
            var hasSteppedBack = false
            for _ in 0..<30 where !hasSteppedBack {
                let session = AVAudioSession(server: lab.server.address)
                try session.setCategory(.playback)
                let item = AVPlayerItem(url: file)
                item.forwardPlaybackEndTime = end
                let player = AVPlayer(playerItem: item, session: session)
                let (news, passed) = (PlayerNews(of: player), Log<Int>())
                let token = player.addBoundaryTimeObserver(forTimes: [NSValue(time: end)], queue: .global()) {
                    passed.note(1)
                }
                player.play()
                try await waitUntil("its beginning", timeout: hangLimit) { player.currentTime().seconds > 0.1 }
                let place = await MainActor.run {
                    // The main queue is told of it later, so it is kept busy, and not waited on.
                    holdMainThread { !passed.all.isEmpty }
                    player.pause()
                    return item.sound.settledTime.seconds
                }
                player.removeTimeObserver(token)
                await waitForMain()
                hasSteppedBack = place < end.seconds - 0.01
                guard hasSteppedBack else { continue }
                #expect(news.count("end") == 0)
                player.play()
                try await waitUntil("the forward end", timeout: hangLimit) { news.count("end") == 1 }
                #expect(player.currentTime().seconds < 3 && player.rate == 0)
            }
            #expect(hasSteppedBack)
        }
    }
}
