import AVFAudio
import AudioFiles
import Foundation
import HeadlessServer
import ScriptedHost
import TestSupport
import Testing

/// What a player tells of its end, and what it takes up when it begins anew.
@Suite("The end of a player's sound", .serialized, .limited)
struct PlayerEndTests {
    @Test("S101: a player that is stopped after its end, before the main queue could tell of that, does not finish")
    func stoppedBeforeTold() async throws {
        try await ScriptedLab.with(.playback) { lab in
            let events = PlayerEvents()
            let player = try lab.player(lab.sine(seconds: 0.2), events: events)
            await MainActor.run {
                playToTheEnd(player, lab)
                player.stop()
            }
            await mainQueueIsEmpty()
            #expect(events.finished.isEmpty)
            #expect(player.play())
            try await lab.pass(until: "the end") { events.finished == [true] }
        }
    }

    /// Keeps the calling thread until the sound is over.
    private func playToTheEnd(_ player: AVAudioPlayer, _ lab: ScriptedLab) {
        #expect(player.play())
        while player.isPlaying {
            lab.passAtOnce()
            sched_yield()
        }
    }

    @Test("S102: a damaged file that is played again is heard again, up to the damage")
    func damageTwice() async throws {
        try await withPlayerLab(.pipeWire) { lab in
            let events = PlayerEvents()
            let player = try AVAudioPlayer(
                contentsOf: cutFile(in: lab.server.directory, rate: lab.rate), session: lab.session)
            player.delegate = events
            for round in 1...2 {
                let before = try await lab.heard().frames
                #expect(player.play())
                try await waitUntil("the end") { events.finished.count == round }
                _ = try await lab.heard()
                let sound = lab.monitor.soFar(from: before).soundRange()
                #expect(sound?.count ?? 0 > lab.rate * 3 / 2, "round \(round)")
            }
            #expect(events.finished == [false, false] && events.errors.count == 2)
        }
    }

    @Test("S102: each time that a damaged file is played, as much of it is heard, and its damage is told once")
    func damageEachTime() async throws {
        try await ScriptedLab.with(.playback) { lab in
            let events = PlayerEvents()
            let player = try AVAudioPlayer(
                contentsOf: cutFile(in: lab.folder, rate: lab.rate), session: lab.session)
            player.delegate = events
            var heard: [Int] = []
            for round in 1...3 {
                let before = lab.host.framesHeard
                #expect(player.play())
                try await lab.pass(until: "the end") { events.finished.count == round }
                heard.append(lab.host.framesHeard - before)
            }
            #expect(heard.allSatisfy { $0 > lab.rate * 3 / 2 && $0 == heard[0] }, "\(heard)")
            #expect(events.finished == [false, false, false] && events.errors.count == 3)
        }
    }

    @Test("S102: a player that begins anew before it is told of its damage is told of it all the same")
    func damageThenPlay() async throws {
        try await ScriptedLab.with(.playback) { lab in
            let events = PlayerEvents()
            let player = try AVAudioPlayer(
                contentsOf: cutFile(in: lab.folder, rate: lab.rate), session: lab.session)
            player.delegate = events
            await MainActor.run {
                playToTheEnd(player, lab)
                #expect(player.play())
            }
            try await events.waitForFinish()
            #expect(events.finished == [false])
        }
    }

    private func cutFile(in folder: URL, rate: Int) throws -> URL {
        // Up to the damage more than is decoded ahead: who begins anew does not come upon it at once.
        let signal = TestSignal.noise(seconds: 4, sampleRate: rate)
        let file = folder.appendingPathComponent("cut.flac")
        let writer = try AudioFileWriter(
            path: file.path, container: .flac, encoding: .pcm16, sampleRate: Double(rate), channels: 2)
        try writer.write(int16: signal.samples, frames: signal.frames)
        try writer.close()
        let bytes = try Data(contentsOf: file)
        try bytes.prefix(bytes.count / 2).write(to: file)
        return file
    }

    @Test(
        "S100, S103: the end undoes the preparation: a rate that was enabled since then counts from the next play on",
        .judges(.time(seconds: 0.05)))
    func rateAfterTheEnd() async throws {
        try await withPlayerLab(.pulseAudio) { lab in
            let events = PlayerEvents()
            let player = try lab.player(lab.counter(seconds: 1), events: events)
            player.play()
            try await events.waitForFinish()
            player.enableRate = true
            player.rate = 2
            let before = try await lab.heard().frames
            player.play()
            try await waitUntil("the second end") { events.finished.count == 2 }
            _ = try await lab.heard()
            let again = try #require(lab.monitor.soFar(from: before).soundRange())
            #expect(abs(Double(again.count) / Double(lab.rate) - 0.5) < 0.05, "\(again.count) frames")
        }
    }

    @Test("S100, S103: a rate that was enabled while it played counts from the next play after the end on, not before")
    func rateOfEachRound() async throws {
        try await ScriptedLab.with(.playback) { lab in
            let events = PlayerEvents()
            let player = try lab.player(lab.sine(seconds: 1), events: events)
            var heard: [Double] = []
            for round in 1...3 {
                let before = lab.host.framesHeard
                #expect(player.play())
                try await lab.pass(seconds: 0.2)
                (player.enableRate, player.rate) = (round == 1, 2)
                try await lab.pass(until: "the end") { events.finished.count == round }
                heard.append(Double(lab.host.framesHeard - before) / Double(lab.rate))
            }
            for (seconds, expected) in zip(heard, [1, 0.5, 1]) {
                #expect(abs(seconds - expected) < 0.03, "\(heard)")
            }
        }
    }
}
