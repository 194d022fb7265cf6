import AVFAudio
import Foundation
import HeadlessServer
import PulseClient
import TestSupport
import Testing

@testable import AudioToolbox
@testable import SoundHost

/// What becomes of sounds that are asked for when the server cannot begin at once.
@Suite("Requests for system sounds", .serialized, .timeLimit(.minutes(60)))
struct SoundRequestTests {
    @Test(
        "A sound that nobody added is heard when it is asked for twice, and forgotten afterwards",
        arguments: HeadlessServer.Kind.allCases)
    func twiceUnprepared(kind: HeadlessServer.Kind) async throws {
        try await withSoundLab(kind) { lab in
            let player = try lab.session.systemSounds()
            let clip = try soundClip(lab.sine(500, seconds: 0.8), in: lab)
            let notes = Notes()
            // Both before the server can have it.
            player.mainloop.withLock {
                for id: UInt32 in 1...2 {
                    player.play(clip, id: id, outlivesProcess: false) { notes.add("\($0)") }
                }
            }
            try await notes.wait(for: 2)
            #expect(notes.all == ["replaced", "finished"])
            let isForgotten = player.mainloop.withLock { player.entries.isEmpty }
            #expect(isForgotten)
            try await waitUntil("no samples") { try await lab.samples().isEmpty }
        }
    }

    private func soundClip(_ signal: TestSignal, in lab: SoundLab) throws -> SoundClip {
        try #require(
            SoundClip(
                storage: .int16, rate: lab.rate, channels: 2, frames: signal.samples.withUnsafeBytes { [UInt8]($0) }))
    }
}
