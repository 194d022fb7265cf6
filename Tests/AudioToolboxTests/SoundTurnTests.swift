import AVFAudio
import Foundation
import HeadlessServer
import TestSupport
import Testing

@testable import SystemSounds

/// Sounds that are played again whenever they are over.
@Suite("System sounds that repeat themselves", .serialized, .limited)
struct SoundTurnTests {
    /// Plays a sound again in its completion, until it is told to stop.
    // SAFETY: `isOver` is guarded by `lock`.
    private final class Turns: @unchecked Sendable {
        private let service: SystemSoundService
        private let lock = NSLock()
        private var isOver = false
        let ends = Notes()

        init(_ service: SystemSoundService) { self.service = service }

        func play(_ id: SystemSoundID) {
            service.play(id) { [self] in
                ends.add("\(id)")
                if !lock.withLock({ isOver }) { play(id) }
            }
        }

        func stop() { lock.withLock { isOver = true } }
    }

    @Test("Two sounds that cut each other off are told of once in the time that each of them takes")
    func twoSounds() async throws {
        try await withSoundLab(.pulseAudio) { lab in
            let ids = [
                try await lab.sound(lab.sine(500, seconds: 0.2)), try await lab.sound(lab.sine(2_000, seconds: 0.2)),
            ]
            let turns = Turns(lab.service)
            let start = ContinuousClock.now
            for id in ids { turns.play(id) }
            try await turns.ends.wait(for: 8)
            try await lab.monitor.wait(seconds: 0.4)
            turns.stop()
            let count = Double(turns.ends.all.count)
            #expect(count <= 2 * ((ContinuousClock.now - start) / .seconds(0.2)) + 2)
            // Whoever disposes of a sound waits for nothing.
            let long = try await lab.sound(lab.sine(500, seconds: 25))
            let notes = Notes()
            lab.service.play(long) { notes.add("disposed") }
            #expect(lab.service.dispose(long) == kAudioServicesNoError)
            try await notes.wait(for: 1)
        }
    }
}
