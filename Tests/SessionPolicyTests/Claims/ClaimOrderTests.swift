import SessionPolicy
import TestSupport
import Testing

@Suite("Tickets", .limited)
struct ClaimOrderTests {
    private func next(_ tickets: UInt64...) -> UInt64 {
        ClaimOrder.nextTicket(after: tickets.map { Claim(seq: $0, uid: 1) })
    }

    @Test("The order is by ticket, then by random bits, and strict")
    func order() {
        let positions = [(1, 9), (2, 1), (2, 3), (3, 0)].map { ClaimOrder(seq: $0.0, uid: $0.1) }
        for (i, left) in positions.enumerated() {
            for (j, right) in positions.enumerated() { #expect((left < right) == (i < j)) }
        }
    }

    @Test("A ticket is one more than the highest seen, whoever has it and however many")
    func next() {
        #expect(next() == 1)
        #expect(next(0) == 1)
        #expect(next(3, 41, 7, 41) == 42)
        #expect(next(1 << 32) == 1 << 32 + 1)
    }

    @Test("One peer with a wild ticket leads nobody to the limit")
    func wildTickets() {
        #expect(next(5, 1 << 40 - 1) == 6)
        #expect(next(5, 1 << 33) == 6)
        #expect(next(.max) == 1)
    }

    @Test("Live claims are followed across gaps, but not to the limit")
    func live() {
        func next(live seq: UInt64) -> UInt64 {
            ClaimOrder.nextTicket(after: [Claim(seq: 5, uid: 1), Claim(seq: seq, uid: 2, state: .active)])
        }
        #expect(next(live: 1 << 38) == 1 << 38 + 1)
        #expect(next(live: 1 << 40 - 1 << 32 - 1) == 1 << 40 - 1 << 32)
        #expect(next(live: 1 << 40 - 1 << 32) == 6)
        #expect(next(live: 1 << 40 - 1) == 6)
    }

    @Test(
        "What a bad peer led a session to is no burden to those that come after it has gone",
        arguments: [SessionSettings.music, .call])
    func trace(settings: SessionSettings) {
        let bad = [Claim(seq: 1 << 32, uid: 8), Claim(seq: 2 << 32, uid: 9)]
        var (first, second) = (Claim(uid: 1), Claim(uid: 2))
        first = first.activating(with: settings, ticket: ClaimOrder.nextTicket(after: [first, second] + bad))
        second = second.activating(with: settings, ticket: ClaimOrder.nextTicket(after: [first, second]))
        #expect(second.order > first.order)
        let all = Arbitration([Participant(id: 1, claim: first), Participant(id: 2, claim: second)])
        // The last one wins, but of calls the first.
        #expect(all.verdict(on: settings == .call ? 1 : 2).standing == .active)
        #expect(all.verdict(on: settings == .call ? 2 : 1).standing != .active)
    }

    @Test("At the limit the ticket stays valid")
    func limit() {
        let ladder = (1...256).map { Claim(seq: UInt64($0) << 32, uid: 1) }
        let ticket = ClaimOrder.nextTicket(after: ladder)
        #expect(ticket == 1 << 40 - 1)
        #expect(Claim(Claim(seq: ticket, uid: 1, state: .active).encoded) != nil)
    }

    @Test("An active session draws a new ticket when it becomes stronger (rule 1, 2, 3), and only then")
    func renewal() {
        let mixing = SessionSettings.of(.playback, .default, .mixWithOthers)
        let ducking = SessionSettings.of(.playback, .default, .duckOthers)
        let table: [(SessionSettings, SessionSettings, Bool)] = [
            (mixing, .music, true), (.music, mixing, false), (mixing, ducking, false), (mixing, .prompt, true),
            (.music, .prompt, true), (.prompt, mixing, false), (.prompt, .music, true), (.music, .podcast, false),
            (.music, .recording, false), (.of(.playAndRecord), .call, true), (.call, .of(.playAndRecord), true),
            (.call, mixing, false), (.call, .of(.playAndRecord, .videoChat), false), (.music, .music, false),
        ]
        for (old, new, needsTicket) in table {
            #expect(old.needsNewTicket(for: new) == needsTicket, "\(old) -> \(new)")
            let claim = Claim(seq: 4, uid: 1, state: .active, settings: old)
            #expect(claim.changing(to: new, ticket: 9).seq == (needsTicket ? 9 : 4))
        }
    }

    @Test("The steps of a claim: what is told, and what is kept")
    func steps() {
        let idle = Claim(uid: 3, canDuck: true, host: "h", pid: 5)
        var active = idle.activating(with: .podcast, ticket: 8)
        active.isPlaying = true
        #expect(active.seq == 8 && active.state == .active && active.canDuck && active.pid == 5)
        let interrupted = active.interrupted()
        #expect(interrupted.state == .interrupted && interrupted.seq == 8 && !interrupted.isPlaying)
        #expect(interrupted.changing(to: .call, ticket: 9) == interrupted)
        #expect(idle.interrupted() == idle)
        #expect(interrupted.idle(notify: true).notify && !interrupted.idle(notify: false).notify)
        #expect(!interrupted.idle(notify: true).activating(with: .music, ticket: 9).notify)
    }
}
