internal import PulseClient
internal import SessionPolicy

/// This process's claim among all others: publishes it, keeps the table of them, and tells the session its verdict.
///
/// The protocol is in docs/claims.md. Nothing is decided between publishing a claim and its own echo; after that, at
/// every change.
// SAFETY: only touched with the main loop's lock held.
final class ClaimBoard: @unchecked Sendable {
    /// A claim that was published and that counts once its echo, and every answer before it, has come.
    struct Pending {
        var claim: Claim
        /// What to go back to if it is refused; nil once that has happened.
        var previous: Claim?
        /// Whether it has drawn its ticket a second time.
        var isRenewed = false
        /// Whether the session begins, and does not merely change.
        var isActivation = false
        /// Whether the app has been told that it succeeded, before it counts.
        var isGranted = false
        var completion: (SessionError?) -> Void
    }

    let mainloop: Mainloop
    let report: (HostEvent) -> Void
    private(set) var connection: PulseConnection?
    var table = ClaimTable()
    var pending: Pending?
    /// Steps that were taken while a claim was pending.
    var postponed: [ClaimStep] = []
    /// The changes that must be known before an interruption ends.
    private var awaited: [UInt32: Int]?
    /// What waits until more is known.
    var patience: [Patience] = []
    private(set) var isPlaying = false
    private(set) var foreign: Claim.Foreign?
    /// Told once, when the table is full.
    private var whenFull: ((PulseError?) -> Void)?
    private var timers: [UInt32: MainloopTimer] = [:]
    private var pendingTimer: MainloopTimer?
    private(set) lazy var stopped = StoppedProcesses(mainloop: mainloop) { [weak self] in self?.decide() }
    /// How many questions about single clients were asked; what others cost us.
    private(set) var questions = 0
    /// Our client's index on the server.
    private(set) var id: UInt32?
    /// What we say at present.
    private(set) var claim: Claim
    /// The verdicts as of now.
    private(set) var arbitration = Arbitration()

    /// Whether another session's main sound is heard, as far as programs outside the library make it.
    var isForeignMainSoundHeard = false
    var hint = false
    private(set) lazy var hintTimer = MainloopTimer(mainloop: mainloop) { [weak self] in self?.reportHint() }
    /// Whether everybody's changes are asked about at once, whatever the session does.
    var attendsToAll = false
    /// Whether this process has lowered streams that are not given back yet.
    var isLowering: () -> Bool = { false }
    /// Told after each new verdict.
    var onVerdicts: () -> Void = {}
    /// Told of each client that changed, with its properties, and of each that went, without.
    var onClient: (UInt32, PropertyList?) -> Void = { _, _ in }

    init(mainloop: Mainloop, report: @escaping (HostEvent) -> Void) {
        self.mainloop = mainloop
        self.report = report
        claim = Claim(
            uid: .random(in: .min ... .max), canDuck: true, host: ProcessGlance.hostName,
            pid: AppIdentity.claimedProcess)
    }

    /// The verdict on this session.
    var verdict: Verdict { id.map { arbitration.verdict(on: $0) } ?? .inactive }

    // MARK: Connection

    /// Begins anew on a connection whose client carries our claim already; `completion` is called when the table is
    /// full.
    func attach(to connection: PulseConnection, completion: @escaping (PulseError?) -> Void) {
        detach()
        self.connection = connection
        id = connection.sync { $0.clientIndex }
        table.own = id
        whenFull = completion
        connection.sync { asking in
            asking.clients { [weak self] result in
                if let self, self.connection === connection { fill(with: result) }
            }
        }
    }

    private func fill(with result: Result<[Client], PulseError>) {
        var failure: PulseError?
        switch result {
        case .failure(let error): failure = error
        case .success(let clients):
            for client in clients {
                _ = table.changed(client.index, at: Self.now)
                table.asked(client.index)
                take(client)
            }
            decide()
        }
        let told = whenFull
        whenFull = nil
        told?(failure)
    }

    /// The server is gone, and all claims with it.
    func detach() {
        connection = nil
        id = nil
        table = ClaimTable()
        arbitration = Arbitration()
        timers = [:]
        awaited = nil
        hint = false
        isForeignMainSoundHeard = false
        stopped.watch([])
        claim = claim.idle(notify: false)
        isPlaying = false
        foreign = nil
        let told = whenFull
        whenFull = nil
        told?(PulseError(.connectionTerminated, in: "pa_context_get_client_info_list"))
        finish(SessionError(.mediaServicesFailed, "The sound server went away."))
        decideWhatWaits()
    }

    // MARK: What the session asks

    /// Publishes an active claim; `completion` is called, with an error if it must not be, when all others can see it.
    func activate(_ settings: SessionSettings, completion: @escaping (SessionError?) -> Void) {
        whenUpToDate { [weak self] in
            guard let self else { return }
            var new = claim.activating(with: settings, ticket: ClaimOrder.nextTicket(after: table.claims))
            new.isPlaying = isPlaying
            ask(for: new, isActivation: true, completion: completion)
        }
    }

