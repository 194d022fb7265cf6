import SessionPolicy
import SoundAnalysis

/// Up to eight processes on one server, in one of the interleavings that the protocol allows.
///
/// The server handles one request at a time and sends news to all, in one order; everything else (who sends, who reads,
/// whose timers fire when) is left to chance, and so are activations, deactivations, changes, deaths, stops, restarts and
/// devices that are taken away for a while.
struct ClaimSimulation {
    private var random: SeededGenerator
    private var processes: [SimulatedProcess] = []
    /// The last property of every connected client.
    private var properties: [UInt32: String] = [:]
    /// Connections of dead processes, whose last requests are in the socket still.
    private var wills: [(id: UInt32, requests: [SimulatedRequest])] = []
    private var stopped: Set<UInt32> = []
    private var garbler: UInt32?
    private var nextID: UInt32 = 0
    private var actionsLeft: Int
    /// One of so many steps is a deed of an app: few for calm histories, many for races.
    private let calm: Int
    private var callsInterrupted: [ClaimOrder] = []
    private var refused: Set<ClaimOrder> = []
    /// For each claim of each client that the server has taken over: the calls that lived then and that refuse it, as they
    /// stood.
    private var refusing: [UInt32: [ClaimOrder: [UInt32: String]]] = [:]
    /// How often something interesting happened, so that a test can tell that it did.
    private(set) var tally = Tally()

    struct Tally {
        var refusals = 0
        var interruptedCalls = 0
        var restingCalls = 0
        var restingInterrupted = 0
        var ends = 0

