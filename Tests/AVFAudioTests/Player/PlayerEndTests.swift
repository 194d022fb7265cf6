import AVFAudio
import AudioFiles
import Foundation
import HeadlessServer
import TestSupport
import Testing

/// What a player tells of its end, and what it takes up when it begins anew.
@Suite("The end of a player's sound", .serialized, .limited)
struct PlayerEndTests {
    @Test(
        "S101: a player that is stopped after its end, before the main queue could tell of that, does not finish",
        arguments: HeadlessServer.Kind.allCases)
    func stoppedBeforeTold(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let events = PlayerEvents()
            let player = try lab.player(lab.counter(seconds: 0.2), events: events)
            await MainActor.run {
                playToTheEnd(player)
                player.stop()
            }
            await mainQueueIsEmpty()
            #expect(events.finished.isEmpty)
            #expect(player.play())
            try await events.waitForFinish()
            #expect(events.finished == [true])
        }
    }

    /// Keeps the calling thread until the sound is over.
    private func playToTheEnd(_ player: AVAudioPlayer) {
        #expect(player.play())
        while player.isPlaying { sched_yield() }
    }

    /// Returns when all has been told that was on its way.
    private func mainQueueIsEmpty() async {
        await withCheckedContinuation { continuation in OperationQueue.main.addOperation { continuation.resume() } }
    }

    @Test(
        "S102: a damaged file that is played again is heard again, up to the damage",
        arguments: HeadlessServer.Kind.allCases)
    func damageTwice(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let events = PlayerEvents()
            let player = try AVAudioPlayer(contentsOf: cutFile(lab), session: lab.session)
            player.delegate = events
            for round in 1...3 {
                let before = try await lab.heard().frames
                #expect(player.play())
                try await waitUntil("the end") { events.finished.count == round }
                _ = try await lab.heard()
                let sound = lab.monitor.soFar(from: before).soundRange()
                #expect(sound?.count ?? 0 > lab.rate * 3 / 2, "round \(round)")
            }
            #expect(events.finished == [false, false, false] && events.errors.count == 3)
        }
    }

    @Test(
        "S102: a player that begins anew before it is told of its damage is told of it all the same",
        arguments: HeadlessServer.Kind.allCases)
    func damageThenPlay(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let events = PlayerEvents()
            let player = try AVAudioPlayer(contentsOf: cutFile(lab), session: lab.session)
            player.delegate = events
            await MainActor.run {
                playToTheEnd(player)
                #expect(player.play())
            }
            try await events.waitForFinish()
            #expect(events.finished == [false])
        }
    }

    private func cutFile(_ lab: PlayerLab) throws -> URL {
        // Up to the damage more than is decoded ahead: who begins anew does not come upon it at once.
        let signal = TestSignal.noise(seconds: 4, sampleRate: lab.rate)
        let file = lab.server.directory.appendingPathComponent("cut.flac")
        let writer = try AudioFileWriter(
            path: file.path, container: .flac, encoding: .pcm16, sampleRate: Double(lab.rate), channels: 2)
        try writer.write(int16: signal.samples, frames: signal.frames)
        try writer.close()
        let bytes = try Data(contentsOf: file)
        try bytes.prefix(bytes.count / 2).write(to: file)
        return file
    }

    @Test(
        "S100, S103: the end undoes the preparation: a rate that was enabled since then counts from the next play on",
        .judges(.time(seconds: 0.05)), arguments: HeadlessServer.Kind.allCases)
    func rateAfterTheEnd(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
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
}
