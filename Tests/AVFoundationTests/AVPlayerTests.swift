import AVFoundation
import HeadlessServer
import TestSupport
import Testing

/// Judged by a signal that counts its frames, on the sink's monitor.
@Suite("AVPlayer", .serialized, .limited)
struct AVPlayerTests {
    @Test(
        "A file is heard whole, from play() on an item that is not ready", .judges(.gap(frames: 0)),
        arguments: HeadlessServer.Kind.allCases)
    func whole(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let item = try lab.item(lab.counter(1))
            #expect(item.status == .unknown && item.duration.isIndefinite)
            let player = lab.player(item)
            let news = PlayerNews(of: player)
            #expect(player.rate == 0 && player.timeControlStatus == .paused)
            player.play()
            #expect(player.rate == 1 && player.timeControlStatus != .paused)
            try await waitUntil("the end", timeout: hangLimit) { news.count("end") == 1 }
            #expect(item.status == .readyToPlay && player.status == .readyToPlay)
            #expect(item.duration == CMTime(value: CMTimeValue(lab.rate), timescale: CMTimeScale(lab.rate)))
            #expect(item.loadedTimeRanges.map(\.timeRangeValue) == [CMTimeRange(start: .zero, duration: item.duration)])
            #expect(player.rate == 0 && player.timeControlStatus == .paused)
            #expect(player.currentTime() == item.duration)
            #expect(news.all == ["SetRateCalled true 1.0", "SetRateCalled true 0.0", "end"])
            #expect(try await lab.counted() == Array(1...lab.rate))
        }
    }

    @Test("A player waits for an item, and plays another one at its rate", arguments: HeadlessServer.Kind.allCases)
    func items(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let player = lab.player(nil)
            let news = PlayerNews(of: player)
            player.play()
            #expect(player.timeControlStatus == .waitingToPlayAtSpecifiedRate)
            #expect(player.reasonForWaitingToPlay == .noItemToPlay)
            #expect(player.status == .unknown && player.currentTime() == .zero)
            player.replaceCurrentItem(with: try lab.item(lab.sine(440, seconds: 20)))
            try await lab.monitor.waitForSound()
            #expect(player.timeControlStatus == .playing && player.reasonForWaitingToPlay == nil)
            let second = try lab.item(lab.sine(1000, seconds: 1))
            player.replaceCurrentItem(with: second)
            #expect(player.currentItem === second)
            try await waitUntil("the end", timeout: hangLimit) { news.count("end") == 1 }
            let heard = lab.monitor.soFar()
            let last = heard.frames - lab.rate / 2
            #expect(heard.level(ofFrequency: 1000, last - lab.rate / 20..<last) > -13)
            player.replaceCurrentItem(with: nil)
            #expect(player.currentItem == nil)
        }
    }

    @Test(
        "Seeks are exact: before the file is open, while it plays and while it is paused",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func seeking(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let item = try lab.item(lab.counter(6))
            let player = AVPlayer(playerItem: nil, session: lab.session)
            player.replaceCurrentItem(with: item)
            let scale = CMTimeScale(lab.rate)
            #expect(await player.seek(to: CMTime(value: 12_345, timescale: scale)))
            #expect(abs(player.currentTime().seconds - 12_345 / Double(scale)) < 0.5 / Double(scale))
            player.play()
            try await lab.monitor.waitForSound()
            #expect(await player.seek(to: CMTime(value: 100_000, timescale: scale)))
            #expect(player.rate == 1)
            try await lab.monitor.wait(seconds: 0.3)
            player.pause()
            let third = CMTime(value: 200_000, timescale: scale)
            await player.seek(to: third, toleranceBefore: .zero, toleranceAfter: .zero)
            #expect(abs(player.currentTime().seconds - third.seconds) < 0.5 / Double(scale))
            player.play()
            try await lab.monitor.wait(seconds: 0.3)
            player.pause()
            #expect(stretches(try await lab.counted()) == [12_346, 100_001, 200_001])
            #expect(await player.seek(to: .invalid) == false)
        }
    }

    @Test(
        "At the end play() is silent, a seek goes on; with the action none the rate stays",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func end(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let item = try lab.item(lab.counter(0.3))
            let frames = Int(0.3 * Double(lab.rate))
            let player = lab.player(item)
            let news = PlayerNews(of: player)
            player.play()
            try await waitUntil("the end", timeout: hangLimit) { news.count("end") == 1 }
            player.play()
            #expect(player.rate == 1 && player.currentTime() == item.duration)
            #expect(try await lab.counted().count == frames)
            player.pause()
            player.actionAtItemEnd = .none
            await player.seek(to: .zero)
            player.play()
            try await waitUntil("the second end", timeout: hangLimit) { news.count("end") == 2 }
            #expect(player.rate == 1)
            await player.seek(to: .zero)
            try await waitUntil("the third end", timeout: hangLimit) { news.count("end") == 3 }
            #expect(try await lab.counted() == Array(1...frames) + Array(1...frames) + Array(1...frames))
            // Where it is taken to its end while it is paused, playing tells of the end at once.
            player.pause()
            await player.seek(to: item.duration)
            #expect(player.currentTime() == item.duration)
            player.play()
            try await waitUntil("the fourth end", timeout: hangLimit) { news.count("end") == 4 }
        }
    }

    @Test(
        "A seek beyond the end of what plays goes to its end, and a queue on to the next item",
        arguments: HeadlessServer.Kind.allCases)
    func beyondTheEnd(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            // Nobody waits for so long that it ends by itself.
            let file = try lab.file(lab.sine(440, seconds: 60))
            let item = AVPlayerItem(url: file)
            let player = lab.player(item)
            let news = PlayerNews(of: player)
            player.play()
            try await lab.monitor.waitForSound()
            #expect(await player.seek(to: .positiveInfinity))
            try await waitUntil("the end", timeout: hangLimit) { news.count("end") == 1 }
            #expect(player.currentTime() == item.duration && player.rate == 0)
            let first = try await lab.monitor.waitForSilence(from: lab.monitor.frames)
            let items = [AVPlayerItem(url: file), try lab.item(lab.sine(1000, seconds: 0.5))]
            let (queue, ends) = (lab.queue(items), EndNews(of: items))
            queue.play()
            try await lab.monitor.waitForSound(from: first)
            #expect(await queue.seek(to: .positiveInfinity))
            try await waitUntil("both ends", timeout: hangLimit) { ends.all == [1, 2] }
            try await lab.monitor.wait(seconds: 0.3)
            #expect(lab.heard(1000) > 40 && news.count("end") == 1)
        }
    }

    @Test(
        "Rates are heard, with the pitch kept, and told", .judges(.time(seconds: 0.1)),
        arguments: HeadlessServer.Kind.allCases)
    func rates(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let item = try lab.item(lab.sine(1000, seconds: 4))
            let player = lab.player(item)
            let news = PlayerNews(of: player)
            player.defaultRate = 2
            player.play()
            #expect(player.rate == 2)
            try await waitUntil("the end", timeout: hangLimit) { news.count("end") == 1 }
            try await lab.monitor.wait(seconds: 0.3)
            let heard = lab.monitor.soFar()
            let loud = (0..<heard.frames / 441).filter { block in
                heard.level(ofFrequency: 1000, block * 441..<(block + 1) * 441) > -20
            }
            let seconds = Double(loud.count * 441) / Double(lab.rate)
            #expect(abs(seconds - 2) < 0.1, "four seconds in two")
            #expect(news.all == ["SetRateCalled true 2.0", "SetRateCalled true 0.0", "end"])
            await player.seek(to: .zero)
            player.rate = 9
            #expect(player.rate == 2)
            player.rate = 0.1
            #expect(player.rate == 0.5)
            player.rate = -1
            #expect(player.rate == 0)
            try await waitUntil("the failure", timeout: hangLimit) { news.all.last == "SetRateFailed true 0.0" }
        }
    }

    @Test("Volume and muting are heard", arguments: HeadlessServer.Kind.allCases)
    func volume(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let player = lab.player(try lab.item(lab.sine(1000, seconds: 30)))
            func wait(_ level: ClosedRange<Double>) async throws {
                try await waitUntil("\(level) dBFS", timeout: hangLimit) {
                    let first = lab.monitor.frames
                    try await lab.monitor.wait(seconds: 0.05)
                    return level.contains(
                        lab.monitor.soFar(from: first).level(ofFrequency: 1000, 0..<lab.rate / 20))
                }
            }
            player.volume = 0.5
            #expect(player.volume == 0.5 && !player.isMuted)
            player.play()
            try await wait(-19 ... -17)
            player.isMuted = true
            try await wait(-Double.infinity ... -60)
            #expect(player.volume == 0.5 && player.rate == 1)
            player.volume = 1
            player.isMuted = false
            try await wait(-13 ... -11)
        }
    }

    @Test("S52: it pauses when the device in use is gone", arguments: HeadlessServer.Kind.allCases)
    func deviceGone(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let player = lab.player(try lab.item(lab.sine(440, seconds: 30)))
            player.play()
            try await lab.monitor.waitForSound()
            func tell(_ reason: AVAudioSession.RouteChangeReason) {
                NotificationCenter.default.post(
                    name: AVAudioSession.routeChangeNotification, object: lab.session,
                    userInfo: [AVAudioSessionRouteChangeReasonKey: NSNumber(value: reason.rawValue)])
            }
            tell(.newDeviceAvailable)
            #expect(player.rate == 1)
            let first = lab.monitor.frames
            tell(.oldDeviceUnavailable)
            #expect(player.rate == 0 && player.timeControlStatus == .paused)
            try await lab.monitor.waitForSilence(from: first)
        }
    }

    @Test(
        "S52: an AVPlayer pauses when what it plays on is pulled, and at nothing else; an AVAudioPlayer goes on",
        arguments: HeadlessServer.Kind.allCases)
    func pulled(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let pactl = Pactl(lab.server)
            try lab.session.setPrefersInterruptionOnRouteDisconnect(false)
            let player = lab.player(try lab.item(lab.sine(440, seconds: 30)))
            let other = try AVAudioPlayer(
                data: TestSignal.sine(frequency: 1000, level: -20, seconds: 30).wavData, session: lab.session)
            player.play()
            #expect(other.play())
            try await lab.monitor.waitForSound()
            let phones = try await pactl.loadModule("module-null-sink", ["sink_name=phones", "norewinds=1"])
            try await waitUntil("the phones") { try await pactl.sink("phones") != nil }
            try await pactl.setDefault(sink: "phones")
            func outputs() -> [String] { lab.session.currentRoute.outputs.map(\.uid) }
            try await waitUntil("the new route") { outputs() == ["phones"] }
            let then = other.currentTime
            try await waitUntil("more sound") { other.currentTime > then + 0.3 }
            #expect(player.rate == 1 && player.timeControlStatus == .playing)
            try await pactl.unloadModule(phones)
            try await waitUntil("the pause") { player.rate == 0 && player.timeControlStatus == .paused }
            try await waitUntil("what is left") { outputs() == ["test_out"] }
            let time = (player.currentTime().seconds, other.currentTime)
            try await waitUntil("its sound") { other.currentTime > time.1 + 0.3 }
            #expect(other.isPlaying && player.rate == 0)
            #expect(abs(player.currentTime().seconds - time.0) < 0.001, "it stands still")
            other.stop()
        }
    }

    @Test("A session that is deactivated stops the player, which says so", arguments: HeadlessServer.Kind.allCases)
    func deactivated(kind: HeadlessServer.Kind) async throws {
        try await withAVPlayerLab(kind) { lab in
            let player = lab.player(try lab.item(lab.sine(440, seconds: 30)))
            let news = PlayerNews(of: player)
            player.play()
            try await lab.monitor.waitForSound()
            #expect(throws: (any Error).self) { try lab.session.setActive(false) }
            #expect(player.rate == 0)
            try await waitUntil("both changes", timeout: hangLimit) { news.all.count == 2 }
            #expect(news.all.last == "SetRateCalled true 0.0")
        }
    }

    @Test("What cannot be played says why: a missing file, one that is no sound, and an address that is no file's")
    func failures() async throws {
        try await withAVPlayerLab(.pulseAudio) { lab in
            let noSound = lab.server.directory.appendingPathComponent("no_sound.wav")
            try Data("hello".utf8).write(to: noSound)
            let missing = lab.server.directory.appendingPathComponent("missing.wav")
            // The second one is a path: a mistake that is made often.
            let others = try [#require(URL(string: "ftp://localhost/a.wav")), #require(URL(string: noSound.path))]
            for (url, domain, code) in others.map({ ($0, NSURLErrorDomain, NSURLErrorUnsupportedURL) }) + [
                (missing, NSURLErrorDomain, NSURLErrorFileDoesNotExist),
                (noSound, AVFoundationErrorDomain, AVError.Code.fileFormatNotRecognized.rawValue),
            ] {
                let item = AVPlayerItem(url: url)
                let player = lab.player(item)
                let news = PlayerNews(of: player)
                player.play()
                try await waitUntil("the failure", timeout: hangLimit) { item.status == .failed }
                let error = try #require(item.error as NSError?)
                #expect(error.domain == domain && error.code == code)
                try await waitUntil("the rate", timeout: hangLimit) { news.all.last == "SetRateFailed true 0.0" }
                #expect(await player.seek(to: .zero) == false)
                await #expect(throws: NSError.self) { try await AVURLAsset(url: url).load(.duration) }
            }
        }
    }

    @Test("An asset knows its length, asked for at once or in the background")
    func asset() async throws {
        let signal = TestSignal.sine(frequency: 440, level: -12, seconds: 0.5, sampleRate: 44_100)
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).wav")
        try signal.writeWAV(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        let asset = AVURLAsset(url: url, options: [AVURLAssetPreferPreciseDurationAndTimingKey: true])
        let (duration, isPlayable) = try await asset.load(.duration, .isPlayable)
        #expect(duration == CMTime(value: 22_050, timescale: 44_100) && isPlayable)
        #expect(asset.duration == duration && AVAsset(url: url).duration.seconds == 0.5 && asset.url == url)
        #expect(AVAsset(url: url.appendingPathComponent("no")).duration == .zero)
        #expect((AVPlayerItem(asset: AVAsset(url: url)).asset as? AVURLAsset)?.url == url, "apps ask where it is")
    }
}
