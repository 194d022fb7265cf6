import SessionPolicy
import TestSupport
import Testing

extension ServerStream {
    /// A stream of process 100 on this machine.
    fileprivate static func program(
        _ index: UInt32 = 1, _ direction: Direction = .playback, kind: Kind = .program, role: String? = nil,
        pid: Int32? = 100, client: UInt32? = 10, binary: String? = nil, id: String? = "org.mumble.Mumble",
        device: UInt32? = 5, isCorked: Bool = false
    ) -> ServerStream {
        ServerStream(
            direction: direction, index: index, client: client, device: device, kind: kind, role: role, pid: pid,
            host: "here",
            binary: binary, applicationID: id, applicationName: "Talk", isCorked: isCorked)
    }
}

extension UserPolicy {
    fileprivate static func with(_ environment: [String: String]) -> UserPolicy {
        parse(environment: environment, file: "").policy
    }
}

@Suite("Calls and alarms of programs outside the library", .limited)
struct ForeignCallTests {
    private func calls(
        _ streams: [ServerStream], _ policy: UserPolicy = .init(), participants: [Participant] = []
    ) -> [ForeignCall] {
        ForeignCallRules(policy: policy).calls(among: streams, participants: participants)
    }

    @Test("Rule 4: playback with role phone or alarm counts while it is not corked, nothing else does")
    func roles() {
        #expect(calls([.program(role: "phone")]).map(\.identity) == [.stream(1)])
        #expect(calls([.program(role: "alarm")]).map(\.identity) == [.stream(1)])
        #expect(
            calls([.program(7, role: "phone")]).first?.origin
                == InterruptionOrigin(name: "Talk", pid: 100, stream: 7))
        for role in [nil, "music", "video", "game", "event", "a11y", "production", "Communication"] {
            #expect(calls([.program(role: role)]).isEmpty)
        }
        #expect(calls([.program(role: "phone", isCorked: true)]).isEmpty)
        #expect(calls([.program(1, .capture, role: "phone")]).isEmpty)
        #expect(calls([.program(kind: .plumbing, role: "phone"), .program(2, kind: .sample, role: "alarm")]).isEmpty)
    }

    @Test("S21: all that a program plays which is a call by what it does has the role of one, with duplex only")
    func naming() {
        let claim = Claim(uid: 0xAB, state: .active, host: "here", pid: 7)
        let participant = Participant(id: 70, claim: claim)
        let streams: [ServerStream] = [
            .program(1), .program(2, .capture), .program(3, role: "music"), .program(4, role: "alarm"),
            .program(5, pid: 101, client: 11), .program(6, pid: 7, client: 70),
            .program(7, .capture, pid: 7, client: 70),
        ]
        func named(_ policy: UserPolicy, _ streams: [ServerStream]) -> [String?] {
            ForeignCallRules(policy: policy).naming(streams, participants: [participant]).map(\.role)
        }
        let duplex = UserPolicy.with(["AVAUDIOSESSION_CALLS": "duplex"])
        #expect(named(duplex, streams) == ["phone", nil, "phone", "alarm", nil, nil, nil])
        #expect(named(.init(), streams) == streams.map(\.role))
        #expect(named(duplex, streams.filter { $0.direction == .playback }) == [nil, "music", "alarm", nil, nil])
    }

    @Test("Rule 4: a participant's stream is never foreign, whatever its role and however it is recognised")
    func participants() {
        let claim = Claim(uid: 0xAB, state: .active, host: "here", pid: 100)
        let participant = Participant(id: 10, claim: claim)
        var owned = ServerStream.program(role: "alarm", pid: 5, client: 6)
        #expect(calls([owned], participants: [participant]).count == 1)
        owned.owner = 0xAB
        let others: [ServerStream] = [
            owned, .program(role: "phone", pid: 5, client: 10), .program(role: "phone", pid: 100, client: 6),
        ]
        for stream in others { #expect(calls([stream], participants: [participant]).isEmpty) }
    }

    @Test(
        "A list of programs says whose phone streams count, by identifier, its last part, or name; alarms always do",
        arguments: [
            ("interrupt", true), ("ignore", false), ("ignore:mumble", false), ("ignore:talk", false),
            ("ignore: Other, ORG.mumble.Mumble", false), ("ignore:other", true), ("interrupt:other", false),
            ("interrupt:mumble", true),
        ])
    func programs(setting: String, counts: Bool) {
        let policy = UserPolicy.with(["AVAUDIOSESSION_PHONE": setting])
        #expect(calls([.program(role: "phone")], policy).count == (counts ? 1 : 0))
        #expect(calls([.program(role: "alarm")], policy).count == 1)
    }

    @Test("With calls=duplex, a process that takes sound from a real source and plays at once is a call")
    func duplex() {
        let duplex = UserPolicy.with(["AVAUDIOSESSION_CALLS": "duplex"])
        let both: [ServerStream] = [.program(1), .program(2), .program(3, .capture)]
        #expect(calls(both).isEmpty)
        #expect(calls(both, duplex).map(\.identity) == [.process(host: "here", pid: 100)])
        #expect(calls(both, duplex).first?.origin.stream == 1)
        #expect(calls([.program(1), .program(3, .capture, kind: .plumbing)], duplex).isEmpty)
        #expect(calls([.program(1), .program(3, .capture, pid: 101)], duplex).isEmpty)
        #expect(calls([.program(1), .program(3, .capture, isCorked: true)], duplex).isEmpty)
        #expect(calls([.program(3, .capture)], duplex).isEmpty)
        // A stream that is not linked yet may record a sink's monitor.
        #expect(calls([.program(1), .program(3, .capture, device: nil)], duplex).isEmpty)
        #expect(calls([.program(1, device: nil), .program(3, .capture)], duplex).count == 1)
        let silent: [ServerStream] = [.program(1, pid: nil), .program(3, .capture, pid: nil)]
        #expect(calls(silent, duplex).map(\.identity) == [.client(10)])
        let ignored = UserPolicy.with(["AVAUDIOSESSION_CALLS": "duplex", "AVAUDIOSESSION_PHONE": "ignore"])
        #expect(calls([.program(1, role: "phone"), .program(3, .capture)], ignored).isEmpty)
    }

    @Test("Programs in sandboxes, which all number their processes alike, are not taken for one another")
    func sandboxes() {
        let duplex = UserPolicy.with(["AVAUDIOSESSION_CALLS": "duplex"])
        let player = ServerStream.program(1, pid: 2, client: 10, binary: "player")
        let recorder = ServerStream.program(3, .capture, pid: 2, client: 11, binary: "recorder")
        #expect(calls([player, recorder], duplex).isEmpty)
        let talk = ServerStream.program(2, pid: 2, client: 12, binary: "recorder")
        #expect(
            calls([player, talk, recorder], duplex).map(\.identity)
                == [.process(host: "here", pid: 2, binary: "recorder")])
        let participant = Participant(id: 20, claim: Claim(uid: 0xAB, state: .active, host: "here", pid: 0))
        #expect(calls([.program(role: "phone", pid: 2)], participants: [participant]).count == 1)
        #expect(calls([.program(role: "phone", pid: 0)], participants: [participant]).count == 1)
    }
}

