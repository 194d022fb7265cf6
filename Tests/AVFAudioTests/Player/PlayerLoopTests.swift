import AVFAudio
import Foundation
import HeadlessServer
import TestSupport
import Testing

@Suite("S99: loops", .serialized, .limited)
struct PlayerLoopTests {
    @Test(
        "A sound that is looped is heard without a gap, to the sample", .judges(.gap(frames: 0)),
        arguments: HeadlessServer.Kind.allCases)
    func gapless(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let events = PlayerEvents()
            let signal = TestSignal.noise(seconds: 0.4, sampleRate: lab.rate)
            let player = try lab.player(signal, events: events)
            player.numberOfLoops = 3
            player.play()
            try await events.waitForFinish()
            let heard = try await lab.heard().samples16
            let wanted = signal.samples + signal.samples + signal.samples + signal.samples
            let first = try #require(heard.firstIndex { $0 != 0 }) / 2 * 2
            #expect(heard.count >= first + wanted.count)
            #expect(heard[first...].prefix(wanted.count).elementsEqual(wanted))
            #expect(heard[(first + wanted.count)...].allSatisfy { $0 == 0 })
            #expect(events.finished == [true])
        }
    }

    @Test(
        "A loop much shorter than a chunk of the decoder is heard as often as it was asked for",
        .judges(.gap(frames: 0)))
    func shortLoops() async throws {
        try await withPlayerLab(.pulseAudio) { lab in
            let events = PlayerEvents()
            let signal = TestSignal.counter(from: 1, seconds: 0.001)
            let player = try lab.player(signal, events: events)
            player.numberOfLoops = 999
            player.play()
            try await lab.monitor.waitForSound()
            try await lab.monitor.wait(seconds: 0.3)
            player.pause()
            // Frame n of the file counts n + 1: where it stands is where the last one heard ended.
            let last = try #require(try await lab.heard().counted.last)
            let position = Int((try await player.settledTime() * Double(lab.rate)).rounded())
            #expect(position % signal.frames == last % signal.frames)
            player.play()
            try await events.waitForFinish()
            let heard = try await lab.heard().counted
            #expect(heard.count == 1000 * signal.frames)
            #expect(heard.enumerated().allSatisfy { $0.element == $0.offset % signal.frames + 1 })
        }
    }

    @Test(
        "The number of loops can be lowered while playing: the present one is the last",
        .judges(.gap(frames: 100)), arguments: HeadlessServer.Kind.allCases)
    func lowered(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let events = PlayerEvents()
            let player = try lab.player(lab.counter(seconds: 0.5), events: events)
            player.numberOfLoops = 10
            player.play()
            try await lab.monitor.waitForSound()
            try await lab.monitor.wait(seconds: 0.7)
            player.numberOfLoops = 0
            #expect(player.isPlaying)
            let before = lab.monitor.soFar().counted.count
            try await events.waitForFinish(timeout: .seconds(2))
            let recording = try await lab.heard()
            let heard = recording.counted
            #expect(recording.gaps(minimumFrames: 100) == [])
            #expect(heard.count % (lab.rate / 2) == 0, "\(heard.count): nothing was lost or heard twice")
            #expect(heard.count - before <= lab.rate / 2, "the loop that was heard then was the last")
        }
    }

    @Test(
        "The number of loops can be raised while playing, even while the last frames are on their way",
        .judges(.gap(frames: 0)), arguments: [0.1, 0.42])
    func raised(after seconds: Double) async throws {
        try await withPlayerLab(.pulseAudio) { lab in
            let events = PlayerEvents()
            let player = try lab.player(lab.counter(seconds: 0.5), events: events)
            player.play()
            let start = try await lab.monitor.waitForSound()
            try await lab.monitor.wait(untilFrames: start + Int(seconds * Double(lab.rate)))
            player.numberOfLoops = 2
            try await events.waitForFinish()
            let heard = try await lab.heard().counted
            #expect(heard.count == lab.rate * 3 / 2)
            #expect(events.finished == [true])
        }
    }

    @Test(
        "A change of volume after the number of loops was raised leaves no gap before the seam",
        .judges(.gap(frames: 100)), arguments: HeadlessServer.Kind.allCases)
    func raisedAndChanged(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let events = PlayerEvents()
            // All of it is on its way to the server at once.
            let player = try lab.player(lab.counter(seconds: 0.5), events: events)
            player.play()
            let start = try await lab.monitor.waitForSound()
            player.numberOfLoops = 2
            try await lab.monitor.wait(untilFrames: start + lab.rate / 5)
            player.volume = 1
            try await events.waitForFinish()
            let heard = try await lab.heard()
            #expect(heard.gaps(minimumFrames: 100) == [])
            #expect(heard.counted.count == lab.rate * 3 / 2)
        }
    }

    @Test(
        "A negative number loops until the player is stopped", .judges(.gap(frames: 0)),
        arguments: HeadlessServer.Kind.allCases)
    func endless(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let events = PlayerEvents()
            let player = try lab.player(lab.counter(seconds: 0.1), events: events)
            player.numberOfLoops = -1
            player.play()
            try await lab.monitor.waitForSound()
            try await lab.monitor.wait(seconds: 0.8)
            #expect(player.isPlaying)
            player.stop()
            let heard = try await lab.heard().counted
            #expect(heard.count > lab.rate * 7 / 10, "seven rounds and more")
            #expect(heard.enumerated().allSatisfy { $0.element == $0.offset % (lab.rate / 10) + 1 })
            #expect(events.finished.isEmpty)
        }
    }
}
