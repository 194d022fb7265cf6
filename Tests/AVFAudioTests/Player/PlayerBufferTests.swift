import AVFAudio
import Foundation
import HeadlessServer
import TestSupport
import Testing

/// Much is queued on the server, and yet nothing is late: what has not been played is rendered again.
@Suite("Deep buffers without lag", .serialized, .limited)
struct PlayerBufferTests {
    @Test(
        "Sound that is rendered again all the time is the same sound", .judges(.gap(frames: 0)),
        arguments: HeadlessServer.Kind.allCases)
    func rewritesAreInaudible(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let player = try lab.player(lab.counter(seconds: 5))
            player.play()
            try await lab.monitor.waitForSound()
            for round in 0..<100 {
                try await lab.monitor.wait(seconds: 0.01 + 0.0003 * Double(round))
                player.volume = 1
                player.pan = 0
            }
            try await waitUntil("the end") { !player.isPlaying }
            expectWhole(try await lab.heard().counted, count: 5 * lab.rate)
        }
    }

    /// Seconds from a change to its first sample on the monitor, as the median of several; changes alternate.
    private func delay(
        _ lab: PlayerLab, _ change: (Int) -> Void, isHeard: (Recording, Int) -> Bool
    ) async throws -> Double {
        var delays: [Double] = []
        for round in 0..<9 {
            // Long enough for the queue to be full again.
            try await lab.monitor.wait(seconds: 0.25)
            let before = lab.monitor.frames
            change(round)
            try await lab.monitor.wait(seconds: 0.2)
            let heard = lab.monitor.soFar(from: before)
            let block = lab.rate / 1000
            let first = stride(from: 0, to: heard.frames - block, by: block).first { start in
                isHeard(heard, start)
            }
            delays.append(Double(first ?? heard.frames) / Double(lab.rate))
        }
        return delays.sorted()[delays.count / 2]
    }

    /// The blocks in which PipeWire's graph computes.
    enum Blocks: Int, CaseIterable, Sendable {
        /// As on a desktop, to see how soon something is heard. A virtual machine that pauses for longer than one of
        /// them, some 6 ms, loses sound of every program.
        case small = 256
        /// Those of the tests' servers, to see that all of it is heard.
        case usual = 1024
    }

    private func use(_ blocks: Blocks, _ lab: PlayerLab) async throws {
        guard lab.server.kind == .pipeWire else { return }
        let program = try ChildProcess(
            tool: "pw-metadata", ["-n", "settings", "0", "clock.min-quantum", "\(blocks.rawValue)"], on: lab.server)
        try await program.wait()
    }

    @Test(
        "A change of volume is heard within 20 ms", .judges(.gap(frames: 110)), arguments: HeadlessServer.Kind.allCases,
        Blocks.allCases)
    func volume(kind: HeadlessServer.Kind, blocks: Blocks) async throws {
        try await withPlayerLab(kind) { lab in
            try await use(blocks, lab)
            let player = try lab.player(lab.sine(1000, level: -12, seconds: 10))
            player.play()
            try await lab.monitor.waitForSound()
            try await lab.monitor.wait(seconds: 0.5)
            var isLow = false
            let median = try await delay(lab) { round in
                isLow = round % 2 == 0
                player.volume = isLow ? 0.1 : 1
            } isHeard: { heard, start in
                // The change is complete, 5 ms after its beginning.
                let level = heard.peakLevel(start..<start + lab.rate / 1000)
                return isLow ? level < -31 : level > -13
            }
            player.stop()
            if blocks == .small { return #expect(median < 0.03, "\(median)") }
            let sound = try await lab.heard()
            let range = try #require(sound.soundRange())
            let gaps = sound.gaps(threshold: -50, minimumFrames: lab.rate / 400)
            #expect(gaps.allSatisfy { !range.contains($0.lowerBound) })
        }
    }

    @Test(
        "Another player's start and pause are heard within 20 ms, and the first one goes on untouched",
        .judges(.rewrite), arguments: HeadlessServer.Kind.allCases, Blocks.allCases)
    func secondPlayer(kind: HeadlessServer.Kind, blocks: Blocks) async throws {
        try await withPlayerLab(kind) { lab in
            try await use(blocks, lab)
            let counting = TestSignal(
                samples: (0..<lab.rate * 8).flatMap { [Int16($0 % 32_000 + 1), 0] }, sampleRate: lab.rate)
            let tone = TestSignal(
                samples: (0..<lab.rate * 8).flatMap { [0, Int16($0 % 32_000 + 1)] }, sampleRate: lab.rate)
            let first = try lab.player(counting)
            let second = try lab.player(tone)
            #expect(second.prepareToPlay())
            first.play()
            try await lab.monitor.waitForSound()
            try await lab.monitor.wait(seconds: 0.5)
            var isOn = false
            let median = try await delay(lab) { round in
                isOn = round % 2 == 0
                if isOn { second.play() } else { second.pause() }
            } isHeard: { heard, start in
                (heard.channels[1][start..<start + lab.rate / 1000].contains { $0 != 0 }) == isOn
            }
            second.pause()
            if blocks == .small { return #expect(median < 0.03, "\(median)") }
            try await waitUntil("the end") { !first.isPlaying }
            let heard = try await lab.heard()
            for (channel, count) in [8 * lab.rate, nil].enumerated() {
                let values = heard.channels[channel].map { Int(($0 * 32_768).rounded()) }.filter { $0 != 0 }
                #expect(count == nil || values.count == count)
                let first = values.enumerated().first { $0.element != $0.offset % 32_000 + 1 }
                #expect(first == nil, "channel \(channel): \(first.map { "\($0)" } ?? "")")
            }
        }
    }

    @Test(
        "A player in a deep buffer steps back exactly, whoever else plays", .judges(.time(seconds: 0.1)),
        arguments: HeadlessServer.Kind.allCases)
    func seeks(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let other = try lab.player(lab.sine(440, level: -90, seconds: 6))
            let player = try lab.player(lab.counter(seconds: 6))
            other.play()
            player.play()
            try await lab.monitor.wait(seconds: 0.6)
            let rate = Double(lab.rate)
            for target in [100_000, 150_000, 50_000] {
                let before = lab.monitor.frames
                player.currentTime = Double(target) / rate
                try await lab.monitor.wait(seconds: 0.5)
                let position = player.currentTime * rate - Double(target)
                #expect(position > 0.4 * rate && position < 0.6 * rate)
                #expect(lab.monitor.frames - before < Int(1.5 * rate), "a machine this slow shows nothing")
            }
            player.stop()
            other.stop()
        }
    }
}
