import Foundation
import HeadlessServer
import SessionPolicy
import TestSupport
import Testing

/// Who is lowered, for how long and by whom, with the command and the player on both servers.
@Suite(.serialized, .limited) struct DuckingRulesTests {
    @Test(
        "two duckers are one depth, and last until the second has ended", .judges(.level(decibels: 1)),
        arguments: HeadlessServer.Kind.allCases)
    func overlap(kind: HeadlessServer.Kind) async throws {
        try await withStage(kind) { stage in
            let player = try await stage.player()
            let music = try await stage.foreign()
            let first = try await stage.session("First", DuckStage.ducking)
            try await expect(stage, at: Tone.lowered)
            let second = try await stage.session("Second", DuckStage.ducking)
            try await expectSteady(stage)
            try await stage.end(first)
            try await expectSteady(stage)
            try await stage.end(second)
            try await expect(stage, at: Tone.level)
            try await stage.waitUntilNothingIsLeft()
            try await stage.end(player, music)
        }
    }

    @Test("whoever lowers the others for all may end, and nobody hears it", arguments: HeadlessServer.Kind.allCases)
    func successor(kind: HeadlessServer.Kind) async throws {
        try await withStage(kind) { stage in
            let music = try await stage.foreign()
            let first = try await stage.session("First", DuckStage.ducking)
            try await stage.wait(Tone.music, at: Tone.lowered)
            let second = try await stage.session("Second", DuckStage.ducking)
            let owner = stage.ledger()?.owner
            let start = stage.ear.frames
            try await stage.end(first)
            try await stage.waitForOwner(otherThan: owner)
            try await expectSteady(stage, [Tone.music], from: start)
            try await stage.end(second)
            try await stage.wait(Tone.music, at: Tone.level)
            try await stage.waitUntilNothingIsLeft()
            try await stage.end(music)
        }
    }

    @Test("a ducker that is interrupted lets the others up", arguments: HeadlessServer.Kind.allCases)
    func interrupted(kind: HeadlessServer.Kind) async throws {
        try await withStage(kind) { stage in
            let music = try await stage.foreign()
            let ducker = try await stage.session("Prompt", DuckStage.ducking)
            try await stage.wait(Tone.music, at: Tone.lowered)
            let call = try await stage.session("Call", ["--category", "playAndRecord", "--mode", "voiceChat"])
            try await stage.waitForClaim(of: ducker) { $0.state == .interrupted }
            try await stage.wait(Tone.music, at: Tone.level, "while the ducker is interrupted")
            try await stage.end(call)
            try await stage.wait(Tone.music, at: Tone.lowered, "after the call")
            try await stage.end(ducker)
            try await stage.wait(Tone.music, at: Tone.level)
            try await stage.waitUntilNothingIsLeft()
            try await stage.end(music)
        }
    }

    @Test("a stream that appears during the duck is lowered too", arguments: HeadlessServer.Kind.allCases)
    func newcomer(kind: HeadlessServer.Kind) async throws {
        try await withStage(kind) { stage in
            let ducker = try await stage.session("Prompt", DuckStage.ducking)
            let before = try await stage.currentVolumes()
            let music = try await stage.foreign()
            try await stage.wait(Tone.music, at: Tone.lowered)
            let native = try await stage.native()
            if native != nil { try await stage.wait(Tone.native, at: Tone.lowered) }
            try await stage.end(ducker)
            try await stage.wait(Tone.music, at: Tone.level)
            if native != nil { try await stage.wait(Tone.native, at: Tone.level) }
            try await stage.waitForVolumes(like: before)
            try await stage.waitUntilNothingIsLeft()
            try await stage.end(music, native)
        }
    }

    @Test("the slider that a user moves during the duck stays", arguments: HeadlessServer.Kind.allCases)
    func slider(kind: HeadlessServer.Kind) async throws {
        try await withStage(kind) { stage in
            let music = try await stage.foreign()
            let ducker = try await stage.session("Prompt", DuckStage.ducking)
            try await stage.wait(Tone.music, at: Tone.lowered)
            let stream = try await stage.stream(of: music)
            try await stage.pactl.setVolume(0.8, sinkInput: stream)
            // The server's scale is cubic.
            let users = Tone.level + 60 * log10(0.8)
            // PulseAudio has one volume, which is the user's now; behind PipeWire's, the stream is lowered on.
            try await stage.wait(Tone.music, at: kind == .pulseAudio ? users : users - 20, "during the duck")
            try await stage.end(ducker)
            try await stage.wait(Tone.music, at: users, "after the duck")
            try await stage.waitUntilNothingIsLeft()
            let volumes = try await stage.volumes()
            #expect(volumes[UInt32(stream)]?.allSatisfy { abs(Int($0) - 52_429) <= 1 } == true, "\(volumes)")
            try await stage.end(music)
            let next = try await stage.foreign()
            try await stage.wait(Tone.music, at: users, "of the next stream")
            try await stage.end(next)
        }
    }

