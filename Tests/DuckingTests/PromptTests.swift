import Foundation
import HeadlessServer
import PulseClient
import SoundAnalysis
import TestSupport
import Testing

/// A prompt of another program, as the command line knows it: `audiosession run … --option duckOthers -- paplay
/// prompt.wav`.
@Suite(.serialized, .limited) struct PromptTests {
    /// The same program plays the music and the prompt: what the server remembers for it must not reach the prompt.
    @Test(
        "a prompt lowers a player and foreign programs by 20 dB, not itself, and leaves no trace",
        .judges(.level(decibels: 0.5)), arguments: HeadlessServer.Kind.allCases)
    func prompt(kind: HeadlessServer.Kind) async throws {
        try await withStage(kind) { stage in
            let player = try await stage.player()
            let music = try await stage.foreign()
            let native = try await stage.native()
            let reader = try await stage.foreign(Tone.reader, role: "a11y")
            let others = [Tone.player, Tone.music] + (native == nil ? [] : [Tone.native])
            for tone in others + [Tone.reader] { try await stage.wait(tone, at: Tone.level) }
            let before = try await stage.currentVolumes()
            // All of it is what was heard before, of the last to be heard too.
            try await stage.ear.wait(seconds: 1)
            let first = stage.ear.frames - 44_100

            try await play(seconds: 3, on: stage)
            for tone in others { try await stage.wait(tone, at: Tone.level, "after the prompt") }
            try await stage.ear.wait(seconds: 0.3)
            let heard = Heard(stage.ear.soFar(from: max(0, first)))
            heard.expectLowered(others)
            for tone in others { heard.expectSmooth(tone, decibels: tone == Tone.player ? 4 : 10) }

            try await stage.waitForVolumes(like: before)
            try await stage.waitUntilNothingIsLeft()
            try await stage.waitForSessions(of: [player])
            try await stage.end(music)
            let next = try await stage.foreign()
            #expect(try await stage.currentVolumes().isLike(before))
            try await stage.wait(Tone.music, at: Tone.level, "of the next stream")
            try await stage.end(player, native, reader, next)
        }
    }

    @Test(
        "a stream that begins while others are lowered goes down at once, and comes up with them",
        .judges(.time(seconds: 0.1)), arguments: HeadlessServer.Kind.allCases)
    func newborn(kind: HeadlessServer.Kind) async throws {
        try await withStage(kind) { stage in
            let music = try await stage.foreign()
            try await stage.wait(Tone.music, at: Tone.level)
            let prompt = try ChildProcess(
                "audiosession", ["run"] + DuckStage.ducking + ["--", "sleep", "60"], on: stage.server)
            try await stage.wait(Tone.music, at: Tone.lowered)
            let first = stage.ear.frames
            let late = try await stage.foreign(Tone.native)
            try await stage.wait(Tone.native, at: Tone.lowered)
            // With a ramp it would be 16 windows of 10 ms.
            let loud = stage.ear.soFar(from: first).envelope(Tone.native).filter { $0 > Tone.lowered + 6 }.count
            #expect(loud < 10, "loud for \(loud * 10) ms")
            let end = stage.ear.frames
            prompt.send(SIGTERM)
            try await prompt.wait()
            for tone in [Tone.music, Tone.native] { try await stage.wait(tone, at: Tone.level, "afterwards") }
            let up = stage.ear.soFar(from: end).envelope(Tone.native)
            #expect(up.filter { $0 > Tone.lowered + 2 && $0 < Tone.level - 2 }.count > 20, "no ramp up")
            try await stage.waitUntilNothingIsLeft()
            try await stage.end(music, late)
        }
    }

