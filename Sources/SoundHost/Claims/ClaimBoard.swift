internal import AudioHost
internal import PulseClient
internal import SessionPolicy

/// This process's claim among all others: carries out, over the connection, what the ``ClaimNegotiation`` decides.
// SAFETY: only touched with the main loop's lock held.
final class ClaimBoard: @unchecked Sendable {
    private let mainloop: Mainloop
    private let report: (HostEvent) -> Void
    private var connection: PulseConnection?
    private lazy var negotiation = makeNegotiation()
    private var timers: [ClaimTimer: MainloopTimer] = [:]
    /// Whoever waits for what was asked for, by the number of the request.
    private var completions: [Int: (SessionError?) -> Void] = [:]
    private var requests = 0
    /// Told once, when the table is full.
    private var whenFull: ((PulseError?) -> Void)?
    /// What clients say beside their claims, until these have been taken in.
    private var heard: [UInt32: PropertyList] = [:]
    private lazy var stopped = StoppedProcesses(mainloop: mainloop) { [weak self] in self?.stoppedChanged() }
    /// How many questions about single clients were asked; what others cost us.
    private(set) var questions = 0

    /// Whether this process has lowered streams that are not given back yet.
    var isLowering: () -> Bool = { false }
    /// Told after each new verdict.
    var onVerdicts: () -> Void = {}
    /// Told of each client that changed, with its properties, and of each that went, without.
    var onClient: (UInt32, PropertyList?) -> Void = { _, _ in }

    init(mainloop: Mainloop, report: @escaping (HostEvent) -> Void) {
        self.mainloop = mainloop
        self.report = report
    }

    private func makeNegotiation() -> ClaimNegotiation {
        let claim = Claim(
            uid: .random(in: .min ... .max), canDuck: true, host: ProcessGlance.hostName,
            pid: AppIdentity.claimedProcess)
        return ClaimNegotiation(claim: claim) { [weak self] in self?.carryOut($0) }
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
        case .failure(let error): tellFull(error)
        case .success(let clients):
            for client in clients { heard[client.index] = client.properties }
            negotiation.listed(clients.map { .init(index: $0.index, word: Self.word(of: $0)) })
            tellFull(nil)
        }
    }

    private func tellFull(_ failure: PulseError?) {
        let told = whenFull
        whenFull = nil
        told?(failure)
    }

    /// The server is gone, and all claims with it.
    func detach() {
        connection = nil
        negotiation.disconnected()
    }

    // MARK: What the session asks

    /// Publishes an active claim; `completion` is called, with an error if it must not be, when all others can see it.
    func activate(_ settings: SessionSettings, completion: @escaping (SessionError?) -> Void) {
        negotiation.activate(settings, request: request(completion))
    }

    /// Publishes other settings of an active session; `completion` is called, with an error if they must not be.
    func change(to settings: SessionSettings, completion: @escaping (SessionError?) -> Void) {
        negotiation.change(to: settings, request: request(completion))
    }

    private func request(_ completion: @escaping (SessionError?) -> Void) -> Int {
        requests += 1
        completions[requests] = completion
        return requests
    }

    // MARK: What the server says

    /// A client appeared, changed or went.
    func received(_ event: SubscriptionEvent) {
        guard event.facility == .client else { return }
        switch event.change {
        case .remove:
            onClient(event.index, nil)
            negotiation.removed(event.index)
        case .new, .change: negotiation.changed(event.index, at: Self.now)
        }
    }

    private static func word(of client: Client) -> ClaimNegotiation.Word {
        .init(text: client.properties[Claim.property], name: client.name)
    }

    private func ask(about client: UInt32) {
        guard let connection else { return }
        questions += 1
        connection.sync { asking in
            asking.client(at: client) { [weak self] result in
                // All questions fail as a connection ends: that is no word about anybody, and nobody goes on for it.
                guard let self, self.connection === connection, connection.sync({ $0.state == .ready }) else { return }
                guard case .success(let found) = result else { return negotiation.vanished(client, at: Self.now) }
                heard[client] = found.properties
                negotiation.answered(client, with: Self.word(of: found), at: Self.now)
            }
        }
    }

    private func ask(_ look: ClaimLook) {
        guard let connection, let id else { return }
        connection.sync { asking in
            asking.client(at: id) { [weak self] result in
                guard let self, self.connection === connection, case .success(let found) = result else { return }
                negotiation.looked(look, text: found.properties[Claim.property])
            }
        }
    }

    // MARK: What is to be done

    private func carryOut(_ effect: ClaimEffect) {
        switch effect {
        case .publish(let text): connection?.sync { $0.updateProperties([Claim.property: text]) }
        case .ask(let client): ask(about: client)
        case .look(let look): ask(look)
        case .start(let timer, let seconds): start(timer, after: seconds)
        case .cancel(let timer): timers[timer] = nil
        case .report(let event): report(event)
        case .complete(let request, let error): completions.removeValue(forKey: request)?(error)
        case .met(let client): onClient(client, heard.removeValue(forKey: client))
        case .judged:
            watchStopped()
            onVerdicts()
        case .disconnected: forgetServer()
        case .linger: ExitLinger.extend()
        case .signal: mainloop.signal()
        }
    }

    private func start(_ timer: ClaimTimer, after seconds: Double) {
        let running = MainloopTimer(mainloop: mainloop) { [weak self] in self?.negotiation.fired(timer, at: Self.now) }
        running.start(after: .microseconds(Int64(seconds * 1e6)))
        timers[timer] = running
    }

    private func forgetServer() {
        timers = timers.filter { if case .inquiry = $0.key { false } else { true } }
        stopped.watch([])
        tellFull(PulseError(.connectionTerminated, in: "pa_context_get_client_info_list"))
    }

    /// Processes that do something to others are looked at now and then, because a stopped one cannot undo it.
    func watchStopped() {
        let others = id.map { arbitration.participantsToWatch(for: claim, as: $0, isLowering: isLowering()) } ?? []
        stopped.watch(others.map { ($0.id, $0.claim.pid) })
        negotiation.stopped = stopped.ids
    }

    private func stoppedChanged() {
        negotiation.stopped = stopped.ids
        negotiation.decide()
    }
}

