import PulseClient
import SessionPolicy
import Testing

@testable import SoundHost

/// Who lowers, told from what the coordinator asks of the volumes.
@Suite struct ForeignDuckElectionTests {
    /// Notes what is asked of it, and does nothing.
    private final class NotedVolume: ForeignVolume {
        var adopted: [[DuckLedger]] = []
        var levels: [UInt32: DuckTargets.Level] = [:]
        var isIdle: Bool { levels.isEmpty }
        var onDeposed: ((UInt32) -> Void)?
        var onLedger: ((DuckLedger) -> Void)?
        var onIdle: (() -> Void)?

        func apply(_ levels: [UInt32: DuckTargets.Level], gain: Float, ramps: DuckRamps) { self.levels = levels }
        func adopt(_ ledgers: [DuckLedger]) { adopted.append(ledgers) }
        func forget() { levels = [:] }
        func streamsChanged() {}
    }

    /// We are 1, and a program outside plays stream 7 on sink 0.
    private func situation(ducker: UInt32?, ledgers: [UInt32: String] = [:]) throws -> ForeignDucking.Situation {
        let prompt = try SessionSettings.validated(category: .playback, options: .duckOthers)
        var participants = [Participant(id: 1, claim: Claim(uid: 1, canDuck: true))]
        if let ducker {
            let claim = Claim(uid: 2, canDuck: true).activating(with: prompt, ticket: 1)
            participants.append(Participant(id: ducker, claim: claim))
        }
        return ForeignDucking.Situation(
            streams: [ServerStream(index: 7, client: 9, device: 0, pid: 500, applicationName: "Browser")],
            arbitration: Arbitration(participants), own: 1, defaultSink: 0, ledgers: ledgers)
    }

    @Test("What somebody lowered who came and went while our guard was awaited is found")
    func leftovers() throws {
        let mainloop = Mainloop()
        // The guard's start is told with the lock held, so that it is awaited all the time here.
        try mainloop.withLock {
            let volume = NotedVolume()
            let ducking = ForeignDucking(
                volume: volume, mainloop: mainloop, guardian: DuckGuard(server: nil, program: "/bin/true")
            ) { _ in }
            ducking.update(try situation(ducker: nil))
            #expect(volume.adopted.count == 1, "what is there in the beginning")
            ducking.update(try situation(ducker: 2))
            #expect(volume.levels.isEmpty, "nothing is lowered without a guard")
            let left = DuckLedger(server: 3, owner: 2)
            ducking.update(try situation(ducker: nil, ledgers: [2: left.text]))
            #expect(volume.adopted.count == 2)
            #expect(volume.adopted.last?.map(\.owner) == [2])
        }
    }
}