    @Test(
        "mpv is lowered, and its next file is as loud as before",
        .enabled(if: HeadlessServer.findBinary("mpv") != nil, "needs mpv"),
        arguments: HeadlessServer.Kind.allCases)
    func mpv(kind: HeadlessServer.Kind) async throws {
        try await withStage(kind) { stage in
            let reader = try await stage.foreign(Tone.reader, role: "a11y")
            try await stage.wait(Tone.reader, at: Tone.level)
            let mpv = try await stage.mpv(Tone.music)
            let native = kind == .pipeWire ? try await stage.mpv(Tone.native, output: "pipewire") : nil
            let tones = [Tone.music] + (native == nil ? [] : [Tone.native])
            for tone in tones { try await stage.wait(tone, at: Tone.level) }
            try await stage.ear.wait(seconds: 1)
            let before = try await stage.currentVolumes()
            let first = stage.ear.frames - 44_100
            try await play(seconds: 3, on: stage)
            for tone in tones { try await stage.wait(tone, at: Tone.level, "after the prompt") }
            try await stage.ear.wait(seconds: 0.3)
            Heard(stage.ear.soFar(from: first)).expectLowered(tones)
            try await stage.waitForVolumes(like: before)
            try await stage.end(mpv)
            let next = try await stage.mpv(Tone.music)
            try await stage.end(next, native, reader)
        }
    }

    private func play(seconds: Int, on stage: DuckStage) async throws {
        let file = try Tone.file(Tone.prompt, seconds: seconds, in: stage.server.directory)
        let paplay = try #require(HeadlessServer.findBinary("paplay"))
        // The tool may need libraries that were unpacked with it, which are nothing to `audiosession`.
        let command = ["env"] + stage.server.toolEnvironment.map { "\($0)=\($1)" } + [paplay.path, file.path]
        let run = try ChildProcess("audiosession", ["run"] + DuckStage.ducking + ["--"] + command, on: stage.server)
        #expect(try await run.wait().status == 0, "\(run.errorText)")
    }
}

/// What was heard around a prompt, in windows of 10 ms.
private struct Heard {
    let sound: Recording
    /// The windows in which the reader, whom nobody touches, is heard as it should: the others tell of the machine
    /// only.
    let isTrue: [Bool]
    /// The windows of the prompt.
    let prompt: Range<Int>

    init(_ sound: Recording) {
        self.sound = sound
        isTrue = sound.envelope(Tone.reader).map { abs($0 - Tone.level) < 0.5 }
        // A click of another tone is heard at any frequency, but not for three windows.
        let own = sound.envelope(Tone.prompt)
        let loud = own.indices.dropFirst().dropLast().filter { own[$0 - 1...$0 + 1].allSatisfy { $0 > Tone.level - 6 } }
        prompt = (loud.first ?? 0)..<(loud.last ?? 0)
    }

    /// From half a second after the prompt's start to its end, the others are lowered; the prompt never is.
    func expectLowered(_ tones: [Double]) {
        #expect(prompt.count > 250, "the prompt is \(prompt.count) windows long")
        for tone in tones {
            let level = sound.envelope(tone)
            let before = Array(level[0..<80]).median
            let during = Array(level[(prompt.lowerBound + 50)..<(prompt.upperBound - 5)]).median
            let after = Array(level[(level.count - 20)...]).median
            print("\(Int(tone)) Hz: \(before - during) dB lower, \(after - before) dB afterwards")
            #expect(abs(before - during - 20) < 1, "\(Int(tone)) Hz: \(before), then \(during)")
            #expect(abs(before - after) < 0.1, "\(Int(tone)) Hz: \(before), at last \(after)")
        }
        let own = sound.envelope(Tone.prompt)
        let wrong = prompt.filter { isTrue[$0] && abs(own[$0] - Tone.level) > 0.5 }
        let told = wrong.map { "\($0 - prompt.lowerBound): \(own[$0])" }
        #expect(wrong.count < 10, "the prompt is lowered itself: \(told)")
    }

    /// Between neighbouring windows no level jumps, but into a hole that a busy machine has torn, and out of it.
    func expectSmooth(_ tone: Double, decibels: Double) {
        let level = sound.envelope(tone)
        let isWhole = level.indices.map { index in
            isTrue[index] && level[max(0, index - 2)...min(level.count - 1, index + 2)].allSatisfy { $0 > -45 }
        }
        let jumps = level.indices.dropFirst().filter { isWhole[$0] && isWhole[$0 - 1] }
            .filter { abs(level[$0] - level[$0 - 1]) > decibels }
        #expect(isWhole.filter { $0 }.count > isWhole.count / 2)
        #expect(jumps.isEmpty, "\(Int(tone)) Hz jumps: \(jumps.map { "\($0): \(level[$0 - 1]) \(level[$0])" })")
    }
}