    /// Publishes other settings of an active session; `completion` is called, with an error if they must not be.
    func change(
        to settings: SessionSettings, isSure: Bool = false, completion: @escaping (SessionError?) -> Void
    ) {
        whenUpToDate { [weak self] in
            guard let self else { return }
            let new = claim.changing(to: settings, ticket: ClaimOrder.nextTicket(after: table.claims))
            guard new != claim else { return completion(nil) }
            guard new.seq == claim.seq else { return ask(for: new, completion: completion) }
            if let error = refusal(of: new) {
                if isSure { return completion(error) }
                return askCallsAgain { [weak self] in self?.change(to: settings, isSure: true, completion: completion) }
            }
            publish(new)
            completion(nil)
        }
    }

    /// Publishes a step that needs no answer; during an activation, after that has failed.
    func take(_ step: ClaimStep) {
        switch step {
        case .playing(let isPlaying): self.isPlaying = isPlaying
        case .foreign(let foreign): self.foreign = foreign
        // All sound was stopped before, and nobody says so of a session that is not active.
        case .interrupted, .idle: isPlaying = false
        case .process: break
        }
        guard pending == nil else { return postponed.append(step) }
        let new: Claim
        switch step {
        case .interrupted: new = claim.interrupted()
        case .idle(let notify):
            new = claim.idle(notify: notify)
            // Others must be able to read the difference between a session that ended and one that vanished; and what
            // was lowered for it is given back after its echo.
            if table.claims.count > 1 || claim.ducksOthers || claim.foreign != nil { ExitLinger.extend() }
        case .playing(let isPlaying):
            guard claim.state == .active else { return }
            var playing = claim
            playing.isPlaying = isPlaying
            new = playing
        case .foreign(let foreign): new = claim.treating(foreign: foreign)
        case .process(let isSilent): new = claim.silencing(process: isSilent)
        }
        if new != claim { publish(new) }
    }

    private func ask(
        for new: Claim, isActivation: Bool = false, isSure: Bool = false, completion: @escaping (SessionError?) -> Void
    ) {
        guard connection != nil, id != nil else {
            return completion(SessionError(.mediaServicesFailed, "There is no sound server."))
        }
        if let error = refusal(of: new) {
            if isSure { return completion(error) }
            return askCallsAgain { [weak self] in
                self?.ask(for: new, isActivation: isActivation, isSure: true, completion: completion)
            }
        }
        pending = Pending(claim: new, previous: claim, isActivation: isActivation, completion: completion)
        catchUp()
        publish(new)
        let timer = MainloopTimer(mainloop: mainloop) { [weak self] in self?.giveUp() }
        timer.start(after: .seconds(2))
        pendingTimer = timer
        grantIfReadable()
    }

    /// Says whether this process can lower streams of others, which most can: so it is said before the server is known.
    func tell(canDuck: Bool) {
        guard canDuck != claim.canDuck else { return }
        pending?.claim.canDuck = canDuck
        pending?.previous?.canDuck = canDuck
        claim.canDuck = canDuck
        publish(claim)
    }

    private func publish(_ new: Claim) {
        claim = new
        connection?.sync { $0.updateProperties([Claim.property: new.encoded]) }
    }

    // MARK: What the server says

    /// A client appeared, changed or went.
    func received(_ event: SubscriptionEvent) {
        guard event.facility == .client else { return }
        switch event.change {
        case .remove:
            timers[event.index] = nil
            onClient(event.index, nil)
            learned(table.removed(event.index))
        case .new, .change: follow(table.changed(event.index, at: Self.now), about: event.index)
        }
    }

    private func follow(_ inquiry: ClaimTable.Inquiry, about client: UInt32) {
        switch inquiry {
        case .never: break
        case .now: askAbout(client)
        case .later(let seconds):
            let timer = MainloopTimer(mainloop: mainloop) { [weak self] in
                guard let self else { return }
                self.follow(self.table.due(client, at: Self.now), about: client)
            }
            timer.start(after: .microseconds(Int64(seconds * 1e6)))
            timers[client] = timer
        }
    }

    /// Asks about all whose question was put off; returns what the answers to come must cover.
    @discardableResult
    func catchUp() -> [UInt32: Int] {
        for client in table.putOff { askAbout(client) }
        return table.outstanding
    }

    private func askAbout(_ client: UInt32) {
        guard let connection else { return }
        questions += 1
        table.asked(client)
        connection.sync { asking in
            asking.client(at: client) { [weak self] result in
                // All questions fail as a connection ends: that is no word about anybody, and nobody goes on for it.
                guard let self, self.connection === connection, connection.sync({ $0.state == .ready }) else { return }
                switch result {
                case .success(let found): self.learned(self.take(found))
                case .failure: self.learned(self.table.removed(client))
                }
                self.follow(self.table.inquiry(about: client, at: Self.now), about: client)
            }
        }
    }

