@testable import SessionPolicy

/// What a process sends to the server; the server takes it in order.
enum SimulatedRequest {
    case publish(String)
    case list
    case ask(UInt32)
    /// Asks what the server shows of our own client, to tell the app early.
    case look
    case leave
}

/// What the server sends to a process; the process takes it in order.
enum SimulatedEvent {
    /// The client's properties changed; the news does not say how.
    case changed(UInt32)
    case listed([UInt32: String])
    case answer(UInt32, String?)
    case looked(String?)
    case gone(UInt32)
}

/// A process with the library's own table of claims and the library's own session in it.
///
/// What lies between the two, and needs a server, is written once more here and in `ClaimSimulatedBoard.swift`, after
/// `ClaimBoard` and `SessionShell`, whose names it keeps.
struct SimulatedProcess {
    /// A claim that has been published and that counts once its echo, and every answer before it, has come.
    struct Pending {
        var claim: Claim
        /// What to go back to if it is refused; `nil` once that has happened.
        var previous: Claim?
        var isActivation = false
        var isRenewed = false
        var isGranted = false
    }

    /// What the app's thread waits for; it asks for one thing at a time.
    enum Operation {
        case activation(isImplicit: Bool)
        case change(SessionSettings)
    }

    /// What is decided when enough is known.
    struct Wish {
        enum Step {
            case activate(SessionSettings)
            case change(SessionSettings, isSure: Bool)
            case publish(Claim, isActivation: Bool)
        }
        let step: Step
        let changes: [UInt32: Int]
    }

    var id: UInt32
    let uid: UInt64
    var outbox: [SimulatedRequest] = []
    var inbox: [SimulatedEvent] = []
    /// Seconds, of a clock of its own that goes on while it waits.
    var clock = 0.0
    /// When the questions that were put off are due.
    var timers: [UInt32: Double] = [:]
    var table = ClaimTable()
    var isFull = false
    var arbitration = Arbitration()
    var claim: Claim
    var pending: Pending?
    var postponed: [ClaimStep] = []
    var awaited: [UInt32: Int]?
    var wish: Wish?
    var isPlaying = false
    /// Who is stopped, as far as it knows, and whether that changed since the last verdict.
    var stopped: Set<UInt32> = []
    var needsVerdict = false

    var machine = SessionMachine()
    var operation: Operation?
    /// The numbers of the timers that run.
    var patience: [Int] = []
    var idleTimers: [Int] = []
    /// Whether its device is suspended: an interruption that no session ends.
    var isSuspended = false
    /// Whether the app heard of an interruption, and not of its end; and has neither come back nor given up.
    var isToldInterrupted = false
    /// Calls of ours that were interrupted, by the ticket of whom.
    var interruptedCalls: [ClaimOrder?] = []
    var refused: [ClaimOrder] = []
    /// What was decided to be active, and has not been looked at.
    var accepted: ClaimOrder?
    var ends = 0
    var complaint: String?

    init(id: UInt32, uid: UInt64) {
        self.id = id
        self.uid = uid
        claim = Claim(uid: uid, canDuck: uid % 2 == 0)
        connect(as: id)
    }

    /// Whether the app's thread is free to ask for something.
    var isFree: Bool { isFull && operation == nil && machine.state != .lost }

    mutating func expect(_ condition: Bool, _ message: String) {
        if !condition { complaint = complaint ?? "\(id): \(message)" }
    }

    // MARK: The app

    /// Activates the session, with other settings if it is to have some.
    mutating func activate(_ settings: SessionSettings?, isImplicit: Bool) {
        if let settings { perform(machine.configure(settings)) }
        let effects = try? machine.joinActivation(implicitly: isImplicit)
        if let effects = effects ?? nil { return perform(effects) }
        operation = .activation(isImplicit: isImplicit)
        whenUpToDate(.activate(machine.claimedSettings))
    }

    mutating func change(to settings: SessionSettings) {
        operation = .change(settings)
        whenUpToDate(.change(settings, isSure: false))
    }

    mutating func deactivate(notify: Bool) {
        (isToldInterrupted, isSuspended) = (false, false)
        perform(machine.deactivate(notify: notify).effects)
    }

    /// Its players run now, or do not.
    mutating func play(_ running: Bool) {
        guard running != machine.isIORunning else { return }
        perform(machine.received(running ? .ioStarted : .ioStopped))
    }

    mutating func suspend(_ suspended: Bool) {
        isSuspended = suspended
        perform(
            machine.received(
                suspended
                    ? .interruptionBegan(.deviceSuspended) : .interruptionEnded(.deviceSuspended, shouldResume: true)))
    }

    mutating func patienceEnds() {
        perform(machine.received(.patienceEnded(number: patience.removeFirst())))
    }

    mutating func idleTimerFires() {
        perform(machine.received(.idleTimerFired(number: idleTimers.removeFirst())))
    }

    /// What the app asked for has been done, or was refused.
    mutating func answered(isDone: Bool) {
        guard let done = operation else { return }
        operation = nil
        switch done {
        case .activation(let isImplicit):
            guard isDone else { return machine.refused() }
            (isToldInterrupted, isSuspended) = (false, false)
            perform(machine.activated(implicitly: isImplicit))
        case .change(let settings): if isDone { perform(machine.configure(settings)) }
        }
    }

    // MARK: The session

    mutating func perform(_ effects: [Effect]) {
        for effect in effects {
            switch effect {
            case .interruptIO, .stopIO, .closeIO: play(false)
            case .claim(let step): take(step)
            case .startPatience(let number, _): patience.append(number)
            case .startIdleTimer(let number, _): idleTimers.append(number)
            case .post(let notification): told(notification)
            default: break
            }
        }
    }

    /// Whether anything interrupts it, as far as it knows; the verdict may be one on an earlier activation still.
    private var isHeld: Bool {
        let isJudged = pending == nil && arbitration.participant(id)?.claim.order == claim.order
        if isJudged, case .interrupted = arbitration.verdict(on: id).standing { return true }
        return isSuspended
    }

    private mutating func told(_ notification: SessionNotification) {
        switch notification {
        case .interruptionBegan:
            expect(!isToldInterrupted, "began twice")
            isToldInterrupted = true
        case .interruptionEnded:
            expect(isToldInterrupted, "ended without began")
            expect(!isHeld, "ended, and still interrupted")
            isToldInterrupted = false
            ends += 1
        case .servicesLost: (isToldInterrupted, isSuspended) = (false, false)
        default: break
        }
    }
}
