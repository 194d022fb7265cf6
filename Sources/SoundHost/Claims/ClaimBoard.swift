internal import AudioHost
internal import PulseClient
internal import SessionPolicy

/// This process's claim among all others: feeds a ``ClaimNegotiation``, and carries out its effects over the connection.
///
/// A call made while effects are carried out, such as a session's step after a report, changes the negotiation at once.
/// Its effects follow those decided before (``EffectQueue``).
// SAFETY: only touched with the main loop's lock held.
final class ClaimBoard: @unchecked Sendable {
    private let mainloop: Mainloop
    private let report: (HostEvent) -> Void
    private var connection: PulseConnection?
    private var negotiation: ClaimNegotiation
    private var effects = EffectQueue<ClaimEffect>()
    private var timers: [ClaimTimer: MainloopTimer] = [:]
    /// The completion handlers of requests, by the request's number.
    private var completions: [Int: (SessionError?) -> Void] = [:]
    private var requests = 0
    /// The completion handler of ``attach(to:completion:)`` until the table is full.
    private var whenFull: ((PulseError?) -> Void)?
    /// The properties of clients until ``onClient`` has been called with them.
    private var unreadProperties: [UInt32: PropertyList] = [:]
    private lazy var stopped = StoppedProcesses(mainloop: mainloop) { [weak self] in self?.stoppedChanged() }
    /// The number of questions about single clients so far: the cost of other sessions.
    private(set) var questions = 0

    /// Whether this process has lowered streams that are not restored yet.
    var isLowering: () -> Bool = { false }
    /// Called after each new verdict.
    var onVerdicts: () -> Void = {}
    /// Called for each client that changed, with its properties, and for each that went, without.
    var onClient: (UInt32, PropertyList?) -> Void = { _, _ in }

    init(
        mainloop: Mainloop, process: Int32 = AppIdentity.claimedProcess, report: @escaping (HostEvent) -> Void
    ) {
        self.mainloop = mainloop
        self.report = report
        negotiation = ClaimNegotiation(
            claim: Claim(
                uid: .random(in: .min ... .max), canDuck: true, host: ProcessGlance.hostName, pid: process))
    }

    private static var now: Double { MonotonicClock.seconds }

    // MARK: Connection

    /// Begins anew on a connection whose client carries our claim already; `completion` is called when the table is
    /// full.
    func attach(to connection: PulseConnection, completion: @escaping (PulseError?) -> Void) {
        detach()
        self.connection = connection
        negotiation.connected(as: connection.sync { $0.clientIndex })
        whenFull = completion
        connection.sync { asking in
            asking.clients { [weak self] result in
                if let self, self.connection === connection { fill(with: result) }
            }
        }
    }

    private func fill(with result: Result<[Client], PulseError>) {
        switch result {
        case .failure(let error): completeAttachment(error)
        case .success(let clients):
            for client in clients { unreadProperties[client.index] = client.properties }
            run(negotiation.listed(clients.map { .init(index: $0.index, properties: .init($0)) }))
            completeAttachment(nil)
        }
    }

    private func completeAttachment(_ failure: PulseError?) {
        let completion = whenFull
        whenFull = nil
        completion?(failure)
    }

    /// Forgets the server, which is gone, and all claims with it.
    func detach() {
        connection = nil
        effects.removeAll(where: \.isOfConnection)
        unreadProperties = [:]
        timers = timers.filter { if case .inquiry = $0.key { false } else { true } }
        stopped.watch([])
        let decided = negotiation.disconnected()
        completeAttachment(PulseError(.connectionTerminated, in: "pa_context_get_client_info_list"))
        run(decided)
    }

    // MARK: Requests of the session

    /// Publishes an active claim; `completion` is called, with an error if it is refused, when all others can see it.
    @discardableResult
    func activate(_ settings: SessionSettings, completion: @escaping (SessionError?) -> Void) -> Int {
        let request = number(of: completion)
        run(negotiation.activate(settings, request: request))
        return request
    }

    /// Publishes other settings of an active session; `completion` is called, with an error if they are refused.
    @discardableResult
    func change(to settings: SessionSettings, completion: @escaping (SessionError?) -> Void) -> Int {
        let request = number(of: completion)
        run(negotiation.change(to: settings, request: request))
        return request
    }

    /// Ends a request that nobody waits for any longer: its completion is called with an error, unless it has succeeded.
    func expire(_ request: Int) { run(negotiation.expire(request: request)) }

    private func number(of completion: @escaping (SessionError?) -> Void) -> Int {
        requests += 1
        completions[requests] = completion
        return requests
    }

    /// Publishes a step that needs no answer; during an activation, after that has failed.
    func apply(_ step: ClaimStep) { run(negotiation.apply(step)) }

    /// Sets whether this process can lower streams of others.
    func setCanDuck(_ canDuck: Bool) { run(negotiation.setCanDuck(canDuck)) }

    /// Fetches all clients' changes at once from now on, beginning with the delayed ones; or stops doing so.
    func setRefreshesAll(_ isNeeded: Bool) { run(negotiation.setRefreshesAll(isNeeded)) }

    /// Asks about all clients whose question was delayed; returns what the answers to come must cover.
    func catchUp() -> [UInt32: Int] {
        run(negotiation.catchUp())
        return table.outstanding
    }

