import SoundAnalysis

@testable import SessionPolicy

/// Up to eight processes on one server, in one of the interleavings that the protocol allows.
///
/// The server handles one request at a time and sends news to all, in one order; everything else (who sends, who reads,
/// whose timers fire when) is left to chance, and so are activations, deactivations, changes, deaths, stops, restarts,
/// devices that are taken away for a while, and processes of which the server takes nothing for seconds.
struct ClaimSimulation {
    private var random: SeededGenerator
    private(set) var processes: [SimulatedProcess] = []
    /// The last property of every connected client, and what it means.
    private(set) var properties: [UInt32: String] = [:]
    private(set) var claims: [UInt32: Claim] = [:]
    /// Connections of dead processes, whose last requests are in the socket still.
    private var wills: [(id: UInt32, requests: [SimulatedRequest])] = []
    private(set) var stopped: Set<UInt32> = []
    private(set) var garbler: UInt32?
    /// Whether all who leave let others go on.
    let isPolite: Bool
    /// What apps choose from.
    private let settings: [SessionSettings]
    private var nextID: UInt32 = 0
    private var actionsLeft: Int
    /// How many processes there may be.
    private let most: Int
    /// One of so many steps is a deed of an app: few for calm histories, many for races.
    private let calm: Int
    /// For each claim of each client that the server has taken over: the calls that lived then and that refuse it, for as
    /// long as they live. (Who gives a call up and comes back to it, since another one has begun meanwhile, is not
    /// among them any more: the other one may well have heard of no call.)
    private(set) var refusing: [UInt32: [ClaimOrder: Set<UInt32>]] = [:]
    private var published: [UInt32: Claim] = [:]
    /// How often something interesting happened, so that a test can tell that it did.
    var tally = Tally()

    struct Tally {
        var refusals = 0
        var interruptedCalls = 0
        var restingCalls = 0
        var restingInterrupted = 0
        var ends = 0
        /// How often an activation was compared with those before it, an end with who is left, a refusal with calls.
        var elders = 0
        var endsAtOnce = 0
        var refusedUnpublished = 0
        /// How often a session of which its app had been told drew another ticket.
        var outbid = 0

