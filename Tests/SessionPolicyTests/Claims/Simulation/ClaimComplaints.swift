@testable import SessionPolicy

/// What is wrong, as whoever knows everything sees it.
extension ClaimSimulation {
    // MARK: At any time

    /// What one process decided in the last step, and should not have.
    mutating func complaint(of events: SimulatedProcess.Events, in process: SimulatedProcess) -> String? {
        if isPolite, events.mustNotResume { return "\(process.id): must not resume, though nobody said so" }
        if let claim = events.endedAtOnce, let complaint = complaintOfEnd(process, claim) { return complaint }
        if let refused = events.refusedUnpublished {
            tally.refusedUnpublished += 1
            if !refused.hasMetCall { return "\(process.id): refused for a call that was over before it asked" }
        }
        if let outbid = events.outbid, let complaint = complaintOfOutbidding(process, outbid) { return complaint }
        guard let (claim, activation, wasGranted) = events.accepted else { return nil }
        if let complaint = complaintOfCalls(process, claim) { return complaint }
        guard let activation, !(wasGranted && isHeldByYounger(process, than: activation)) else { return nil }
        return complaintOfElders(process, claim, activation)
    }

    /// A claim was decided to be active though a call was there before it, and still is.
    private func complaintOfCalls(_ process: SimulatedProcess, _ claim: Claim) -> String? {
        let calls = (refusing[process.id]?[claim.order] ?? []).subtracting(stopped)
        return calls.isEmpty ? nil : "\(process.id): active beside the calls \(calls)"
    }

    /// A session was activated after another app had been told that its own was active, and yet is the older one.
    ///
    /// Calls change who interrupts whom, wild tickets are not followed, and nobody waits for a server for ever.
    private mutating func complaintOfElders(
        _ process: SimulatedProcess, _ claim: Claim, _ activation: SimulatedOperation
    ) -> String? {
        guard garbler == nil, !activation.hasMetCall, !activation.isHasty, process.claim.state != .idle else {
            return nil
        }
        let own = Participant(id: process.id, claim: claim)
        for elder in activation.elders where !stopped.contains(elder.id) {
            guard let theirs = claims[elder.id], theirs.state != .idle, theirs.order == elder.order else { continue }
            tally.elders += 1
            guard claim.order < elder.order else { continue }
            let pair = Arbitration([own, Participant(id: elder.id, claim: theirs)])
            let isInterrupted = pair.verdict(on: process.id).standing != .active
            if isInterrupted || claim.isCall && elder.isAnnounced {
                return "\(process.id): \(claim.order) is older than \(elder.order), which was there before"
            }
        }
        return nil
    }

    /// An app that had been told of its success drew another ticket against one that was activated after that.
    private mutating func complaintOfOutbidding(
        _ process: SimulatedProcess, _ outbid: (culprit: UInt32, order: ClaimOrder)
    ) -> String? {
        guard garbler == nil, let culprit = processes.first(where: { $0.id == outbid.culprit }),
            let activation = culprit.lastActivation, !activation.hasMetCall, !activation.isHasty
        else { return nil }
        tally.outbid += 1
        let isLater = activation.elders.contains { $0.id == process.id && $0.order == outbid.order }
        return isLater ? "\(process.id): outbids \(culprit.id), which was activated after it" : nil
    }

    /// Whether it is interrupted by an activation that came after it had asked.
    ///
    /// Who had been told of its success before draws no other ticket then, for that would be newer than that one's, too: it
    /// stays older than those before it as well.
    private func isHeldByYounger(_ process: SimulatedProcess, than activation: SimulatedOperation) -> Bool {
        guard case .interrupted(let why) = process.negotiation.verdict.standing else { return false }
        return !activation.elders.contains { $0.id == why.culprit && $0.order == claims[$0.id]?.order }
    }

