/// One session's part in the claim protocol (docs/claims.md): the publication of claims, the waits, and their
/// consequences.
///
/// A value: each input returns its effects (``ClaimEffect``), and none is carried out while the value is being changed.
/// It has no clock, no lock and no I/O; times are in seconds of any clock that only goes forward.
///
/// Nothing is decided between publishing a claim and its own echo; after that, at every change.
package struct ClaimNegotiation: Sendable {
    /// A published claim that takes effect once its echo, and every earlier answer, has come.
    struct Pending {
        var claim: Claim
        /// The claim to restore if this one is refused; `nil` once that has happened.
        var previous: Claim?
        /// Whether the ticket was drawn a second time.
        var isRenewed = false
        /// Whether the session is being activated, rather than changing its settings.
        var isActivation = false
        /// Whether the app's activation has returned before the claim is in effect.
        var isGranted = false
        /// The reason of a refusal, once there was one.
        var failure: SessionError?
        /// The clients whose change the server announced before it had this claim, as far as its events are in order,
        /// with the state known then.
        var earlierChanges: [UInt32: EarlierChange] = [:]
        /// The number of events about earlier claims of this session before the event about this one.
        var ownEventsBeforeEcho = 0
        /// Whether a newer session was queried once more, so that everything shown by the first answer has been
        /// announced: servers may answer before they announce a change.
        var confirmation = Confirmation.none
        /// Whether the server has announced this claim.
        var isAnnounced = false
        /// The number of its request.
        let request: Int
    }

    /// The state of the last request before a renewal.
    enum Confirmation: Equatable {
        case none
        case asked(UInt32)
        case done
    }

    /// A client's changes that the server announced before it had the pending claim.
    struct EarlierChange {
        /// The age of the claim in the first answer that covers them; `nil` before that.
        var order: ClaimOrder?
        /// Whether that answer came before the app's activation returned.
        var isBeforeGrant = false
    }

    /// A request that is decided once these changes are known, or after one second.
    struct DeferredRequest {
        let kind: RequestKind
        let request: Int
        /// Whether it is confirmed that the calls that refuse it are still in progress.
        let isSure: Bool
        let changes: [UInt32: Int]
        let number: Int
    }

    /// A request of the session.
    enum RequestKind {
        case activate(SessionSettings)
        case change(SessionSettings)
    }

    /// A client in the server's list of all clients.
    package struct ListedClient: Sendable {
        let index: UInt32
        let properties: ClientProperties

        /// A client with this index on the server.
        package init(index: UInt32, properties: ClientProperties) {
            self.index = index
            self.properties = properties
        }
    }

    /// The properties of a client that matter here.
    package struct ClientProperties: Sendable {
        let text: String?
        let name: String?

        /// Creates the properties: the text of the client's claim, if it has one, and its name to display.
        package init(text: String?, name: String?) {
            self.text = text
            self.name = name
        }
    }

    /// The claims of all clients.
    package internal(set) var table = ClaimTable()
    /// The participants whose processes are known to be stopped; counts from the next ``decide()`` on.
    package var stopped: Set<UInt32> = []
    /// Our client's index on the server; `nil` without a server.
    package internal(set) var id: UInt32?
    /// Our own claim at present.
    package internal(set) var claim: Claim
    /// The verdicts as of now.
    package internal(set) var arbitration = Arbitration()

    /// The effects of the input that is being handled.
    private var effects: [ClaimEffect] = []
    var isConnected = false
    /// The number of own publications that the server has not announced yet.
    var ownEventsPending = 0
    var pending: Pending?
    /// The steps taken while a claim was pending.
    var postponed: [ClaimStep] = []
    /// The changes that must be known before an interruption ends.
    var awaited: [UInt32: Int]?
    /// The requests that wait for more answers, and the number of requests deferred so far.
    var deferred: [DeferredRequest] = []
    var deferrals = 0
    var isPlaying = false
    var foreign: Claim.Foreign?

    /// Whether the main sound of a program outside the library is heard.
    var isForeignMainSoundHeard = false
    /// The last hint that was reported.
    var hint = false
    /// Whether ``ClaimTimer/silence`` runs.
    var isSettling = false
    /// Whether all clients' changes are fetched at once, whatever the session's state.
    var refreshesAll = false

    /// Creates the negotiation of a session without a server, with its first claim, which is idle.
    package init(claim: Claim) { self.claim = claim }

    /// The verdict on this session.
    package var verdict: Verdict { id.map { arbitration.verdict(on: $0) } ?? .inactive }

    /// The participants: all clients with a valid claim.
    package var participants: [Participant] { table.participants(stopped: stopped) }

    /// Whether the server shows the last own claim; true without a server.
    package var isEchoed: Bool { pending == nil && id.map { table.rows[$0]?.text == claim.encoded } ?? true }

    // MARK: Effects

    /// Adds an effect to those of the current input.
    mutating func emit(_ effect: ClaimEffect) { effects.append(effect) }

    /// The effects of the current input, which ends here.
    mutating func flush() -> [ClaimEffect] {
        defer { effects = [] }
        return effects
    }

    /// Sets the own claim, and publishes it if there is a server.
    mutating func publish(_ new: Claim) {
        claim = new
        guard isConnected else { return }
        ownEventsPending += 1
        emit(.publish(new.encoded))
    }

    // MARK: The connection

    /// Begins on a server where this client, with this index, has its claim already; ``listed(_:)`` follows.
    package mutating func connected(as id: UInt32?) {
        isConnected = true
        ownEventsPending = 0
        self.id = id
        table.own = id
    }

    /// Reads the server's list of all clients.
    package mutating func listed(_ clients: [ListedClient]) -> [ClaimEffect] {
        for client in clients {
            _ = table.listed(client.index, text: client.properties.text, name: client.properties.name)
            updated(client.index, to: client.properties)
        }
        judge()
        return flush()
    }

    /// Clears all claims after the loss of the server.
    package mutating func disconnected() -> [ClaimEffect] {
        isConnected = false
        id = nil
        table = ClaimTable()
        arbitration = Arbitration()
        awaited = nil
        hint = false
        isForeignMainSoundHeard = false
        stopped = []
        claim = claim.idle(notify: false)
        isPlaying = false
        foreign = nil
        // The steps after the lost claim are void as well.
        postponed = []
        finish(SessionError(.mediaServicesFailed, "The sound server went away."))
        decideReady()
        return flush()
    }

    // MARK: Events and answers of the server

    /// A client appeared, or its properties changed.
    package mutating func changed(_ client: UInt32, at time: Double) -> [ClaimEffect] {
        if client == id { ownEventsPending = max(0, ownEventsPending - 1) }
        var isUrgent = false
        if let pending, !pending.isAnnounced {
            switch client {
            case id where pending.ownEventsBeforeEcho > 0: self.pending?.ownEventsBeforeEcho -= 1
            case id: self.pending?.isAnnounced = true
            default:
                self.pending?.earlierChanges[client] = EarlierChange()
                isUrgent = true
            }
        }
        follow(table.changed(client, at: time, isUrgent: isUrgent), about: client)
        return flush()
    }

    /// A client went.
    package mutating func removed(_ client: UInt32) -> [ClaimEffect] {
        if pending?.confirmation == .asked(client) { pending?.confirmation = .done }
        emit(.cancel(.inquiry(client)))
        learned(table.removed(client))
        return flush()
    }

    /// The answer to ``ClaimEffect/ask(_:)``.
    package mutating func answered(
        _ client: UInt32, with properties: ClientProperties, at time: Double
    ) -> [ClaimEffect] {
        let isNews = table.answered(client, text: properties.text, name: properties.name)
        if let earlier = pending?.earlierChanges[client], earlier.order == nil, !table.isUrgent(client) {
            let known = EarlierChange(order: table.rows[client]?.claim?.order, isBeforeGrant: !isGranted)
            pending?.earlierChanges[client] = known
        }
        if pending?.confirmation == .asked(client) { pending?.confirmation = .done }
        updated(client, to: properties)
        learned(isNews)
        follow(table.inquiry(about: client, at: time), about: client)
        return flush()
    }

    /// The answer to ``ClaimEffect/ask(_:)`` about a client that is not there any more.
    package mutating func vanished(_ client: UInt32, at time: Double) -> [ClaimEffect] {
        if pending?.confirmation == .asked(client) { pending?.confirmation = .done }
        learned(table.removed(client))
        follow(table.inquiry(about: client, at: time), about: client)
        return flush()
    }

    /// A timer is due.
    package mutating func fired(_ timer: ClaimTimer, at time: Double) -> [ClaimEffect] {
        switch timer {
        case .inquiry(let client): follow(table.due(client, at: time), about: client)
        case .deferral: decideReady(isLast: true)
        case .deadline: giveUp()
        case .silence:
            isSettling = false
            reportHint()
        }
        return flush()
    }

    private mutating func follow(_ inquiry: ClaimTable.Inquiry, about client: UInt32) {
        switch inquiry {
        case .never: break
        case .now: ask(about: client)
        case .later(let seconds): emit(.start(.inquiry(client), seconds: seconds))
        }
    }

    /// Sends all delayed requests; `table.outstanding` is the number of changes the answers will cover.
    package mutating func catchUp() -> [ClaimEffect] {
        askAboutDelayed()
        return flush()
    }

    /// Sends all delayed requests.
    mutating func askAboutDelayed() { for client in table.putOff { ask(about: client) } }

    mutating func ask(about client: UInt32) {
        guard isConnected else { return }
        table.asked(client)
        emit(.ask(client))
    }

    /// Makes the decisions that an answer allows; `isNews` if a claim has changed.
    private mutating func learned(_ isNews: Bool) {
        if isNews || awaited.map(table.covers) == true { judge() }
        concludeIfPossible()
        if !deferred.isEmpty { emit(.decideDeferred) }
        emit(.signal)
    }

    /// Handles the new properties of a client: the own ones may be the echo that a decision waits for.
    private mutating func updated(_ client: UInt32, to properties: ClientProperties) {
        emit(.clientUpdated(client))
        // Servers may announce several changes with one event.
        if client == id, properties.text == claim.encoded { ownEventsPending = 0 }
        if client == id, let pending, properties.text == pending.claim.encoded {
            self.pending?.isAnnounced = true
            for client in table.raiseBarrier() { ask(about: client) }
        }
    }
}