@Suite("Foreign calls over time", .limited)
struct ForeignCallHistoryTests {
    private static func call(_ index: UInt32) -> ForeignCall {
        ForeignCall(identity: .stream(index), origin: InterruptionOrigin(name: "Talk", stream: index))
    }
    private static func began(_ index: UInt32) -> HostEvent {
        .interruptionBegan(.foreignCall, by: call(index).origin)
    }
    private static let ended = HostEvent.interruptionEnded(.foreignCall, shouldResume: true)

    @Test("A start interrupts at once; the end counts when it has lasted")
    func startAndEnd() {
        var history = ForeignCallHistory()
        #expect(history.observe([], at: 0) == [])
        #expect(history.observe([Self.call(1)], at: 1) == [Self.began(1)])
        #expect(history.current == Self.call(1))
        #expect(history.observe([Self.call(1)], at: 2) == [])
        #expect(history.observe([], at: 3) == [])
        #expect(history.nextLook == 3 + ForeignCallHistory.settling)
        #expect(history.current == Self.call(1))
        #expect(history.observe([], at: 3 + ForeignCallHistory.settling) == [Self.ended])
        #expect(history.current == nil && history.nextLook == nil)
    }

    @Test("A stream that looks corked while it is linked anew is neither an end nor a start")
    func relinked() {
        var history = ForeignCallHistory()
        _ = history.observe([], at: 0)
        _ = history.observe([Self.call(1)], at: 1)
        for moment in stride(from: 2.0, to: 3, by: 0.1) {
            #expect(history.observe([], at: moment) == [])
            #expect(history.observe([Self.call(1)], at: moment + 0.01) == [])
        }
        #expect(history.nextLook == nil)
    }

