import TestSupport
import Testing

@testable import SessionPolicy

@Suite("Whose changes are asked about at once", .limited)
struct ClaimRefreshPolicyTests {
    private static let idle = Claim(uid: 1)
    private static let old = Claim(uid: 2).activating(with: .music, ticket: 3)
    private static let new = Claim(uid: 3).activating(with: .music, ticket: 4)
    private static let ducker = Claim(uid: 4, canDuck: true)

    private func refreshPolicy(of own: UInt32, among claims: [UInt32: Claim]) -> ClaimRefreshPolicy {
        ClaimRefreshPolicy(of: own, in: Arbitration(claims.map { Participant(id: $0.key, claim: $0.value) }))
    }

    @Test("The active ask about everybody, the interrupted about their culprit, the inactive about nobody")
    func who() {
        let claims: [UInt32: Claim] = [10: Self.idle, 11: Self.old, 12: Self.new]
        #expect(refreshPolicy(of: 10, among: claims) == .noClient)
        #expect(refreshPolicy(of: 11, among: claims) == .only(12))
        #expect(refreshPolicy(of: 12, among: claims) == .all)
        #expect(refreshPolicy(of: 99, among: claims) == .noClient)
    }

    @Test("Whoever lowers streams for all asks about everybody, whatever its state")
    func executor() {
        #expect(refreshPolicy(of: 10, among: [10: Self.ducker, 12: Self.new]) == .all)
        #expect(refreshPolicy(of: 11, among: [10: Self.ducker, 11: Self.ducker]) == .noClient)
    }

    /// A table of an interrupted session, 5, that has asked about 1 and 2 once.
    private func table(_ refreshPolicy: ClaimRefreshPolicy) -> ClaimTable {
        var table = ClaimTable()
        table.own = 5
        for client: UInt32 in 1...2 {
            _ = table.changed(client, at: 0)
            table.asked(client)
            _ = table.answered(client, text: nil, name: nil)
        }
        table.refreshPolicy = refreshPolicy
        return table
    }

    @Test("A question is put off once, however many changes come meanwhile, and asked when it is due")
    func putOff() {
        var table = table(.only(1))
        #expect(table.changed(1, at: 1) == .now)
        guard case .later(let seconds) = table.changed(2, at: 1) else {
            Issue.record("asked about client 2 at once")
            return
        }
        #expect(seconds > 0.01 && seconds < 0.1, "those who end stay for 0.1 s")
        #expect(table.changed(2, at: 1.01) == .never)
        #expect(table.putOff.sorted() == [1, 2], "neither question has been sent")
        let due = table.due(2, at: 1 + seconds)
        #expect(due == .now)
        table.asked(2)
        #expect(table.putOff == [1])
    }

    @Test("What was put off is asked about as soon as it matters, and so is what changes after that")
    func mattersBeforeItIsDue() {
        var table = table(.noClient)
        guard case .later = table.changed(2, at: 1) else {
            Issue.record("asked at once")
            return
        }
        #expect(table.overdue.isEmpty)
        table.refreshPolicy = .only(2)
        #expect(table.overdue == [2])
        table.asked(2)
        #expect(table.overdue.isEmpty)
        _ = table.answered(2, text: nil, name: nil)
        let next = table.changed(2, at: 1.01)
        #expect(next == .now)
    }

    @Test("Our own changes are asked about at once, and those that a decision waits for")
    func neverPutOff() {
        var table = table(.noClient)
        #expect(table.changed(5, at: 1) == .now)
        guard case .later = table.changed(2, at: 1) else {
            Issue.record("asked at once")
            return
        }
        let needed = table.raiseBarrier()
        #expect(needed == [2])
        let again = table.inquiry(about: 2, at: 1)
        #expect(again == .now)
        let outstanding = table.outstanding
        table.asked(2)
        #expect(!table.covers(outstanding))
        _ = table.answered(2, text: nil, name: nil)
        #expect(!table.covers(outstanding), "our own echo")
        table.asked(5)
        _ = table.answered(5, text: nil, name: nil)
        #expect(table.covers(outstanding) && table.isBarrierReached)
    }
}
