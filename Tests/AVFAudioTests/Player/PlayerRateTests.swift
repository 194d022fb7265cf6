import AVFAudio
import Foundation
import HeadlessServer
import TestSupport
import Testing

@Suite("S103: rate", .serialized, .limited)
struct PlayerRateTests {
    @Test(
        "S103: from half to twice as fast the pitch is kept, the duration is right, and nothing clicks",
        .judges(.level(decibels: 0.3)), arguments: HeadlessServer.Kind.allCases, [0.5, 1.25, 2] as [Float])
    func pitchIsKept(kind: HeadlessServer.Kind, rate: Float) async throws {
        try await withPlayerLab(kind) { lab in
            let events = PlayerEvents()
            let player = try lab.player(lab.sine(440, seconds: 2), events: events)
            player.enableRate = true
            player.rate = rate
            #expect(player.play())
            #expect(player.duration == 2, "S98: unaffected by the rate")
            try await events.waitForFinish()
            let heard = try await lab.heard()
            let range = try #require(heard.soundRange(threshold: -50))
            let middle = range.lowerBound + lab.rate / 10..<range.upperBound - lab.rate / 10
            #expect(abs(try #require(heard.frequency(middle)) - 440) < 1)
            #expect(events.finished == [true])
            // There are gaps where the server waits for the stretch.
            guard !Sanitizer.isThread else { return }
            let seconds = Double(range.count) / Double(lab.rate)
            let share = seconds * Double(rate) / 2
            #expect(abs(share - 1) < 0.01)
            #expect(heard.discontinuities(frequency: 440, in: middle).isEmpty)
            #expect(abs(heard.peakLevel(middle) - -12) < 0.3)
        }
    }

    @Test(
        "S103: the rate counts only if it was enabled before the preparation", .judges(.gap(frames: 0)),
        arguments: [false, true])
    func enabling(late: Bool) async throws {
        try await withPlayerLab(.pulseAudio) { lab in
            let player = try lab.player(lab.counter(seconds: 0.5))
            #expect(!player.enableRate && player.rate == 1)
            player.rate = 2
            #expect(player.prepareToPlay())
            if late { player.enableRate = true }
            #expect(player.play())
            try await waitUntil("the end") { !player.isPlaying }
            expectWhole(try await lab.heard().counted, count: lab.rate / 2)
        }
    }

    @Test(
        "S103: rates outside of 0.5 to 2 are brought into that range; 1 leaves every sample as it is",
        .judges(.gap(frames: 0)))
    func range() async throws {
        try await withPlayerLab(.pulseAudio) { lab in
            let player = try lab.player(lab.counter(seconds: 0.5))
            player.enableRate = true
            player.rate = 7
            #expect(player.rate == 2)
            player.rate = 0
            #expect(player.rate == 0.5)
            player.rate = .nan
            #expect(player.rate == 1)
            #expect(player.play())
            try await waitUntil("the end") { !player.isPlaying }
            expectWhole(try await lab.heard().counted, count: lab.rate / 2)
        }
    }

    @Test(
        "S103: the rate can be changed while playing, without a click and without losing the place",
        .judges(.gap(frames: 60)), arguments: HeadlessServer.Kind.allCases)
    func changes(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let player = try lab.player(lab.sine(440, seconds: 10))
            player.enableRate = true
            #expect(player.play())
            let start = try await lab.monitor.waitForSound()
            for rate in [2, 0.5, 1, 1.25, 0.8, 1] as [Float] {
                try await lab.monitor.wait(seconds: 0.4)
                player.rate = rate
                #expect(player.rate == rate && player.isPlaying)
            }
            try await lab.monitor.wait(seconds: 0.4)
            let end = lab.monitor.frames
            player.stop()
            let heard = try await lab.heard()
            let range = start + lab.rate / 100..<min(end, try #require(heard.soundRange()).upperBound - lab.rate / 20)
            #expect(heard.gaps(minimumFrames: 60, in: range).isEmpty)
            #expect(heard.discontinuities(frequency: 440, in: range).isEmpty)
            #expect(abs(try #require(heard.frequency(range)) - 440) < 0.5)
        }
    }

    @Test(
        "S103: a rate that is set just before play counts from the first frame on, alone and beside another player",
        .judges(.time(seconds: 0.05)), arguments: HeadlessServer.Kind.allCases, [false, true])
    func setBeforePlay(kind: HeadlessServer.Kind, isBeside: Bool) async throws {
        try await withPlayerLab(kind) { lab in
            let other = try lab.player(lab.sine(880, level: -90, seconds: 60))
            if isBeside {
                #expect(other.play())
                try await waitUntil("the other") { other.currentTime > 0 }
            }
            let player = try lab.player(lab.sine(440, seconds: 0.2))
            player.enableRate = true
            #expect(player.prepareToPlay())
            for _ in 0..<3 {
                // So that its decoder is done with what was asked before.
                player.rate = 1
                player.currentTime = 0
                let frame = lab.monitor.frames
                player.rate = 0.5
                #expect(player.play())
                try await waitUntil("the end") { !player.isPlaying }
                _ = try await lab.heard()
                let range = try #require(lab.monitor.soFar(from: frame).soundRange(threshold: -50))
                guard !Sanitizer.isThread else { continue }
                let seconds = Double(range.count) / Double(lab.rate)
                // At the old rate it began with up to 50 ms, and was 0.33 s long at most.
                #expect(seconds > 0.35 && seconds < 0.45, "\(seconds)")
            }
            other.stop()
        }
    }

