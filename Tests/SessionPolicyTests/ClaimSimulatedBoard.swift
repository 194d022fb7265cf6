@testable import SessionPolicy

/// What `ClaimBoard` does around the table: publish, wait for the echo, decide.
extension SimulatedProcess {
    // MARK: Connection

    /// Begins anew on a server, as the client with this index.
    mutating func connect(as id: UInt32) {
        self.id = id
        table.own = id
        inbox = []
        outbox = [.publish(claim.encoded), .list]
    }

    /// The server is gone, and all claims with it.
    mutating func loseServer() {
        table = ClaimTable()
        (arbitration, isFull, timers, awaited, wish) = (Arbitration(), false, [:], nil, nil)
        claim = claim.idle(notify: false)
        (pending, postponed, isPlaying, stopped, needsVerdict) = (nil, [], false, [], false)
        answered(isDone: false)
        perform(machine.received(.servicesLost))
    }

    // MARK: What the session asks

    mutating func whenUpToDate(_ step: Wish.Step) {
        let changes = catchUp().filter { $0.key != id }
        guard !table.covers(changes) else { return decide(step) }
        wish = Wish(step: step, changes: changes)
    }

    private mutating func decideWhatWaits() {
        guard let waiting = wish else { return }
        _ = catchUp()
        guard table.covers(waiting.changes) else { return }
        wish = nil
        decide(waiting.step)
    }

    private mutating func decide(_ step: Wish.Step) {
        let ticket = ClaimOrder.nextTicket(after: table.claims)
        switch step {
        case .activate(let settings):
            var new = claim.activating(with: settings, ticket: ticket)
            new.isPlaying = isPlaying
            ask(for: new, isActivation: true, isSure: false)
        case .change(let settings, let isSure):
            let new = claim.changing(to: settings, ticket: ticket)
            guard new != claim else { return answered(isDone: true) }
            guard new.seq == claim.seq else { return ask(for: new, isActivation: false, isSure: false) }
            guard isRefused(new) else {
                publish(new)
                return answered(isDone: true)
            }
            if isSure { answered(isDone: false) } else { askCallsAgain(.change(settings, isSure: true)) }
        case .publish(let new, let isActivation): ask(for: new, isActivation: isActivation, isSure: true)
        }
    }

    private mutating func ask(for new: Claim, isActivation: Bool, isSure: Bool) {
        if isRefused(new) {
            if isSure { return answered(isDone: false) }
            return askCallsAgain(.publish(new, isActivation: isActivation))
        }
        pending = Pending(claim: new, previous: claim, isActivation: isActivation)
        _ = catchUp()
        publish(new)
        if isActivation, !new.settings.isRefusedDuringCalls { outbox.append(.look) }
    }

    private mutating func askCallsAgain(_ step: Wish.Step) {
        for call in participants where call.id != id && call.isLive && call.claim.isCall { table.doubt(call.id) }
        whenUpToDate(step)
    }

    mutating func take(_ step: ClaimStep) {
        switch step {
        case .playing(let isPlaying): self.isPlaying = isPlaying
        case .foreign, .process: return
        case .interrupted, .idle: isPlaying = false
        }
        guard pending == nil else { return postponed.append(step) }
        var new = claim
        switch step {
        case .interrupted: new = claim.interrupted()
        case .idle(let notify): new = claim.idle(notify: notify)
        case .playing(let isPlaying): if claim.state == .active { new.isPlaying = isPlaying }
        case .foreign, .process: break
        }
        if new != claim { publish(new) }
    }

    private func isRefused(_ new: Claim) -> Bool { refusal(of: new, as: id, among: participants) != nil }

    private mutating func publish(_ new: Claim) {
        claim = new
        outbox.append(.publish(new.encoded))
    }

    // MARK: What the server says

    mutating func receive() {
        clock += 0.001
        switch inbox.removeFirst() {
        case .changed(let client): follow(table.changed(client, at: clock), about: client)
        case .gone(let client):
            timers[client] = nil
            learned(table.removed(client))
        case .listed(let clients): fill(with: clients)
        case .answer(let client, let text):
            learned(text.map { take(client, $0) } ?? table.removed(client))
            follow(table.inquiry(about: client, at: clock), about: client)
        case .looked(let text): grant(text)
        }
    }

    private mutating func fill(with clients: [UInt32: String]) {
        for (client, text) in clients.sorted(by: { $0.key < $1.key }) {
            _ = table.changed(client, at: clock)
            table.asked(client)
            _ = take(client, text)
        }
        isFull = true
        decide()
        if machine.state == .lost { perform(machine.received(.servicesReset)) }
    }

