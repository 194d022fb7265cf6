/// The age of a claim among all others: by ticket, and between equal tickets by `uid`; greater means newer.
///
/// A Lamport clock: a ticket is one more than the highest known when it is drawn. So a session that knew of another is
/// newer, and two sessions that did not know of each other have the same order in every process.
package struct ClaimOrder: Comparable, Hashable, Sendable {
    /// The ticket.
    package let seq: UInt64
    /// The random bits of the process.
    package let uid: UInt64

    /// The first invalid ticket, 2⁴⁰: enough for one activation a millisecond for 34 years.
    package static let limit: UInt64 = 1 << 40

    /// The largest accepted step above the next lower ticket, 2³².
    package static let longestStep: UInt64 = 1 << 32

    /// The position with this ticket and these random bits.
    package init(seq: UInt64, uid: UInt64) {
        self.seq = seq
        self.uid = uid
    }

    /// Whether the left position is the older one.
    package static func < (left: ClaimOrder, right: ClaimOrder) -> Bool {
        (left.seq, left.uid) < (right.seq, right.uid)
    }

    /// The ticket for an activation, given all known claims, including our own and idle ones.
    ///
    /// | highest tickets known | next ticket |
    /// |---|---|
    /// | none | 1 |
    /// | …, 41 | 42 |
    /// | …, 41, an idle claim's 2³⁸ | 42: no honest session counts that far, so it is ignored |
    /// | …, 41, a live claim's 2³⁸ | 2³⁸ + 1: an honest session may have got there after a peer that has left |
    /// | …, 41, a live claim's 2⁴⁰ − 1 | 42: within 2³² of the limit even live ones are ignored |
    /// | 2⁴⁰ − 1, reached in steps of at most 2³² | 2⁴⁰ − 1 again; then `uid` decides |
    ///
    /// Rows 3 and 5 keep one bad peer from using up all tickets: its claim is valid, and may be the newest while it
    /// lives, but has no lasting effect. Row 4 keeps a session that accepted such a ticket from being newer than all
    /// sessions after the peer has left. Processes need not agree on how tickets are drawn, so implementations may
    /// differ.
    package static func nextTicket(after claims: some Sequence<Claim>) -> UInt64 {
        // Without lazy sequences, whose types are created at run time: this runs at every start.
        var tickets: [UInt64] = []
        var live: UInt64 = 0
        for claim in claims {
            tickets.append(claim.seq)
            if claim.state != .idle, claim.seq < limit - longestStep { live = max(live, claim.seq) }
        }
        tickets.sort()
        var highest: UInt64 = 0
        for ticket in tickets {
            guard ticket - highest <= longestStep else { break }
            highest = ticket
        }
        return min(max(highest, live) + 1, limit - 1)
    }
}

extension Claim {
    /// The claim's age among others.
    package var order: ClaimOrder { ClaimOrder(seq: seq, uid: uid) }
}
