import AVFoundation
import AudioFiles
import HeadlessServer
import TestSupport
import Testing

@Suite("AVPlayer's streams that are not open yet, and what may happen meanwhile", .serialized, .limited)
struct StreamOpeningTests {
    /// A stream whose first byte does not come before a gate is opened.
    private struct Unopened {
        let item: AVPlayerItem
        let gate = Gate()

        init(_ lab: AVPlayerLab, _ web: WebServer, _ signal: TestSignal) {
            var file = WebFile(data: signal.wavData)
            file.gate = (0, gate)
            let served = file
            web.on("/late.wav") { served.answer($0, $1) }
            // Nobody else gives up before the test does.
            var limits = AVPlayerLab.limits
            (limits.opening, limits.silence) = (3600, 3600)
            item = lab.stream(web.url("/late.wav"), limits: limits)
        }

        /// Returns when the server has been asked for it, and is silent.
        func waitUntilAsked() async throws {
            try await waitUntil("the request", timeout: hangLimit) { gate.arrived == 1 }
        }

        /// Lets it come, and returns when all of it is there.
        func open() async throws {
            gate.open()
            try await waitUntil("all of it", timeout: hangLimit) { item.isPlaybackBufferFull }
        }
    }

    /// Keeps how often a session has become active, or inactive.
    // SAFETY: both are constants; the log guards itself, and the token is only used to end it.
    private final class SessionNews: @unchecked Sendable {
        private let log: Log<Bool>
        private let token: any NSObjectProtocol

        init(_ name: Notification.Name, of session: AVAudioSession) {
            let log = Log<Bool>()
            self.log = log
            token = NotificationCenter.default.addObserver(forName: name, object: session, queue: nil) { _ in
                log.note(true)
            }
        }

        deinit { NotificationCenter.default.removeObserver(token) }

        var count: Int { log.all.count }
    }

    @Test(
        "A session that was deactivated while an item was being opened is not taken back when it is open", .alone,
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases, [false, true])
    func deactivated(kind: HeadlessServer.Kind, isActiveAgain: Bool) async throws {
        try await withStreamLab(kind) { lab, web in
            let (stream, main) = (Unopened(lab, web, lab.counter(1)), Gate())
            defer {
                stream.gate.open()
                main.open()
            }
            let player = lab.player(stream.item)
            let news = PlayerNews(of: player)
            let activations = SessionNews(AVAudioSession.didBecomeActiveNotification, of: lab.session)
            try lab.session.setActive(true)
            player.play()
            try await stream.waitUntilAsked()
            try await holdMain(main)
            try lab.session.setActive(false)
            if isActiveAgain { try lab.session.setActive(true) }
            try await stream.open()
            #expect(try await lab.counted() == [])
            #expect(player.rate == 0)
            main.open()
            await waitForMain()
            #expect(news.all == ["SetRateCalled true 1.0", "SetRateCalled true 0.0"])
            #expect(activations.count == (isActiveAgain ? 2 : 1))
            player.play()
            try await waitUntil("the end", timeout: hangLimit) { news.count("end") == 1 }
            #expect(runs(try await lab.counted()) == [1...lab.rate])
        }
    }

    @Test(
        "A session that was interrupted while an item was being opened does not interrupt back when it is open", .alone,
        arguments: HeadlessServer.Kind.allCases, [false, true])
    func interrupted(kind: HeadlessServer.Kind, isTold: Bool) async throws {
        try await withStreamLab(kind) { lab, web in
            let (stream, main) = (Unopened(lab, web, lab.sine(440, seconds: 3)), Gate())
            defer {
                stream.gate.open()
                main.open()
            }
            let player = lab.player(stream.item)
            let news = PlayerNews(of: player)
            try lab.session.setActive(true)
            player.play()
            try await stream.waitUntilAsked()
            if !isTold { try await holdMain(main) }
            let other = try await Peer.start(on: lab.server)
            try await other.send("category playback")
            try await other.send("play 1000")
            try await waitUntil("the other app", timeout: hangLimit) { lab.heard(1000) > 30 }
            if isTold { try await waitUntil("the news", timeout: hangLimit) { news.all.count == 2 } }
            try await stream.open()
            try await lab.monitor.wait(seconds: 0.5)
            #expect(lab.heard(440) == 0)
            main.open()
            try await waitUntil("the news", timeout: hangLimit) { news.all.count == 2 }
            #expect(news.all == ["SetRateCalled true 1.0", "AudioSessionInterrupted true 0.0"])
            #expect(other.interruptions.isEmpty)
        }
    }

