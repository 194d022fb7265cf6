import PulseClient
import SessionPolicy
import TestSupport
import Testing

@testable import SoundHost

/// Who lowers, told from what the coordinator asks of the volumes.
@Suite(.limited) struct ForeignDuckElectionTests {
    /// Notes what is asked of it, and does nothing.
    private final class NotedVolume: ForeignVolume {
        var adopted: [[DuckLedger]] = []
        var probes: [(Bool) -> Void] = []
        var levels: [UInt32: DuckTargets.Level] = [:]
        var isIdle: Bool { levels.isEmpty }
        var onDeposed: ((UInt32) -> Void)?
        var onIntent: ((DuckLedger) -> Void)?
        var onLedger: ((DuckLedger) -> Void)?
        var onUnable: (() -> Void)?
        var onIdle: (() -> Void)?

        var newborn: Set<UInt32> = []

        func apply(_ levels: [UInt32: DuckTargets.Level], newborn: Set<UInt32>, gain: Float, ramps: DuckRamps) {
            (self.levels, self.newborn) = (levels, newborn)
        }

        func adopt(_ ledgers: [DuckLedger]) { adopted.append(ledgers) }
        func forget() { levels = [:] }
        func streamsChanged() {}
        func probe(_ completion: @escaping (Bool) -> Void) { probes.append(completion) }
    }

    /// We are 1, and a program outside plays stream 7 on sink 0; an `older` one is elected before us.
    private func situation(
        ducker: UInt32?, older: UInt32? = nil, ledgers: [UInt32: String] = [:]
    ) throws -> ForeignDucking.Situation {
        let prompt = try SessionSettings.validated(category: .playback, options: .duckOthers)
        var participants = [Participant(id: 1, claim: Claim(uid: 1, canDuck: true))]
        if let older { participants.append(Participant(id: older, claim: Claim(uid: 3, canDuck: true))) }
        if let ducker {
            let claim = Claim(uid: 2, canDuck: true).activating(with: prompt, ticket: 1)
            participants.append(Participant(id: ducker, claim: claim))
        }
        return ForeignDucking.Situation(
            streams: [ServerStream(index: 7, client: 9, device: 0, pid: 500, applicationName: "Browser")],
            arbitration: Arbitration(participants), own: 1, defaultSink: 0, ledgers: ledgers)
    }

    /// The guard's start is told with the main loop's lock held, so that it is awaited for as long as `body` runs.
    private func whileGuardIsAwaited(_ body: (Mainloop, NotedVolume, ForeignDucking) throws -> Void) throws {
        let mainloop = try Mainloop()
        try mainloop.withLock {
            let volume = NotedVolume()
            let ducking = ForeignDucking(
                volume: volume, mainloop: mainloop, restorer: DuckRestorer(server: nil, program: "/bin/true")
            ) { _ in }
            try body(mainloop, volume, ducking)
        }
    }

