internal import PulseClient
package import SessionPolicy

/// A simulated event for one process, with which an app's author can test its handlers (`audiosession simulate`).
///
/// A client announces it by the property `avaudiosession.simulate`, as `EVENT;pid=PID;host=HOST;nonce=N`. There is no
/// permission check: any client of the server could do more harm.
package struct Simulation: Hashable, Sendable {
    static let property = "avaudiosession.simulate"

    /// The kinds of events that can be simulated.
    package enum Event: String, Sendable {
        /// The sound server is lost and returns.
        case reset
        /// The session's output is unplugged.
        case unplug
        /// The output is plugged in again.
        case plug
        /// The session's device is suspended, until the announcing client is gone.
        case suspend
        /// The screen is locked, until the announcing client is gone.
        case lock
        /// The silent switch is on, until the announcing client is gone.
        case silent

        /// Whether the event ends with the announcing client, rather than at once.
        package var lasts: Bool { self == .suspend || self == .lock || self == .silent }
    }

    /// The event.
    package let event: Event
    /// The process that is told.
    package let process: Int32
    /// The name of the process's machine.
    package let host: String
    /// The number that distinguishes announcements.
    let nonce: String

    /// Parses the property's text; nil if the text is no announcement.
    init?(_ text: String) {
        let fields = text.split(separator: ";")
        guard text.utf8.count <= 256, fields.count == 4, let event = Event(rawValue: String(fields[0])),
            fields[1].hasPrefix("pid="), let process = Int32(fields[1].dropFirst("pid=".count)),
            fields[2].hasPrefix("host="), fields[3].hasPrefix("nonce=")
        else { return nil }
        self.event = event
        self.process = process
        host = String(fields[2].dropFirst("host=".count))
        nonce = String(fields[3].dropFirst("nonce=".count))
    }

    /// Whether the announcement is for the process that has published a claim.
    package func isFor(_ claim: Claim) -> Bool { process == claim.pid && host == claim.host }
}

/// The receiver of simulated events, which finds them in clients' properties and passes each on once.
///
/// Use it with the main loop's lock held.
final class SimulationReceiver {
    /// An action to carry out as if the event had happened.
    enum Action {
        case reset, unplug, plug, suspend
        /// Ends the suspension: the client that simulated it is gone.
        case resume
    }

    private let mainloop: Mainloop
    private let perform: (Action) -> Void
    private let onQuiet: (Set<UInt32>) -> Void
    private var last: Simulation?
    /// The client that simulates a suspended device.
    private var suspender: UInt32?
    /// The clients that simulate a locked screen or the silent switch.
    private var quietClients: Set<UInt32> = []
    /// The actions for the loop's next iteration.
    private var actions: [Action] = []
    private var timer: MainloopTimer?

    /// - Parameters:
    ///   - mainloop: The loop of the connection.
    ///   - perform: Called in the loop's next iteration, in the order of the announcements.
    ///   - onQuiet: Called at once with the clients that simulate a reason for quiet, after each change.
    init(
        mainloop: Mainloop, perform: @escaping (Action) -> Void, onQuiet: @escaping (Set<UInt32>) -> Void
    ) {
        self.mainloop = mainloop
        self.perform = perform
        self.onQuiet = onQuiet
    }

    /// Handles a client's changed properties; nil if the client is gone.
    ///
    /// - Parameter claim: The session's own claim, which announcements must address.
    func clientChanged(_ client: UInt32, _ properties: PropertyList?, claim: Claim) {
        if properties == nil, quietClients.remove(client) != nil { onQuiet(quietClients) }
        if client == suspender, properties == nil {
            suspender = nil
            enqueue(.resume)
        }
        guard let simulation = properties?[Simulation.property].flatMap({ Simulation($0) }), simulation.isFor(claim),
            simulation.nonce != last?.nonce
        else { return }
        last = simulation
        switch simulation.event {
        case .reset: enqueue(.reset)
        case .unplug: enqueue(.unplug)
        case .plug: enqueue(.plug)
        case .suspend:
            // The client may be gone before the action runs.
            suspender = client
            enqueue(.suspend)
        case .lock, .silent:
            quietClients.insert(client)
            onQuiet(quietClients)
        }
    }

    /// Ends all simulations, as the server is gone and reports no ends of its clients.
    func forget() {
        suspender = nil
        actions = []
        quietClients = []
        onQuiet(quietClients)
    }

    /// Defers an action to the loop's next iteration: the board may be changing its table.
    private func enqueue(_ action: Action) {
        actions.append(action)
        guard timer == nil else { return }
        let timer = MainloopTimer(mainloop: mainloop) { [weak self] in
            guard let self else { return }
            self.timer = nil
            // An action may clear the list.
            while !actions.isEmpty { perform(actions.removeFirst()) }
        }
        timer.start(after: .zero)
        self.timer = timer
    }
}
