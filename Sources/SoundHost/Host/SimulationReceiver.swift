internal import PulseClient
internal import SessionPolicy

/// An event that does not happen, but is announced to one process, so that an app's author can try its handlers
/// (`audiosession simulate`).
///
/// Some client's property `avaudiosession.simulate` reads `EVENT;pid=PID;host=HOST;nonce=N`. Whoever may connect to the
/// server may do worse, so nobody is asked whether he may.
struct Simulation: Hashable, Sendable {
    static let property = "avaudiosession.simulate"

    /// The kinds of events that can be simulated.
    enum Event: String {
        /// The sound server goes and comes back.
        case reset
        /// The session's output is pulled.
        case unplug
        /// It is plugged in again.
        case plug
        /// The session's device is suspended, for as long as the client that says so is there.
        case suspend
        /// The screen is locked, for as long as the client that says so is there.
        case lock
        /// The silent switch is on, for as long as the client that says so is there.
        case silent
    }

    /// The event.
    let event: Event
    /// The number that tells one announcement from the next.
    let nonce: String

    /// Parses a property; nil unless it addresses the process with this claim.
    init?(_ text: String, to claim: Claim) {
        let fields = text.split(separator: ";")
        guard text.utf8.count <= 256, fields.count == 4, let event = Event(rawValue: String(fields[0])),
            fields[1] == "pid=\(claim.pid)", fields[2] == "host=\(claim.host)", fields[3].hasPrefix("nonce=")
        else { return nil }
        self.event = event
        nonce = String(fields[3].dropFirst("nonce=".count))
    }
}

/// The receiver of simulated events: finds them in clients' properties, and passes each on once.
///
/// Use it with the main loop's lock held.
final class SimulationReceiver {
    /// An event that is to be treated as if it had happened.
    enum Action {
        case reset, unplug, plug, suspend
        /// The client that simulated a suspended device is gone.
        case resume
    }

    private let mainloop: Mainloop
    private let perform: (Action) -> Void
    private let onQuiet: (Set<UInt32>) -> Void
    private var last: Simulation?
    /// The client that says that our device is suspended.
    private var suspender: UInt32?
    /// The clients that say that the screen is locked, or the silent switch on.
    private var quietClients: Set<UInt32> = []
    /// The actions that wait for the loop's next turn.
    private var actions: [Action] = []
    private var timer: MainloopTimer?

    /// - Parameters:
    ///   - mainloop: The loop of the connection.
    ///   - perform: Called in the loop's next turn, in the order of the announcements.
    ///   - onQuiet: Called at once when other clients simulate that the session is to be quiet.
    init(
        mainloop: Mainloop, perform: @escaping (Action) -> Void, onQuiet: @escaping (Set<UInt32>) -> Void
    ) {
        self.mainloop = mainloop
        self.perform = perform
        self.onQuiet = onQuiet
    }

    /// Looks at a client that changed, or is gone if it has no properties.
    ///
    /// - Parameter claim: The session's own, which says which announcements are for it.
    func clientChanged(_ client: UInt32, _ properties: PropertyList?, claim: Claim) {
        if properties == nil, quietClients.remove(client) != nil { onQuiet(quietClients) }
        if client == suspender, properties == nil {
            suspender = nil
            enqueue(.resume)
        }
        guard let text = properties?[Simulation.property], let simulation = Simulation(text, to: claim),
            simulation.nonce != last?.nonce
        else { return }
        last = simulation
        switch simulation.event {
        case .reset: enqueue(.reset)
        case .unplug: enqueue(.unplug)
        case .plug: enqueue(.plug)
        case .suspend:
            // It may be gone before its turn comes.
            suspender = client
            enqueue(.suspend)
        case .lock, .silent:
            quietClients.insert(client)
            onQuiet(quietClients)
        }
    }

    /// Ends all simulations: the server is gone, and nobody says that its clients went.
    func forget() {
        suspender = nil
        actions = []
        quietClients = []
        onQuiet(quietClients)
    }

    /// Puts an action off to the loop's next turn: the board may be in the middle of what it does with its table.
    private func enqueue(_ action: Action) {
        actions.append(action)
        guard timer == nil else { return }
        let timer = MainloopTimer(mainloop: mainloop) { [weak self] in
            guard let self else { return }
            self.timer = nil
            // One of them may end all others.
            while !actions.isEmpty { perform(actions.removeFirst()) }
        }
        timer.start(after: .zero)
        self.timer = timer
    }
}
