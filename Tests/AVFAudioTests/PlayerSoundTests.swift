import AVFAudio
import Foundation
import HeadlessServer
import TestSupport
import Testing

/// Volume, pan, fades, meters and mixing, judged by ear.
@Suite("How a player sounds", .serialized, .timeLimit(.minutes(60)))
struct PlayerSoundTests {
    @Test("S104: volume is linear, kept within 0 and 1, and can be set before and while playing")
    func volume() async throws {
        try await withPlayerLab(.pulseAudio) { lab in
            let player = try lab.player(lab.sine(1000, level: -6, seconds: 3))
            #expect(player.volume == 1 && player.pan == 0)
            player.volume = 2
            #expect(player.volume == 1)
            player.volume = -1
            #expect(player.volume == 0)
            player.volume = 0.5
            player.play()
            let start = try await lab.monitor.waitForSound()
            try await lab.monitor.wait(seconds: 0.5)
            player.volume = 0.1
            try await lab.monitor.wait(seconds: 0.5)
            player.stop()
            let heard = try await lab.heard()
            let quarter = lab.rate / 4
            #expect(abs(heard.peakLevel(start..<start + quarter) - -12.04) < 0.05)
            let end = try #require(heard.soundRange()).upperBound
            #expect(abs(heard.peakLevel(end - quarter..<end) - -26.02) < 0.05)
            #expect(heard.discontinuities(frequency: 1000, in: start + 200..<end - 200).isEmpty, "no click")
        }
    }

    @Test(
        "S104: pan moves the sound at constant power; the centre is as loud as without it",
        arguments: [(-1, 3.01, -200), (1, -200, 3.01), (0, 0, 0), (0.5, -5.33, 2.32)] as [(Float, Double, Double)])
    func pan(pan: Float, left: Double, right: Double) async throws {
        try await withPlayerLab(.pulseAudio) { lab in
            let player = try lab.player(lab.sine(1000, level: -12, seconds: 0.5))
            player.pan = pan
            #expect(player.pan == pan)
            player.play()
            try await waitUntil("the end") { !player.isPlaying }
            let heard = try await lab.heard()
            let range = try #require(heard.soundRange())
            let middle = range.lowerBound + lab.rate / 10..<range.upperBound - lab.rate / 10
            for (channel, change) in [left, right].enumerated() {
                let level = heard.peakLevel(middle, channel: channel)
                if change < -100 {
                    #expect(level < -90)
                } else {
                    #expect(abs(level - (-12 + change)) < 0.3, "\(level)")
                }
            }
        }
    }