    /// An answer came, which may be news, and what decisions wait for.
    private func learned(_ isNews: Bool) {
        if isNews || awaited.map(table.covers) == true { decide() }
        concludeIfPossible()
        decideWhatWaits()
        mainloop.signal()
    }

    /// Takes over what a client says; whether its claim is news.
    @discardableResult
    private func take(_ client: Client) -> Bool {
        let text = client.properties[Claim.property]
        let isNews = table.answered(client.index, text: text, name: client.name)
        onClient(client.index, client.properties)
        if client.index == id, let pending, text == pending.claim.encoded { raiseBarrier() }
        return isNews
    }

    // MARK: Deciding

    private func raiseBarrier() {
        for client in table.raiseBarrier() { askAbout(client) }
    }

    /// Decides about a claim whose echo has come, once all is known that was announced before it.
    private func concludeIfPossible() {
        guard let decided = pending, table.isBarrierReached else { return }
        table.lowerBarrier()
        guard let previous = decided.previous else { return finish(nil) }
        guard let error = refusal(of: decided.claim) else {
            if !hasEnded, let renewed = renewal(of: decided) {
                pending?.claim = renewed
                pending?.isRenewed = true
                publish(renewed)
            } else {
                finish(nil)
            }
            return
        }
        // Two calls at the same moment: the older lives. What was there before comes back.
        let back = Self.wayBack(from: decided.claim, to: previous)
        pending = Pending(claim: back, previous: nil) { _ in decided.completion(error) }
        publish(back)
    }

    /// What to say instead of a claim that failed: those that it interrupted meanwhile may go on.
    private static func wayBack(from failed: Claim, to previous: Claim) -> Claim {
        previous.state == .idle ? failed.idle(notify: true) : previous
    }

    /// The same with a higher ticket, if others whom we did not know of when we drew ours are newer.
    ///
    /// Another session may have been activated so shortly before that its ticket was still on its way to us. An app
    /// that asks after another one has been told yes interrupts that one, and not itself. Once: of two that ask at the
    /// same moment either may be the last.
    private func renewal(of decided: Pending) -> Claim? {
        guard !decided.isRenewed, let id,
            case .interrupted(let interruption) = Arbitration(participants).verdict(on: id).standing
        else { return nil }
        switch interruption.rule {
        case .call, .refusedByCall: return nil
        case .newerSession, .spokenAudio:
            let ticket = ClaimOrder.nextTicket(after: table.claims)
            return ticket > decided.claim.seq ? decided.claim.renewed(ticket: ticket) : nil
        }
    }

    /// The server did not answer in time, but may yet do so: what was there before is to be what it ends with.
    private func giveUp() {
        guard let given = pending else { return }
        table.lowerBarrier()
        if given.isGranted { return finish(nil) }
        if let previous = given.previous { publish(Self.wayBack(from: given.claim, to: previous)) }
        finish(SessionError(.mediaServicesFailed, "The sound server does not answer."))
    }

    private func finish(_ error: SessionError?) {
        guard let finished = pending else { return }
        pending = nil
        pendingTimer = nil
        if !finished.isGranted { finished.completion(error) }
        let steps = error == nil && finished.isActivation && !finished.isGranted ? lasting : postponed
        postponed = []
        for step in steps { take(step) }
        decide()
        mainloop.signal()
    }

    /// Everybody with a valid claim.
    var participants: [Participant] { table.participants(stopped: stopped.ids) }

    /// Judges all claims again, and tells the session what changed for it.
    func decide() {
        guard pending == nil, let id else { return }
        let old = arbitration
        let new = Arbitration(participants)
        guard isKnownWell(new, after: old, by: id) else { return }
        arbitration = new
        attend()
        switch arbitration.interruptionChange(of: id, since: old) {
        case .nothing: break
        case .began(let interruption):
            report(.interruptionBegan(.session, by: origin(interruption.culprit)))
        case .forbidsResuming: report(.resumingForbidden)
        case .ended(let shouldResume): report(.interruptionEnded(.session, shouldResume: shouldResume))
        }
        // What stood at the activation is not news: the app asks for it (S44).
        if old.verdict(on: id).standing != .active { hint = isSecondaryAudioToBeSilenced }
        if !hintTimer.isRunning || isSecondaryAudioToBeSilenced { reportHint() }
        watchStopped()
        onVerdicts()
    }

    /// Whether nothing that was put off may yet say otherwise: whoever goes on must not be told so in vain.
    private func isKnownWell(_ new: Arbitration, after old: Arbitration, by id: UInt32) -> Bool {
        guard case .interrupted = old.verdict(on: id).standing, new.verdict(on: id).standing == .active else {
            awaited = nil
            return true
        }
        let changes = awaited ?? catchUp()
        awaited = table.covers(changes) ? nil : changes
        return awaited == nil
    }

    private static var now: Double { MonotonicClock.seconds }
}
