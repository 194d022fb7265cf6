import SessionPolicy
import TestSupport
import Testing

@Suite(.limited) struct DuckTargetsTests {
    private func participant(_ id: UInt32, ducks: Bool = true, pid: Int32 = 0) -> Participant {
        let settings = SessionSettings.of(.playback, .default, ducks ? .duckOthers : .mixWithOthers)
        let claim = Claim(seq: 1, uid: UInt64(id), state: .active, settings: settings, host: "here", pid: pid)
        return Participant(id: id, claim: claim)
    }

    private func targets(
        _ streams: [ServerStream], _ participants: [Participant], defaultSink: UInt32? = 0
    ) -> Set<UInt32> {
        DuckTargets(among: streams, arbitration: Arbitration(participants), defaultSink: defaultSink).streams
    }

    @Test func onlyForeignProgramsOnTheDuckersSink() {
        let streams = [
            ServerStream(index: 1, client: 10, device: 7), ServerStream(index: 2, client: 50, device: 7),
            ServerStream(index: 3, client: 51, device: 0), ServerStream(index: 4, client: 52, device: nil),
            ServerStream(index: 5, client: 53, device: 7, isCorked: true, isMuted: true),
            ServerStream(direction: .capture, index: 6, client: 54, device: 7),
        ]
        #expect(targets(streams, [participant(10)]) == [2, 4, 5])
    }

