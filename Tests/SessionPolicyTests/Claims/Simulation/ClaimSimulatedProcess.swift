@testable import SessionPolicy

/// What a process sends to the server; the server takes it in order.
enum SimulatedRequest {
    case publish(String)
    case list
    case ask(UInt32)
    /// Asks what the server shows of our own client, to tell the app early.
    case look(ClaimLook)
    case leave
}

/// What the server sends to a process; the process takes it in order.
enum SimulatedEvent {
    /// The client's properties changed; the news does not say how.
    case changed(UInt32)
    case listed([UInt32: String])
    case answer(UInt32, String?)
    case looked(ClaimLook, String?)
    case gone(UInt32)

    /// Whether this is news of a client.
    func isNews(of client: UInt32) -> Bool {
        switch self {
        case .changed(let other), .gone(let other): other == client
        default: false
        }
    }
}

/// What an app's thread waits for; it asks for one thing at a time.
final class SimulatedOperation {
    enum Kind {
        case activation(isImplicit: Bool)
        case change(SessionSettings)
    }

    /// Another session that had been told that it is active before this was asked for.
    struct Elder {
        let id: UInt32
        let order: ClaimOrder
        /// Whether we had been told that it says something new.
        let isAnnounced: Bool
    }

    let kind: Kind
    let number: Int
    var elders: [Elder] = []
    /// Whether anybody else's call has lived since.
    var hasMetCall = false
    /// Whether others have seen the claim.
    var isPublished = false
    /// Whether something was decided because the server did not answer in time.
    var isHasty = false

    init(_ kind: Kind, number: Int) {
        self.kind = kind
        self.number = number
    }
}

/// A process with the library's own protocol of claims and the library's own session in it.
///
/// What carries effects out around the two is written once more here, after `ClaimBoard` and `SessionShell`.
final class SimulatedProcess {
    /// What has happened during one step, to be looked at by whoever knows everything.
    struct Events {
        /// A claim was decided to be active, of which operation if that is an activation, and whether its app had been told
        /// so before.
        var accepted: (claim: Claim, activation: SimulatedOperation?, wasGranted: Bool)?
        /// The session against which it drew another ticket though its app had been told of the success, and its own age
        /// before.
        var outbid: (culprit: UInt32, order: ClaimOrder)?
        /// It was refused before others saw it.
        var refusedUnpublished: SimulatedOperation?
        /// What it said when it was told, without having waited for anybody's word, that nobody interrupts it any more.
        var endedAtOnce: Claim?
        /// It was told that it must not resume.
        var mustNotResume = false
        /// Its app was told that the session is active.
        var isTold = false
        /// It has given up waiting for the server.
        var gaveUp = false
    }

    var id: UInt32
    /// Whether all others come first, as a rule.
    let isSlow: Bool
    var outbox: [SimulatedRequest] = []
    var inbox: [SimulatedEvent] = []
    /// Seconds, of a clock of its own that goes on while it waits.
    var clock = 0.0
    /// When timers are due: delayed questions, and waiting for the server.
    var inquiries: [UInt32: Double] = [:]
    var timeouts: [ClaimTimer: Double] = [:]
    let uid: UInt64
    var negotiation: ClaimNegotiation
    var effects = EffectQueue<ClaimEffect>()
    private(set) var isFull = false
    /// Whether what it knows of stopped processes changed since the last verdict.
    private(set) var needsVerdict = false
    /// Whether the server takes nothing from it until its timeout.
    private(set) var isStalled = false

    var machine = SessionMachine()
    var operation: SimulatedOperation?
    var operations = 0
    /// The activation whose claim is pending, of which the app may have been told already.
    var activation: SimulatedOperation?
    /// The last activation whose claim was published.
    var lastActivation: SimulatedOperation?
    /// The numbers of the session's timers that run.
    var resumptions: [Int] = []
    var idleTimers: [Int] = []
    /// The last request that drew another ticket.
    var renewed: Int?
    /// Whether it can lower streams.
    var canDuck: Bool
    /// What it has published last, and since the last step began.
    var published: Claim?
    var said: [Claim] = []
    /// Whether an interruption waited to end when the last step began.
    var isAwaiting = false
    /// What it said when it was last told of an end.
    var claimAtEnd: Claim?
    /// Whether its device is suspended: an interruption that no session ends.
    var isSuspended = false
    /// What is done to programs outside for the session.
    var foreign: Claim.Foreign?
    /// Whether the app heard of an interruption, and not of its end; and has neither come back nor given up.
    var isToldInterrupted = false
    /// How often calls of ours were interrupted, claims were refused after their echo, and ends were told.
    var interruptedCalls = 0
    var refusals = 0
    var ends = 0
    private(set) var complaint: String?
    /// What the last step brought, if that matters to whoever knows everything.
    var events: Events?

