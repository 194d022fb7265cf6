/// One session's part in the claim protocol (docs/claims.md): the publication of claims, the waits, and their
/// consequences.
///
/// A value: each input returns its effects (``ClaimEffect``), and none is carried out while the value is being changed.
/// It has no clock, no lock and no I/O; times are in seconds of any clock that only goes forward.
///
/// Nothing is decided between publishing a claim and its own echo; after that, at every change.
package struct ClaimNegotiation: Sendable {
    /// The claims of all clients.
    package private(set) var table = ClaimTable()
    /// The participants whose processes are known to be stopped; counts from the next ``decide()`` on.
    package var stopped: Set<UInt32> = []
    /// Our client's index on the server; `nil` without a server.
    package private(set) var id: UInt32?
    /// Our own claim at present.
    package private(set) var claim: Claim
    /// The verdicts as of now.
    package private(set) var arbitration = Arbitration()

    /// The effects of the input that is being handled.
    private var effects: [ClaimEffect] = []
    private var isConnected = false
    /// The number of own publications that the server has not announced yet.
    private var ownEventsPending = 0
    private(set) var pending: PendingClaim?
    /// The steps taken while a claim was pending.
    private var postponed: [ClaimStep] = []
    /// The changes that must be known before an interruption ends.
    private(set) var awaited: [UInt32: Int]?
    /// The requests that wait for more answers, and the number of requests deferred so far.
    private(set) var deferred: [DeferredRequest] = []
    private var deferrals = 0
    private var isPlaying = false
    private var foreign: Claim.Foreign?

    private var hint = ReportedHint()
    /// Whether all clients' changes are fetched at once, whatever the session's state.
    private var refreshesAll = false

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
    private mutating func emit(_ effect: ClaimEffect) { effects.append(effect) }

    /// The effects of the current input, which ends here.
    private mutating func flush() -> [ClaimEffect] {
        defer { effects = [] }
        return effects
    }

    /// Sets the own claim, and publishes it if there is a server.
    private mutating func publish(_ new: Claim) {
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
    package mutating func listed(_ clients: [ClaimClient]) -> [ClaimEffect] {
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
        hint.disconnected()
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
        let isUrgent = pending?.changed(client, isOwn: client == id) ?? false
        follow(table.changed(client, at: time, isUrgent: isUrgent), about: client)
        return flush()
    }

    /// A client went.
    package mutating func removed(_ client: UInt32) -> [ClaimEffect] {
        pending?.confirmed(by: client)
        emit(.cancel(.inquiry(client)))
        learned(table.removed(client))
        return flush()
    }

    /// The answer to ``ClaimEffect/ask(_:)``.
    package mutating func answered(
        _ client: UInt32, with properties: ClaimProperties, at time: Double
    ) -> [ClaimEffect] {
        let isNews = table.answered(client, text: properties.text, name: properties.name)
        if !table.isUrgent(client) { pending?.learned(client, order: table.rows[client]?.claim?.order) }
        pending?.confirmed(by: client)
        updated(client, to: properties)
        learned(isNews)
        follow(table.inquiry(about: client, at: time), about: client)
        return flush()
    }

    /// The answer to ``ClaimEffect/ask(_:)`` about a client that is not there any more.
    package mutating func vanished(_ client: UInt32, at time: Double) -> [ClaimEffect] {
        pending?.confirmed(by: client)
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
            hint.settled(isSecondaryAudioToBeSilenced).map { emit($0) }
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
    private mutating func askAboutDelayed() { for client in table.putOff { ask(about: client) } }

    private mutating func ask(about client: UInt32) {
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
    private mutating func updated(_ client: UInt32, to properties: ClaimProperties) {
        emit(.clientUpdated(client))
        // Servers may announce several changes with one event.
        if client == id, properties.text == claim.encoded { ownEventsPending = 0 }
        if client == id, let pending, properties.text == pending.claim.encoded {
            self.pending?.isAnnounced = true
            for client in table.raiseBarrier() { ask(about: client) }
        }
    }

    // MARK: Requests and steps of the session

    /// Publishes an active claim.
    ///
    /// The request completes, with an error if it is refused, when all others can see the claim.
    package mutating func activate(_ settings: SessionSettings, request: Int) -> [ClaimEffect] {
        decideWhenCurrent(.activate(settings), request: request)
        return flush()
    }

    /// Publishes other settings of an active session; the request completes with an error if they are refused.
    package mutating func change(to settings: SessionSettings, request: Int) -> [ClaimEffect] {
        decideWhenCurrent(.change(settings), request: request)
        return flush()
    }

    /// Publishes a step that needs no answer; during a pending claim, after its end.
    package mutating func apply(_ step: ClaimStep) -> [ClaimEffect] {
        publishStep(step)
        return flush()
    }

    /// Publishes a step that needs no answer; during a pending claim, after its end.
    private mutating func publishStep(_ step: ClaimStep) {
        switch step {
        case .playing(let isPlaying): self.isPlaying = isPlaying
        case .foreign(let foreign): self.foreign = foreign
        // All players have stopped, and no further step reports that for a session that is not active.
        case .interrupted, .idle: isPlaying = false
        case .process: break
        }
        guard pending == nil else { return postponed.append(step) }
        let new: Claim
        switch step {
        case .interrupted: new = claim.interrupted()
        case .idle(let notify):
            new = claim.idle(notify: notify)
            // Others must be able to distinguish an ended session from a vanished process, and streams that were ducked
            // for it are restored after its echo.
            if table.claims.count > 1 || claim.ducksOthers || claim.foreign != nil { emit(.linger) }
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

    /// Sets whether this process can duck streams of others.
    ///
    /// Most processes can, so the first claim states it before the server is known.
    package mutating func setCanDuck(_ canDuck: Bool) -> [ClaimEffect] {
        guard canDuck != claim.canDuck else { return [] }
        pending?.claim.canDuck = canDuck
        pending?.previous?.canDuck = canDuck
        claim.canDuck = canDuck
        publish(claim)
        return flush()
    }

    /// The reason why a claim must not be published; `nil` if it may be.
    package func refusal(of new: Claim) -> SessionError? {
        id.flatMap { SessionPolicy.refusal(of: new, as: $0, among: participants) }
    }

    // MARK: Waiting until enough is known

    /// Decides at once if no answer is pending, or else when every change announced so far is known.
    ///
    /// A ticket drawn without the newest ones would make this session older than earlier ones.
    private mutating func decideWhenCurrent(_ kind: DeferredRequest.Kind, isSure: Bool = false, request: Int) {
        askAboutDelayed()
        let changes = table.outstanding.filter { $0.key != id }
        guard !table.covers(changes) else { return decide(kind, isSure: isSure, request: request) }
        deferrals += 1
        emit(.start(.deferral(deferrals), seconds: 1))
        deferred.append(
            DeferredRequest(kind: kind, request: request, isSure: isSure, changes: changes, number: deferrals))
    }

    /// Decides the deferred requests for which enough is known; see ``ClaimEffect/decideDeferred``.
    package mutating func decideDeferred() -> [ClaimEffect] {
        decideReady()
        return flush()
    }

    /// Decides the deferred requests for which enough is known, or all of them if this is the last occasion.
    private mutating func decideReady(isLast: Bool = false) {
        guard !deferred.isEmpty else { return }
        // A client marked as stale while a request was pending needs another one.
        askAboutDelayed()
        let ready = deferred.filter { isLast || table.covers($0.changes) }
        deferred.removeAll { isLast || table.covers($0.changes) }
        for waiting in ready { emit(.cancel(.deferral(waiting.number))) }
        for waiting in ready { decide(waiting.kind, isSure: waiting.isSure, request: waiting.request) }
    }

    /// Publishes the result of a request, evaluated now: much may have happened since it was made.
    private mutating func decide(_ kind: DeferredRequest.Kind, isSure: Bool, request: Int) {
        // The echo of the last claim may still be missing.
        let ticket = ClaimOrder.nextTicket(after: table.claims + [claim])
        switch kind {
        case .activate(let settings):
            guard isConnected, id != nil else {
                return emit(.complete(request, SessionError(.mediaServicesFailed, "There is no sound server.")))
            }
            var new = claim.activating(with: settings, ticket: ticket)
            new.isPlaying = isPlaying
            ask(for: new, of: kind, isSure: isSure, request: request)
        case .change(let settings):
            let new = claim.changing(to: settings, ticket: ticket)
            guard new != claim else { return emit(.complete(request, nil)) }
            ask(for: new, of: kind, isSure: isSure, request: request)
        }
    }

    /// Publishes a claim that no call refuses; if it has another ticket, the request completes after its verdict.
    private mutating func ask(for new: Claim, of kind: DeferredRequest.Kind, isSure: Bool, request: Int) {
        if let error = refusal(of: new) {
            return isSure ? emit(.complete(request, error)) : askCallsAgain(kind, request: request)
        }
        let isActivation = if case .activate = kind { true } else { false }
        guard isActivation || new.seq != claim.seq else {
            publish(new)
            return emit(.complete(request, nil))
        }
        pending = PendingClaim(
            claim: new, previous: claim, isActivation: isActivation,
            earlierChanges: table.makeOutstandingUrgent().mapValues { _ in .init() },
            ownEventsBeforeEcho: ownEventsPending, request: request)
        askAboutDelayed()
        publish(new)
        emit(.start(.deadline, seconds: 2))
        grantIfReadable()
    }

    /// Decides once it is confirmed that all calls are still in progress.
    ///
    /// The end of a call takes time to reach all sessions, and a recording right after it should not be refused.
    private mutating func askCallsAgain(_ kind: DeferredRequest.Kind, request: Int) {
        for call in participants where call.id != id && call.isLive && call.claim.isCall { table.markStale(call.id) }
        decideWhenCurrent(kind, isSure: true, request: request)
    }

    /// Ends a request, with an error, after its caller has stopped waiting for it.
    ///
    /// A claim that is in effect already stays, and its request is complete.
    package mutating func expire(request: Int) -> [ClaimEffect] {
        if pending?.request == request {
            giveUp()
        } else if let waiting = deferred.first(where: { $0.request == request }) {
            deferred.removeAll { $0.request == request }
            emit(.cancel(.deferral(waiting.number)))
            emit(.complete(request, SessionError(.mediaServicesFailed, "The sound server does not answer.")))
        }
        return flush()
    }

    // MARK: Decisions

    /// Decides about a claim whose echo has come, once every change announced before it is known.
    private mutating func concludeIfPossible() {
        guard let decided = pending, table.isBarrierReached, isConfirmed(decided) else { return }
        defer { table.lowerBarrier() }
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
        // Of two simultaneous calls the older one stays. The earlier claim is restored.
        let back = decided.wayBack(to: previous)
        pending = PendingClaim(claim: back, previous: nil, failure: error, request: decided.request)
        publish(back)
    }

    /// The claim with a higher ticket, if a newer session was unknown when this ticket was drawn; at most once.
    ///
    /// Another session may have been activated so shortly before that its ticket was still on its way. An app that
    /// activates after it must interrupt it, rather than be interrupted. Of two simultaneous activations either may be
    /// the last, hence once. A session that came after this app's activation had returned wins.
    private func renewal(of decided: PendingClaim) -> Claim? {
        guard !decided.isRenewed, let id,
            case .interrupted(let interruption) = Arbitration(participants).verdict(on: id).standing
        else { return nil }
        if decided.isGranted, !cameBefore(decided, interruption.culprit) { return nil }
        switch interruption.rule {
        case .call, .refusedByCall: return nil
        case .newerSession, .spokenAudio:
            let ticket = ClaimOrder.nextTicket(after: table.claims)
            return ticket > decided.claim.seq ? decided.claim.renewed(ticket: ticket) : nil
        }
    }

    /// Whether no further answer is needed before a renewal; requests it otherwise.
    private mutating func isConfirmed(_ decided: PendingClaim) -> Bool {
        if case .asked = decided.confirmation { return false }
        guard decided.confirmation == .none, decided.isGranted, !decided.isRenewed, let id,
            case .interrupted(let why) = Arbitration(participants).verdict(on: id).standing,
            decided.earlierChanges[why.culprit]?.isBeforeGrant == false, cameBefore(decided, why.culprit)
        else { return true }
        pending?.confirmation = .asked(why.culprit)
        emit(.ask(why.culprit))
        return false
    }

    /// Whether the server had a newer session's claim before this claim, which the app was granted early.
    ///
    /// The server reports that a client has changed, not how. A change announced before this claim may be the end of
    /// that session's last activation, and the new claim may have come later. So each such change is fetched at once.
    ///
    /// | the answer | the newer claim came |
    /// |---|---|
    /// | none, as there was no such change | after ours |
    /// | shows another claim | after ours |
    /// | shows it, before the activation returned | before ours, or at the same moment |
    /// | shows it, after the activation returned (PipeWire), and then another change | after ours, as a rule |
    /// | shows it, after the activation returned, and then no other change | before ours |
    private func cameBefore(_ decided: PendingClaim, _ newer: UInt32) -> Bool {
        guard let earlier = decided.earlierChanges[newer], earlier.order == table.rows[newer]?.claim?.order else {
            return false
        }
        return earlier.isBeforeGrant || !table.hasChangedSinceUrgent(newer)
    }

    /// Ends the pending claim without an echo.
    ///
    /// The server may still accept it, so the earlier claim is published after it.
    private mutating func giveUp() {
        guard let given = pending else { return }
        table.lowerBarrier()
        if given.isGranted { return finish(nil) }
        if let previous = given.previous { publish(given.wayBack(to: previous)) }
        finish(SessionError(.mediaServicesFailed, "The sound server does not answer."))
    }

    /// Ends the pending claim, applies the postponed steps, and evaluates all claims again.
    private mutating func finish(_ error: SessionError?) {
        guard let finished = pending else { return }
        pending = nil
        emit(.cancel(.deadline))
        if !finished.isGranted { emit(.complete(finished.request, finished.failure ?? error)) }
        let steps = error == nil && finished.isActivation && !finished.isGranted ? lasting : postponed
        postponed = []
        for step in steps { publishStep(step) }
        judge()
        emit(.signal)
    }

    /// Evaluates all claims again, and reports the changes to the session.
    package mutating func decide() -> [ClaimEffect] {
        judge()
        return flush()
    }

    /// Evaluates all claims again, and reports the changes to the session.
    private mutating func judge() {
        guard pending == nil, let id, !isOutdated else { return }
        let old = arbitration
        let new = Arbitration(participants)
        guard isKnownWell(new, after: old, by: id) else { return }
        arbitration = new
        updateRefreshPolicy()
        switch arbitration.interruptionChange(of: id, since: old) {
        case .nothing: break
        case .began(let interruption):
            emit(.report(.interruptionBegan(.session, by: origin(interruption.culprit))))
        case .forbidsResuming: emit(.report(.resumingForbidden))
        case .ended(let shouldResume): emit(.report(.interruptionEnded(.session, shouldResume: shouldResume)))
        }
        // The state at the activation is not reported: the app queries it (S44).
        if old.verdict(on: id).standing != .active { hint.learn(isSecondaryAudioToBeSilenced) }
        hint.report(isSecondaryAudioToBeSilenced).map { emit($0) }
        emit(.judged)
    }

    /// Whether the table shows an older ticket of this session: the server did not announce the new one before the
    /// deadline.
    private var isOutdated: Bool {
        guard let known = id.flatMap({ table.rows[$0]?.claim }) else { return false }
        return known.order != claim.order
    }

    /// Whether no delayed answer can still change the end of an interruption: a session must not resume in vain.
    private mutating func isKnownWell(_ new: Arbitration, after old: Arbitration, by id: UInt32) -> Bool {
        guard case .interrupted = old.verdict(on: id).standing, new.verdict(on: id).standing == .active else {
            awaited = nil
            return true
        }
        if awaited == nil { askAboutDelayed() }
        let changes = awaited ?? table.outstanding
        awaited = table.covers(changes) ? nil : changes
        return awaited == nil
    }

    // MARK: The early grant

    // The early grant: an activation that no call can refuse returns to the app before its claim is in effect.
    //
    // Servers send the event about a change to all clients before they answer the requests that follow from it; PipeWire
    // takes two more round trips for each client. With fifty sessions that is most of an activation's time. A request
    // about the own client is answered sooner, so the activation returns as soon as the server shows the claim. All
    // verdicts are still decided after the echo.

    /// The largest number of questions; each waits for the answer to the one before.
    private static let mostLooks = 64

    /// Whether a published claim still waits for its verdict.
    package var isDeciding: Bool { pending != nil }

    /// Whether the app's activation has returned while the claim is not in effect yet.
    package var isGranted: Bool { pending?.isGranted == true }

    /// The steps that stay valid after a successful activation; all other earlier ones are void.
    private var lasting: [ClaimStep] { [.playing(isPlaying), .foreign(foreign)] }

    /// Whether the app has ended the session since the early grant.
    private var hasEnded: Bool {
        guard isGranted else { return false }
        return postponed.contains { if case .idle = $0 { true } else { false } }
    }

    /// The verdict on this session as its pending claim would have it, given the claims that are known so far.
    package var expectedVerdict: Verdict {
        guard let id, let pending else { return verdict }
        let others = participants.filter { $0.id != id }
        return Arbitration(others + [Participant(id: id, claim: pending.claim)]).verdict(on: id)
    }

    /// Requests the own claim from the server until it shows the pending one.
    private mutating func grantIfReadable(asked: Int = 0) {
        guard asked < Self.mostLooks, isConnected, id != nil, let pending, pending.isGrantable else { return }
        emit(.look(ClaimLook(text: pending.claim.encoded, asked: asked)))
    }

    /// The answer to ``ClaimEffect/look(_:)``: the claim that the server shows of our client.
    package mutating func looked(_ look: ClaimLook, text: String?) -> [ClaimEffect] {
        // Earlier changes of others are read first, to distinguish them from those after the activation has returned.
        if text != look.text || table.hasUrgent {
            grantIfReadable(asked: look.asked + 1)
        } else if let granted = pending, granted.isGrantable, granted.claim.encoded == text {
            pending?.isGranted = true
            postponed = lasting
            emit(.complete(granted.request, nil))
            emit(.signal)
        }
        return flush()
    }

    // MARK: Others

    /// Sets which clients' changes are fetched at once, and fetches the ones that this makes urgent.
    private mutating func updateRefreshPolicy() {
        guard let id else { return }
        table.refreshPolicy = refreshesAll ? .all : ClaimRefreshPolicy(of: id, in: arbitration)
        for client in table.overdue { ask(about: client) }
    }

    /// Fetches all clients' changes at once from now on, beginning with the delayed ones; or stops doing so.
    package mutating func setRefreshesAll(_ isNeeded: Bool) -> [ClaimEffect] {
        refreshesAll = isNeeded
        updateRefreshPolicy()
        if isNeeded { askAboutDelayed() }
        return flush()
    }

    /// The name and process of a participant, to display.
    private func origin(_ client: UInt32) -> InterruptionOrigin {
        let row = table.rows[client]
        return InterruptionOrigin(name: row?.name, pid: row?.claim.flatMap { $0.pid > 0 ? $0.pid : nil })
    }

    /// Whether another program's main sound is heard, of a session or of a program outside the library.
    package var isSecondaryAudioToBeSilenced: Bool {
        id.map { arbitration.secondaryAudioShouldBeSilenced(for: $0) } == true || hint.isForeignMainSoundHeard
    }

    /// Sets whether the main sound of a program outside the library is heard; reports the hint only if `isNews`.
    ///
    /// An end is reported after a delay: PipeWire shows a stream as corked for a moment while it relinks it.
    package mutating func noteForeignMainSound(_ isHeard: Bool, isNews: Bool) -> [ClaimEffect] {
        hint.isForeignMainSoundHeard = isHeard
        effects += hint.heard(isSecondaryAudioToBeSilenced, isNews: isNews)
        return flush()
    }
}
