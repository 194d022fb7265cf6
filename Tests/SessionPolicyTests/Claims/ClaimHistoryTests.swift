import Foundation
import TestSupport
import Testing

/// AVFAUDIO_HISTORIES says how many; `make soak` runs 60 000.
@Suite("Histories of many sessions", .limited)
struct ClaimHistoryTests {
    @Test("In any interleaving, all processes come to the same verdict, and nobody is left behind")
    func histories() {
        let count = ProcessInfo.processInfo.environment["AVFAUDIO_HISTORIES"].flatMap { UInt64($0) } ?? 180
        var tally = ClaimSimulation.Tally()
        var failures: [String] = []
        for seed in 0..<count {
            var simulation = ClaimSimulation(seed: seed)
            if let complaint = simulation.run() { failures.append("seed \(seed): \(complaint)") }
            tally += simulation.tally
        }
        #expect(failures.isEmpty, "\(failures.count) of \(count), first: \(failures.prefix(3))")
        // The histories are worth nothing if the hard cases do not come up in them.
        #expect(tally.refusals > 0 && tally.restingCalls > 0 && tally.restingInterrupted > 0, "\(tally)")
        #expect(tally.ends > 0 && tally.elders > 0 && tally.endsAtOnce > 0, "\(tally)")
        #expect(tally.refusedUnpublished > 0, "\(tally)")
    }
}
