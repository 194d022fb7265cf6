/// The claims of all clients, and the bookkeeping of questions about them, as a value.
///
/// The server says *that* a client changed, not how. At most one question per client is open; a change announced
/// meanwhile is asked about afterwards, and the rate of questions about one client is limited (``Budget``).
package struct ClaimTable: Sendable {
    /// The plan for the next question.
    fileprivate enum Plan {
        case none
        /// Delayed, since ``refreshPolicy`` does not include the client.
        case putOff
        /// Delayed, since the client changes too often.
        case budget
    }

    /// One client's entry.
    package struct Row: Sendable {
        /// The text of the claim property, valid or not; `nil` if the client has none.
        package fileprivate(set) var text: String?
        /// The claim in that text; `nil` if it is invalid or not known yet.
        package fileprivate(set) var claim: Claim?
        /// The program's name for people.
        package fileprivate(set) var name: String?
        /// The number of changes that were announced, that the last question covers, and that the last answer covers.
        fileprivate var announced = 0
        fileprivate var asked = 0
        fileprivate var answered = 0
        fileprivate var budget = Budget()
        fileprivate var plan = Plan.none
        fileprivate var isAsking: Bool { asked > answered }

        /// Takes over a text and name; returns whether the claim is another one now.
        fileprivate mutating func update(_ text: String?, name: String?) -> Bool {
            self.name = name
            guard self.text != text else { return false }
            let old = claim
            self.text = text
            claim = text.flatMap { Claim($0) }
            return claim != old
        }
    }

    /// When to ask about a client that changed.
    package enum Inquiry: Hashable, Sendable {
        /// Now.
        case now
        /// After so many seconds.
        case later(Double)
        /// Not at all: a question is open or planned, or everything is known.
        case never
    }

    /// Our own client's index; `nil` without one.
    ///
    /// Decisions wait for its echo, so it is asked about at once and without a budget.
    package var own: UInt32?
    /// The clients whose changes are fetched at once.
    package var refreshPolicy = ClaimRefreshPolicy.all
    /// The entries of all clients, by client index.
    package private(set) var rows: [UInt32: Row] = [:]
    /// The number of changes of each client that answers must cover before a decision; `nil` while none waits.
    private var barrier: [UInt32: Int]?

    /// The number of changes of each client that answers are to cover without delay: those announced before the server
    /// had a claim of ours that waits for its verdict.
    private var urgent: [UInt32: Int] = [:]

    /// An empty table.
    package init() {}

    /// The participants: all clients with a valid claim.
    package func participants(stopped: Set<UInt32>) -> [Participant] {
        rows.compactMap { id, row in
            row.claim.map { Participant(id: id, claim: $0, isStopped: stopped.contains(id)) }
        }
    }

    /// The claims, for the next ticket.
    package var claims: [Claim] { rows.values.compactMap(\.claim) }

    // MARK: Events and answers

    /// Counts a change of a client, which is fetched at once if it is urgent; `time` is in seconds of any clock that only
    /// goes forward.
    package mutating func changed(_ id: UInt32, at time: Double, isUrgent: Bool = false) -> Inquiry {
        var row = rows[id] ?? Row()
        row.announced += 1
        rows[id] = row
        if isUrgent { urgent[id] = row.announced }
        return inquiry(about: id, at: time)
    }

    /// Ends the delay of a question (``Inquiry/later(_:)``).
    package mutating func due(_ id: UInt32, at time: Double) -> Inquiry {
        rows[id]?.plan = .none
        return inquiry(about: id, at: time, isDue: true)
    }

    /// When to ask about a client again after an answer.
    package mutating func inquiry(about id: UInt32, at time: Double) -> Inquiry {
        inquiry(about: id, at: time, isDue: false)
    }

    private mutating func inquiry(about id: UInt32, at time: Double, isDue: Bool) -> Inquiry {
        guard var row = rows[id], !row.isAsking, row.answered < row.announced else { return .never }
        if id == own { return .now }
        // A decision waits for changes that were announced before it; one question per decision has no budget.
        if isUrgent(id) { return .now }
        if let needed = barrier?[id], row.answered < needed { return .now }
        let isPutOff = !isDue && !refreshPolicy.includes(id)
        // A delayed question becomes urgent when the policy includes the client, and not the other way round.
        guard row.plan == .none || row.plan == .putOff && !isPutOff else { return .never }
        let delay = isPutOff ? refreshPolicy.refreshDelay(for: own) : row.budget.spend(at: time)
        row.plan = delay == nil ? .none : isPutOff ? .putOff : .budget
        rows[id] = row
        return delay.map { .later($0) } ?? .now
    }

    /// Notes that a question about a client was sent.
    package mutating func asked(_ id: UInt32) {
        guard var row = rows[id] else { return }
        row.asked = row.announced
        rows[id] = row
    }

    /// Takes over an answer; returns whether the client's claim is another one now.
    package mutating func answered(_ id: UInt32, text: String?, name: String?) -> Bool {
        guard var row = rows[id] else { return false }
        row.answered = row.asked
        let isNews = row.update(text, name: name)
        rows[id] = row
        settle(id, covering: row.answered)
        return isNews
    }

    /// Takes over an entry of the list of all clients; returns whether the client's claim is another one now.
    ///
    /// An open question was asked after the list, so its answer is still to come, and newer.
    package mutating func listed(_ id: UInt32, text: String?, name: String?) -> Bool {
        var row = rows[id] ?? Row()
        if !row.isAsking {
            row.announced += 1
            row.asked = row.announced
            row.answered = row.asked
        }
        let isNews = row.update(text, name: name)
        rows[id] = row
        return isNews
    }

    /// Removes a client; returns whether it had a claim.
    package mutating func removed(_ id: UInt32) -> Bool {
        barrier?[id] = nil
        urgent[id] = nil
        return rows.removeValue(forKey: id)?.claim != nil
    }

    // MARK: The barrier

    /// Makes ``isBarrierReached`` wait for answers to every change announced so far.
    ///
    /// Returns the clients to ask about at once, because their question was delayed.
    package mutating func raiseBarrier() -> [UInt32] {
        barrier = outstanding.filter { $0.key != own }
        return putOff
    }

    /// Counts a client as changed, so that it is asked about with the next delayed questions.
    package mutating func markStale(_ id: UInt32) { rows[id]?.announced += 1 }

    /// The number of announced changes of each client that has some without an answer.
    package var outstanding: [UInt32: Int] {
        rows.filter { $0.value.answered < $0.value.announced }.mapValues(\.announced)
    }

    /// The clients that changed and were not asked about yet, sorted.
    package var putOff: [UInt32] {
        rows.filter { $0.key != own && $0.value.answered < $0.value.announced && !$0.value.isAsking }.map(\.key)
            .sorted()
    }

    /// The clients with a delayed question that ``refreshPolicy`` includes by now.
    var overdue: [UInt32] { putOff.filter { rows[$0]?.plan == .putOff && refreshPolicy.includes($0) } }

    /// Whether all these changes have been answered, or their clients are gone.
    package func covers(_ changes: [UInt32: Int]) -> Bool {
        changes.allSatisfy { id, count in rows[id].map { $0.answered >= count } ?? true }
    }

    /// Whether all changes announced before the barrier have been answered.
    package var isBarrierReached: Bool { barrier?.isEmpty == true }

    /// Ends the wait for answers before a decision.
    package mutating func lowerBarrier() {
        barrier = nil
        urgent = [:]
    }

    /// Makes all changes of others urgent that have no answer yet; returns their number by client.
    mutating func makeOutstandingUrgent() -> [UInt32: Int] {
        urgent = outstanding.filter { $0.key != own }
        return urgent
    }

    /// Whether a client has urgent changes without an answer.
    func isUrgent(_ id: UInt32) -> Bool { urgent[id].map { (rows[id]?.answered ?? $0) < $0 } == true }

    /// Whether any client has.
    var hasUrgent: Bool { urgent.keys.contains(where: isUrgent) }

    /// Whether a client has changed since its urgent changes.
    func hasChangedSinceUrgent(_ id: UInt32) -> Bool { urgent[id].map { (rows[id]?.announced ?? $0) > $0 } == true }

    private mutating func settle(_ id: UInt32, covering changes: Int) {
        if let needed = barrier?[id], changes >= needed { barrier?[id] = nil }
    }
}

extension ClaimTable {
    /// The limit for questions about one client, a token bucket: 20 at once, then 20 a second.
    ///
    /// A session changes its claim a few times a second at most. A client that does so a thousand times a second costs
    /// its peers twenty questions a second.
    struct Budget: Sendable {
        static let size = 20.0
        static let perSecond = 20.0
        private var tokens = Budget.size
        private var time = 0.0

        /// Takes a token; returns the seconds to wait if there is none.
        ///
        /// A question that had to wait comes back once and must find a token, so rounding of times, or a timer that is
        /// early by less than a microsecond, is tolerated.
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