    @Test("What somebody lowered who came and went while our guard was awaited is found")
    func leftovers() throws {
        try whileGuardIsAwaited { _, volume, ducking in
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

    @Test("A policy of the server's is left alone with other programs, and not with what a session cannot stop itself")
    func leftToServer() throws {
        let mainloop = try Mainloop()
        try mainloop.withLock {
            let volume = NotedVolume()
            let ducking = ForeignDucking(volume: volume, mainloop: mainloop) { _ in }
            var now = try situation(ducker: 2)
            let settings = try SessionSettings.validated(category: .playback)
            let silent = Claim(uid: 4, state: .interrupted, settings: settings, isProcessSilent: true)
            now.arbitration = Arbitration(now.arbitration.participants + [Participant(id: 4, claim: silent)])
            now.streams.append(ServerStream(index: 8, client: 10, device: 0, pid: 501, owner: 4))
            ducking.update(now)
            #expect(volume.levels == [7: .lowered, 8: .stopped])
            now.isLeftToServer = true
            ducking.update(now)
            #expect(volume.levels == [8: .stopped])
        }
    }

    @Test("A stream that begins while others are lowered is newborn, until it is restored; those of before are not")
    func newborn() throws {
        let mainloop = try Mainloop()
        try mainloop.withLock {
            let volume = NotedVolume()
            let ducking = ForeignDucking(volume: volume, mainloop: mainloop) { _ in }
            func update(ducker: UInt32?, streams: [UInt32]) throws {
                var now = try situation(ducker: ducker)
                now.streams = streams.map { ServerStream(index: $0, client: 9, device: 0, pid: 500) }
                ducking.update(now)
            }
            try update(ducker: nil, streams: [7])
            try update(ducker: 2, streams: [7])
            #expect(volume.levels.keys.sorted() == [7] && volume.newborn.isEmpty)
            try update(ducker: 2, streams: [7, 8])
            try update(ducker: 2, streams: [7, 8])
            #expect(volume.levels.keys.sorted() == [7, 8] && volume.newborn == [8])
            try update(ducker: nil, streams: [7, 8])
            #expect(volume.levels.isEmpty && volume.newborn.isEmpty)
            try update(ducker: 2, streams: [7, 8])
            #expect(volume.levels.count == 2 && volume.newborn.isEmpty)
        }
    }

    @Test("Who cannot give back what it lowered looks again until it can, also when nothing is to be lowered any more")
    func owing() async throws {
        let mainloop = try Mainloop()
        // SAFETY: touched with the main loop's lock held.
        nonisolated(unsafe) let volume = NotedVolume()
        let ducking = ForeignDucking(volume: volume, mainloop: mainloop) { _ in }
        let (during, after) = (try situation(ducker: 2), try situation(ducker: nil))
        mainloop.withLock {
            ducking.update(during)
            #expect(volume.levels.count == 1)
            volume.onUnable?()
            ducking.update(after)
        }
        for count in 1...3 {
            try await waitUntil("another look", timeout: hangLimit) {
                mainloop.withLock { volume.probes.count == count }
            }
            mainloop.withLock { volume.probes[count - 1](count == 3) }
        }
        mainloop.withLock { #expect(ducking.isAble && volume.adopted.count == 2) }
    }

    @Test("The ledger of an elected one that is gone is of use until we have taken it over, with a guard beside us")
    func ledgerOfTheGone() throws {
        try whileGuardIsAwaited { mainloop, volume, ducking in
            var left = DuckLedger(server: 3, owner: 0)
            left.enter(.lowered(.init()), for: 7)
            let ledgers = [UInt32(0): left.text]
            ducking.update(try situation(ducker: 2, older: 0, ledgers: ledgers))
            #expect(volume.adopted.isEmpty, "the older one is elected")
            // Whatever happens while our guard is awaited, which is told of it with the lock held.
            for _ in 0..<3 {
                ducking.update(try situation(ducker: 2, ledgers: ledgers))
                #expect(volume.adopted.isEmpty)
                #expect(!ducking.isSettled(0))
            }
            for _ in 0..<1_000 where volume.adopted.isEmpty {
                _ = mainloop.wait(timeout: .milliseconds(10)) { !volume.adopted.isEmpty }
            }
            #expect(volume.adopted.map { $0.map(\.owner) } == [[0]])
            #expect(volume.levels == [7: .lowered])
            #expect(ducking.isSettled(0))
        }
    }

    @Test("One that is not elected keeps the ledger of one that is gone until another one's names its streams")
    func ledgerForOthers() throws {
        let mainloop = try Mainloop()
        try mainloop.withLock {
            let ducking = ForeignDucking(volume: NotedVolume(), mainloop: mainloop) { _ in }
            func ledger(of owner: UInt32, naming streams: UInt32...) -> String {
                var ledger = DuckLedger(server: 3, owner: owner)
                for stream in streams { ledger.enter(.lowered(.init()), for: stream) }
                return ledger.text
            }
            let left = ledger(of: 9, naming: 7, 8)
            ducking.update(try situation(ducker: 2, older: 0, ledgers: [9: left]))
            #expect(!ducking.isSettled(9), "8 is gone, 7 is not")
            ducking.update(try situation(ducker: 2, older: 0, ledgers: [9: left, 0: ledger(of: 0, naming: 5)]))
            #expect(!ducking.isSettled(9))
            ducking.update(try situation(ducker: 2, older: 0, ledgers: [9: left, 0: ledger(of: 0, naming: 7)]))
            #expect(ducking.isSettled(9))
            // Nobody lowers anything any more.
            ducking.update(try situation(ducker: nil, older: 0, ledgers: [9: left, 0: ledger(of: 0)]))
            #expect(ducking.isSettled(9))
        }
    }
}