    @Test("What runs at the first look does not interrupt, but keeps others from taking sound")
    func wasThere() {
        var history = ForeignCallHistory()
        #expect(history.observe([Self.call(1)], at: 0) == [])
        #expect(history.current == Self.call(1))
        _ = history.observe([], at: 1)
        #expect(history.observe([], at: 2) == [])
        #expect(history.current == nil)
    }

    @Test("Of two calls the second one's start is told, and the end when both are over")
    func two() {
        var history = ForeignCallHistory()
        _ = history.observe([], at: 0)
        _ = history.observe([Self.call(1)], at: 1)
        #expect(history.observe([Self.call(1), Self.call(2)], at: 2) == [Self.began(2)])
        _ = history.observe([Self.call(2)], at: 3)
        #expect(history.observe([Self.call(2)], at: 4) == [])
        #expect(history.current == Self.call(2))
        _ = history.observe([], at: 5)
        #expect(history.observe([], at: 6) == [Self.ended])
    }

    @Test("A session that is activated during a call hears of its end only if another call started since")
    func activatedDuringCall() {
        var history = ForeignCallHistory()
        _ = history.observe([], at: 0)
        _ = history.observe([Self.call(1)], at: 1)
        history.sessionActivated()
        #expect(history.observe([Self.call(1), Self.call(2)], at: 2) == [Self.began(2)])
        _ = history.observe([Self.call(1)], at: 3)
        #expect(history.observe([Self.call(1)], at: 4) == [Self.ended])
        _ = history.observe([], at: 5)
        #expect(history.observe([], at: 6) == [])
    }

    @Test("One call, told by the server's policy too: one began and one ended, in whatever order they come")
    func twoCauses() {
        let foreign: [HostEvent] = [
            .interruptionBegan(.foreignCall), .interruptionEnded(.foreignCall, shouldResume: true),
        ]
        let server: [HostEvent] = [
            .interruptionBegan(.serverPolicy), .interruptionEnded(.serverPolicy, shouldResume: true),
        ]
        for choice in 0..<16 where choice.nonzeroBitCount == 2 {
            var rest = (foreign[...], server[...])
            var machine = SessionMachine()
            _ = machine.activated(implicitly: false)
            var told: [SessionNotification] = []
            for step in 0..<4 {
                let event = choice >> step & 1 == 1 ? rest.0.removeFirst() : rest.1.removeFirst()
                for case .post(let notification) in machine.received(event) { told.append(notification) }
            }
            let ends = told.filter { $0 == .interruptionEnded(shouldResume: true) }
            #expect(told.count == 2 && ends.count == 1, "\(told)")
            #expect(told.last == .interruptionEnded(shouldResume: true))
        }
    }
}
