import TestSupport
import Testing

@testable import SessionPolicy

/// What histories come upon too seldom.
@Suite("A session's part in the protocol", .limited)
struct ClaimNegotiationTests {
    /// A session, the first client of a server, which is played by the test.
    private final class Session {
        private(set) var effects: [ClaimEffect] = []
        var negotiation = ClaimNegotiation(claim: Claim(uid: 1, canDuck: true))
        private var queue = EffectQueue<ClaimEffect>()
        /// What the session does when it is told something.
        var onReport: (HostEvent) -> Void = { _ in }

        /// Knows itself, and the second client, which says this.
        init(beside other: Claim) { connect(beside: other) }

        /// One input, and everything that follows from it.
        func run(_ input: (inout ClaimNegotiation) -> [ClaimEffect]) {
            let decided = input(&negotiation)
            guard queue.append(decided) else { return }
            while let effect = queue.popFirst() {
                effects.append(effect)
                switch effect {
                case .report(let event): onReport(event)
                case .decideDeferred: run { $0.decideDeferred() }
                default: break
                }
            }
        }

        func connect(beside other: Claim) {
            negotiation.connected(as: 1)
            let texts = [negotiation.claim.encoded, other.encoded]
            let clients = texts.enumerated().map { index, text in
                ClaimClient(index: UInt32(index + 1), properties: .init(text: text, name: nil))
            }
            run { $0.listed(clients) }
        }

        /// The server announces a change of a client, and answers the question about it.
        func hear(_ client: UInt32, _ claim: Claim) {
            run { $0.changed(client, at: 0) }
            answer(client, claim)
        }

        func answer(_ client: UInt32, _ claim: Claim) {
            run { $0.answered(client, with: .init(text: claim.encoded, name: nil), at: 0) }
        }

        /// The server shows the claim, and nothing more is heard of it.
        func grant() {
            for case .look(let look) in effects { run { $0.looked(look, text: look.text) } }
        }

        var isToldOfInterruption: Bool {
            effects.contains { if case .report(.interruptionBegan) = $0 { true } else { false } }
        }
    }

    private static let call = Claim(uid: 2).activating(with: .call, ticket: 5)