    @Test(
        "A session that was deactivated before the next item of a queue was open is not taken back for it", .alone,
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases, [false, true])
    func deactivatedBetweenItems(kind: HeadlessServer.Kind, isTold: Bool) async throws {
        try await withStreamLab(kind) { lab, web in
            let next = Unopened(lab, web, .counter(from: lab.rate + 1, seconds: 1, sampleRate: lab.rate))
            let main = Gate()
            defer {
                next.gate.open()
                main.open()
            }
            let items = [try lab.item(lab.counter(1)), next.item]
            let (player, ends) = (lab.queue(items), EndNews(of: items))
            try lab.session.setActive(true)
            player.play()
            let first = try await lab.monitor.waitForSound()
            // One that is held goes on to the next item when the session is not active any more, and that item is open.
            if !isTold { try await holdMain(main) }
            try await lab.monitor.waitForSilence(from: first)
            if isTold { try await waitUntil("the first end", timeout: hangLimit) { ends.all == [1] } }
            try? lab.session.setActive(false)
            try await next.open()
            main.open()
            try await waitUntil("the first end", timeout: hangLimit) { ends.all == [1] }
            #expect(runs(try await lab.counted()) == [1...lab.rate])
            #expect(player.currentItem === items[1] && player.rate == 0)
            player.play()
            try await waitUntil("the end of all", timeout: hangLimit) { ends.all == [1, 2] }
            #expect(runs(try await lab.counted()) == [1...2 * lab.rate])
        }
    }

    @Test(
        "An item that is being opened when the server goes has failed for good, and its seek is answered",
        arguments: HeadlessServer.Kind.allCases)
    func lost(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            let stream = Unopened(lab, web, lab.counter(1))
            defer { stream.gate.open() }
            let player = lab.player(stream.item)
            try lab.session.setActive(true)
            player.play()
            try await stream.waitUntilAsked()
            let answers = Log<Bool>()
            player.seek(to: CMTime(value: 1, timescale: 2)) { answers.note($0) }
            let told = Gate()
            told.open()
            let observation = stream.item.observe(\.status) { item, _ in if item.status == .failed { told.pass() } }
            lab.server.kill()
            try await waitUntil("the failure", timeout: hangLimit) { stream.item.status == .failed }
            try await waitUntil("that it is told", timeout: hangLimit) { told.arrived > 0 }
            observation.invalidate()
            try await waitUntil("the seek's answer", timeout: hangLimit) { answers.all == [false] }
            stream.gate.open()
            try await waitUntil("the end of the visit", timeout: hangLimit) { web.connections == 0 }
            await waitForMain()
            #expect(stream.item.status == .failed)
        }
    }

    @Test(
        "A queue goes on with an item that is open late, also where its session has ended since nothing was heard",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func idle(kind: HeadlessServer.Kind) async throws {
        try await withStreamLab(kind) { lab, web in
            let next = Unopened(lab, web, .counter(from: lab.rate + 1, seconds: 1, sampleRate: lab.rate))
            defer { next.gate.open() }
            let items = [try lab.item(lab.counter(1)), next.item]
            let (player, ends) = (lab.queue(items), EndNews(of: items))
            let endings = SessionNews(AVAudioSession.didBecomeInactiveNotification, of: lab.session)
            player.play()
            try await waitUntil("the end of the session", timeout: hangLimit) { endings.count == 1 }
            #expect(player.currentItem === items[1] && player.rate == 1)
            next.gate.open()
            try await waitUntil("the end of all", timeout: hangLimit) { ends.all == [1, 2] }
            #expect(runs(try await lab.counted()) == [1...2 * lab.rate])
        }
    }
}
