/// The claims of all clients, and the state of requests about them, as a value.
///
/// The server reports *that* a client has changed, not how. At most one request per client is pending. A change
/// announced meanwhile is requested afterwards, and the rate of requests about one client is limited (``Budget``).
package struct ClaimTable: Sendable {
    /// The plan for the next request.
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
        /// The program's name to display.
        package fileprivate(set) var name: String?
        /// The numbers of changes announced, covered by the last request, and covered by the last answer.
        fileprivate var announced = 0
        fileprivate var asked = 0
        fileprivate var answered = 0
        fileprivate var budget = Budget()
        fileprivate var plan = Plan.none
        fileprivate var isAsking: Bool { asked > answered }

        /// Updates text and name; returns whether the claim has changed.
        fileprivate mutating func update(_ text: String?, name: String?) -> Bool {
            self.name = name
            guard self.text != text else { return false }
            let old = claim
            self.text = text
            claim = text.flatMap { Claim($0) }
            return claim != old
        }
    }

    /// The time for a request about a changed client.
    package enum Inquiry: Hashable, Sendable {
        /// Now.
        case now
        /// After this many seconds.
        case later(Double)
        /// None: a request is pending or planned, or everything is known.
        case never
    }

    /// Our own client's index; `nil` without one.
    ///
    /// Decisions wait for its echo, so it is requested at once and without a budget.
    package var own: UInt32?
    /// The clients whose changes are fetched at once.
    package var refreshPolicy = ClaimRefreshPolicy.all
    /// The entries of all clients, by client index.
    package private(set) var rows: [UInt32: Row] = [:]
    /// The number of changes of each client that answers must cover before a decision; `nil` while none waits.
    private var barrier: [UInt32: Int]?

    /// The number of changes of each client that answers must cover without delay: those announced before the server
    /// had an own claim that waits for its verdict.
    private var urgent: [UInt32: Int] = [:]

    /// Creates an empty table.
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

    /// Ends the delay of a request (``Inquiry/later(_:)``).
    package mutating func due(_ id: UInt32, at time: Double) -> Inquiry {
        rows[id]?.plan = .none
        return inquiry(about: id, at: time, isDue: true)
    }

    /// The time for the next request about a client after an answer.
    package mutating func inquiry(about id: UInt32, at time: Double) -> Inquiry {
        inquiry(about: id, at: time, isDue: false)
    }

    private mutating func inquiry(about id: UInt32, at time: Double, isDue: Bool) -> Inquiry {
        guard var row = rows[id], !row.isAsking, row.answered < row.announced else { return .never }
        if id == own { return .now }
        // A decision waits for changes announced before it; one request per decision has no budget.
        if isUrgent(id) { return .now }
        if let needed = barrier?[id], row.answered < needed { return .now }
        let isPutOff = !isDue && !refreshPolicy.includes(id)
        // A delayed request becomes urgent when the policy includes the client, but not the other way round.
        guard row.plan == .none || row.plan == .putOff && !isPutOff else { return .never }
        let delay = isPutOff ? refreshPolicy.refreshDelay(for: own) : row.budget.spend(at: time)
        row.plan = delay == nil ? .none : isPutOff ? .putOff : .budget
        rows[id] = row
        return delay.map { .later($0) } ?? .now
    }

    /// Records that a request about a client was sent.
    package mutating func asked(_ id: UInt32) {
        guard var row = rows[id] else { return }
        row.asked = row.announced
        rows[id] = row
    }

    /// Reads an answer; returns whether the client's claim has changed.
    package mutating func answered(_ id: UInt32, text: String?, name: String?) -> Bool {
        guard var row = rows[id] else { return false }
        row.answered = row.asked
        let isNews = row.update(text, name: name)
        rows[id] = row
        settle(id, covering: row.answered)
        return isNews
    }

    /// Reads an entry of the list of all clients; returns whether the client's claim has changed.
    ///
    /// A pending request was sent after the list, so its answer is still to come, and newer.
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
    /// Returns the clients to request at once, because their request was delayed.
    package mutating func raiseBarrier() -> [UInt32] {
        barrier = outstanding.filter { $0.key != own }
        return putOff
    }

    /// Counts a client as changed, so that it is requested with the next delayed ones.
    package mutating func markStale(_ id: UInt32) { rows[id]?.announced += 1 }

    /// The number of announced changes of each client that has unanswered ones.
    package var outstanding: [UInt32: Int] {
        rows.filter { $0.value.answered < $0.value.announced }.mapValues(\.announced)
    }

    /// The changed clients without a request yet, sorted.
    package var putOff: [UInt32] {
        rows.filter { $0.key != own && $0.value.answered < $0.value.announced && !$0.value.isAsking }.map(\.key)
            .sorted()
    }

    /// The clients with a delayed request that ``refreshPolicy`` now includes.
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

    /// Makes all unanswered changes of others urgent; returns their number by client.
    mutating func makeOutstandingUrgent() -> [UInt32: Int] {
        urgent = outstanding.filter { $0.key != own }
        return urgent
    }

    /// Whether a client has unanswered urgent changes.
    func isUrgent(_ id: UInt32) -> Bool { urgent[id].map { (rows[id]?.answered ?? $0) < $0 } == true }

    /// Whether any client has unanswered urgent changes.
    var hasUrgent: Bool { urgent.keys.contains(where: isUrgent) }

    /// Whether a client has changed since its urgent changes.
    func hasChangedSinceUrgent(_ id: UInt32) -> Bool { urgent[id].map { (rows[id]?.announced ?? $0) > $0 } == true }

    private mutating func settle(_ id: UInt32, covering changes: Int) {
        if let needed = barrier?[id], changes >= needed { barrier?[id] = nil }
    }
}

extension ClaimTable {
    /// The limit for requests about one client, a token bucket: 20 at once, then 20 a second.
    ///
    /// A session changes its claim a few times a second at most. A client that changes a thousand times a second costs
    /// its peers twenty requests a second.
    struct Budget: Sendable {
        static let size = 20.0
        static let perSecond = 20.0
        private var tokens = Budget.size
        private var time = 0.0

        /// Takes a token; returns the seconds to wait if there is none.
        ///
        /// A delayed request comes back once and must find a token, so rounding of times, or a timer that is early by
        /// less than a microsecond, is tolerated.
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
