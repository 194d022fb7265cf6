import Testing

@testable import SessionPolicy

/// What histories come upon too seldom.
@Suite("A session's part in the protocol")
struct ClaimNegotiationTests {
    /// A session, the first client of a server, which is played by the test.
    private final class Session {
        private(set) var effects: [ClaimEffect] = []
        private(set) lazy var negotiation = ClaimNegotiation(claim: Claim(uid: 1, canDuck: true)) { [unowned self] in
            effects.append($0)
        }

        /// Knows itself, and the second client, which says this.
        init(beside other: Claim) { connect(beside: other) }

        func connect(beside other: Claim) {
            negotiation.connected(as: 1)
            let texts = [negotiation.claim.encoded, other.encoded]
            negotiation.listed(
                texts.enumerated().map { .init(index: UInt32($0.offset + 1), word: .init(text: $0.element, name: nil)) }
            )
        }

        /// The server tells the news of a client, and answers the question about it.
        func hear(_ client: UInt32, _ claim: Claim) {
            negotiation.changed(client, at: 0)
            answer(client, claim)
        }

        func answer(_ client: UInt32, _ claim: Claim) {
            negotiation.answered(client, with: .init(text: claim.encoded, name: nil), at: 0)
        }

        /// The server shows the claim, and nothing more is heard of it.
        func grant() {
            for case .look(let look) in effects { negotiation.looked(look, text: look.text) }
        }

        var isToldOfInterruption: Bool {
            effects.contains { if case .report(.interruptionBegan) = $0 { true } else { false } }
        }
    }

    private static let call = Claim(uid: 2).activating(with: .call, ticket: 5)

    @Test("What calls refused, and do not any more, is said as it is by then")
    func afterCalls() {
        let session = Session(beside: Self.call)
        session.negotiation.activate(.recording, request: 1)
        session.negotiation.tell(canDuck: false)
        session.answer(2, Self.call.idle(notify: true))
        #expect(session.negotiation.claim.settings == .recording && !session.negotiation.claim.canDuck)
    }

    @Test("A session that is interrupted while calls are asked whether they still refuse its change stays so")
    func interruptedBeforeChange() {
        let session = Session(beside: Claim(uid: 2))
        session.negotiation.activate(.game, request: 1)
        session.hear(1, session.negotiation.claim)
        session.hear(2, Self.call.renewed(ticket: 1))
        session.negotiation.change(to: .call, request: 2)
        session.negotiation.take(.interrupted)
        session.answer(2, Self.call.idle(notify: true))
        #expect(session.negotiation.claim.state == .interrupted)
        #expect(session.effects.contains(.complete(2, nil)) && !session.negotiation.isDeciding)
    }

    @Test("A server that did not answer in time does not keep a change from its ticket")
    func ticketAfterGivingUp() {
        let session = Session(beside: Claim(uid: 2))
        session.negotiation.activate(.music, request: 1)
        session.grant()
        session.negotiation.fired(.deadline, at: 2)
        session.negotiation.change(to: .call, request: 2)
        #expect(session.negotiation.claim.seq == 2 && session.negotiation.isDeciding)
    }

    @Test("A session that gave up waiting is not judged by what it said before")
    func verdictAfterGivingUp() {
        let session = Session(beside: Claim(uid: 2))
        session.negotiation.activate(.music, request: 1)
        session.grant()
        session.hear(2, Claim(uid: 2).activating(with: .music, ticket: 1))
        session.hear(1, session.negotiation.claim)
        #expect(session.negotiation.claim.seq == 2)
        session.negotiation.fired(.deadline, at: 2)
        #expect(!session.isToldOfInterruption)
        session.hear(1, session.negotiation.claim)
        #expect(session.negotiation.verdict.standing == .active && !session.isToldOfInterruption)
    }

    @Test(
        "S28: who came after our success is not outbid; who came before is, even if it knew others and we did not",
        arguments: [(1, false), (2, false), (2, true)] as [(UInt64, Bool)])
    func rival(ticket: UInt64, isLater: Bool) {
        let session = Session(beside: Claim(uid: 2))
        session.negotiation.activate(.music, request: 1)
        session.grant()
        // The server's news of the two, in the order in which it took their words.
        for client: UInt32 in isLater ? [1, 2] : [2, 1] { session.negotiation.changed(client, at: 0) }
        session.answer(1, session.negotiation.claim)
        session.answer(2, Claim(uid: 2).activating(with: .music, ticket: ticket))
        session.hear(1, session.negotiation.claim)
        #expect(session.isToldOfInterruption == isLater)
        #expect(session.negotiation.claim.seq == (isLater ? 1 : ticket + 1))
    }

    @Test("S28: news of what we said before tells nothing of who came before our activation")
    func newsOfEarlierWords() {
        let session = Session(beside: Claim(uid: 2))
        session.negotiation.tell(canDuck: false)
        session.negotiation.activate(.music, request: 1)
        session.grant()
        // The server has the first of our words, then the other's, then our activation.
        for client: UInt32 in [1, 2, 1] { session.negotiation.changed(client, at: 0) }
        session.answer(1, session.negotiation.claim)
        session.answer(2, Claim(uid: 2).activating(with: .music, ticket: 2))
        session.answer(1, session.negotiation.claim)
        #expect(!session.isToldOfInterruption && session.negotiation.claim.seq == 3)
    }

    @Test("What was to be said after a claim is void when the server goes before that counts")
    func postponedAtLoss() {
        let session = Session(beside: Claim(uid: 2))
        session.negotiation.activate(.music, request: 1)
        session.grant()
        session.negotiation.take(.playing(true))
        session.negotiation.disconnected()
        session.connect(beside: Claim(uid: 2))
        session.negotiation.activate(.music, request: 2)
        #expect(session.negotiation.claim.state == .active && !session.negotiation.claim.isPlaying)
    }

    @Test("A question from before all were listed is under way until its own answer comes")
    func earlyQuestion() {
        let session = Session(beside: Claim(uid: 2))
        session.negotiation.disconnected()
        session.negotiation.connected(as: 1)
        session.negotiation.changed(2, at: 0)
        session.connect(beside: Claim(uid: 2))
        session.negotiation.changed(2, at: 0)
        #expect(session.effects.filter { $0 == .ask(2) }.count == 1)
        session.answer(2, Self.call)
        #expect(session.effects.filter { $0 == .ask(2) }.count == 2)
    }
}