    @Test(
        "what plays on another sink is left alone", .judges(.level(decibels: 1)),
        arguments: HeadlessServer.Kind.allCases)
    func otherSink(kind: HeadlessServer.Kind) async throws {
        let elsewhere = HeadlessServer.NullSink(name: "elsewhere")
        try await withStage(kind, sinks: [.init(), elsewhere]) { stage in
            let music = try await stage.foreign()
            let far = try await stage.foreign(Tone.reader, sink: elsewhere.name)
            let distant = try await MonitorRecording.start(on: stage.server, sink: elsewhere)
            try await stage.wait(Tone.reader, at: Tone.level, on: distant)
            let first = distant.frames
            let ducker = try await stage.session("Prompt", DuckStage.ducking)
            try await stage.wait(Tone.music, at: Tone.lowered)
            try await distant.wait(seconds: 0.3)
            try await stage.end(ducker)
            try await stage.wait(Tone.music, at: Tone.level)
            let levels = distant.soFar(from: first).envelope(Tone.reader)
            let low = levels.filter { $0 < Tone.level - 1 }
            // Some windows of a busy machine have holes.
            #expect(low.count < levels.count / 10, "\(low)")
            try await stage.end(music, far)
        }
    }

    @Test(
        "calls and screen readers are left alone", .judges(.level(decibels: 0.5)),
        arguments: HeadlessServer.Kind.allCases)
    func callsAndReaders(kind: HeadlessServer.Kind) async throws {
        try await withStage(kind) { stage in
            let call = try await stage.foreign(Tone.player, role: "phone")
            let reader = try await stage.foreign(Tone.reader, role: "a11y")
            let music = try await stage.foreign()
            for tone in [Tone.player, Tone.reader, Tone.music] { try await stage.wait(tone, at: Tone.level) }
            let ducker = try await stage.session("Prompt", DuckStage.ducking)
            try await stage.wait(Tone.music, at: Tone.lowered)
            let heard = try await stage.listen(seconds: 0.3)
            #expect(abs(heard.steadyLevel(Tone.player) - Tone.level) < 0.5)
            #expect(abs(heard.steadyLevel(Tone.reader) - Tone.level) < 0.5)
            try await stage.end(ducker)
            try await stage.wait(Tone.music, at: Tone.level)
            try await stage.end(call, reader, music)
        }
    }

    /// Alone: no other process of the library is there to give back what a stopped one has lowered, only its guard.
    @Test(
        "a ducker that is stopped does not hold others down, and lowers them again when it goes on",
        arguments: HeadlessServer.Kind.allCases, [true, false])
    func stopped(kind: HeadlessServer.Kind, isAlone: Bool) async throws {
        try await withStage(kind) { stage in
            let player = isAlone ? nil : try await stage.player()
            let music = try await stage.foreign()
            let ducker = try await stage.session("Prompt", DuckStage.ducking)
            let tones = [Tone.music] + (isAlone ? [] : [Tone.player])
            for tone in tones { try await stage.wait(tone, at: Tone.lowered) }
            for _ in 0..<3 {
                ducker.send(SIGSTOP)
                for tone in tones { try await stage.wait(tone, at: Tone.level, "while the ducker is stopped") }
                ducker.send(SIGCONT)
                for tone in tones { try await stage.wait(tone, at: Tone.lowered, "when the ducker goes on") }
            }
            try await stage.end(ducker)
            for tone in tones { try await stage.wait(tone, at: Tone.level, "at the end") }
            try await stage.waitUntilNothingIsLeft()
            try await stage.waitForSessions(of: [player].compactMap { $0 })
            try await stage.end(player, music)
        }
    }

    // MARK: The player and the music

    private func expect(_ stage: DuckStage, at level: Double) async throws {
        for tone in [Tone.player, Tone.music] { try await stage.wait(tone, at: level) }
    }

    /// For longer than a ramp up takes, and since a frame of the past, they stay where they are.
    private func expectSteady(
        _ stage: DuckStage, _ tones: [Double] = [Tone.player, Tone.music], from first: Int? = nil
    ) async throws {
        let first = first ?? stage.ear.frames
        try await stage.ear.wait(seconds: 0.8)
        let heard = stage.ear.soFar(from: first)
        for tone in tones {
            let wrong = heard.envelope(tone).filter { $0 > Tone.lowered + 1 }
            #expect(wrong.isEmpty, "\(Int(tone)) Hz: \(wrong)")
            #expect(abs(heard.steadyLevel(tone) - Tone.lowered) < 1)
        }
    }
}