    private mutating func follow(_ inquiry: ClaimTable.Inquiry, about client: UInt32) {
        switch inquiry {
        case .never: break
        case .now: askAbout(client)
        case .later(let seconds): timers[client] = clock + seconds
        }
    }

    /// The first of the questions that were put off is due.
    mutating func timerFires() {
        guard let (client, time) = timers.min(by: { ($0.value, $0.key) < ($1.value, $1.key) }) else { return }
        clock = max(clock, time)
        timers[client] = nil
        follow(table.due(client, at: clock), about: client)
    }

    private mutating func catchUp() -> [UInt32: Int] {
        for client in table.putOff.sorted() { askAbout(client) }
        return table.outstanding
    }

    private mutating func askAbout(_ client: UInt32) {
        table.asked(client)
        outbox.append(.ask(client))
    }

    private mutating func learned(_ isNews: Bool) {
        if isNews || awaited.map(table.covers) == true { decide() }
        conclude()
        decideWhatWaits()
    }

    private mutating func take(_ client: UInt32, _ text: String) -> Bool {
        let isNews = table.answered(client, text: text, name: nil)
        if client == id, let pending, text == pending.claim.encoded {
            for client in table.raiseBarrier().sorted() { askAbout(client) }
        }
        return isNews
    }

    /// The server shows our claim: the app is told that its session is active, which counts once it is decided.
    private mutating func grant(_ text: String?) {
        guard let granted = pending, granted.isActivation, !granted.isGranted, granted.claim.encoded == text else {
            return
        }
        pending?.isGranted = true
        postponed = [.playing(isPlaying)]
        answered(isDone: true)
    }

    // MARK: Deciding

    private mutating func conclude() {
        guard let decided = pending, table.isBarrierReached else { return }
        table.lowerBarrier()
        guard let previous = decided.previous else { return finish(isDone: false) }
        guard isRefused(decided.claim) else {
            guard !hasEnded, let renewed = renewal(of: decided) else { return finish(isDone: true) }
            pending?.claim = renewed
            pending?.isRenewed = true
            return publish(renewed)
        }
        refused.append(decided.claim.order)
        let back = previous.state == .idle ? decided.claim.idle(notify: true) : previous
        pending = Pending(claim: back, previous: nil)
        publish(back)
    }

    private var hasEnded: Bool {
        pending?.isGranted == true && postponed.contains { if case .idle = $0 { true } else { false } }
    }

    private func renewal(of decided: Pending) -> Claim? {
        guard !decided.isRenewed, case .interrupted(let why) = Arbitration(participants).verdict(on: id).standing,
            why.rule == .newerSession || why.rule == .spokenAudio
        else { return nil }
        let ticket = ClaimOrder.nextTicket(after: table.claims)
        return ticket > decided.claim.seq ? decided.claim.renewed(ticket: ticket) : nil
    }

    private mutating func finish(isDone: Bool) {
        guard let finished = pending else { return }
        pending = nil
        if isDone { accepted = finished.claim.order }
        if !finished.isGranted { answered(isDone: isDone) }
        let steps = isDone && finished.isActivation && !finished.isGranted ? [.playing(isPlaying)] : postponed
        postponed = []
        for step in steps { take(step) }
        decide()
    }

    var participants: [Participant] { table.participants(stopped: stopped.subtracting([id])) }

    mutating func decide() {
        needsVerdict = false
        guard pending == nil, isFull else { return }
        let old = arbitration
        let new = Arbitration(participants)
        guard isKnownWell(new, after: old) else { return }
        arbitration = new
        table.attention = Attention(of: id, in: arbitration)
        switch arbitration.interruptionChange(of: id, since: old) {
        case .nothing: break
        case .began(let interruption):
            noteCall(interruptedBy: interruption)
            perform(machine.received(.interruptionBegan(.session)))
        case .forbidsResuming: perform(machine.received(.resumingForbidden))
        case .ended(let shouldResume):
            perform(machine.received(.interruptionEnded(.session, shouldResume: shouldResume)))
        }
    }

    private mutating func noteCall(interruptedBy interruption: Interruption) {
        guard machine.state == .active, claim.isCall else { return }
        interruptedCalls.append(arbitration.participant(interruption.culprit)?.claim.order)
        expect(interruption.rule == .call || interruption.rule == .refusedByCall, "a call gave way to \(interruption)")
    }

    private mutating func isKnownWell(_ new: Arbitration, after old: Arbitration) -> Bool {
        guard case .interrupted = old.verdict(on: id).standing, new.verdict(on: id).standing == .active else {
            awaited = nil
            return true
        }
        let changes = awaited ?? catchUp()
        awaited = table.covers(changes) ? nil : changes
        return awaited == nil
    }
}