    @Test("An activation returns its effects, in order, and leaves the claim published")
    func activationEffects() {
        let session = Session(beside: Claim(uid: 2))
        let effects = session.negotiation.activate(.music, request: 1)
        let text = session.negotiation.claim.encoded
        #expect(
            effects == [
                .publish(text), .start(.deadline, seconds: 2), .look(ClaimLook(text: text, asked: 0)),
            ])
        #expect(session.negotiation.isDeciding && session.negotiation.claim.state == .active)
        let news = session.negotiation.changed(1, at: 0)
        #expect(news == [.ask(1)])
        let echo = session.negotiation.answered(1, with: .init(text: text, name: nil), at: 0)
        #expect(
            echo == [
                .clientUpdated(1), .cancel(.deadline), .complete(1, nil), .judged, .signal, .signal,
            ])
        #expect(session.negotiation.verdict.standing == .active)
    }

    @Test("A call returns no effect of the call before")
    func noEffectTwice() {
        let session = Session(beside: Claim(uid: 2))
        _ = session.negotiation.activate(.music, request: 1)
        let more = [
            session.negotiation.decide(), session.negotiation.setCanDuck(true), session.negotiation.catchUp(),
        ]
        #expect(more == [[], [], []])
    }

    @Test("A step that a session takes on a report is carried out after what was decided before it")
    func stepOnReport() throws {
        let session = Session(beside: Claim(uid: 2))
        session.run { $0.activate(.music, request: 1) }
        session.hear(1, session.negotiation.claim)
        var carriedOutInside: Int?
        session.onReport = { [unowned session] event in
            guard case .interruptionBegan = event else { return }
            let before = session.effects.count
            session.run { $0.apply(.interrupted) }
            // The claim is another one at once; what it leads to waits for its turn.
            #expect(session.negotiation.claim.state == .interrupted)
            carriedOutInside = session.effects.count - before
        }
        session.hear(2, Claim(uid: 2).activating(with: .music, ticket: 9))
        #expect(carriedOutInside == 0)
        let published = try #require(session.effects.firstIndex(of: .publish(session.negotiation.claim.encoded)))
        let judged = try #require(session.effects.lastIndex(of: .judged))
        #expect(judged < published)
    }

    @Test("A change that waits for the very claim that interrupts its session is not published")
    func interruptedByAwaitedClaim() {
        let session = Session(beside: Claim(uid: 2))
        session.run { $0.activate(.music, request: 1) }
        session.hear(1, session.negotiation.claim)
        session.onReport = { [unowned session] event in
            if case .interruptionBegan = event { session.run { $0.apply(.interrupted) } }
        }
        session.run { $0.changed(2, at: 0) }
        session.run { $0.change(to: .call, request: 2) }
        session.answer(2, Claim(uid: 2).activating(with: .music, ticket: 9))
        #expect(session.negotiation.claim.state == .interrupted)
        #expect(session.negotiation.claim.settings == .music && !session.negotiation.isDeciding)
        #expect(session.effects.contains(.complete(2, nil)))
    }

    @Test("What calls refused, and do not any more, is said as it is by then")
    func afterCalls() {
        let session = Session(beside: Self.call)
        session.run { $0.activate(.recording, request: 1) }
        session.run { $0.setCanDuck(false) }
        session.answer(2, Self.call.idle(notify: true))
        #expect(session.negotiation.claim.settings == .recording && !session.negotiation.claim.canDuck)
    }

    @Test("A session that is interrupted while calls are asked whether they still refuse its change stays so")
    func interruptedBeforeChange() {
        let session = Session(beside: Claim(uid: 2))
        session.run { $0.activate(.game, request: 1) }
        session.hear(1, session.negotiation.claim)
        session.hear(2, Self.call.renewed(ticket: 1))
        session.run { $0.change(to: .call, request: 2) }
        session.run { $0.apply(.interrupted) }
        session.answer(2, Self.call.idle(notify: true))
        #expect(session.negotiation.claim.state == .interrupted)
        #expect(session.effects.contains(.complete(2, nil)) && !session.negotiation.isDeciding)
    }

    @Test("A server that did not answer in time does not keep a change from its ticket")
    func ticketAfterGivingUp() {
        let session = Session(beside: Claim(uid: 2))
        session.run { $0.activate(.music, request: 1) }
        session.grant()
        session.run { $0.fired(.deadline, at: 2) }
        session.run { $0.change(to: .call, request: 2) }
        #expect(session.negotiation.claim.seq == 2 && session.negotiation.isDeciding)
    }

    @Test("A session that gave up waiting is not judged by what it said before")
    func verdictAfterGivingUp() {
        let session = Session(beside: Claim(uid: 2))
        session.run { $0.activate(.music, request: 1) }
        session.grant()
        session.hear(2, Claim(uid: 2).activating(with: .music, ticket: 1))
        session.hear(1, session.negotiation.claim)
        session.answer(2, Claim(uid: 2).activating(with: .music, ticket: 1))
        #expect(session.negotiation.claim.seq == 2)
        session.run { $0.fired(.deadline, at: 2) }
        #expect(!session.isToldOfInterruption)
        session.hear(1, session.negotiation.claim)
        #expect(session.negotiation.verdict.standing == .active && !session.isToldOfInterruption)
    }

    @Test(
        "S28: who came after our success is not outbid; who came before is, even if it knew others and we did not",
        arguments: [(1, false), (2, false), (2, true)] as [(UInt64, Bool)])
    func rival(ticket: UInt64, isLater: Bool) {
        let session = Session(beside: Claim(uid: 2))
        session.run { $0.activate(.music, request: 1) }
        session.grant()
        // The server's news of the two, in the order in which it took their words.
        for client: UInt32 in isLater ? [1, 2] : [2, 1] { session.run { $0.changed(client, at: 0) } }
        session.answer(1, session.negotiation.claim)
        // It is asked about once more before it is outbid.
        for _ in 0..<2 { session.answer(2, Claim(uid: 2).activating(with: .music, ticket: ticket)) }
        session.hear(1, session.negotiation.claim)
        #expect(session.isToldOfInterruption == isLater)
        #expect(session.negotiation.claim.seq == (isLater ? 1 : ticket + 1))
    }

    @Test("S28: who ended before our activation and came back after our success is not outbid", arguments: [1, 2])
    func rivalThatEndedBefore(ticket: UInt64) {
        let session = Session(beside: Claim(uid: 2))
        session.run { $0.activate(.music, request: 1) }
        session.grant()
        for client: UInt32 in [2, 1] { session.run { $0.changed(client, at: 0) } }
        session.answer(1, session.negotiation.claim)
        // The answer about its end shows what it said later, of which the news comes last.
        let back = Claim(uid: 2).activating(with: .music, ticket: ticket)
        session.answer(2, back)
        session.run { $0.changed(2, at: 0) }
        session.answer(2, back)
        #expect(session.isToldOfInterruption && session.negotiation.claim.seq == 1)
    }

    @Test("S28: news of what we said before tells nothing of who came before our activation")
    func newsOfEarlierWords() {
        let session = Session(beside: Claim(uid: 2))
        session.run { $0.setCanDuck(false) }
        session.run { $0.activate(.music, request: 1) }
        session.grant()
        // The server has the first of our words, then the other's, then our activation.
        for client: UInt32 in [1, 2, 1] { session.run { $0.changed(client, at: 0) } }
        session.answer(1, session.negotiation.claim)
        for _ in 0..<2 { session.answer(2, Claim(uid: 2).activating(with: .music, ticket: 2)) }
        session.answer(1, session.negotiation.claim)
        #expect(!session.isToldOfInterruption && session.negotiation.claim.seq == 3)
    }

    @Test("What was to be said after a claim is void when the server goes before that counts")
    func postponedAtLoss() {
        let session = Session(beside: Claim(uid: 2))
        session.run { $0.activate(.music, request: 1) }
        session.grant()
        session.run { $0.apply(.playing(true)) }
        session.run { $0.disconnected() }
        session.connect(beside: Claim(uid: 2))
        session.run { $0.activate(.music, request: 2) }
        #expect(session.negotiation.claim.state == .active && !session.negotiation.claim.isPlaying)
    }

    @Test("A question from before all were listed is under way until its own answer comes")
    func earlyQuestion() {
        let session = Session(beside: Claim(uid: 2))
        session.run { $0.disconnected() }
        session.negotiation.connected(as: 1)
        session.run { $0.changed(2, at: 0) }
        session.connect(beside: Claim(uid: 2))
        session.run { $0.changed(2, at: 0) }
        #expect(session.effects.filter { $0 == .ask(2) }.count == 1)
        session.answer(2, Self.call)
        #expect(session.effects.filter { $0 == .ask(2) }.count == 2)
    }
}
