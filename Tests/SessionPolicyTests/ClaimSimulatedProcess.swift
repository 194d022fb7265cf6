import SessionPolicy

/// What a process sends to the server; the server takes it in order.
enum SimulatedRequest {
    case publish(String)
    case ask(UInt32)
    case leave
}

/// What the server sends to a process; the process takes it in order.
enum SimulatedEvent {
    /// The client's properties changed; the news does not say how.
    case changed(UInt32)
    case answer(UInt32, SimulatedProperty?)
    case gone(UInt32)
}

/// A property as the server keeps it, read once for all: what it means depends on the text alone.
struct SimulatedProperty {
    let text: String
    let claim: Claim?

    init(_ text: String) {
        self.text = text
        claim = Claim(text)
    }
}

/// A process as the library would write it around the rules: publish, wait for the echo, decide.
struct SimulatedProcess {
    /// Where the app thinks that its session stands.
    enum Session { case inactive, active, interrupted }

    /// A claim that has been published and whose echo has not come back, or not all answers.
    struct Pending {
        let claim: Claim
        /// What to go back to if it is refused; `nil` once that has happened.
        let previous: Claim?
        var hasEchoed = false
    }

    var id: UInt32
    let uid: UInt64
    var outbox: [SimulatedRequest] = []
    var inbox: [SimulatedEvent] = []
    /// Clients whose change was announced and that have not been asked about yet (questions are limited in rate).
    var dirty: [UInt32] = []
    var outstanding = 0
    var table: [UInt32: Claim] = [:]
    var arbitration = Arbitration()
    var claim: Claim
    var session = Session.inactive
    var pending: Pending?
    /// The flag to pass on by turning idle, unless the app comes back before.
    var patience: Bool?
    var mayResume = true
    /// Whether the table, or who is stopped, changed since the last verdict.
    var needsVerdict = false
    /// Calls of ours that were interrupted, and by whose ticket.
    var interruptedCalls: [(by: UInt32, order: ClaimOrder?)] = []
    var refused: [ClaimOrder] = []
    var complaint: String?

    init(id: UInt32, uid: UInt64, others: some Sequence<UInt32>) {
        self.id = id
        self.uid = uid
        claim = Claim(uid: uid)
        outbox = [.publish(claim.encoded)]
        dirty = Array(others) + [id]
    }

    var isReady: Bool { table[id] != nil && dirty.isEmpty && outstanding == 0 && pending == nil }

    func participants(stopped: Set<UInt32>) -> [Participant] {
        table.map { Participant(id: $0, claim: $1, isStopped: $0 != id && stopped.contains($0)) }
    }

    // MARK: The app

    mutating func activate(_ settings: SessionSettings, isPlaying: Bool, stopped: Set<UInt32>) {
        var new = claim.activating(with: settings, ticket: ClaimOrder.nextTicket(after: table.values))
        new.isPlaying = isPlaying
        ask(for: new, stopped: stopped)
    }

    mutating func change(to settings: SessionSettings, stopped: Set<UInt32>) {
        let new = claim.changing(to: settings, ticket: ClaimOrder.nextTicket(after: table.values))
        guard new.seq == claim.seq else { return ask(for: new, stopped: stopped) }
        if refusal(of: new, as: id, among: participants(stopped: stopped)) == nil { publish(new) }
    }

    mutating func deactivate(notify: Bool) {
        patience = nil
        session = .inactive
        publish(claim.idle(notify: notify))
    }

    private mutating func ask(for new: Claim, stopped: Set<UInt32>) {
        guard refusal(of: new, as: id, among: participants(stopped: stopped)) == nil else { return }
        pending = Pending(claim: new, previous: claim)
        publish(new)
    }

    private mutating func publish(_ new: Claim) {
        claim = new
        outbox.append(.publish(new.encoded))
    }

    // MARK: The protocol

    mutating func receive() {
        switch inbox.removeFirst() {
        case .changed(let client): if !dirty.contains(client) { dirty.append(client) }
        case .gone(let client):
            table[client] = nil
            needsVerdict = true
        case .answer(let client, let property):
            outstanding -= 1
            table[client] = property?.claim
            needsVerdict = true
            if client == id, property?.text == pending?.claim.encoded { pending?.hasEchoed = true }
        }
    }

    mutating func askNext() {
        outbox.append(.ask(dirty.removeFirst()))
        outstanding += 1
    }

    /// Whether the echo and all answers are there, so that the activation can be decided.
    var canConclude: Bool { pending?.hasEchoed == true && dirty.isEmpty && outstanding == 0 }

    mutating func conclude(stopped: Set<UInt32>) {
        guard let decided = pending else { return }
        pending = nil
        needsVerdict = true
        guard let previous = decided.previous else { return }
        if refusal(of: decided.claim, as: id, among: participants(stopped: stopped)) != nil {
            refused.append(decided.claim.order)
            let back = previous.state == .idle ? decided.claim.idle(notify: true) : previous
            pending = Pending(claim: back, previous: nil)
            publish(back)
        } else {
            // Whoever comes back has ended the interruption, and is not told of its end.
            session = .active
            patience = nil
            mayResume = true
        }
    }

    mutating func decide(stopped: Set<UInt32>) {
        needsVerdict = false
        let old = arbitration
        arbitration = Arbitration(participants(stopped: stopped))
        switch arbitration.interruptionChange(of: id, since: old) {
        case .nothing: break
        case .began(let interruption): began(interruption)
        case .forbidsResuming: mayResume = false
        case .ended(let shouldResume): ended(shouldResume: shouldResume)
        }
    }

    private mutating func began(_ interruption: Interruption) {
        // Told the end already and interrupted again before it came back, or about to learn that it is idle: the app
        // knows that its session is inactive, and hears nothing.
        guard session == .active else {
            return expect(patience != nil || claim.state == .idle, "began without being active")
        }
        if claim.isCall {
            interruptedCalls.append((interruption.culprit, table[interruption.culprit]?.order))
            expect(
                interruption.rule == .call || interruption.rule == .refusedByCall, "a call gave way to \(interruption)")
        }
        session = .interrupted
        mayResume = true
        publish(claim.interrupted())
    }

    private mutating func ended(shouldResume: Bool) {
        if session != .interrupted {
            expect(patience != nil || claim.state == .idle, "ended without began")
            patience = patience.map { $0 && shouldResume }
            return
        }
        session = .inactive
        patience = shouldResume && mayResume
    }

    private mutating func expect(_ condition: Bool, _ message: String) {
        if !condition { complaint = "\(id): \(message)" }
    }
}
