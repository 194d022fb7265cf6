package import AudioHost
internal import AudioRealtime
internal import DesktopBus
internal import PulseClient
package import SessionPolicy

/// The session's sound on a PulseAudio or PipeWire server: one connection, one output stream, and what records.
///
/// Methods that throw block the caller until the server has answered, for at most two seconds; they must not be called
/// from an event handler. Events come on the main loop's thread with its lock held.
// SAFETY: everything mutable is only touched with the main loop's lock held.
package final class PulseHost: @unchecked Sendable {
    let mainloop: Mainloop
    let events: @Sendable (HostEvent) -> Void
    let server: String?
    /// Our claim among others'.
    private(set) lazy var board = makeBoard()
    /// What the verdict leaves of our sound.
    var verdictGain = VerdictGain.full
    /// Whether the app muted its output.
    var isOutputMuted = false
    /// Whether the app muted its input.
    var isInputMuted = false
    /// What asks for quiet, and whether that silences the session.
    var quiet = QuietFacts()
    var isQuieted = false
    var quietWatch: QuietWatch?
    /// Whether the desktop may have the session keep quiet.
    let meetsDesktop: Bool
    /// Whether the app may listen; nil for one that nobody asks about.
    let microphone: (any MicrophonePermission)?
    var observesMicrophone = false
    /// What the user decided about programs outside the library.
    let policy: UserPolicy
    /// Media players outside the library; made when the first one is to pause.
    var foreignPlayers: ForeignPlayers?
    /// Whether calls that only ring leave the session alone.
    var ignoresRinging = false { didSet { surroundings?.ignoresRinging = ignoresRinging } }
    /// Whether players and recorders must stay silent until the session is active again.
    var isHeldBack = false
    /// Whether players and recorders may run: the session was activated, and its I/O not closed since.
    var acceptsSound = false
    /// The number of the preferences that were applied last.
    var preferencesRevision = 0
    /// How many outputs were made: numbers them.
    var outputsMade = 0
    /// What was simulated last, so that it is not done twice.
    var lastSimulation: String?
    /// The client that says that our device is suspended.
    var simulatedSuspender: UInt32?
    /// What is simulated in a moment.
    var simulations: [@Sendable (PulseHost) -> Void] = []
    var simulationTimer: MainloopTimer?
    private(set) var connection: PulseConnection?
    var watch: ServerPolicyWatch?
    /// What happens around the session; nil without a server.
    private(set) var surroundings: OtherProgramsMonitor?
    var output: OutputMix? { didSet { restingClock = oldValue?.clock ?? restingClock } }
    /// The time of the output that was there before; the next one's goes on from it.
    var restingClock: OutputClock?
    /// For multiRoute: the outputs on further sinks, by their names, and whether that is the category now.
    var sideOutputs: [String: OutputMix] = [:]
    var usesSideOutputs = false
    /// Whether the session has a long-form policy, of which claims say nothing.
    var isLongForm = false
    /// What long-form sessions share, as far as we know.
    var sharedChoice: SharedChoice?
    /// The role of the output's stream.
    var outputRole: StreamRole?
    /// Whether a thread waits for the output's stream to be made; the lock is not held meanwhile.
    var isOpeningOutput = false
    /// Tells in a moment that the output has ended.
    var endingTimer: MainloopTimer?
    /// The output's stream, and the sink that it was on when the server last said so.
    var outputStream: UInt32?
    var outputSink: UInt32? { didSet { outputPlacedAt = surroundings?.directory.defaultSinkChanges ?? 0 } }
    /// How often the default sink had changed then.
    private(set) var outputPlacedAt = 0
    /// Says when the machine wakes up; made when the session is active for the first time.
    var machineBus: SessionBus?
    /// The kernel's number of the loop's thread, and its place among others as it was.
    var loopThread: Int32?
    var usualNice: Int32 = 0
    /// Whether that is run before others.
    var isHurried = false
    /// The silences for what was lost.
    var silence = Silence()
    /// The source that the app prefers; nil for the server's default.
    var preferredInput: String?
    /// Where the output is to be, where that is not left to the server.
    var outputPreference = OutputPreference()
    /// What the wishes came down to last; nil for the server's decision.
    var wanted: (sink: String?, source: String?) = (nil, nil)
    /// What the app wishes of the devices.
    var devicePreferences = DevicePreferences()
    var captures: [ObjectIdentifier: Capture] = [:]
    /// How many more are being opened; the lock is not held while the server is waited for.
    var capturesToCome = 0
    /// Connections that each carry one capture.
    var captureConnections: [PulseConnection] = []
    /// What plays short sounds beside the session's; nil until somebody asks for it.
    var shortSounds: SystemSounds?
    private var isReportedRunning = false
    var isPipeWire = false
    private(set) var attempt: ConnectionAttempt?
    /// What looks for a server that went away; it alone connects then.
    private var connector: PulseConnector?
    private var returningDevices: ReturningDevices?
    /// Of the session when the server went away, which ended it.
    private var lostCategory = Category.soloAmbient

    /// A host without a connection; its thread starts.
    ///
    /// Throws `mediaServicesFailed` where the process has no descriptors left for that.
    ///
    /// - Parameters:
    ///   - server: An address; nil looks where every client looks.
    ///   - policy: What the user decided about programs outside the library.
    ///   - meetsDesktop: Whether the locked screen and the silent switch count, which are those of the process's user.
    ///   - microphone: Whether the app may listen; nil does not ask.
    ///   - events: Told of everything that the policy must know, with the main loop's lock held.
    package init(
        server: String? = nil, policy: UserPolicy = UserSettings.current.policy, meetsDesktop: Bool = false,
        microphone: (any MicrophonePermission)? = nil,
        events: @escaping @Sendable (HostEvent) -> Void
    ) throws(SessionError) {
        do throws(PulseError) { mainloop = try Mainloop() } catch { throw SessionError(error) }
        self.server = server
        self.policy = policy
        self.meetsDesktop = meetsDesktop
        self.microphone = microphone
        self.events = events
    }

    /// Runs `body` with the lock that excludes the sound thread.
    package func withLock<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T { try mainloop.withLock(body) }

    /// Waits, for a short time and with the lock held, until `condition` holds.
    package func wait(seconds: Double, until condition: () -> Bool) -> Bool {
        guard !mainloop.isOnLoop else { return condition() }
        return mainloop.withLock { mainloop.wait(timeout: .milliseconds(Int64(seconds * 1000)), until: condition) }
    }

    // MARK: Connection

    /// Connects to the server, if that has not happened yet, and waits until it is known who is there.
    package func open() throws(SessionError) {
        try request { () throws(PulseError) in
            // Two connections would share one session: the claim on one of them, the sound on the other.
            guard connector == nil else {
                throw PulseError(
                    .connectionTerminated, in: "pa_context", explanation: "it went away, and is looked for")
            }
            guard let attempt = attemptToConnect() else { return }
            _ = mainloop.wait(timeout: .seconds(5)) { attempt.outcome != nil }
            try (attempt.outcome ?? .failure(PulseError(.timeout, in: "pa_context_connect"))).get()
        }
    }

    /// Begins a connection attempt and returns at once; ``open()`` waits for that attempt.
    package func beginToOpen() {
        withLock {
            if connector == nil { _ = attemptToConnect() }
        }
    }

    /// Waits until no connection attempt is under way; begins none, and returns after 3.5 s at most.
    package func awaitAttempt() { _ = wait(seconds: 5) { attempt == nil } }

    /// Whether there is a server.
    package var isOpen: Bool { withLock { (try? readyConnection()) != nil } }

    /// What there is to wait for, begun if nobody has; nil where there is nothing more to do.
    private func attemptToConnect() -> ConnectionAttempt? {
        if let attempt { return attempt }
        if let connection, connection.sync({ $0.state == .ready }) { return nil }
        let made = ConnectionAttempt(
            PulseConnection(name: AppIdentity.current.name, properties: clientProperties, mainloop: mainloop)
        ) { [weak self] ended in
            if self?.attempt === ended { self?.attempt = nil }
        }
        attempt = made
        made.start(to: server) { [weak self, weak made] connection in
            self?.meet(connection) { made?.end($0) }
        }
        return made
    }

    /// The claim is there from the first moment: others that list clients see it.
    private var clientProperties: PropertyList {
        var list = AppIdentity.current.clientProperties
        list[Claim.property] = board.claim.encoded
        return list
    }

    /// Makes a ready connection the session's: attaches what watches other programs, and the claim.
    ///
    /// - Parameter completion: Called when the claims of all other clients are known, or could not be had.
    func adopt(
        _ connection: PulseConnection, of server: ServerInfo, completion: @escaping (PulseError?) -> Void
    ) {
        self.connection = connection
        isPipeWire = server.isPipeWire
        // PipeWire has no such policy: every mute there is its user's.
        watch = server.isPipeWire ? nil : policyWatch(on: connection)
        connection.sync { connection in
            connection.setHandlers(
                state: { [weak self] failed, state in
                    if case .failed = state, self?.connection === failed { self?.connectionLost() }
                },
                event: { [weak self] _, event in
                    self?.received(event)
                })
        }
        // Before the claim: what other clients say of themselves comes with its answers.
        let surroundings = makeSurroundings(on: connection, of: server)
        self.surroundings = surroundings
        if board.claim.state == .active { surroundings.sessionActivated() }
        surroundings.verdictsChanged()
        board.setCanDuck(surroundings.canDuck)
        board.attach(to: connection) { [weak self] error in
            self?.noteLoopThread()
            completion(error)
        }
    }

    private func received(_ event: SubscriptionEvent) {
        switch event.facility {
        case .client: board.received(event)
        case .sinkInput where shortSounds != nil:
            shortSounds?.received(event)
            return
        case .sinkInput: watch?.sinkInputChanged(event)
        case .sink: sinkChanged(event)
        default: break
        }
        surroundings?.received(event)
    }

    /// Leaves a server that works, as if it had gone.
    func dropConnection() {
        guard let connection else { return }
        connection.sync { connection in
            connection.setHandlers()
            connection.close()
        }
        connectionLost()
    }

    private func connectionLost() {
        connection = nil
        returningDevices = nil
        lostCategory = board.claim.settings.category
        watch = nil
        surroundings = nil
        output = nil
        sideOutputs = [:]
        forgetWishes()
        captures = [:]
        for connection in captureConnections { connection.sync { $0.close() } }
        captureConnections = []
        isHeldBack = false
        acceptsSound = false
        shortSounds?.connectionLost()
        board.detach()
        forgetSimulations()
        setHurried(false)
        events(.servicesLost)
        awaitServer()
    }

    /// Tries to connect again, with growing pauses, for as long as it takes.
    private func awaitServer() {
        let connector = PulseConnector(
            name: AppIdentity.current.name, properties: clientProperties, server: server, mainloop: mainloop)
        self.connector = connector
        connector.sync { connector in
            connector.start(ready: { [weak self] _, connection in self?.serverReturned(connection) })
        }
    }

    private func serverReturned(_ connection: PulseConnection) {
        connection.sync { connection in
            connection.serverInfo { [weak self] result in
                guard let self else { return }
                // It may be gone again already.
                guard case .success(let info) = result else { return self.awaitServer() }
                self.connector = nil
                self.adopt(connection, of: info) { [weak self] error in
                    if error == nil { self?.tellReset() }
                }
            }
        }
    }

    /// Tells of the server's return once the session that was lost with it could go on.
    private func tellReset() {
        guard let connection else { return }
        returningDevices = ReturningDevices(on: connection, isPipeWire: isPipeWire, for: lostCategory) { [weak self] in
            self?.returningDevices = nil
            self?.events(.servicesReset)
        }
    }

    /// Runs `body`, which may wait for the server, under the lock; its errors come out in the session's words.
    func request<T>(_ body: () throws(PulseError) -> T) throws(SessionError) -> T {
        do throws(PulseError) { return try mainloop.withLock(body) } catch { throw SessionError(error) }
    }

    func readyConnection() throws(PulseError) -> PulseConnection {
        guard let connection, connection.sync({ $0.state == .ready }) else {
            throw PulseError(.badState, in: "pa_context")
        }
        return connection
    }

    // MARK: Everything

    /// Pauses all voices and captures at once; `interrupting` tells their owners that this was not the app's wish.
    package func stopIO(interrupting: Bool) {
        mainloop.withLock {
            if interrupting {
                isHeldBack = true
                shortSounds?.stop()
            }
            for output in allOutputs { output.silence(interrupting: interrupting) }
            for capture in captures.values { capture.stop(interrupting: interrupting) }
        }
    }

    /// Releases the output streams; captures end with their recorders.
    package func closeIO() {
        mainloop.withLock {
            acceptsSound = false
            for capture in captures.values where capture.isRunning { capture.stop(interrupting: false) }
            let old = allOutputs
            for output in old { output.silence() }
            output = nil
            // What was there may be gone when it is asked for again.
            wanted.sink = nil
            sideOutputs = [:]
            // Positions must be exact before the stream that knows them goes away.
            if !mainloop.isOnLoop { _ = mainloop.wait(timeout: .milliseconds(250)) { old.allSatisfy(\.isSettled) } }
            for output in old { output.close() }
        }
    }

    /// The output, and those on further sinks.
    var allOutputs: [OutputMix] { [output].compactMap { $0 } + sideOutputs.values }

    func reportRunning() {
        let running = allOutputs.contains { $0.isInUse } || captures.values.contains { $0.isRunning }
        guard running != isReportedRunning else { return }
        isReportedRunning = running
        events(running ? .ioStarted : .ioStopped)
    }
}
