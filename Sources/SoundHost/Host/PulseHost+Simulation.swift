internal import PulseClient
internal import SessionPolicy

/// Something that does not happen, but is announced to one process, so that an app's author can try its handlers
/// (`audiosession simulate`).
///
/// Some client's property `avaudiosession.simulate` reads `EVENT;pid=PID;host=HOST;nonce=N`. Whoever may connect to the
/// server may do worse, so nobody is asked whether he may.
struct Simulation: Hashable, Sendable {
    static let property = "avaudiosession.simulate"

    /// What does not happen.
    enum Event: String {
        /// The sound server goes and comes back.
        case reset
        /// What the session plays on is pulled.
        case unplug
        /// It is plugged in again.
        case plug
        /// What the session plays on is suspended, for as long as the client that says so is there.
        case suspend
        /// The screen is locked, for as long as the client that says so is there.
        case lock
        /// The device is silent, likewise.
        case silent
    }

    /// What does not happen.
    let event: Event
    /// Tells one announcement from the next.
    let nonce: String

    /// What a property says, if it says it to the process with this claim.
    init?(_ text: String, to claim: Claim) {
        let fields = text.split(separator: ";")
        guard text.utf8.count <= 256, fields.count == 4, let event = Event(rawValue: String(fields[0])),
            fields[1] == "pid=\(claim.pid)", fields[2] == "host=\(claim.host)", fields[3].hasPrefix("nonce=")
        else { return nil }
        self.event = event
        nonce = String(fields[3].dropFirst("nonce=".count))
    }
}

extension PulseHost {
    /// Some client changed, or is gone if it has no properties.
    func clientChanged(_ client: UInt32, _ properties: PropertyList?) {
        surroundings?.clientChanged(client, properties)
        if client != board.id { choiceSeen(properties) }
        if properties == nil, quiet.simulatedBy.remove(client) != nil { applyQuiet() }
        if client == simulatedSuspender, properties == nil {
            simulatedSuspender = nil
            simulate { $0.events(.interruptionEnded(.deviceSuspended, shouldResume: true)) }
        }
        guard let text = properties?[Simulation.property], let simulation = Simulation(text, to: board.claim),
            simulation.nonce != lastSimulation
        else { return }
        lastSimulation = simulation.nonce
        // It may be gone before its turn comes.
        if simulation.event == .suspend { simulatedSuspender = client }
        if simulation.event == .lock || simulation.event == .silent {
            quiet.simulatedBy.insert(client)
            return applyQuiet()
        }
        simulate { host in
            switch simulation.event {
            case .reset: host.dropConnection()
            case .unplug:
                // What is said twice comes to nothing, and nobody would end the silence.
                guard let routes = host.surroundings?.routes, !routes.isUnplugged else { return }
                host.hold()
                routes.isUnplugged = true
            case .plug: host.surroundings?.routes.isUnplugged = false
            case .suspend: host.events(.interruptionBegan(.deviceSuspended))
            case .lock, .silent: break
            }
        }
    }

    /// The server is gone, and with it all who pretended something: nobody says that they went.
    func forgetSimulations() {
        simulatedSuspender = nil
        simulations = []
        quiet.simulatedBy = []
        applyQuiet()
    }

    /// Not in the middle of what the board does with its table; one after the other, in the order in which they came.
    private func simulate(_ body: @escaping @Sendable (PulseHost) -> Void) {
        simulations.append(body)
        guard simulationTimer == nil else { return }
        let timer = MainloopTimer(mainloop: mainloop) { [weak self] in
            guard let self else { return }
            self.simulationTimer = nil
            // One of them may end all others.
            while !self.simulations.isEmpty { self.simulations.removeFirst()(self) }
        }
        timer.start(after: .zero)
        simulationTimer = timer
    }
}