// MARK: - What the negotiation knows

extension ClaimBoard {
    /// Our client's index on the server.
    var id: UInt32? { negotiation.id }
    /// What we say at present.
    var claim: Claim { negotiation.claim }
    /// What is known of others.
    var table: ClaimTable { negotiation.table }
    /// Everybody with a valid claim.
    var participants: [Participant] { negotiation.participants }
    /// The verdicts as of now.
    var arbitration: Arbitration { negotiation.arbitration }
    /// The verdict on this session.
    var verdict: Verdict { negotiation.verdict }
    /// What the verdict on this session will be, as far as can be known, while its claim is pending.
    var expectedVerdict: Verdict { negotiation.expectedVerdict }
    /// Whether a claim is published of which it is not known yet what it means.
    var isDeciding: Bool { negotiation.isDeciding }
    /// Whether the app has been told that its session is active, which does not count yet.
    var isGranted: Bool { negotiation.isGranted }
    /// Whether the server has told us what we said last; true if there is none.
    var isEchoed: Bool { negotiation.isEchoed }
    /// Whether the main sound of others is heard, of programs outside the library too.
    var isSecondaryAudioToBeSilenced: Bool { negotiation.isSecondaryAudioToBeSilenced }

    /// Why a claim must not be published; nil if nothing speaks against it.
    func refusal(of new: Claim) -> SessionError? { negotiation.refusal(of: new) }
    /// Asks about all whose question was put off; returns what the answers to come must cover.
    func catchUp() -> [UInt32: Int] { negotiation.catchUp() }
    /// Publishes a step that needs no answer; during an activation, after that has failed.
    func take(_ step: ClaimStep) { negotiation.take(step) }
    /// Says whether this process can lower streams of others.
    func tell(canDuck: Bool) { negotiation.tell(canDuck: canDuck) }
    /// Has everybody's changes asked about at once, beginning with those that were put off; or not any more.
    func attend(toAll isAwaited: Bool) { negotiation.attend(toAll: isAwaited) }
    /// Says whether programs outside the library are heard; what is no news is not told.
    func noteForeignMainSound(_ isHeard: Bool, isNews: Bool) {
        negotiation.noteForeignMainSound(isHeard, isNews: isNews)
    }
}
