import AVFAudio
import Foundation
import HeadlessServer
import TestSupport
import Testing

/// Players that start together, judged by samples that tell who is sounding.
@Suite("Synchronised start", .serialized, .limited)
struct PlayerSyncTests {
    private static let players = 8

    /// A sound whose every sample is the player's own bit, so that the sum tells which players sound.
    private static func bit(_ index: Int, seconds: Double, rate: Int) -> TestSignal {
        let value = Int16(16 << index)
        return TestSignal(
            samples: [Int16](repeating: value, count: 2 * Int(seconds * Double(rate))), sampleRate: rate)
    }

    private static let all = (0..<players).reduce(0) { $0 | 16 << $1 }

    @Test(
        "S109: eight players that are given the same time begin on the same frame", .judges(.gap(frames: 0)),
        arguments: HeadlessServer.Kind.allCases, [false, true])
    func together(kind: HeadlessServer.Kind, overMusic: Bool) async throws {
        try await withPlayerLab(kind) { lab in
            // Music at one step of 16 bits does not hide the others' bits.
            let music = try lab.player(
                TestSignal(samples: [Int16](repeating: 1, count: 12 * lab.rate), sampleRate: lab.rate))
            if overMusic {
                music.play()
                try await lab.monitor.waitForSound(threshold: -100)
                try await lab.monitor.wait(seconds: 0.4)
            }
            let players = try (0..<Self.players).map { index in
                try lab.player(Self.bit(index, seconds: 0.25, rate: lab.rate))
            }
            for player in players { #expect(player.prepareToPlay()) }
            let time = players[0].deviceCurrentTime + 0.4
            for player in players { #expect(player.play(atTime: time)) }
            #expect(players.allSatisfy { $0.isPlaying && $0.currentTime == 0 })
            try await waitUntil("the ends") { players.allSatisfy { !$0.isPlaying } }
            music.stop()
            let sums = try await lab.heard().samples16.map { Int($0) & ~15 }.filter { $0 != 0 }
            #expect(sums.allSatisfy { $0 == Self.all }, "\(Set(sums))")
            #expect(sums.count == 2 * (lab.rate / 4))
        }
    }

    @Test(
        "A start that is to come keeps nothing else waiting: a pause and an earlier start come first",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func startsToCome(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let players = try (0..<3).map { try lab.player(Self.bit($0, seconds: 3, rate: lab.rate)) }
            let (music, late, early) = (players[0], players[1], players[2])
            for player in players { #expect(player.prepareToPlay()) }
            music.play()
            try await lab.monitor.waitForSound(threshold: -90)
            try await lab.monitor.wait(seconds: 0.4)
            let start = music.deviceCurrentTime + 0.9
            #expect(late.play(atTime: start))
            // The first start is in the queue when the others come.
            try await lab.monitor.wait(seconds: 0.1)
            #expect(early.play(atTime: start - 0.5))
            let position = music.currentTime
            music.pause()
            #expect(music.currentTime < position + 0.2)
            try await waitUntil("the late one") { late.currentTime > 0.2 }
            for player in players { player.stop() }
            let sums = try await lab.heard().samples16.map { Int($0) }
            func frames(of index: Int) -> (first: Int, count: Int) {
                let heard = stride(from: 0, to: sums.count, by: 2).filter { sums[$0] & 16 << index != 0 }
                return ((heard.first ?? 0) / 2, heard.count)
            }
            #expect(frames(of: 0).count == Int((music.currentTime * Double(lab.rate)).rounded()))
            #expect(frames(of: 1).first - frames(of: 2).first == lab.rate / 2)
        }
    }

    @Test(
        "S109: it begins when it should, and S108: the time goes on", .judges(.time(seconds: 0.03)),
        arguments: HeadlessServer.Kind.allCases)
    func onTime(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let player = try lab.player(lab.counter(seconds: 1))
            #expect(player.deviceCurrentTime == 0)
            #expect(player.prepareToPlay())
            let start = player.deviceCurrentTime
            #expect(player.play(atTime: start + 0.5))
            var last = start
            while player.currentTime == 0 {
                let now = player.deviceCurrentTime
                #expect(now >= last)
                last = now
                try await lab.monitor.wait(seconds: 0.002)
            }
            // Within what a busy machine does to two questions in a row.
            #expect(abs(last - (start + 0.5)) < 0.05, "\(last - start)")
            let (position, now) = (player.currentTime, player.deviceCurrentTime)
            #expect(abs(now - start - 0.5 - position) < 0.03, "\(now - start - 0.5 - position)")
            try await waitUntil("the end") { !player.isPlaying }
            let after = player.deviceCurrentTime
            #expect(after >= last + 0.9)
            try await lab.monitor.wait(seconds: 0.1)
            #expect(player.deviceCurrentTime > after)
            expectWhole(try await lab.heard().counted, count: lab.rate)
        }
    }

    @Test(
        "S108: the time goes on while a player is paused, also when its output has been given up meanwhile",
        .judges(.gap(frames: 0)), arguments: HeadlessServer.Kind.allCases)
    func longPause(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let player = try lab.player(lab.counter(seconds: 2))
            #expect(player.play())
            try await waitUntil("a moving position") { player.currentTime > 0.5 }
            player.pause()
            let paused = player.deviceCurrentTime
            var last = paused
            // An implicit activation ends some seconds after its last sound.
            try await waitUntil("the stream's end", timeout: hangLimit) {
                let now = player.deviceCurrentTime
                #expect(now >= last)
                last = now
                return try await lab.streams().isEmpty
            }
            // A place in what the app began with, as in a sequencer: by now it has passed.
            #expect(player.play(atTime: paused + 0.1))
            try await waitUntil("the end", timeout: .seconds(3)) { !player.isPlaying }
            #expect(player.deviceCurrentTime > last + 1)
            expectWhole(try await lab.heard().counted, count: 2 * lab.rate)
        }
    }

    @Test(
        "S109: a start can be called off, and a time that has passed is now", .judges(.gap(frames: 0)),
        arguments: HeadlessServer.Kind.allCases)
    func calledOff(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let player = try lab.player(lab.counter(seconds: 0.3))
            #expect(player.prepareToPlay())
            #expect(player.play(atTime: player.deviceCurrentTime + 60))
            #expect(player.isPlaying)
            try await lab.monitor.wait(seconds: 0.2)
            player.pause()
            #expect(!player.isPlaying && player.currentTime == 0)
            #expect(player.play(atTime: player.deviceCurrentTime - 1))
            try await waitUntil("the end") { !player.isPlaying }
            expectWhole(try await lab.heard().counted, count: lab.rate * 3 / 10)
        }
    }
}
