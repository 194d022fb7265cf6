import AVFAudio
import Foundation
import HeadlessServer
import PulseClient
import TestSupport
import Testing

@Suite("Players under stress", .serialized, .limited)
struct PlayerRobustnessTests {
    @Test(
        "Four threads that play and pause neither deadlock nor lose a frame", .judges(.gap(frames: 0)),
        arguments: HeadlessServer.Kind.allCases)
    func hammered(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let player = try lab.player(lab.counter(seconds: 6))
            let shared = Keeper(player)
            let end = ContinuousClock.now + .seconds(2)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for thread in 0..<4 {
                    group.addTask {
                        try await offPool {
                            var calls = 0
                            while ContinuousClock.now < end {
                                if (calls + thread) % 2 == 0 { shared.player?.play() } else { shared.player?.pause() }
                                if calls % 7 == 0 { _ = shared.player?.currentTime }
                                calls += 1
                            }
                            return calls
                        }
                    }
                }
                // The lock is not fair: one thread may do it all.
                let calls = try await group.reduce(0, +)
                #expect(calls > 10)
            }
            #expect(player.play())
            try await lab.monitor.wait(seconds: 0.3)
            #expect(player.isPlaying)
            player.stop()
            let frames = Int((player.currentTime * Double(lab.rate)).rounded())
            expectWhole(try await lab.heard().counted, count: frames)
        }
    }

    @Test("A player that is let go of falls silent though the main thread is busy")
    func releasedBesideABusyMainThread() async throws {
        try await withPlayerLab(.pulseAudio) { lab in
            let isOver = Flag()
            let holding = Task { @MainActor in holdMainThread(for: 60) { isOver.isSet } }
            defer { isOver.set() }
            let player = Keeper(try lab.player(lab.sine(440, seconds: 60)))
            #expect(player.player?.play() == true)
            try await lab.monitor.wait(for: 440, at: -12)
            player.release()
            try await lab.monitor.wait(for: 440, at: nil)
            isOver.set()
            await holding.value
        }
    }

    @Test("Players that start on several threads at once share one stream")
    func oneStream() async throws {
        try await withPlayerLab(.pulseAudio) { lab in
            let players = try (0..<8).map { _ in Keeper(try lab.player(lab.sine(440, level: -30, seconds: 5))) }
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for player in players { group.addTask { try await offPool { player.player?.play() == true } } }
                for try await didPlay in group { #expect(didPlay) }
            }
            #expect(try await lab.streams().count == 1)
            #expect(throws: (any Error).self) { try lab.session.setActive(false) }
            #expect(players.allSatisfy { $0.player?.isPlaying == false })
            try await lab.monitor.waitForSilence()
        }
    }

    @Test("A seek far beyond the end ends what plays; endless fades and other nonsense do no harm")
    func absurdTimes() async throws {
        try await withPlayerLab(.pulseAudio) { lab in
            let events = PlayerEvents()
            let player = try lab.player(lab.sine(500, seconds: 5), events: events)
            #expect(player.play())
            for fade in [Double.infinity, .nan, -.infinity, .greatestFiniteMagnitude, -1] {
                player.setVolume(0.5, fadeDuration: fade)
                #expect(player.volume == 0.5)
            }
            for time in [Double.infinity, .nan, -.infinity, -.greatestFiniteMagnitude, -1] {
                player.currentTime = time
                #expect(player.isPlaying && player.currentTime < 1)
            }
            player.currentTime = .greatestFiniteMagnitude
            try await waitUntil("the end") { events.finished == [true] }
            player.currentTime = .greatestFiniteMagnitude
            #expect(player.currentTime == 0)
        }
    }

    @Test("A file that was replaced by one of other channels is an error that the delegate learns")
    func otherChannels() async throws {
        try await withPlayerLab(.pulseAudio) { lab in
            let mono = TestSignal(samples: [Int16](repeating: 1000, count: lab.rate), sampleRate: lab.rate, channels: 1)
            let file = try lab.file(mono)
            let events = PlayerEvents()
            let player = try AVAudioPlayer(contentsOf: file, session: lab.session)
            player.delegate = events
            #expect(player.play())
            player.stop()
            _ = try lab.sine(500, seconds: 1).writeWAV(to: file)
            #expect(!player.play())
            try await waitUntil("the error") { !events.errors.isEmpty }
            _ = try mono.writeWAV(to: file)
            #expect(player.play())
            player.stop()
        }
    }

    @Test(
        "A pause that a hanging server never answered, until it died: the player stands where it was heard last",
        arguments: HeadlessServer.Kind.allCases)
    func pausedAndLost(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let player = try lab.player(lab.sine(500, seconds: 10))
            #expect(player.play())
            try await waitUntil("sound") { player.currentTime > 0.5 }
            lab.server.suspendProcess()
            let heard = player.currentTime
            let news = SessionEvents(of: lab.session)
            player.pause()
            lab.server.kill()
            try await waitUntil("the news", timeout: hangLimit) { news.all.contains(.lost) }
            // Not further on by what was queued: a second.
            #expect(abs(player.currentTime - heard) < 0.5, "\(player.currentTime), heard \(heard)")
        }
    }

    @Test(
        "A server that hangs is waited for by the first of many looks, and by the first of many players that stop",
        .judges(.time(seconds: 1)))
    func manyWaitsForAHangingServer() async throws {
        try await withPlayerLab(.pulseAudio) { lab in
            let players = try (0..<12).map { _ in try lab.player(lab.sine(500, level: -40, seconds: 10)) }
            for player in players { #expect(player.play()) }
            try await waitUntil("sound") { players.allSatisfy { $0.currentTime > 0.2 } }
            lab.server.suspendProcess()
            let clock = ContinuousClock()
            for player in players { player.pause() }
            let looks = clock.measure { for player in players { #expect(player.currentTime > 0.2) } }
            let seeks = clock.measure { for player in players.dropFirst() { player.currentTime = 3 } }
            let stops = clock.measure { for player in players { player.stop() } }
            lab.server.resumeProcess()
            // A quarter of a second each, twice that and two seconds were more.
            #expect(looks < .seconds(1) && seeks < .seconds(1) && stops < .seconds(3), "\(looks) \(seeks) \(stops)")
            // With a server that answers again positions are exact, as before.
            #expect(players[0].play())
            try await waitUntil("more sound") { players[0].currentTime > 0.5 }
            players[0].pause()
            let time = try await players[0].settledTime()
            players[0].stop()
            #expect(players[0].currentTime == time)
        }
    }

    @Test("A hundred players play at once", arguments: HeadlessServer.Kind.allCases)
    func hundred(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let file = try lab.file(lab.sine(500, level: -60, seconds: 2))
            let events = PlayerEvents()
            let players = try (0..<100).map { _ in try AVAudioPlayer(contentsOf: file, session: lab.session) }
            for player in players {
                player.delegate = events
                #expect(player.play())
            }
            try await waitUntil("all the ends") { events.finished.count == 100 }
            #expect(events.finished.allSatisfy { $0 })
            #expect(players.allSatisfy { !$0.isPlaying })
            let heard = try await lab.heard()
            // A hundred of them add up, whatever their phases, to more than one and to no more than a hundred.
            #expect(heard.peakLevel() > -50 && heard.peakLevel() <= -19.9)
        }
    }

    @Test(
        "A player that is released while it plays falls silent, and the others go on without a gap",
        .judges(.gap(frames: 100)), arguments: HeadlessServer.Kind.allCases)
    func released(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let other = try lab.player(lab.sine(2000, seconds: 1.5))
            let kept = Keeper(try lab.player(lab.sine(500, seconds: 5)))
            other.play()
            #expect(kept.player?.play() == true)
            try await lab.monitor.wait(seconds: 0.5)
            kept.release()
            let start = lab.monitor.frames
            try await waitUntil("the other's end") { !other.isPlaying }
            let heard = try await lab.heard()
            let after = start + lab.rate * 3 / 10
            #expect(heard.level(ofFrequency: 500, after..<after + lab.rate / 4) < -50)
            #expect(heard.gaps(minimumFrames: 100).isEmpty)
            #expect(try await lab.streams().allSatisfyCorked)
        }
    }

    @Test("Players that are released right after play leave nothing behind", .judges(.gap(frames: 0)))
    func releasedAtOnce() async throws {
        try await withPlayerLab(.pulseAudio) { lab in
            let file = try lab.file(lab.sine(500, seconds: 5))
            for _ in 0..<50 {
                let player = try AVAudioPlayer(contentsOf: file, session: lab.session)
                #expect(player.play())
            }
            try await lab.monitor.waitForSilence()
            try await waitUntil("a corked stream") { try await lab.streams().allSatisfyCorked }
            let player = try lab.player(lab.counter(seconds: 0.3))
            let before = lab.monitor.frames
            #expect(player.play())
            try await waitUntil("the end") { !player.isPlaying }
            try await lab.monitor.wait(seconds: 0.3)
            expectWhole(lab.monitor.soFar(from: before).counted, count: Int(0.3 * Double(lab.rate)))
        }
    }

    @Test(
        "A stream that is killed from a mixer interrupts; play goes on with another one",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func streamKilled(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let events = PlayerEvents()
            let session = SessionEvents(of: lab.session)
            let player = try lab.player(lab.counter(seconds: 2), events: events)
            player.play()
            try await lab.monitor.waitForSound()
            try await lab.monitor.wait(seconds: 0.5)
            let stream = try #require(try await lab.streams().first)
            let mixer = try PulseConnection(name: "a mixer")
            try await mixer.connect(to: lab.server.address, timeout: .seconds(5))
            try await mixer.killSinkInput(at: UInt32(stream.index))
            try await session.wait(for: [.began])
            #expect(session.all == [.began])
            #expect(!player.isPlaying)
            try await waitUntil("the delegate's call") { events.interruptions == [.began] }
            #expect(player.currentTime > 0.4)
            #expect(player.play())
            try await events.waitForFinish()
            let heard = try await lab.heard().counted
            #expect(breaks(in: heard).count <= 1, "only what was queued in the killed stream is lost")
            #expect(heard.last == 2 * lab.rate)
        }
    }

    @Test(
        "A stream that a hanging server does not make anew for another role is an interruption, and play goes on",
        arguments: HeadlessServer.Kind.allCases)
    func otherRoleWhileHanging(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let events = PlayerEvents()
            let session = SessionEvents(of: lab.session)
            let player = try lab.player(lab.sine(500, seconds: 60), events: events)
            #expect(player.play())
            try await waitUntil("sound") { player.currentTime > 0.5 }
            lab.server.suspendProcess()
            let mode: AVAudioSession.Mode = lab.session.mode == .moviePlayback ? .default : .moviePlayback
            try? lab.session.setMode(mode)
            lab.server.resumeProcess()
            try await session.wait(for: [.began])
            #expect(!player.isPlaying)
            try await waitUntil("the delegate's call") { events.interruptions == [.began] }
            let place = player.currentTime
            #expect(place > 0.4)
            #expect(player.play())
            try await waitUntil("more sound") { player.currentTime > place + 0.2 }
            #expect(session.all == [.began])
        }
    }

    @Test(
        "S45, S46, S48: a server that dies is told at once; the player is dead; a new one plays on the next server",
        .judges(.time(seconds: 1)), arguments: HeadlessServer.Kind.allCases)
    func serverDies(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: [kind.sink]) { server in
            let session = AVAudioSession(server: server.address)
            try session.setCategory(.playback, mode: .spokenAudio)
            let events = SessionEvents(of: session)
            let file = try TestSignal.sine(seconds: 20).writeWAV(to: server.directory.appendingPathComponent("a.wav"))
            let player = try AVAudioPlayer(contentsOf: file, session: session)
            #expect(player.play())
            try await waitUntil("a moving position") { player.currentTime > 0.2 }
            let process = try #require(server.processIDs.last)
            let killed = ContinuousClock.now
            #expect(kill(process, SIGKILL) == 0)
            try await events.wait(for: [.lost])
            #expect(ContinuousClock.now - killed < atOnce)
            #expect(!player.isPlaying)
            let start = ContinuousClock.now
            #expect(!player.play())
            #expect(!player.prepareToPlay())
            player.pause()
            player.currentTime = 1
            player.stop()
            #expect(#expect(throws: NSError.self) { try session.setActive(true) }?.code == Self.servicesFailed)
            #expect(#expect(throws: NSError.self) { try session.setCategory(.ambient) }?.code == Self.servicesFailed)
            #expect(ContinuousClock.now - start < atOnce, "nothing waits for a server that is gone")

            try await offPool { try server.restart() }
            try await events.wait(for: [.lost, .reset])
            #expect(events.all == [.lost, .reset])
            #expect(session.category == .soloAmbient && session.mode == .default && session.categoryOptions == [])
            #expect(!player.play(), "players of the former server stay dead")
            let delegate = PlayerEvents()
            let another = try AVAudioPlayer(
                contentsOf: TestSignal.sine(seconds: 0.3).writeWAV(
                    to: server.directory.appendingPathComponent("b.wav")), session: session)
            another.delegate = delegate
            let monitor = try await MonitorRecording.start(on: server, sink: kind.sink)
            #expect(another.play())
            try await monitor.waitForSound()
            try await delegate.waitForFinish()
            _ = try await monitor.stop()
        }
    }

    private static let servicesFailed = AVAudioSession.ErrorCode.mediaServicesFailed.rawValue
}

extension [Pactl.Object] {
    var allSatisfyCorked: Bool { allSatisfy(\.isCorked) }
}