        static func += (left: inout Tally, right: Tally) {
            left.refusals += right.refusals
            left.interruptedCalls += right.interruptedCalls
            left.restingCalls += right.restingCalls
            left.restingInterrupted += right.restingInterrupted
            left.ends += right.ends
        }
    }

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        actionsLeft = Int(5 + random.next() % 40)
        calm = [2, 6, 20, 60].randomElement(using: &random)!
        for _ in 0..<(2 + random.next() % 7) { join() }
        if random.oneIn(4) { garbler = newClient() }
    }

    /// Runs until nothing is left to happen, and returns what is wrong then; `nil` if all is well.
    mutating func run() -> String? {
        for _ in 0..<100_000 {
            if !step() { return complaint() }
            for index in processes.indices {
                if let complaint = processes[index].complaint ?? complaintOfAcceptance(index) { return complaint }
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
        // Somebody at random, and from there on the first who has something to do.
        let start = Int(random.next() % 1_024)
        let count = processes.count + wills.count
        for offset in 0..<max(count, 0) {
            let index = (start + offset) % count
            if index < processes.count ? proceed(index) : bury(index - processes.count) { return true }
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
        let start = Int(random.next() % 7)
        let isStopped = stopped.contains(processes[index].id)
        for offset in 0..<7 {
            let process = processes[index]
            switch (start + offset) % 7 {
            case 0 where !process.outbox.isEmpty:
                let request = processes[index].outbox.removeFirst()
                serve(request, of: process.id)
            case _ where isStopped: continue
            case 1 where !process.inbox.isEmpty: processes[index].receive()
            case 2 where !process.timers.isEmpty: processes[index].timerFires()
            case 3 where process.needsVerdict: processes[index].decide()
            // An app's thread that waits for an answer keeps these from being acted on.
            case 4 where !process.patience.isEmpty && process.operation == nil: processes[index].patienceEnds()
            case 5 where !process.idleTimers.isEmpty && process.operation == nil: processes[index].idleTimerFires()
            case 6 where process.isSuspended && actionsLeft == 0: processes[index].suspend(false)
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
        let deed = random.next() % 40
        if deed == 0 { return restart() }
        guard let index = processes.indices.randomElement(using: &random) else { return join() }
        let process = processes[index]
        if deed <= 2 { return toggleStop(process.id) }
        if deed <= 4 { return die(index) }
        if deed == 5, processes.count < 8 { return join() }
        guard !stopped.contains(process.id), process.isFree else { return }
        let isActive = process.machine.state == .active
        switch deed {
        case 6...13 where process.machine.isEngaged: processes[index].deactivate(notify: random.next() % 3 > 0)
        case 14...19 where isActive && process.pending == nil:
            processes[index].change(to: SessionSettings.typical.randomElement(using: &random)!)
        case 20...23 where isActive: processes[index].play(!process.machine.isIORunning)
        case 24...25 where isActive && !process.isSuspended: processes[index].suspend(true)
        case 26: if process.isSuspended { processes[index].suspend(false) }
        case _ where !isActive && process.pending == nil:
            let isReturn = process.claim.state == .interrupted && random.oneIn(2)
            processes[index].activate(
                isReturn ? nil : SessionSettings.typical.randomElement(using: &random)!, isImplicit: random.oneIn(4))
        default: break
        }
    }

    // MARK: Fate

    private mutating func newClient() -> UInt32 {
        nextID += 1
        properties[nextID] = ""
        return nextID
    }

    private mutating func join() {
        var new = SimulatedProcess(id: newClient(), uid: random.next() % 1_000)
        new.stopped = stopped
        processes.append(new)
    }

    private mutating func die(_ index: Int) {
        harvest(index)
        let process = processes.remove(at: index)
        // Some of what it wrote is in the socket and arrives before the end does.
        let arrived = process.outbox.prefix(Int(random.next() % 4))
        wills.append((process.id, arrived + [.leave]))
    }

    private mutating func toggleStop(_ id: UInt32) {
        if stopped.remove(id) == nil { stopped.insert(id) }
        for index in processes.indices {
            processes[index].stopped = stopped
            processes[index].needsVerdict = true
        }
    }

    private mutating func restart() {
        properties = [:]
        wills = []
        stopped = []
        if garbler != nil { garbler = newClient() }
        for index in processes.indices { processes[index].loseServer() }
        // Back one after the other, in any order, with idle claims.
        for index in processes.indices.shuffled(using: &random) { processes[index].connect(as: newClient()) }
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

    private mutating func harvest(_ index: Int) {
        let process = processes[index]
        callsInterrupted += process.interruptedCalls.compactMap { $0 }
        refused.formUnion(process.refused)
        tally.refusals += process.refused.count
        tally.interruptedCalls += process.interruptedCalls.count
        tally.ends += process.ends
    }

    // MARK: The server

    private mutating func serve(_ request: SimulatedRequest, of id: UInt32) {
        switch request {
        case .publish(let text):
            properties[id] = text
            if let claim = Claim(text), claim.state == .active {
                refusing[id, default: [:]][claim.order] = calls(refusing: claim, of: id)
            }
            tell(.changed(id))
        case .list: answer(id, .listed(properties))
        case .ask(let other): answer(id, .answer(other, properties[other]))
        case .look: answer(id, .looked(properties[id]))
        case .leave:
            properties[id] = nil
            stopped.remove(id)
            tell(.gone(id))
        }
    }

    private mutating func answer(_ id: UInt32, _ event: SimulatedEvent) {
        guard let index = processes.firstIndex(where: { $0.id == id }) else { return }
        processes[index].inbox.append(event)
    }

    private mutating func tell(_ event: SimulatedEvent) {
        for index in processes.indices { processes[index].inbox.append(event) }
    }

    /// The calls that live, and with which the claim must fail.
    private func calls(refusing claim: Claim, of id: UInt32) -> [UInt32: String] {
        guard claim.settings.isRefusedDuringCalls else { return [:] }
        return properties.filter { other, text in
            guard other != id, !stopped.contains(other), let call = Claim(text) else { return false }
            return refusal(of: claim, as: id, among: [Participant(id: other, claim: call)]) != nil
        }
    }

    /// A claim was decided to be active though a call was there before it, and still is.
    private mutating func complaintOfAcceptance(_ index: Int) -> String? {
        guard let order = processes[index].accepted else { return nil }
        processes[index].accepted = nil
        let calls =
            refusing[processes[index].id]?[order]?.filter {
                properties[$0.key] == $0.value && !stopped.contains($0.key)
            } ?? [:]
        return calls.isEmpty ? nil : "\(processes[index].id): active beside the calls \(calls)"
    }

    // MARK: At rest

    private mutating func complaint() -> String? {
        for index in processes.indices { harvest(index) }
        let participants = properties.compactMap { id, text in
            Claim(text).map { Participant(id: id, claim: $0, isStopped: stopped.contains(id)) }
        }
        let truth = Arbitration(participants)
        for process in processes where !stopped.contains(process.id) {
            if let complaint = complaint(of: process, truth) { return "\(process.id): \(complaint)" }
        }
        for order in callsInterrupted where refused.contains(order) {
            return "a refused claim \(order) interrupted a call"
        }
        return complaint(about: truth)
    }

    /// What a process thinks differently from everybody else.
    private mutating func complaint(of process: SimulatedProcess, _ truth: Arbitration) -> String? {
        guard Set(process.participants) == Set(truth.participants) else { return "knows other claims" }
        let isWaiting = process.pending != nil || process.operation != nil || process.wish != nil
        guard !isWaiting, process.awaited == nil, process.patience.isEmpty else { return "waits for ever" }
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
        guard process.arbitration.verdict(on: process.id).standing == verdict else { return "has another verdict" }
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