    /// Sets whether the main sound of a program outside the library is heard; reports the hint only if `isNews`.
    func noteForeignMainSound(_ isHeard: Bool, isNews: Bool) {
        run(negotiation.noteForeignMainSound(isHeard, isNews: isNews))
    }

    // MARK: Events and answers of the server

    /// A client appeared, changed or went.
    func received(_ event: SubscriptionEvent) {
        guard event.facility == .client else { return }
        switch event.change {
        case .remove:
            onClient(event.index, nil)
            run(negotiation.removed(event.index))
        case .new, .change: run(negotiation.changed(event.index, at: Self.now))
        }
    }

    private func ask(about client: UInt32) {
        guard let connection else { return }
        questions += 1
        connection.sync { asking in
            asking.client(at: client) { [weak self] result in
                // All questions fail as a connection ends; that says nothing about a client, and no session resumes.
                guard let self, self.connection === connection, connection.sync({ $0.state == .ready }) else { return }
                guard case .success(let found) = result else {
                    return run(negotiation.vanished(client, at: Self.now))
                }
                unreadProperties[client] = found.properties
                StepTrace.measure(client == id ? .echo : .seen, .init(claim: found.properties[Claim.property] ?? "")) {
                    run(negotiation.answered(client, with: .init(found), at: Self.now))
                }
            }
        }
    }

    private func ask(_ look: ClaimLook) {
        guard let connection, let id else { return }
        connection.sync { asking in
            asking.client(at: id) { [weak self] result in
                guard let self, self.connection === connection, case .success(let found) = result else { return }
                run(negotiation.looked(look, text: found.properties[Claim.property]))
            }
        }
    }

    // MARK: Effects

    /// Carries effects out, and those that they lead to, in the order in which they were decided.
    private func run(_ decided: [ClaimEffect]) {
        guard effects.append(decided) else { return }
        while let effect = effects.popFirst() { carryOut(effect) }
    }

    private func carryOut(_ effect: ClaimEffect) {
        switch effect {
        case .publish(let text):
            StepTrace.measure(.claim, .init(claim: text)) {
                connection?.sync { $0.updateProperties([Claim.property: text]) }
            }
        case .ask(let client): ask(about: client)
        case .look(let look): ask(look)
        case .start(let timer, let seconds): start(timer, after: seconds)
        case .cancel(let timer): timers[timer] = nil
        case .report(let event): StepTrace.measure(.verdict, .init(by: culprit?.encoded ?? "")) { report(event) }
        case .complete(let request, let error): completions.removeValue(forKey: request)?(error)
        case .decideDeferred: run(negotiation.decideDeferred())
        case .clientUpdated(let client): onClient(client, unreadProperties.removeValue(forKey: client))
        case .judged:
            watchStopped()
            onVerdicts()
        case .linger: ProcessExitDelay.extend()
        case .signal: mainloop.signal()
        }
    }

    private func start(_ timer: ClaimTimer, after seconds: Double) {
        let running = MainloopTimer(mainloop: mainloop) { [weak self] in
            guard let self else { return }
            run(negotiation.fired(timer, at: Self.now))
        }
        running.start(after: .microseconds(Int64(seconds * 1e6)))
        timers[timer] = running
    }

    // MARK: Stopped processes

    /// Watches the processes that do something to others, because a stopped one cannot undo it.
    func watchStopped() {
        let others = id.map { arbitration.participantsToWatch(for: claim, as: $0, isLowering: isLowering()) } ?? []
        stopped.watch(others.map { ($0.id, $0.claim.pid) })
        negotiation.stopped = stopped.ids
    }

    private func stoppedChanged() {
        negotiation.stopped = stopped.ids
        run(negotiation.decide())
    }
}

// MARK: - State of the negotiation

extension ClaimBoard {
    /// Our client's index on the server.
    var id: UInt32? { negotiation.id }
    /// Our own claim at present.
    var claim: Claim { negotiation.claim }
    /// The claims of all clients.
    var table: ClaimTable { negotiation.table }
    /// The participants: all clients with a valid claim.
    var participants: [Participant] { negotiation.participants }
    /// The verdicts as of now.
    var arbitration: Arbitration { negotiation.arbitration }
    /// The verdict on this session.
    var verdict: Verdict { negotiation.verdict }
    /// The claim of the session that interrupts this one; nil if none does.
    private var culprit: Claim? {
        guard case .interrupted(let interruption) = verdict.standing else { return nil }
        return arbitration.participant(interruption.culprit)?.claim
    }
    /// The verdict on this session as its pending claim would have it, given the claims that are known so far.
    var expectedVerdict: Verdict { negotiation.expectedVerdict }
    /// Whether a published claim still waits for its verdict.
    var isDeciding: Bool { negotiation.isDeciding }
    /// Whether the app's activation has returned while the claim is not in effect yet.
    var isGranted: Bool { negotiation.isGranted }
    /// Whether the server shows our last claim; true without a server.
    var isEchoed: Bool { negotiation.isEchoed }
    /// Whether another program's main sound is heard, of a session or of a program outside the library.
    var isSecondaryAudioToBeSilenced: Bool { negotiation.isSecondaryAudioToBeSilenced }

    /// The reason why a claim must not be published; nil if it may be.
    func refusal(of new: Claim) -> SessionError? { negotiation.refusal(of: new) }
}

extension ClaimProperties {
    fileprivate init(_ client: Client) { self.init(text: client.properties[Claim.property], name: client.name) }
}