    @Test("What the sink of a ducker's role lowers or cuts off is left to the server")
    func roleSinks() {
        let policy = RolePolicy(targets: [
            20: .init(name: "Music", priority: 10), 21: .init(name: "Prompts", priority: 30, lowerPriority: .duck),
            22: .init(name: "Calls", priority: 50, samePriority: .cork, lowerPriority: .cork),
            23: .init(name: "Alerts", priority: 40, lowerPriority: .mix),
        ])
        func lowered(music: UInt32?, prompt: UInt32?, alert: UInt32? = nil) -> Bool {
            let streams = [
                ServerStream(index: 1, client: 10, device: 0, roleSink: prompt),
                ServerStream(index: 2, client: 50, device: 0, roleSink: music),
                // A stranger's prompt is no reason to leave ours to the server.
                ServerStream(index: 3, client: 51, device: 0, role: "a11y", roleSink: 21),
                ServerStream(index: 4, client: 52, device: 0, roleSink: alert),
            ]
            let arbitration = Arbitration([participant(10)])
            return DuckTargets(among: streams, arbitration: arbitration, defaultSink: 0, rolePolicy: policy)
                .streams.contains(2)
        }
        for music: UInt32? in [nil, 20] {
            for prompt: UInt32? in [nil, 20] { #expect(lowered(music: music, prompt: prompt)) }
        }
        #expect(!lowered(music: 20, prompt: 21) && !lowered(music: 20, prompt: 22))
        #expect(lowered(music: 22, prompt: 21), "nothing lowers a sink of a higher priority")
        #expect(lowered(music: nil, prompt: 22), "nor what plays to a device")
        #expect(lowered(music: 20, prompt: 21, alert: 23), "a sink of a higher priority rules, which lowers nothing")
    }

    @Test func callsScreenReadersAndPlumbingStay() {
        let streams = [
            ServerStream(index: 1, client: 50, device: 0, role: "phone"),
            ServerStream(index: 2, client: 51, device: 0, role: "a11y"),
            ServerStream(index: 3, device: 0, kind: .sample), ServerStream(index: 4, device: 0, kind: .plumbing),
            ServerStream(index: 5, client: 52, device: 0, role: "music"),
        ]
        #expect(targets(streams, [participant(10)]) == [5])
    }

    @Test func aDuckerWithoutAStreamIsExpectedOnTheDefaultSink() {
        let streams = [
            ServerStream(index: 1, client: 50, device: 0), ServerStream(index: 2, client: 51, device: 7),
            ServerStream(index: 3, client: 11, device: 7),
        ]
        #expect(targets(streams, [participant(10)]) == [1])
        #expect(targets(streams, [participant(10), participant(11)]) == [1, 2])
        #expect(targets(streams, [participant(11)]) == [2])
        #expect(targets(streams, [participant(10)], defaultSink: nil) == [])
    }

    @Test func participantsLowerThemselves() {
        let streams = [
            ServerStream(index: 1, client: 11, device: 0), ServerStream(index: 2, client: 12, device: 0, owner: 11),
            ServerStream(index: 3, client: 52, device: 0),
        ]
        let others = [participant(11, ducks: false), participant(12, ducks: false)]
        #expect(targets(streams, [participant(10)] + others) == [3])
        #expect(targets(streams, others) == [])
    }

    @Test func whatAParticipantCannotLowerItselfIsLoweredForIt() {
        let streams = [
            ServerStream(index: 1, client: 50, device: 0, owner: 11),
            ServerStream(index: 2, client: 51, device: 0, pid: 4711, host: "here"),
            ServerStream(index: 3, client: 52, device: 0, owner: 10),
        ]
        let others = [participant(11, ducks: false), participant(12, ducks: false, pid: 4711)]
        #expect(targets(streams, [participant(10)] + others) == [1, 2])
    }

    @Test func whatASessionCannotStopIsSilentWhileItsClaimSaysSo() {
        let streams = [
            ServerStream(index: 1, client: 50, device: 9, role: "phone", pid: 4711, host: "here"),
            ServerStream(index: 2, client: 10, device: 0, pid: 4711, host: "here"),
            ServerStream(index: 3, client: 51, device: 0, pid: 4712, host: "here", owner: 1),
            ServerStream(index: 4, client: 52, device: 0, pid: 4711, host: "there"),
            ServerStream(index: 5, client: 53, device: 0, pid: 0, host: "here"),
            ServerStream(index: 6, client: 54, device: 0, pid: 4713, host: "here", owner: 1),
            ServerStream(index: 7, client: 11, device: 0, pid: 4713, host: "here", owner: 1),
            ServerStream(direction: .capture, index: 8, client: 51, device: 0, pid: 4712, host: "here", owner: 1),
        ]
        func levels(_ state: Claim.State, pid: Int32 = 4711, isStopped: Bool = false) -> [UInt32: DuckTargets.Level] {
            let claim = Claim(uid: 1, state: state, settings: .music, host: "here", pid: pid, isProcessSilent: true)
            // A program that the command has started, with a session of its own.
            let inner = Claim(uid: 2, state: .active, settings: .game, host: "here", pid: 4713)
            let arbitration = Arbitration([
                Participant(id: 10, claim: claim, isStopped: isStopped), Participant(id: 11, claim: inner),
            ])
            return DuckTargets(among: streams, arbitration: arbitration, defaultSink: 0).levels
        }
        for state in Claim.State.allCases { #expect(levels(state) == [1: .stopped, 3: .stopped]) }
        #expect(levels(.interrupted, isStopped: true) == [:] && levels(.active, pid: 0) == [3: .stopped])
    }

    @Test func aProcessIsSilentWhileItsSessionIsNotHeard() {
        func isSilent(_ settings: SessionSettings, beside other: SessionSettings) -> Bool {
            let claims = [
                // Without a process: streams may name it as their owner.
                Claim(seq: 1, uid: 1, state: .active, settings: settings, host: "here"),
                Claim(seq: 2, uid: 2, state: .active, settings: other),
            ]
            let arbitration = Arbitration(zip([10, 11] as [UInt32], claims).map { Participant(id: $0, claim: $1) })
            return arbitration.silencesProcess(of: 10)
        }
        #expect(isSilent(.music, beside: .music))
        #expect(isSilent(.of(.ambient), beside: .of(.record)) && !isSilent(.music, beside: .of(.ambient)))
    }
}

@Suite(.limited) struct DuckLedgerTests {
    private let factor: UInt32 = 30_419

    private func steps(_ original: [UInt32] = [0x10000, 0x10000]) throws -> DuckVolumeSteps {
        try #require(DuckVolumeSteps(from: original, by: factor))
    }

    @Test func theStepOfAVolumeIsFound() throws {
        for original: [UInt32] in [[0x10000, 0x10000], [40_000, 0], [DuckVolumeSteps.lowest], [99_957]] {
            let steps = try steps(original)
            #expect(steps.volume(at: 0) == original)
            for step in 0...DuckVolumeSteps.steps { #expect(steps.step(of: steps.volume(at: step)) == step) }
        }
        let steps = try steps()
        #expect(steps.volume(at: DuckVolumeSteps.steps) == [30_419, 30_419])
        #expect(steps.step(of: [30_420, 30_420]) == nil)
        #expect(steps.step(of: [30_419, 30_418]) == nil)
        #expect(steps.step(of: [30_419]) == DuckVolumeSteps.steps)
        #expect(steps.original(channels: 1) == [0x10000])
    }

    @Test func noPercentageOfAMixerIsAStep() throws {
        let steps = try steps([0x10000])
        for percent: UInt32 in 1..<100 { #expect(steps.step(of: [(0x10000 * percent + 50) / 100]) == nil) }
    }

    @Test func whatCannotBeLoweredHasNoSteps() {
        #expect(DuckVolumeSteps(from: [], by: factor) == nil)
        #expect(DuckVolumeSteps(from: [0, 0], by: factor) == nil)
        #expect(DuckVolumeSteps(from: [99_958], by: factor) == nil)
        #expect(DuckVolumeSteps(from: [0x10000], by: 0x10000) == nil)
    }

    @Test func aLedgerReadsBackEqual() throws {
        var ledger = DuckLedger(server: 0xABCD, owner: 17, revision: 9)
        ledger.enter(.lowered(.init(key: "sink-input-by-application-name:A;b=,Ü", volumeSteps: try steps())), for: 42)
        ledger.enter(.lowered(.init(key: "k", volumeSteps: try steps([1000]), remembered: [65_536, 2])), for: 43)
        ledger.enter(.released, for: 44)
        ledger.enter(.lowered(.init()), for: 45)
        #expect(DuckLedger(ledger.text) == ledger)
        ledger.remove(43)
        #expect(DuckLedger(ledger.text) == ledger)
        #expect(ledger.text.utf8.count <= DuckLedger.longestText)
    }

    @Test func whatDoesNotFitIsRefused() throws {
        var ledger = DuckLedger(server: .max, owner: .max, revision: UInt64(Int64.max))
        let record = DuckLedger.Record(key: String(repeating: "k", count: 90), volumeSteps: try steps())
        var entered = 0
        while ledger.enter(.lowered(record), for: .max - UInt32(entered)) { entered += 1 }
        #expect(entered > 20)
        #expect(ledger.text.utf8.count <= DuckLedger.longestText)
        #expect(DuckLedger(ledger.text) == ledger)
    }

    @Test("A revision that nobody could count on from is no ledger")
    func absurdRevision() {
        #expect(DuckLedger("1;server=1;owner=9;revision=9223372036854775807")?.revision == UInt64(Int64.max))
        #expect(DuckLedger("1;server=1;owner=9;revision=9223372036854775808") == nil)
        #expect(DuckLedger("1;server=1;owner=9;revision=18446744073709551615") == nil)
    }

    @Test(arguments: [
        "", "1", "1;server=1;owner=2", "2;server=1;owner=2;revision=3", "1;server=x;owner=2;revision=3",
        "1;server=1;owner=-2;revision=3", "1;server=1;owner=2;revision=3;ü",
        "1;server=1;owner=2;revision=3;" + String(repeating: "x", count: 4096),
    ]) func whatIsNoLedger(text: String) { #expect(DuckLedger(text) == nil) }

    @Test(arguments: [
        "x", "1", "1=", "x=-", "-1=-", "1=k,10000", "1=k,10000,", "1=k,,76d3", "1=k,10000,10000", "1=k,20000,76d3",
        "1=k,10000.,76d3", "1=%GG,10000,76d3", "1=k,10000,76d3,", "1=k,10000,76d3,1,2", "1=k,0,76d3", "4294967296=-",
    ]) func malformedEntriesAreLeftOut(entry: String) throws {
        let ledger = try #require(DuckLedger("1;server=1;owner=2;revision=3;\(entry);9=k,10000,76d3"))
        #expect(Set(ledger.entries.keys) == [9])
    }
}