    init(id: UInt32, uid: UInt64, isSlow: Bool) {
        self.id = id
        self.isSlow = isSlow
        self.uid = uid
        canDuck = uid % 2 == 0
        negotiation = ClaimNegotiation(claim: Claim(uid: uid, canDuck: canDuck))
        connect(as: id)
    }

    var claim: Claim { negotiation.claim }
    /// Whether the app's thread is free to ask for something.
    var isFree: Bool { isFull && operation == nil && machine.state != .lost }
    /// Whether the app knows that its session is active.
    var knowsItIsActive: Bool { claim.state == .active && (!negotiation.isDeciding || negotiation.isGranted) }

    func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
        if !condition, complaint == nil { complaint = "\(id): \(message())" }
    }

    // MARK: The server

    /// Begins anew on a server, as the client with this index.
    func connect(as id: UInt32) {
        self.id = id
        negotiation.connected(as: id)
        inbox = []
        outbox = [.publish(claim.encoded), .list]
    }

    /// The server is gone, and all claims with it.
    func loseServer() {
        (isFull, needsVerdict, isStalled) = (false, false, false)
        effects.removeAll(where: \.isOfConnection)
        inquiries = [:]
        run(negotiation.disconnected())
        activation = nil
        expect(operation == nil && timeouts.isEmpty, "waits for a server that is gone")
        perform(machine.received(.servicesLost))
    }

    /// The server takes nothing from it for a while.
    func stall(beforeTelling isTelling: Bool) {
        isStalled = true
        if isTelling { tell(canDuck: !canDuck) }
    }

    func stoppedChanged(to ids: Set<UInt32>) {
        negotiation.stopped = ids.subtracting([id])
        needsVerdict = true
    }

    // MARK: What happens

    func receive() {
        clock += 0.001
        let event = inbox.removeFirst()
        observe {
            switch event {
            case .changed(let client): run(negotiation.changed(client, at: clock))
            case .gone(let client): run(negotiation.removed(client))
            case .listed(let clients): fill(with: clients)
            case .answer(let client, let text?):
                run(negotiation.answered(client, with: Self.properties(text), at: clock))
            case .answer(let client, nil): run(negotiation.vanished(client, at: clock))
            case .looked(let look, let text): looked(look, text)
            }
        }
    }

    private static func properties(_ text: String) -> ClaimProperties { .init(text: text, name: nil) }

    private func fill(with clients: [UInt32: String]) {
        isFull = true
        let sorted = clients.sorted { $0.key < $1.key }
        let listed = sorted.map { index, text in
            ClaimClient(index: index, properties: Self.properties(text))
        }
        run(negotiation.listed(listed))
        if machine.state == .lost { perform(machine.received(.servicesReset)) }
    }

    private func looked(_ look: ClaimLook, _ text: String?) {
        let wasGranted = negotiation.isGranted
        run(negotiation.looked(look, text: text))
        expect(wasGranted || !negotiation.isGranted || text == claim.encoded, "told before the server shows the claim")
    }

    func decide() {
        needsVerdict = false
        if isFull { observe { run(negotiation.decide()) } }
    }

    /// The first of the questions that were put off is due.
    func inquiryIsDue() {
        guard let (client, time) = inquiries.min(by: { ($0.value, $0.key) < ($1.value, $1.key) }) else { return }
        clock = max(clock, time)
        inquiries[client] = nil
        observe { run(negotiation.fired(.inquiry(client), at: clock)) }
    }

    /// The server did not answer in time; it does so when nobody waits for it any more.
    func timeOut() {
        guard let (timer, time) = timeouts.min(by: { $0.value < $1.value }) else { return isStalled = false }
        clock = max(clock, time)
        timeouts[timer] = nil
        operation?.isHasty = true
        activation?.isHasty = true
        observe(isGivingUp: timer == .deadline) { run(negotiation.fired(timer, at: clock)) }
    }
}