    /// A session was told that nobody interrupts it any more, though somebody does who had been announced to it.
    private mutating func complaintOfEnd(_ process: SimulatedProcess, _ own: Claim) -> String? {
        let announced = claims.compactMap { id, claim -> Participant? in
            if id == process.id { return Participant(id: id, claim: own) }
            guard !process.inbox.contains(where: { $0.isNews(of: id) }) else { return nil }
            return Participant(id: id, claim: claim, isStopped: stopped.contains(id))
        }
        // Those of whom it has not heard may be calls, which change who interrupts whom.
        let known = process.negotiation.participants
        guard !(announced + known).contains(where: { $0.isLive && $0.claim.isCall }) else { return nil }
        tally.endsAtOnce += 1
        guard case .interrupted(let why) = Arbitration(announced).verdict(on: process.id).standing else { return nil }
        return "\(process.id): told of an end, though \(why.culprit) interrupts it"
    }

    // MARK: At rest

    mutating func complaint() -> String? {
        for process in processes { harvest(process) }
        let participants = claims.map { Participant(id: $0, claim: $1, isStopped: stopped.contains($0)) }
        let truth = Arbitration(participants)
        for process in processes where !stopped.contains(process.id) {
            if let complaint = complaint(of: process, truth) { return "\(process.id): \(complaint)" }
        }
        return complaint(about: truth)
    }

    /// What a process thinks differently from everybody else.
    private mutating func complaint(of process: SimulatedProcess, _ truth: Arbitration) -> String? {
        let negotiation = process.negotiation
        guard Set(negotiation.participants) == Set(truth.participants) else { return "knows other claims" }
        guard !negotiation.isDeciding, process.operation == nil, negotiation.deferred.isEmpty,
            negotiation.awaited == nil, process.timeouts.isEmpty, process.resumptions.isEmpty
        else { return "waits for ever" }
        let (session, state) = (process.machine.state, process.claim.state)
        let isRight: Bool
        switch truth.verdict(on: process.id).standing {
        case .inactive: isRight = session == .inactive && state == .idle && !process.isToldInterrupted
        case .active: isRight = session == .active && state == .active && !process.isToldInterrupted
        case .interrupted(let interruption):
            tally.restingInterrupted += 1
            isRight = session == .interrupted && state == .interrupted && process.isToldInterrupted
            guard truth.participant(interruption.culprit)?.isLive == true else { return "held by \(interruption)" }
        }
        let verdict = truth.verdict(on: process.id).standing
        guard negotiation.verdict.standing == verdict else { return "has another verdict" }
        guard process.claim.canDuck == process.canDuck else { return "does not say whether it can duck" }
        guard state != .active || process.claim.isPlaying == process.machine.isIORunning else {
            return "plays \(process.machine.isIORunning), and does not say so"
        }
        guard state != .active || process.claim.foreign == process.foreign else {
            return "does \(String(describing: process.foreign)) to others, and does not say so"
        }
        return isRight ? nil : "is \(session), says \(state), told \(process.isToldInterrupted), and is \(verdict)"
    }

    /// Who is active that should not be, or the other way round.
    private mutating func complaint(about truth: Arbitration) -> String? {
        let live = truth.participants.filter(\.isLive)
        let active = live.filter { truth.verdict(on: $0.id).standing == .active }
        let loud = active.filter { !$0.claim.isMixable }
        if let call = live.filter(\.claim.isCall).min(by: { $0.claim.order < $1.claim.order }) {
            tally.restingCalls += 1
            guard active.filter(\.claim.isCall).map(\.claim.order) == [call.claim.order] else {
                return "calls: \(active)"
            }
            return active.allSatisfy { $0.claim.isCall || $0.claim.order > call.claim.order } ? nil : "beside a call"
        }
        guard let newest = live.filter({ !$0.claim.isMixable }).max(by: { $0.claim.order < $1.claim.order }) else {
            return loud.isEmpty ? nil : "loud without wanting it"
        }
        let prompted = live.contains { $0.claim.interruptsSpokenAudio && $0.claim.order > newest.claim.order }
        if newest.claim.isSpokenAudio && prompted { return loud.isEmpty ? nil : "loud beside a prompt" }
        return loud.map(\.claim.order) == [newest.claim.order] ? nil : "\(loud.count) are loud"
    }
}
