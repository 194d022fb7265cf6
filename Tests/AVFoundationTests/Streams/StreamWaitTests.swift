import AVFoundation
import AudioFiles
import HeadlessServer
import TestSupport
import Testing

@Suite("AVPlayer's streams that wait, and what may happen meanwhile", .serialized, .limited)
struct StreamWaitTests {
    /// A player whose stream has stalled after a second of its sound, and what lets the rest come.
    private struct Stalled {
        let item: AVPlayerItem
        let player: AVPlayer
        let news: PlayerNews
        let stalls: StallNews
        let gate = Gate()
        private let monitor: MonitorRecording

        init(_ lab: AVPlayerLab, _ web: WebServer, _ signal: TestSignal) {
            var file = WebFile(data: signal.wavData)
            file.gate = (44 + lab.rate * 4, gate)
            let served = file
            web.on("/a.wav") { served.answer($0, $1) }
            item = lab.stream(web.url("/a.wav"))
            player = lab.player(item)
            news = PlayerNews(of: player)
            stalls = StallNews(of: item)
            monitor = lab.monitor
        }

        /// Plays until it stalls, and returns when what came before that has been recorded.
        func play() async throws {
            player.play()
            try await waitUntil("the stall", timeout: hangLimit) { stalls.stalls == 1 }
            try await monitor.waitForSilence(from: monitor.waitForSound())
        }
    }

    @Test(
        "A stall lasts as long as it has to in a session that nobody activated but the player",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func longStall(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            let stalled = Stalled(lab, web, lab.counter(2))
            defer { stalled.gate.open() }
            try await stalled.play()
            // The session ends 3 s after the last sound where nobody waits.
            try await lab.monitor.wait(seconds: 4)
            #expect(stalled.player.rate == 1)
            #expect(stalled.player.reasonForWaitingToPlay == .toMinimizeStalls)
            stalled.gate.open()
            try await waitUntil("the end", timeout: hangLimit) { stalled.news.count("end") == 1 }
            #expect(runs(try await lab.counted()) == [1...2 * lab.rate])
        }
    }

    @Test(
        "A stream that waited in a session that was deactivated is not heard when more comes before anybody was told",
        .alone,
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases, [false, true])
    func deactivated(kind: HeadlessServer.Kind, isActiveAgain: Bool) async throws {
        try await withStreamLab(kind) { lab, web in
            let (stalled, main) = (Stalled(lab, web, lab.counter(2)), Gate())
            defer {
                stalled.gate.open()
                main.open()
            }
            try await stalled.play()
            try await holdMain(main)
            try? lab.session.setActive(false)
            if isActiveAgain { try lab.session.setActive(true) }
            let first = lab.monitor.frames
            stalled.gate.open()
            try await waitUntil("all of it", timeout: hangLimit) { stalled.item.isPlaybackBufferFull }
            try await lab.monitor.wait(seconds: 0.5)
            #expect(lab.monitor.soFar(from: first).soundRange(threshold: -60) == nil)
            #expect(stalled.player.rate == 0)
            main.open()
            try await waitUntil("the news", timeout: hangLimit) { stalled.news.all.count == 2 }
            #expect(stalled.news.all == ["SetRateCalled true 1.0", "SetRateCalled true 0.0"])
            stalled.player.play()
            try await waitUntil("the end", timeout: hangLimit) { stalled.news.count("end") == 1 }
            #expect(runs(try await lab.counted()) == [1...2 * lab.rate])
        }
    }

    @Test(
        "A deactivation that is told late does not stop a stream that was told to go on meanwhile",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases, [true, false])
    func lateDeactivation(kind: HeadlessServer.Kind, isThorough: Bool) async throws {
        try await withStreamLab(kind) { lab, web in
            let stalled = Stalled(lab, web, lab.counter(2))
            defer { stalled.gate.open() }
            try await stalled.play()
            // In one turn of the main thread, so that nobody is told of the deactivation before all of it.
            try await MainActor.run {
                if isThorough { stalled.player.pause() }
                try? lab.session.setActive(false)
                if isThorough {
                    try lab.session.setCategory(.playback)
                    try lab.session.setActive(true)
                }
                stalled.player.play()
            }
            await waitForMain()
            #expect(stalled.player.rate == 1)
            #expect(stalled.player.reasonForWaitingToPlay == .toMinimizeStalls)
            stalled.gate.open()
            try await waitUntil("the end", timeout: hangLimit) { stalled.news.count("end") == 1 }
            #expect(runs(try await lab.counted()) == [1...2 * lab.rate])
        }
    }