    @Test(
        "S105: a fade is linear and takes its time; a later one replaces it; 0 is immediate",
        arguments: HeadlessServer.Kind.allCases)
    func fade(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let player = try lab.player(lab.sine(1000, level: -6, seconds: 4))
            player.volume = 0
            player.play()
            try await waitUntil("a moving position") { player.currentTime > 0.1 }
            player.setVolume(1, fadeDuration: 0.5)
            #expect(player.volume == 1, "the target")
            try await waitUntil("the fade's end") { player.currentTime > 1 }
            player.setVolume(0, fadeDuration: 100)
            player.setVolume(0.5, fadeDuration: 0)
            try await waitUntil("a steady stretch") { player.currentTime > 1.6 }
            player.stop()
            let heard = try await lab.heard()
            // A fade of 0.5 s to -6 dBFS is above -50 dBFS after 3 ms.
            let start = try #require(heard.soundRange(threshold: -50)).lowerBound - lab.rate * 3 / 1000
            // In a linear fade of 0.5 s the amplitude is a half at 0.25 s.
            func amplitude(_ seconds: Double) -> Double {
                let end = start + Int(seconds * Double(lab.rate))
                return pow(10, (heard.peakLevel(end - lab.rate / 100..<end) + 6) / 20)
            }
            #expect(abs(amplitude(0.125) - 0.25) < 0.03, "\(amplitude(0.125))")
            #expect(abs(amplitude(0.25) - 0.5) < 0.03, "\(amplitude(0.25))")
            #expect(abs(amplitude(0.375) - 0.75) < 0.03, "\(amplitude(0.375))")
            #expect(abs(amplitude(0.55) - 1) < 0.02, "\(amplitude(0.55))")
            let end = try #require(heard.soundRange()).upperBound
            #expect(abs(heard.peakLevel(end - lab.rate / 10..<end) - -12.04) < 0.1, "the long fade was replaced")
        }
    }

    @Test(
        "S106, S107: meters are off at first, show what is heard, and fall silent with the player",
        arguments: HeadlessServer.Kind.allCases)
    func meters(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let sound = lab.sine(1000, level: -10, seconds: 1) + lab.sine(1000, level: -30, seconds: 2)
            let player = try lab.player(sound)
            #expect(!player.isMeteringEnabled)
            player.play()
            try await waitUntil("sound") { player.currentTime > 0.1 }
            player.updateMeters()
            #expect(player.averagePower(forChannel: 0) == -160 && player.peakPower(forChannel: 0) == -160)
            player.isMeteringEnabled = true
            #expect(player.peakPower(forChannel: 0) == -160, "only updateMeters takes levels")
            try await waitUntil("measured sound") { player.currentTime > 0.5 }
            player.updateMeters()
            for channel in 0...1 {
                #expect(abs(player.peakPower(forChannel: channel) - -10) < 0.2)
                #expect(abs(player.averagePower(forChannel: channel) - -13.01) < 0.2)
            }
            #expect(player.peakPower(forChannel: 2) == -160 && player.peakPower(forChannel: -1) == -160)
            let frozen = player.peakPower(forChannel: 0)
            try await waitUntil("the quiet part") { player.currentTime > 1.2 }
            #expect(player.peakPower(forChannel: 0) == frozen)
            player.updateMeters()
            #expect(abs(player.peakPower(forChannel: 0) - -30) < 0.2)
            player.volume = 0.1
            try await waitUntil("the lowered sound") { player.currentTime > 1.6 }
            player.updateMeters()
            #expect(abs(player.peakPower(forChannel: 0) - -50) < 0.2, "after the volume")
            player.pause()
            player.updateMeters()
            #expect(player.peakPower(forChannel: 0) == -160)
        }
    }

    @Test(
        "S110: several players add up; when one ends the other goes on without a gap",
        arguments: HeadlessServer.Kind.allCases)
    func mixing(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let long = try lab.player(lab.sine(500, level: -12, seconds: 2))
            let short = try lab.player(lab.sine(2000, level: -18, seconds: 0.7))
            #expect(long.prepareToPlay() && short.prepareToPlay())
            long.play()
            short.play()
            #expect(try await lab.streams().count == 1)
            try await waitUntil("the end") { !long.isPlaying && !short.isPlaying }
            let heard = try await lab.heard()
            let range = try #require(heard.soundRange())
            #expect(range.count >= 2 * lab.rate - 50 && range.count <= 2 * lab.rate + 50)
            let together = range.lowerBound + lab.rate / 4..<range.lowerBound + lab.rate / 2
            #expect(abs(heard.level(ofFrequency: 500, together) - -12) < 0.1)
            #expect(abs(heard.level(ofFrequency: 2000, together) - -18) < 0.1)
            let alone = range.lowerBound + lab.rate * 3 / 2..<range.upperBound - 100
            #expect(abs(heard.peakLevel(alone) - -12) < 0.05)
            #expect(heard.discontinuities(frequency: 500, in: alone).isEmpty)
            #expect(heard.gaps(minimumFrames: lab.rate / 400).isEmpty)
        }
    }

    @Test("S110: pausing one of two leaves the other untouched, and nothing of the first is lost")
    func pausingOneOfTwo() async throws {
        try await withPlayerLab(.pulseAudio) { lab in
            // The first counts on the left channel only, so that it can be read while the other sounds on the right.
            let left = TestSignal(
                samples: (0..<lab.rate * 2).flatMap { [Int16($0 % 32_000 + 1), 0] }, sampleRate: lab.rate)
            let right = TestSignal(
                samples: (0..<lab.rate * 3).flatMap { [0, Int16($0 % 32_000 + 1)] }, sampleRate: lab.rate)
            let first = try lab.player(left)
            let second = try lab.player(right)
            #expect(first.prepareToPlay())
            second.play()
            for _ in 0..<4 {
                first.play()
                try await lab.monitor.wait(seconds: 0.3)
                first.pause()
                let time = first.currentTime
                try await lab.monitor.wait(seconds: 0.1)
                #expect(first.currentTime == time)
            }
            first.play()
            try await waitUntil("the ends") { !first.isPlaying && !second.isPlaying }
            let heard = try await lab.heard()
            for (channel, count) in [2 * lab.rate, 3 * lab.rate].enumerated() {
                let values = heard.channels[channel].map { Int($0 * 32_768) }.filter { $0 != 0 }
                #expect(values.count == count)
                #expect(values.enumerated().allSatisfy { $0.element == $0.offset % 32_000 + 1 })
            }
            // The second was never interrupted.
            let range = try #require(heard.soundRange(threshold: -90))
            #expect(heard.channels[1][range].drop { $0 == 0 }.prefix(3 * lab.rate).allSatisfy { $0 != 0 })
        }
    }
}