        static func += (left: inout Tally, right: Tally) {
            left.refusals += right.refusals
            left.interruptedCalls += right.interruptedCalls
            left.restingCalls += right.restingCalls
            left.restingInterrupted += right.restingInterrupted
            left.ends += right.ends
            left.elders += right.elders
            left.endsAtOnce += right.endsAtOnce
            left.refusedUnpublished += right.refusedUnpublished
            left.outbid += right.outbid
        }
    }

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        isPolite = random.oneIn(2)
        let choices = [SessionSettings.typical, SessionSettings.withoutCalls, SessionSettings.manyCalls]
        settings = choices.randomElement(using: &random)!
        // Few processes at much, or many at little: both cost the same.
        most = random.oneIn(4) ? 8 : 4
        actionsLeft = most == 8 ? Int(8 + random.next() % 30) : Int(20 + random.next() % 80)
        calm = [2, 3, 6, 12, 40].randomElement(using: &random)!
        for _ in 0..<Int.random(in: 2...(most - 1), using: &random) { join() }
        if !isPolite, random.oneIn(2) { garbler = newClient() }
    }

    /// Runs until nothing is left to happen, and returns what is wrong then; `nil` if all is well.
    mutating func run() -> String? {
        for _ in 0..<100_000 {
            if !step() { return complaint() }
            for process in processes {
                if let complaint = process.complaint { return complaint }
                guard let events = process.events else { continue }
                process.events = nil
                if let complaint = complaint(of: events, in: process) { return complaint }
                if events.isTold { race(process) }
                if events.gaveUp, actionsLeft > 0, random.oneIn(2) { act(process, 14) }
            }
        }
        return "no rest after 100 000 steps"
    }

    // MARK: Chance

    /// Lets one thing happen; false if nothing can any more.
    private mutating func step() -> Bool {
        if actionsLeft > 0, random.oneIn(calm) {
            actionsLeft -= 1
            act()
            return true
        }
        // Somebody at random, and from there on the first who has something to do; the slow ones last, as a rule.
        let start = Int(random.next() % 1_024)
        let count = processes.count + wills.count
        let waitsForSlow = random.oneIn(6)
        for isLastRound in [false, true] {
            for offset in 0..<count {
                let index = (start + offset) % count
                let isSlow = index < processes.count && processes[index].isSlow && !waitsForSlow
                guard isSlow == isLastRound else { continue }
                if index < processes.count ? proceed(index) : bury(index - processes.count) { return true }
            }
        }
        if actionsLeft > 0 {
            actionsLeft -= 1
            act()
            return true
        }
        return false
    }

    /// One step of one process, or of the server on its behalf; false if there is none.
    private mutating func proceed(_ index: Int) -> Bool {
        let start = Int(random.next() % 8)
        let process = processes[index]
        let isStopped = stopped.contains(process.id)
        for offset in 0..<8 {
            switch (start + offset) % 8 {
            case 0 where !process.outbox.isEmpty && !process.isStalled:
                serve(process.outbox.removeFirst(), of: process.id)
            case _ where isStopped: continue
            case 1 where !process.inbox.isEmpty: process.receive()
            case 2 where !process.inquiries.isEmpty: process.inquiryIsDue()
            case 3 where process.needsVerdict: process.decide()
            // An app's thread that waits for an answer keeps these from being acted on.
            case 4 where !process.resumptions.isEmpty && process.operation == nil: process.resumptionIsOver()
            case 5 where !process.idleTimers.isEmpty && process.operation == nil: process.idleTimerFires()
            case 6 where process.isSuspended && actionsLeft == 0: process.wakeDevice()
            case 7 where process.isStalled: process.timeOut()
            default: continue
            }
            return true
        }
        return false
    }

    private mutating func bury(_ index: Int) -> Bool {
        let request = wills[index].requests.removeFirst()
        serve(request, of: wills[index].id)
        if wills[index].requests.isEmpty { wills.remove(at: index) }
        return true
    }

    private mutating func act() {
        if let garbler, random.oneIn(4) { return garble(garbler) }
        let deed = random.next() % 48
        if deed == 0 { return restart() }
        guard let process = processes.randomElement(using: &random) else { return join() }
        if deed <= 2 { return toggleStop(process.id) }
        if deed <= 4 { return die(process) }
        if deed == 5, processes.count < most { return join() }
        if deed == 40 || deed == 41 {
            // Somebody who waits for it, if there is one.
            return (processes.first { $0.negotiation.isDeciding || $0.operation != nil } ?? process).stall(
                beforeTelling: random.oneIn(2))
        }
        guard !stopped.contains(process.id) else { return }
        if deed == 42 || deed == 43 { return process.mention() }
        if deed >= 44 {
            let deciding = processes.first { $0.negotiation.isDeciding && !stopped.contains($0.id) }
            return (deciding ?? process).tell(canDuck: random.oneIn(2))
        }
        act(process, deed)
    }

    /// Somebody has just been told that its session is active: now the server hangs for it, or others follow at once.
    private mutating func race(_ process: SimulatedProcess) {
        guard actionsLeft > 0, random.oneIn(2) else { return }
        switch random.next() % 6 {
        case 0 where process.negotiation.isGranted: process.stall(beforeTelling: false)
        case 1: act(process, 6)
        default: rival(of: process)
        }
    }

    /// One deed of an app, if its thread is free for that, or something that happens to its device and its players.
    private mutating func act(_ process: SimulatedProcess, _ deed: UInt64) {
        let isActive = process.machine.state == .active
        switch deed {
        case 20...23 where isActive: return process.play(!process.machine.isIORunning)
        case 24...27 where isActive && !process.isSuspended: return process.suspend()
        case 28...30 where process.isSuspended: return process.wakeDevice(shouldResume: isPolite || random.oneIn(2))
        default: if process.isFree { ask(process, deed) }
        }
    }

    private mutating func ask(_ process: SimulatedProcess, _ deed: UInt64) {
        let isActive = process.machine.state == .active
        let isDeciding = process.negotiation.isDeciding
        switch deed {
        case 6...13 where process.machine.isEngaged:
            if random.oneIn(3) { rival(of: process) }
            process.deactivate(notify: isPolite || random.next() % 3 > 0)
        case 14...19 where isActive && !isDeciding:
            process.change(to: settings.randomElement(using: &random)!)
            recordCircumstances(of: process)
        case _ where !isActive && !isDeciding:
            let isReturn = process.claim.state == .interrupted && random.oneIn(2)
            process.activate(
                isReturn ? nil : settings.randomElement(using: &random)!, isImplicit: random.oneIn(4))
            recordCircumstances(of: process)
            rush(beside: process)
        default: break
        }
    }

    /// What may happen at the same moment as an activation: that the device comes back, and other activations.
    private mutating func rush(beside process: SimulatedProcess) {
        if process.isSuspended, !isPolite { process.wakeDevice(shouldResume: false) }
        while random.oneIn(2), actionsLeft > 0 { rival(of: process) }
        if random.oneIn(4), process.negotiation.isDeciding { process.tell(canDuck: !process.canDuck) }
    }

    /// Another app activates its session.
    private mutating func rival(of process: SimulatedProcess) {
        guard actionsLeft > 0 else { return }
        let others = processes.filter {
            $0 !== process && $0.isFree && $0.machine.state != .active && !stopped.contains($0.id)
        }
        actionsLeft -= 1
        if let rival = others.randomElement(using: &random) { act(rival, 31) }
    }

    /// What stood when an app asked for something.
    private func recordCircumstances(of process: SimulatedProcess) {
        guard let operation = process.operation ?? process.events?.refusedUnpublished else { return }
        operation.hasMetCall = claims.contains { $0.key != process.id && $0.value.isCall && $0.value.state != .idle }
        operation.elders = processes.compactMap { other in
            guard other !== process, other.knowsItIsActive, !stopped.contains(other.id),
                let claim = claims[other.id], claim.state == .active
            else { return nil }
            let isAnnounced = !process.inbox.contains { $0.isNews(of: other.id) }
            return .init(id: other.id, order: claim.order, isAnnounced: isAnnounced)
        }
    }

    // MARK: Fate

    private mutating func newClient() -> UInt32 {
        nextID += 1
        properties[nextID] = ""
        return nextID
    }

    private mutating func join() {
        let new = SimulatedProcess(id: newClient(), uid: random.next() >> 8, isSlow: random.oneIn(3))
        new.stoppedChanged(to: stopped)
        processes.append(new)
    }

    private mutating func die(_ process: SimulatedProcess) {
        harvest(process)
        processes.removeAll { $0 === process }
        // Some of what it wrote is in the socket and arrives before the end does.
        let arrived = process.outbox.prefix(Int(random.next() % 4))
        wills.append((process.id, arrived + [.leave]))
    }

    private mutating func toggleStop(_ id: UInt32) {
        if stopped.remove(id) == nil { stopped.insert(id) }
        for process in processes { process.stoppedChanged(to: stopped) }
    }

    private mutating func restart() {
        properties = [:]
        claims = [:]
        wills = []
        stopped = []
        if garbler != nil { garbler = newClient() }
        for process in processes { process.loseServer() }
        // Back one after the other, in any order, with idle claims.
        for process in processes.shuffled(using: &random) { process.connect(as: newClient()) }
    }

    private mutating func garble(_ id: UInt32) {
        var bytes = Array((processes.first?.claim.encoded ?? "1;seq=1").utf8)
        for _ in 0..<(1 + random.next() % 3) {
            bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(0x21 + random.next() % 0x5E)
        }
        let wild = Claim(
            seq: random.next() >> (random.next() % 64), uid: random.next() % 1_000, state: .active,
            settings: SessionSettings.typical.randomElement(using: &random)!)
        serve(.publish(random.oneIn(3) ? wild.encoded : String(decoding: bytes, as: UTF8.self)), of: id)
    }

    mutating func harvest(_ process: SimulatedProcess) {
        tally.refusals += process.refusals
        tally.interruptedCalls += process.interruptedCalls
        tally.ends += process.ends
    }

    // MARK: The server

    private mutating func serve(_ request: SimulatedRequest, of id: UInt32) {
        switch request {
        case .publish(let text):
            let old = claims[id]
            properties[id] = text
            claims[id] = Claim(text)
            let isSameCall = claims[id].map { $0.isCall && $0.state != .idle && $0.order == old?.order } ?? false
            if !isSameCall { forgetCall(id) }
            if let claim = claims[id] { noteLive(claim, of: id) }
            tell(.changed(id))
        case .list: answer(id, .listed(properties))
        case .ask(let other): answer(id, .answer(other, properties[other]))
        // PipeWire shows it a little later.
        case .look(let look): answer(id, .looked(look, random.oneIn(3) ? "" : properties[id]))
        case .leave:
            properties[id] = nil
            claims[id] = nil
            forgetCall(id)
            stopped.remove(id)
            tell(.gone(id))
        }
    }

    /// A claim can be seen from now on.
    private mutating func noteLive(_ claim: Claim, of id: UInt32) {
        // Later it says other things under the same ticket, which it also draws again after it has failed.
        let isNew = published[id].map { $0.order != claim.order || $0.settings != claim.settings || $0.state == .idle }
        published[id] = claim
        if claim.state == .active, isNew != false {
            refusing[id, default: [:]][claim.order] = calls(refusing: claim, of: id)
        }
        guard claim.isCall, claim.state != .idle else { return }
        for process in processes where process.id != id {
            process.operation?.hasMetCall = true
            process.activation?.hasMetCall = true
        }
    }

    private mutating func forgetCall(_ call: UInt32) {
        for id in refusing.keys { refusing[id] = refusing[id]?.mapValues { $0.subtracting([call]) } }
    }

    private mutating func answer(_ id: UInt32, _ event: SimulatedEvent) {
        processes.first { $0.id == id }?.inbox.append(event)
    }

    private mutating func tell(_ event: SimulatedEvent) {
        for process in processes { process.inbox.append(event) }
    }

    /// The calls that live, and with which the claim must fail.
    private func calls(refusing claim: Claim, of id: UInt32) -> Set<UInt32> {
        guard claim.settings.isRefusedDuringCalls else { return [] }
        let calls = claims.filter { other, call in
            guard other != id, call.isCall, !stopped.contains(other) else { return false }
            return refusal(of: claim, as: id, among: [Participant(id: other, claim: call)]) != nil
        }
        return Set(calls.keys)
    }
}
