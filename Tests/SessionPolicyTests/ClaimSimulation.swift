import SessionPolicy
import SoundAnalysis

/// Up to eight processes on one server, in one of the interleavings that the protocol allows.
///
/// The server handles one request at a time and sends news to all, in one order; everything else (who sends, who reads,
/// who decides when) is left to chance, and so are activations, deactivations, changes, deaths, stops and restarts.
struct ClaimSimulation {
    private var random: SeededGenerator
    private var processes: [SimulatedProcess] = []
    /// The last property of every connected client.
    private var properties: [UInt32: SimulatedProperty] = [:]
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
    /// How often something interesting happened, so that a test can tell that it did.
    private(set) var tally = Tally()

    struct Tally {
        var refusals = 0
        var interruptedCalls = 0
        var restingCalls = 0
        var restingInterrupted = 0

        static func += (left: inout Tally, right: Tally) {
            left.refusals += right.refusals
            left.interruptedCalls += right.interruptedCalls
            left.restingCalls += right.restingCalls
            left.restingInterrupted += right.restingInterrupted
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
            if let complaint = processes.lazy.compactMap(\.complaint).first { return complaint }
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
        let start = Int(random.next() % 6)
        let isStopped = stopped.contains(processes[index].id)
        for offset in 0..<6 {
            let process = processes[index]
            switch (start + offset) % 6 {
            case 0 where !process.outbox.isEmpty:
                let request = processes[index].outbox.removeFirst()
                serve(request, of: process.id)
            case 1 where !process.inbox.isEmpty && !isStopped: processes[index].receive()
            case 2 where !process.dirty.isEmpty && !isStopped: processes[index].askNext()
            case 3 where process.canConclude && !isStopped: processes[index].conclude(stopped: stopped)
            case 4 where process.needsVerdict && process.pending == nil && !isStopped:
                processes[index].decide(stopped: stopped)
            case 5 where process.patience != nil && process.isReady && !isStopped:
                processes[index].deactivate(notify: process.patience == true)
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
        guard !stopped.contains(process.id), process.isReady else { return }
        let settings = SessionSettings.typical.randomElement(using: &random)!
        switch deed {
        case 6...13 where process.session != .inactive || process.patience != nil:
            processes[index].deactivate(notify: random.next() % 3 > 0)
        case 14...19 where process.session == .active:
            processes[index].change(to: settings, stopped: stopped)
        case _ where process.session != .active:
            let isReturn = process.claim.state == .interrupted && random.next() % 2 == 0
            processes[index].activate(
                isReturn ? process.claim.settings : settings, isPlaying: random.next() % 2 == 0, stopped: stopped)
        default: break
        }
    }

    // MARK: Fate

    private mutating func newClient() -> UInt32 {
        nextID += 1
        properties[nextID] = SimulatedProperty("")
        return nextID
    }

    private mutating func join() {
        let id = newClient()
        processes.append(SimulatedProcess(id: id, uid: random.next() % 1_000, others: properties.keys.sorted()))
    }

    private mutating func die(_ index: Int) {
        let process = processes.remove(at: index)
        harvest(process)
        // Some of what it wrote is in the socket and arrives before the end does.
        let arrived = process.outbox.prefix(Int(random.next() % 4))
        wills.append((process.id, arrived + [.leave]))
    }

    private mutating func toggleStop(_ id: UInt32) {
        if stopped.remove(id) == nil { stopped.insert(id) }
        for index in processes.indices { processes[index].needsVerdict = true }
    }

    private mutating func restart() {
        let old = processes
        old.forEach { harvest($0) }
        processes = []
        properties = [:]
        wills = []
        stopped = []
        if garbler != nil { garbler = newClient() }
        // Back one after the other, in any order, with idle claims.
        for process in old.shuffled(using: &random) {
            let id = newClient()
            processes.append(SimulatedProcess(id: id, uid: process.uid, others: properties.keys.sorted()))
        }
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

    private mutating func harvest(_ process: SimulatedProcess) {
        callsInterrupted += process.interruptedCalls.compactMap(\.order)
        refused.formUnion(process.refused)
        tally.refusals += process.refused.count
        tally.interruptedCalls += process.interruptedCalls.count
    }

    // MARK: The server

    private mutating func serve(_ request: SimulatedRequest, of id: UInt32) {
        switch request {
        case .publish(let text):
            properties[id] = SimulatedProperty(text)
            tell(.changed(id))
        case .ask(let other):
            guard let index = processes.firstIndex(where: { $0.id == id }) else { return }
            processes[index].inbox.append(.answer(other, properties[other]))
        case .leave:
            properties[id] = nil
            stopped.remove(id)
            tell(.gone(id))
        }
    }

    private mutating func tell(_ event: SimulatedEvent) {
        for index in processes.indices { processes[index].inbox.append(event) }
    }

    // MARK: At rest

    private mutating func complaint() -> String? {
        processes.forEach { harvest($0) }
        let participants = properties.compactMap { id, property in
            property.claim.map { Participant(id: id, claim: $0, isStopped: stopped.contains(id)) }
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
        let known = Set(process.table.map { Participant(id: $0, claim: $1, isStopped: stopped.contains($0)) })
        guard known == Set(truth.participants) else { return "knows other claims" }
        guard process.pending == nil, process.patience == nil else { return "waits for ever" }
        let state = process.claim.state
        switch truth.verdict(on: process.id).standing {
        case .inactive:
            return process.session == .inactive && state == .idle ? nil : "is \(process.session), and is idle"
        case .active: return process.session == .active && state == .active ? nil : "is \(process.session), not active"
        case .interrupted(let interruption):
            tally.restingInterrupted += 1
            guard process.session == .interrupted, state == .interrupted else { return "is \(process.session)" }
            guard truth.participant(interruption.culprit)?.isLive == true else { return "held by \(interruption)" }
            return nil
        }
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
