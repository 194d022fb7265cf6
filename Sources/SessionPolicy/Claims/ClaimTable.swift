/// What is known of everybody's claims, and what still has to be asked: the protocol's bookkeeping, as a value.
///
/// The server says *that* a client changed, not how. At most one question per client is under way; a change that is
/// announced meanwhile is asked about afterwards, and a client that changes all the time is asked about less and less
/// often (``Budget``).
package struct ClaimTable: Sendable {
    /// What has been planned about the next question.
    fileprivate enum Plan {
        case none
        /// It is put off, since we need not know at once.
        case putOff
        /// It waits, since the client changes too often.
        case budget
    }

    /// What is known of one client.
    package struct Row: Sendable {
        /// The property's text, whatever it is; `nil` if the client has none.
        package fileprivate(set) var text: String?
        /// What it means; `nil` if it is invalid, or has not been asked about.
        package fileprivate(set) var claim: Claim?
        /// The program's name for people.
        package fileprivate(set) var name: String?
        /// How many changes were announced, how many of them the last question covers, and the last answer.
        fileprivate var announced = 0
        fileprivate var asked = 0
        fileprivate var answered = 0
        fileprivate var budget = Budget()
        fileprivate var plan = Plan.none
        fileprivate var isAsking: Bool { asked > answered }

        /// Takes over what the client says; whether its claim is another one now.
        fileprivate mutating func take(_ text: String?, name: String?) -> Bool {
            self.name = name
            guard self.text != text else { return false }
            let old = claim
            self.text = text
            claim = text.flatMap { Claim($0) }
            return claim != old
        }
    }

    /// What to do about a client that changed.
    package enum Inquiry: Hashable, Sendable {
        /// Ask about it now.
        case now
        /// Ask about it after so many seconds.
        case later(Double)
        /// A question is under way already, or planned, or nothing is left to learn.
        case never
    }

    /// Our own client, if we have one: its echo is waited for, so it is asked about at once and without a budget; what
    /// it says is our own word, so no decision waits for more than that.
    package var own: UInt32?
    /// Whose changes are asked about at once.
    package var attention = Attention.everybody
    /// All clients that were heard of.
    package private(set) var rows: [UInt32: Row] = [:]
    /// The clients, and the number of changes of each, that answers must cover before a decision.
    private var barrier: [UInt32: Int]?

    /// An empty table.
    package init() {}

    /// Everybody with a valid claim.
    package func participants(stopped: Set<UInt32>) -> [Participant] {
        rows.compactMap { id, row in
            row.claim.map { Participant(id: id, claim: $0, isStopped: stopped.contains(id)) }
        }
    }

    /// The claims, for the next ticket.
    package var claims: [Claim] { rows.values.compactMap(\.claim) }

    // MARK: What the server says

    /// A client appeared or changed at a time in seconds of any clock that only goes forward.
    package mutating func changed(_ id: UInt32, at time: Double) -> Inquiry {
        var row = rows[id] ?? Row()
        row.announced += 1
        rows[id] = row
        return inquiry(about: id, at: time)
    }

    /// The time that was asked for has passed.
    package mutating func due(_ id: UInt32, at time: Double) -> Inquiry {
        rows[id]?.plan = .none
        return inquiry(about: id, at: time, isDue: true)
    }

    /// What is to be asked of a client now that an answer came.
    package mutating func inquiry(about id: UInt32, at time: Double) -> Inquiry {
        inquiry(about: id, at: time, isDue: false)
    }

    private mutating func inquiry(about id: UInt32, at time: Double, isDue: Bool) -> Inquiry {
        guard var row = rows[id], !row.isAsking, row.answered < row.announced else { return .never }
        if id == own { return .now }
        // Decisions wait for what was announced before; one question per decision is never too many.
        if let needed = barrier?[id], row.answered < needed { return .now }
        let isPutOff = !isDue && !attention.includes(id)
        // What was put off is not put off any more once we need to know.
        guard row.plan == .none || row.plan == .putOff && !isPutOff else { return .never }
        let delay = isPutOff ? attention.leisure(of: own) : row.budget.spend(at: time)
        row.plan = delay == nil ? .none : isPutOff ? .putOff : .budget
        rows[id] = row
        return delay.map { .later($0) } ?? .now
    }

    /// A question about a client has been sent.
    package mutating func asked(_ id: UInt32) {
        guard var row = rows[id] else { return }
        row.asked = row.announced
        rows[id] = row
    }

    /// A client's answer came; whether its claim is another one now.
    package mutating func answered(_ id: UInt32, text: String?, name: String?) -> Bool {
        guard var row = rows[id] else { return false }
        row.answered = row.asked
        let isNews = row.take(text, name: name)
        rows[id] = row
        settle(id, covering: row.answered)
        return isNews
    }

    /// A list of all clients says this of one; whether its claim is another one now.
    ///
    /// A question that is under way was asked after the list: its answer is still to come, and newer.
    package mutating func listed(_ id: UInt32, text: String?, name: String?) -> Bool {
        var row = rows[id] ?? Row()
        if !row.isAsking {
            row.announced += 1
            row.asked = row.announced
            row.answered = row.asked
        }
        let isNews = row.take(text, name: name)
        rows[id] = row
        return isNews
    }

    /// A client is gone; whether it had a claim.
    package mutating func removed(_ id: UInt32) -> Bool {
        barrier?[id] = nil
        return rows.removeValue(forKey: id)?.claim != nil
    }

    // MARK: The barrier

    /// From now on ``isBarrierReached`` waits for an answer to everything that was announced so far; returns the
    /// clients to ask about at once, because their question was put off.
    package mutating func raiseBarrier() -> [UInt32] {
        barrier = outstanding.filter { $0.key != own }
        return putOff
    }

    /// Takes what is known of a client for old: it counts as changed, and is asked about with what was put off.
    package mutating func doubt(_ id: UInt32) { rows[id]?.announced += 1 }

    /// The changes that were announced and not answered: how many of each client.
    package var outstanding: [UInt32: Int] {
        rows.filter { $0.value.answered < $0.value.announced }.mapValues(\.announced)
    }

    /// The clients that changed and were not asked about yet, in an order that does not depend on chance.
    package var putOff: [UInt32] {
        rows.filter { $0.key != own && $0.value.answered < $0.value.announced && !$0.value.isAsking }.map(\.key)
            .sorted()
    }

    /// Those of them that were put off, and that we need to know at once by now.
    var overdue: [UInt32] { putOff.filter { rows[$0]?.plan == .putOff && attention.includes($0) } }

    /// Whether all these changes have been answered, or their clients are gone.
    package func covers(_ changes: [UInt32: Int]) -> Bool {
        changes.allSatisfy { id, count in rows[id].map { $0.answered >= count } ?? true }
    }

    /// Whether everything that was announced before the barrier has been answered.
    package var isBarrierReached: Bool { barrier?.isEmpty == true }

    /// Decisions need not wait any more.
    package mutating func lowerBarrier() { barrier = nil }

    private mutating func settle(_ id: UInt32, covering changes: Int) {
        if let needed = barrier?[id], changes >= needed { barrier?[id] = nil }
    }
}

extension ClaimTable {
    /// How often a client is asked about: 20 times at once, then 20 times a second.
    ///
    /// A session changes its claim a few times a second at most. One that does so a thousand times costs its neighbours
    /// twenty questions a second.
    struct Budget: Sendable {
        static let size = 20.0
        static let perSecond = 20.0
        private var tokens = Budget.size
        private var time = 0.0

        /// Takes a token; the seconds to wait if there is none.
        ///
        /// Whoever was told to wait comes back once, and finds a token: what rounding of times leaves out of it, or a
        /// timer that is early by less than a microsecond, does not count.
        mutating func spend(at now: Double) -> Double? {
            tokens = min(Budget.size, tokens + max(0, now - time) * Budget.perSecond)
            time = now
            guard tokens < 1 - 1e-4 else {
                tokens = max(0, tokens - 1)
                return nil
            }
            return (1 - tokens) / Budget.perSecond
        }
    }
}
