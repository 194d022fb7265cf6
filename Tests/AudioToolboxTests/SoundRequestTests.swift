import AVFAudio
import AudioHost
import Foundation
import HeadlessServer
import PulseClient
import TestSupport
import Testing

@testable import SoundHost
@testable import SystemSounds

/// What becomes of sounds that are asked for when the server cannot begin at once.
@Suite("Requests for system sounds", .serialized, .limited)
struct SoundRequestTests {
    @Test(
        "A sound that nobody added is heard when it is asked for twice, and forgotten afterwards",
        arguments: HeadlessServer.Kind.allCases)
    func twiceUnprepared(kind: HeadlessServer.Kind) async throws {
        try await withSoundLab(kind) { lab in
            let player = try lab.systemSounds()
            let clip = try soundClip(lab.sine(500, seconds: 0.8), in: lab)
            let notes = Notes()
            // Both before the server can have it.
            player.mainloop.withLock {
                for id: UInt32 in 1...2 {
                    player.play(clip, id: id, outlivesProcess: false, asked: .now) { notes.add("\($0)") }
                }
            }
            try await notes.wait(for: 2)
            #expect(notes.all == ["replaced", "finished"])
            let isForgotten = player.mainloop.withLock { player.entries.isEmpty }
            #expect(isForgotten)
            try await waitUntil("no samples") { try await lab.samples().isEmpty }
        }
    }

    @Test(
        "What a server that hung would begin too late is not heard, and over when it goes on",
        arguments: HeadlessServer.Kind.allCases)
    func late(kind: HeadlessServer.Kind) async throws {
        try await withSoundLab(kind) { lab in
            let player = try lab.systemSounds()
            let first = try soundClip(lab.sine(500, seconds: 0.2), in: lab)
            let second = try soundClip(lab.sine(2_000, seconds: 0.2), in: lab)
            for clip in [first, second] { player.add(clip) }
            try await waitUntil("both sounds") {
                try await lab.samples().count == 2 && (kind == .pulseAudio || player.isStandingBy)
            }
            let notes = Notes()
            func play(_ clip: SoundClip, as id: UInt32) {
                player.play(clip, id: id, outlivesProcess: false, asked: .now) { notes.add("\(id) \($0)") }
            }
            try await whileHanging(lab) {
                play(first, as: 1)
                play(second, as: 2)
            }
            try await notes.wait(for: 2)
            #expect(notes.all == ["1 replaced", "2 failed"])
            // PipeWire's stream has to be uncorked again, which is where a hang shows.
            try await waitUntil("the rest") { try await lab.standby()?.isCorked != false && player.isSettled }
            try await whileHanging(lab) { play(first, as: 3) }
            try await notes.wait(for: 3)
            #expect(notes.all.last == "3 failed")
            play(first, as: 4)
            try await notes.wait(for: 4)
            #expect(notes.all.last == "4 finished")
            let heard = lab.monitor.soFar()
            #expect(heard.level(ofFrequency: 2_000, 0..<heard.frames) < -50)
        }
    }

    /// Asks for something while the server hangs, which goes on when all that is short has become late.
    private func whileHanging(_ lab: SoundLab, _ ask: () -> Void) async throws {
        lab.server.suspendProcess()
        defer { lab.server.resumeProcess() }
        ask()
        let end = ContinuousClock.now + .milliseconds(550)
        try await waitUntil("the patience to be over") { ContinuousClock.now > end }
    }

    private func soundClip(_ signal: TestSignal, in lab: SoundLab) throws -> SoundClip {
        try #require(
            SoundClip(
                storage: .int16, rate: lab.rate, channels: 2, frames: signal.samples.withUnsafeBytes { [UInt8]($0) }))
    }
}