    @Test(
        "An interruption that is told late does not stop a stream that has taken the sound back meanwhile", .alone,
        arguments: HeadlessServer.Kind.allCases)
    func lateInterruption(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            let (stalled, main) = (Stalled(lab, web, lab.sine(440, seconds: 3)), Gate())
            defer {
                stalled.gate.open()
                main.open()
            }
            try await stalled.play()
            try await holdMain(main)
            let other = try await Peer.start(on: lab.server)
            try await other.send("category playback")
            try await other.send("play 1000")
            try await waitUntil("the other app", timeout: hangLimit) { lab.heard(1000) > 30 }
            try lab.session.setActive(true)
            stalled.player.play()
            main.open()
            await waitForMain()
            #expect(stalled.player.rate == 1)
            let before = lab.heard(440)
            stalled.gate.open()
            try await waitUntil("the end", timeout: hangLimit) { stalled.news.count("end") == 1 }
            try await lab.monitor.wait(seconds: 0.3)
            #expect(lab.heard(440) - before > 180)
        }
    }

    @Test(
        "A stream that began by itself where another one ended waits as one that was told to play",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func following(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            let (rate, gate) = (lab.rate, Gate())
            defer { gate.open() }
            let whole = WebFile(data: lab.counter(1).wavData)
            web.on("/1.wav") { whole.answer($0, $1) }
            var file = WebFile(data: TestSignal.counter(from: rate + 1, seconds: 2, sampleRate: rate).wavData)
            file.gate = (44 + rate * 4, gate)
            let served = file
            web.on("/2.wav") { served.answer($0, $1) }
            let items = [lab.stream(web.url("/1.wav")), lab.stream(web.url("/2.wav"))]
            let (player, ends, stalls) = (lab.queue(items), EndNews(of: items), StallNews(of: items[1]))
            player.play()
            try await waitUntil("the stall", timeout: hangLimit) { stalls.stalls == 1 }
            #expect(player.rate == 1 && player.currentItem === items[1])
            gate.open()
            try await waitUntil("the end of all", timeout: hangLimit) { ends.all == [1, 2] }
            #expect(runs(try await lab.counted()) == [1...3 * rate])
        }
    }

    @Test(
        "A stream that waited in a session that was interrupted does not interrupt back when more comes", .alone,
        arguments: HeadlessServer.Kind.allCases, [true, false])
    func interrupted(kind: HeadlessServer.Kind, moreComes: Bool) async throws {
        try await withStreamLab(kind) { lab, web in
            let (stalled, main) = (Stalled(lab, web, lab.sine(440, seconds: 3)), Gate())
            defer {
                stalled.gate.open()
                main.open()
            }
            try await stalled.play()
            try await holdMain(main)
            let other = try await Peer.start(on: lab.server)
            try await other.send("category playback")
            try await other.send("play 1000")
            try await waitUntil("the other app", timeout: hangLimit) { lab.heard(1000) > 30 }
            let before = lab.heard(440)
            if moreComes {
                stalled.gate.open()
                try await waitUntil("all of it", timeout: hangLimit) { stalled.item.isPlaybackBufferFull }
                try await lab.monitor.wait(seconds: 0.5)
                #expect(lab.heard(440) == before)
            }
            main.open()
            try await waitUntil("the news", timeout: hangLimit) { stalled.news.all.count == 2 }
            #expect(stalled.news.all.last == "AudioSessionInterrupted true 0.0")
            #expect(other.interruptions.isEmpty)
        }
    }

    @Test(
        "A stall that is told late does not stop a player that was told to go on meanwhile", .alone,
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func lateStall(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            let (stalled, main) = (Stalled(lab, web, lab.counter(6)), Gate())
            let player = stalled.player
            defer {
                stalled.gate.open()
                main.open()
            }
            player.automaticallyWaitsToMinimizeStalling = false
            player.play()
            try await lab.monitor.waitForSound()
            try await holdMain(main)
            try await waitUntil("the stall", timeout: hangLimit) { player.rate == 0 }
            stalled.gate.open()
            try await waitUntil("more", timeout: hangLimit) { stalled.item.isPlaybackBufferFull }
            player.play()
            #expect(player.rate == 1)
            main.open()
            try await waitUntil("the news", timeout: hangLimit) { stalled.stalls.stalls == 1 }
            #expect(player.rate == 1)
            try await waitUntil("the end", timeout: hangLimit) { stalled.news.count("end") == 1 }
            #expect(runs(try await lab.counted()) == [1...6 * lab.rate])
        }
    }
}
