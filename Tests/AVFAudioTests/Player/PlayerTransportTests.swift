import AVFAudio
import Foundation
import HeadlessServer
import TestSupport
import Testing

/// Playing, pausing, stopping, seeking: judged by a signal that counts its frames.
@Suite("The player's transport", .serialized, .limited)
struct PlayerTransportTests {
    @Test(
        "S92: prepareToPlay activates the session and opens the output; play does it implicitly",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func preparation(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let other = AVAudioSession(apartOn: lab.server.address)
            try other.setCategory(.playback)
            let music = try AVAudioPlayer(contentsOf: lab.file(lab.sine(300, seconds: 60)), session: other)
            #expect(music.play())
            try await lab.monitor.waitForSound()
            let player = try lab.player(lab.counter(seconds: 0.3))
            #expect(try await lab.streams().filter { !$0.isCorked }.count == 1)
            #expect(player.prepareToPlay())
            // Other audio is interrupted at that moment, before anything is played.
            try await waitUntil("the other session's interruption") { !music.isPlaying }
            try await lab.monitor.waitForSilence()
            #expect(throws: Never.self) { try other.setActive(false) }
            try await waitUntil("one stream") { try await lab.streams().count == 1 }
            let quiet = lab.monitor.frames
            let prepared = try await lab.streams()
            #expect(prepared.count == 1)
            #expect(prepared.filter(\.isCorked).count == 1)
            #expect(!player.isPlaying)
            #expect(player.play())
            try await waitUntil("the end", timeout: hangLimit) { !player.isPlaying }
            let all = try await lab.heard()
            expectWhole(all[quiet..<all.frames].counted, count: Int(0.3 * Double(lab.rate)))
        }
    }

    @Test(
        "S93: play returns at once, and S94: is a no-op that returns true while playing",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func playReturns(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let player = try lab.player(lab.counter(seconds: 4))
            player.prepareToPlay()
            let start = ContinuousClock.now
            #expect(player.play())
            #expect(ContinuousClock.now - start < atOnce)
            #expect(player.isPlaying)
            for _ in 0..<5 {
                try await lab.monitor.wait(seconds: 0.05)
                // Only a very slow machine has come to the end of four seconds by now.
                #expect(player.isPlaying && player.play())
            }
            try await expectWholeSoFar(player, lab)
        }
    }

    @Test(
        "S94, S95: after pause and after stop it goes on at the exact frame, 20 times in a row",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases, [false, true])
    func pauseAndGoOn(kind: HeadlessServer.Kind, stops: Bool) async throws {
        try await withPlayerLab(kind) { lab in
            // Twice what is played in between, so that a slow machine does not come to the end.
            let player = try lab.player(lab.counter(seconds: 6))
            for round in 1...20 {
                #expect(player.play())
                try await lab.monitor.wait(seconds: 0.05 + 0.007 * Double(round))
                if stops { player.stop() } else { player.pause() }
                #expect(!player.isPlaying)
                let time = try await player.settledTime()
                #expect(time > 0 && time < 6)
                try await lab.monitor.wait(seconds: 0.02)
                #expect(player.currentTime == time, "it does not rewind, and does not go on")
            }
            #expect(player.play())
            try await lab.monitor.wait(seconds: 0.2)
            try await expectWholeSoFar(player, lab)
        }
    }

