import AVFAudio
import Foundation
import HeadlessServer
import TestSupport
import Testing

/// Volume, pan, fades, meters and mixing, judged by ear.
@Suite("How a player sounds", .serialized, .limited)
struct PlayerSoundTests {
    @Test(
        "S104: volume is linear, kept within 0 and 1, and can be set before and while playing",
        .judges(.level(decibels: 0.05)))
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
        .judges(.level(decibels: 0.1)), arguments: HeadlessServer.Kind.allCases)
    func pan(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            // A tone for each, so that one recording tells them apart; all have whole periods in what is looked at.
            let pans: [(tone: Double, pan: Float)] = zip(
                stride(from: 500, to: 5000, by: 500), [-1, -0.75, -0.5, -0.2, 0, 0.25, 0.5, 0.9, 1]
            ).map { ($0, $1) }
            let players = try pans.map { tone, pan in
                let player = try lab.player(lab.sine(tone, level: -32, seconds: 0.5))
                player.pan = pan
                #expect(player.pan == pan && player.prepareToPlay())
                return player
            }
            let start = players[0].deviceCurrentTime + 0.2
            for player in players { #expect(player.play(atTime: start)) }
            try await waitUntil("the ends") { players.allSatisfy { !$0.isPlaying } }
            let heard = try await lab.heard()
            let range = try #require(heard.soundRange())
            #expect(abs(range.count - lab.rate / 2) < lab.rate / 100, "all at once")
            let first = range.lowerBound + lab.rate / 10
            let middle = first..<first + lab.rate * 3 / 10
            for (tone, pan) in pans {
                let angle = Double(pan + 1) * .pi / 4
                var power = 0.0
                for (channel, gain) in [cos(angle), sin(angle)].enumerated() {
                    let level = heard.level(ofFrequency: tone, middle, channel: channel)
                    power += pow(10, level / 10)
                    if gain < 1e-6 {
                        #expect(level < -90, "\(pan)")
                    } else {
                        let ideal = -32 + 20 * log10(2.0.squareRoot() * gain)
                        #expect(abs(level - ideal) < 0.1, "\(level) for \(pan)")
                    }
                }
                #expect(abs(10 * log10(power) - -28.99) < 0.1, "constant power")
            }
        }
    }

    @Test(
        "S104: pan can be moved while playing, without a click", .judges(.gap(frames: 0)),
        arguments: HeadlessServer.Kind.allCases)
    func movingPan(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let player = try lab.player(lab.sine(500, level: -12, seconds: 5))
            player.play()
            let start = try await lab.monitor.waitForSound()
            for pan in [-1, 1, 0, 0.5, -0.5] as [Float] {
                player.pan = pan
                try await lab.monitor.wait(seconds: 0.2)
            }
            try await lab.monitor.wait(seconds: 0.2)
            let end = lab.monitor.frames - lab.rate / 10
            player.stop()
            let heard = try await lab.heard()
            for channel in 0...1 {
                let clicks = heard.discontinuities(
                    frequency: 500, tolerance: 0.003, in: start + 200..<end, channel: channel)
                #expect(Sanitizer.isThread || clicks.isEmpty, "channel \(channel)")
            }
            let last = end - lab.rate / 20..<end
            #expect(heard.level(ofFrequency: 500, last) > heard.level(ofFrequency: 500, last, channel: 1) + 5)
        }
    }

    @Test(
        "S105: a fade follows the linear ramp to half a decibel, up and down, without a click; 0 is immediate",
        .judges(.level(decibels: 0.1)), arguments: HeadlessServer.Kind.allCases, [0.3, 1])
    func fade(kind: HeadlessServer.Kind, seconds: Double) async throws {
        try await withPlayerLab(kind) { lab in
            let player = try lab.player(lab.sine(1000, level: -6, seconds: 6))
            player.volume = 0
            player.play()
            try await waitUntil("a moving position") { player.currentTime > 0.1 }
            player.setVolume(1, fadeDuration: seconds)
            #expect(player.volume == 1, "the target")
            try await waitUntil("the fade's end") { player.currentTime > 0.4 + seconds }
            player.setVolume(0.1, fadeDuration: seconds)
            try await waitUntil("the second fade's end") { player.currentTime > 0.7 + 2 * seconds }
            player.setVolume(0.5, fadeDuration: 0)
            try await waitUntil("a steady stretch") { player.currentTime > 1.2 + 2 * seconds }
            player.stop()
            let heard = try await lab.heard()
            let range = try #require(heard.soundRange(threshold: -70))
            guard !Sanitizer.isThread else { return }
            #expect(
                heard.discontinuities(
                    frequency: 1000, tolerance: 0.003, in: range.lowerBound + 50..<range.upperBound - 50
                ).count <= 1, "only what is immediate may be as steep as a volume is moved")
            let gains = gains(of: heard, in: range, level: -6)
            expectRamp(gains, from: 0, to: 1, seconds: seconds, in: 0..<gains.count / 2)
            expectRamp(gains, from: 1, to: 0.1, seconds: seconds, in: gains.count / 4..<gains.count)
            #expect(abs(heard.peakLevel(range.upperBound - lab.rate / 10..<range.upperBound) - -12.04) < 0.1)
        }
    }

    /// The linear gain in each piece of 5 ms, which is 5 periods of the tone.
    private func gains(of heard: Recording, in range: Range<Int>, level: Double) -> [Double] {
        let piece = heard.sampleRate / 200
        return stride(from: range.lowerBound, to: range.upperBound - piece, by: piece).map {
            let peak = heard.rmsLevel($0..<$0 + piece) + 3.01
            return pow(10, (peak - level) / 20)
        }
    }

    /// Places the ideal ramp where the sound passes its middle, and looks how far the rest of it is off.
    private func expectRamp(
        _ gains: [Double], from first: Double, to last: Double, seconds: Double, in range: Range<Int>
    ) {
        let middle = (first + last) / 2
        let crossing = range.dropFirst().first { (gains[$0] - middle) * (gains[$0 - 1] - middle) <= 0 }
        guard let crossing else {
            Issue.record("no ramp from \(first) to \(last)")
            return
        }
        let before = gains[crossing - 1]
        let centre = Double(crossing - 1) + (middle - before) / (gains[crossing] - before)
        let steps = Int(seconds * 200)
        for index in Int(centre) - steps / 2 - 10...Int(centre) + steps / 2 + 10 where gains.indices.contains(index) {
            let part = min(max(0.5 + (Double(index) - centre) / Double(steps), 0), 1)
            let ideal = first + (last - first) * part
            // Below, a piece is more than a third of the ramp's way from silence, and its own mean is half a decibel
            // off.
            guard ideal > 0.05 else { continue }
            #expect(abs(20 * log10(gains[index] / ideal)) < 0.5, "\(gains[index]) for \(ideal), piece \(index)")
        }
    }

    @Test(
        "S105: a later fade replaces an earlier one from where that is", .judges(.gap(frames: 100)),
        arguments: HeadlessServer.Kind.allCases)
    func replacedFade(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let player = try lab.player(lab.sine(1000, level: -6, seconds: 6))
            player.play()
            try await waitUntil("a moving position") { player.currentTime > 0.2 }
            player.setVolume(0, fadeDuration: 2)
            try await waitUntil("half of it") { player.currentTime > 1.2 }
            player.setVolume(1, fadeDuration: 0.5)
            try await waitUntil("the second end") { player.currentTime > 2.2 }
            player.setVolume(0, fadeDuration: 100)
            player.setVolume(0.5, fadeDuration: 0)
            try await waitUntil("a steady stretch") { player.currentTime > 2.8 }
            player.stop()
            let heard = try await lab.heard()
            let range = try #require(heard.soundRange())
            guard !Sanitizer.isThread else { return }
            #expect(heard.gaps(minimumFrames: 100).isEmpty, "it never came to 0")
            let lowest =
                stride(from: range.lowerBound, to: range.upperBound - 480, by: 480)
                .map { heard.rmsLevel($0..<$0 + 480) }.min() ?? 0
            #expect(lowest > -20 && lowest < -12, "turned round about half-way: \(lowest)")
            #expect(abs(heard.peakLevel(range.upperBound - lab.rate / 10..<range.upperBound) - -12.04) < 0.1)
        }
    }

    @Test(
        "S105: a fade goes on after a pause that was longer than its output's life, and with other channels",
        .judges(.level(decibels: 1.2, over: 0.1)), arguments: HeadlessServer.Kind.allCases, [false, true])
    func fadeElsewhere(kind: HeadlessServer.Kind, isAssigned: Bool) async throws {
        try await withPlayerLab(kind) { lab in
            let player = try lab.player(lab.sine(1000, level: -6, seconds: 20))
            player.play()
            try await waitUntil("a moving position") { player.currentTime > 0.2 }
            player.setVolume(0, fadeDuration: 8)
            if isAssigned {
                player.channelAssignments = lab.session.currentRoute.outputs.first?.channels.map { Array($0.prefix(2)) }
            } else {
                player.pause()
                // An implicit activation ends some seconds after its last sound.
                try await waitUntil("the stream's end", timeout: hangLimit) { try await lab.streams().isEmpty }
                #expect(player.play())
            }
            try await waitUntil("a while") { player.currentTime > 1.2 }
            player.stop()
            let heard = try await lab.heard()
            let end = try #require(heard.soundRange(threshold: -30)).upperBound
            let level = heard.level(ofFrequency: 1000, end - lab.rate / 10..<end)
            #expect(level > -9 && level < -6.5, "an eighth of the way: \(level)")
        }
    }

    @Test("S106, S107: meters are off at first, show what is heard, and fall silent with the player")
    func meters() async throws {
        try await withPlayerLab(.pulseAudio) { lab in
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

    @Test("S106: a player that waits for its time shows no level, also when it was heard before")
    func waitingMeters() async throws {
        try await withPlayerLab(.pipeWire) { lab in
            let player = try lab.player(lab.sine(1000, level: -10, seconds: 9))
            player.isMeteringEnabled = true
            player.play()
            try await waitUntil("measured sound") { player.currentTime > 0.3 }
            player.pause()
            let time = player.deviceCurrentTime + 1
            player.play(atTime: time)
            try await lab.monitor.wait(seconds: 0.3)
            player.updateMeters()
            #expect(player.isPlaying && player.deviceCurrentTime < time)
            #expect(player.peakPower(forChannel: 0) == -160 && player.averagePower(forChannel: 0) == -160)
            try await waitUntil("measured sound again") { player.currentTime > 0.6 }
            player.updateMeters()
            #expect(abs(player.peakPower(forChannel: 0) - -10) < 0.2)
        }
    }

    @Test(
        "S106: the levels are those of what is heard, not of what was decoded or rendered ahead",
        .judges(.time(seconds: 0.1)), arguments: HeadlessServer.Kind.allCases)
    func alignedMeters(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let quarter = lab.sine(1000, level: -10, seconds: 0.25) + lab.sine(1000, level: -30, seconds: 0.25)
            let player = try lab.player(quarter + quarter + quarter + quarter)
            player.isMeteringEnabled = true
            player.play()
            try await lab.monitor.waitForSound()
            /// Where the recording was when the meter rose or fell.
            var turns: [Int] = []
            var wasLoud = true
            while player.isPlaying {
                player.updateMeters()
                let isLoud = player.peakPower(forChannel: 0) > -20
                if isLoud != wasLoud { turns.append(lab.monitor.frames) }
                wasLoud = isLoud
                try await lab.monitor.wait(seconds: 0.004)
            }
            let heard = try await lab.heard()
            let start = try #require(heard.soundRange()).lowerBound
            let delays = turns.prefix(7).enumerated().map { index, frame -> Double in
                let heardAt = start + (index + 1) * lab.rate / 4
                return Double(frame - heardAt) / Double(lab.rate)
            }
            #expect(delays.count == 7)
            // The peak of the last 50 ms: it rises at once, and falls 50 ms later.
            let median = delays.sorted()[delays.count / 2]
            #expect(median > -0.03 && median < 0.1, "\(delays)")
        }
    }

    @Test(
        "S110: several players add up; when one ends the other goes on without a gap",
        .judges(.gap(frames: 50)), arguments: HeadlessServer.Kind.allCases)
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

    @Test(
        "S110: pausing one of two leaves the other untouched, and nothing of the first is lost",
        .judges(.gap(frames: 0)))
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
                let time = try await first.settledTime()
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