    /// The frequency of the sound tells its place.
    @Test(
        "S97, S103: currentTime counts the file's time at any rate, over changes, loops and pauses",
        .judges(.time(seconds: 0.045)), arguments: HeadlessServer.Kind.allCases)
    func fileTime(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let player = try lab.player(ladder(lab))
            player.enableRate = true
            player.rate = 2
            player.numberOfLoops = -1
            #expect(player.play())
            try await lab.monitor.waitForSound()
            for rate in [2, 0.5, 1, 1.5] as [Float] {
                player.rate = rate
                // The change is heard after what was queued.
                try await lab.monitor.wait(seconds: 0.5)
                for _ in 0..<3 {
                    try await lab.monitor.wait(seconds: 0.1)
                    player.pause()
                    let time = try await player.settledTime()
                    let heard = try await lab.heard()
                    let end = try #require(heard.soundRange(threshold: -40)).upperBound
                    let frequency = try #require(heard.frequency(end - lab.rate / 50..<end - 20))
                    // 1000 Hz more with each second; the last 20 ms are heard 10 ms before their end.
                    let place = (frequency - 500) / 1000 + 0.01 * Double(rate)
                    let error = (time - place).remainder(dividingBy: 3)
                    #expect(abs(error) < 0.045, "rate \(rate): \(time), heard \(place)")
                    #expect(player.play())
                }
            }
            player.stop()
        }
    }

    /// Three seconds whose frequency rises by 1000 Hz a second, from 500 Hz on.
    private func ladder(_ lab: PlayerLab) -> TestSignal {
        let samples: [Int16] = (0..<3 * lab.rate).flatMap { frame -> [Int16] in
            let time = Double(frame) / Double(lab.rate)
            let periods = 500 * time + 500 * time * time
            let sample = Int16(8000 * sin(2 * Double.pi * periods))
            return [sample, sample]
        }
        return TestSignal(samples: samples, sampleRate: lab.rate)
    }

    @Test(
        "S99, S103: rounds follow each other without a seam at any rate, as many as were asked for",
        .judges(.gap(frames: 60)), arguments: HeadlessServer.Kind.allCases, [0.5, 1.5] as [Float])
    func loops(kind: HeadlessServer.Kind, rate: Float) async throws {
        try await withPlayerLab(kind) { lab in
            let events = PlayerEvents()
            // 220 whole periods.
            let player = try lab.player(lab.sine(440, seconds: 0.5), events: events)
            player.enableRate = true
            player.rate = rate
            player.numberOfLoops = 3
            #expect(player.play())
            try await events.waitForFinish()
            let heard = try await lab.heard()
            let range = try #require(heard.soundRange(threshold: -50))
            guard !Sanitizer.isThread else { return }
            let seconds = Double(range.count) / Double(lab.rate)
            #expect(abs(seconds * Double(rate) - 2) < 0.02)
            let middle = range.lowerBound + 100..<range.upperBound - lab.rate / 50
            #expect(heard.discontinuities(frequency: 440, in: middle).isEmpty)
            #expect(heard.gaps(minimumFrames: 60).isEmpty)
        }
    }

    @Test("S103: a hundred changes of rate from several threads, while playing and in between, leave the player sound")
    func hammered() async throws {
        try await withPlayerLab(.pulseAudio) { lab in
            let events = PlayerEvents()
            let player = try lab.player(lab.sine(440, seconds: 6), events: events)
            player.enableRate = true
            let shared = Keeper(player)
            #expect(player.play())
            try await withThrowingTaskGroup(of: Void.self) { group in
                for thread in 0..<2 {
                    group.addTask {
                        try await offPool {
                            for round in 0..<50 {
                                shared.player?.rate = 0.5 + Float((round * 7 + thread * 13) % 31) / 20
                                if round % 10 == 5 { shared.player?.pause() }
                                if round % 10 == 6 { shared.player?.play() }
                                if round % 17 == 3 { shared.player?.currentTime = Double(round % 4) }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            player.rate = 2
            player.currentTime = 4
            #expect(player.play())
            try await events.waitForFinish()
            #expect(events.finished == [true] && events.errors.isEmpty)
            #expect(!player.isPlaying && player.currentTime == 0)
        }
    }
}