    /// PipeWire, frozen, loses what it should have played meanwhile.
    @Test(
        "S95: stop waits for a server that is busy for a while, and keeps the exact frame, also after a pause and a look",
        .judges(.gap(frames: 0)), arguments: [false, true])
    func stopOnABusyServer(looks: Bool) async throws {
        try await withPlayerLab(.pulseAudio) { lab in
            let player = try lab.player(lab.counter(seconds: 4))
            #expect(player.play())
            try await lab.monitor.waitForSound()
            try await lab.monitor.wait(seconds: 0.4)
            lab.server.suspendProcess()
            let server = lab.server
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(700)) { server.resumeProcess() }
            if looks {
                player.pause()
                // It waits for a moment, and makes do with an estimate.
                #expect(player.currentTime > 0.3)
            }
            player.stop()
            let time = player.currentTime
            #expect(time > 0.3 && time < 4)
            let before = lab.monitor.frames
            try await lab.monitor.wait(seconds: 0.3)
            #expect(player.currentTime == time)
            #expect(player.play())
            try await lab.monitor.wait(seconds: 0.3)
            #expect(lab.monitor.frames > before)
            try await expectWholeSoFar(player, lab)
        }
    }

    @Test("S95: what is silent after a pause is silent at once, on a sink that rewinds too", arguments: [false, true])
    func pauseIsImmediate(rewinds: Bool) async throws {
        try await withPlayerLab(.pulseAudio, sink: .init(rewinds: rewinds)) { lab in
            let player = try lab.player(lab.sine(440, seconds: 5))
            player.play()
            try await lab.monitor.waitForSound()
            try await lab.monitor.wait(seconds: 0.3)
            let before = lab.monitor.frames
            player.pause()
            let silent = try await lab.monitor.waitForSilence(from: before)
            #expect(Double(silent - before) / Double(lab.rate) < 0.08)
        }
    }

    @Test(
        "S96, S97: setting currentTime seeks to the exact frame, before play, while paused and while playing",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func seeking(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let rate = Double(lab.rate)
            let player = try lab.player(lab.counter(from: 1, seconds: 6))
            player.currentTime = 12_345 / rate
            #expect(abs(player.currentTime - 12_345 / rate) < 0.5 / rate)
            #expect(player.play())
            try await lab.monitor.wait(seconds: 0.3)
            player.pause()
            player.currentTime = 100_000 / rate
            #expect(player.currentTime == 100_000 / rate)
            #expect(player.play())
            try await lab.monitor.wait(seconds: 0.3)
            player.currentTime = 200_001 / rate
            #expect(player.isPlaying)
            try await lab.monitor.wait(seconds: 0.3)
            player.currentTime = 0
            #expect(player.isPlaying)
            try await lab.monitor.wait(seconds: 0.3)
            player.pause()
            let heard = try await lab.heard().counted
            // Each stretch counts on without a break, and the stretches begin where they were asked to.
            let jumps = zip(heard, heard.dropFirst()).filter { $1 != $0 + 1 }.map(\.1)
            #expect([heard.first ?? 0] + jumps == [12_346, 100_001, 200_002, 1])
        }
    }

    @Test(
        "S97: seeking beyond the end finishes what plays, and rewinds what does not", .judges(.gap(frames: 0)))
    func seekingBeyondTheEnd() async throws {
        try await withPlayerLab(.pipeWire) { lab in
            let events = PlayerEvents()
            let player = try lab.player(lab.counter(seconds: 3), events: events)
            player.currentTime = 100
            #expect(player.currentTime == 0)
            player.currentTime = -1
            #expect(player.currentTime == 0)
            player.currentTime = .nan
            #expect(player.currentTime == 0)
            player.play()
            try await lab.monitor.waitForSound()
            player.currentTime = 3
            try await events.waitForFinish(timeout: .seconds(1))
            #expect(events.finished == [true])
            #expect(!player.isPlaying && player.currentTime == 0)
            player.currentTime = 2.9
            player.play()
            try await waitUntil("the second end") { events.finished.count == 2 }
            let heard = try await lab.heard().counted
            expectWhole(Array(heard.suffix(lab.rate / 10)), from: 3 * lab.rate * 29 / 30 + 1, count: lab.rate / 10)
        }
    }

    @Test(
        "S100: after its end a player is not playing, stands at 0, told so once, and can play again",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func naturalEnd(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let events = PlayerEvents()
            let frames = lab.rate / 5
            let player = try lab.player(lab.counter(seconds: 0.2), events: events)
            #expect(player.play())
            try await events.waitForFinish()
            #expect(!player.isPlaying)
            #expect(player.currentTime == 0)
            expectWhole(try await lab.heard().counted, count: frames)
            #expect(player.play())
            try await waitUntil("the second end") { events.finished.count == 2 }
            #expect(try await lab.heard().counted.count == 2 * frames)
            // Once after the last loop, not once a loop.
            player.numberOfLoops = 2
            #expect(player.play())
            try await waitUntil("the third end") { events.finished.count == 3 }
            #expect(!player.isPlaying && player.currentTime == 0)
            #expect(try await lab.heard().counted.count == 5 * frames)
            #expect(events.finished == [true, true, true])
            #expect(events.errors.isEmpty)
        }
    }

    @Test(
        "S97: currentTime follows what is heard", .judges(.time(seconds: 0.03)), arguments: HeadlessServer.Kind.allCases
    )
    func currentTimeFollows(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let player = try lab.player(lab.counter(seconds: 4))
            player.play()
            try await lab.monitor.waitForSound()
            var ahead: [Double] = []
            for _ in 0..<40 {
                try await lab.monitor.wait(seconds: 0.05)
                let recent = lab.monitor.soFar(from: max(0, lab.monitor.frames - lab.rate / 100))
                let time = player.currentTime
                if let last = recent.counted.last { ahead.append(time - Double(last) / Double(lab.rate)) }
            }
            let median = ahead.sorted()[ahead.count / 2]
            #expect(abs(median) < 0.03, "\(kind): \(median) s; \(ahead.min() ?? 0) … \(ahead.max() ?? 0)")
        }
    }

    @Test(
        "A 0.2 s sound in a fresh session is over within a second of play", .judges(.time(seconds: 1)),
        arguments: HeadlessServer.Kind.allCases)
    func shortSound(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let events = PlayerEvents()
            let player = try lab.player(lab.counter(seconds: 0.2), events: events)
            let start = ContinuousClock.now
            player.play()
            try await events.waitForFinish()
            let taken = ContinuousClock.now - start
            #expect(taken < atOnce)
            #expect(taken >= .milliseconds(200), "it must not be over before it was heard")
        }
    }

    /// Stops, and expects all that was heard to be the sound up to there, once and in order.
    private func expectWholeSoFar(
        _ player: AVAudioPlayer, _ lab: PlayerLab, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(player.isPlaying, sourceLocation: sourceLocation)
        player.stop()
        let frames = Int((player.currentTime * Double(lab.rate)).rounded())
        expectWhole(try await lab.heard().counted, count: frames, sourceLocation: sourceLocation)
    }
}
