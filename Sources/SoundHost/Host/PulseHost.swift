package import AudioHost
internal import AudioRealtime
internal import DesktopBus
internal import PulseClient
package import SessionPolicy

/// The session's sound on a PulseAudio or PipeWire server: one connection, one output stream, and recordings.
///
/// Each subject has an owner with its own state; this class connects them, and is the interface for the layers above.
/// Functions that throw block the caller until the server has answered, for 2 s at most unless they say otherwise; they
/// must not be called from an event handler. Events are reported on the main loop's thread with its lock held.
// SAFETY: everything mutable is only touched with the main loop's lock held.
package final class PulseHost: @unchecked Sendable {
    private let mainloop: Mainloop
    private let events: @Sendable (HostEvent) -> Void
    private let policy: UserPolicy
    /// Whether the locked screen and the silent switch can silence the session.
    private let meetsDesktop: Bool
    private let priority = ThreadPriority()
    private var volume: SessionVolume
    private var quietWatch: QuietWatch?
    /// The system bus connection, used for wake-up notifications; created at the first activation.
    private var machineBus: SessionBus?
    /// Internal for tests, which wait until the directory is complete.
    private(set) var monitor: OtherProgramsMonitor?
    private var policyWatch: ServerPolicyWatch?
    private var shortSounds: SystemSounds?
    /// Whether calls that only ring are ignored.
    private var ignoresRinging = false
    private var isReportedRunning = false
    /// Whether sounds and captures can run: the session was activated, and its I/O was not closed since.
    private(set) var acceptsSound = false
    /// The revision of the preferences applied last.
    private var preferencesRevision = 0
    /// The app's settings, also while the session is not active.
    private var settings = SessionSettings.default

    /// Internal for tests, which read the claim and its negotiation.
    private(set) lazy var board = makeBoard()
    /// Internal for tests, which observe attempts to connect.
    private(set) lazy var link = ServerLink(mainloop: mainloop, server: server, handlers: linkHandlers)
    /// Internal for tests, which replace streams.
    private(set) lazy var outputs = SessionOutputs { [self] depth, numbers in
        OutputRouter(
            link: link, board: board, placement: placement, policy: policy, depth: depth, numbers: numbers,
            report: { [weak self] in self?.events($0) }, onRunning: { [weak self] in self?.reportRunning() })
    }
    private lazy var captureRouter = CaptureRouter(
        link: link, board: board, placement: placement, policy: policy, microphone: microphone,
        onRunning: { [weak self] in self?.reportRunning() })
    private lazy var placement = DevicePlacement(link: link, board: board)
    private lazy var claims = SessionClaims(link: link, board: board)
    private lazy var players = ForeignPlayerControl(
        claims: claims, board: board, policy: policy, mainloop: mainloop)
    private lazy var devices = DeviceInquiry(
        link: link, placement: placement, outputs: outputs, captures: captureRouter)
    private lazy var simulations = SimulationReceiver(
        mainloop: mainloop, perform: { [weak self] in self?.simulate($0) },
        onQuiet: { [weak self] clients in self?.updateQuiet { $0.simulatedBy = clients } })
    private let server: String?
    private let process: Int32
    private let microphone: (any MicrophonePermission)?

    /// Creates a host without a connection, and starts its thread.
    ///
    /// Throws `mediaServicesFailed` if the process is out of file descriptors.
    ///
    /// - Parameters:
    ///   - server: The server's address; nil for libpulse's default.
    ///   - policy: The user's settings for programs outside the library.
    ///   - meetsDesktop: Whether the locked screen and the silent switch of the process's user count.
    ///   - microphone: The microphone permission; nil if it is not checked.
    ///   - process: The process ID in the claim; 0 if others cannot tell the session's process, as in a Flatpak.
    ///   - events: Called for every event that the policy needs, with the main loop's lock held.
    package init(
        server: String? = nil, policy: UserPolicy = UserSettings.current.policy, meetsDesktop: Bool = false,
        microphone: (any MicrophonePermission)? = nil, process: Int32 = AppIdentity.claimedProcess,
        events: @escaping @Sendable (HostEvent) -> Void
    ) throws(SessionError) {
        do throws(PulseError) { mainloop = try Mainloop() } catch { throw SessionError(error) }
        self.server = server
        self.policy = policy
        self.meetsDesktop = meetsDesktop
        self.microphone = microphone
        self.process = process
        self.events = events
        volume = SessionVolume(policy: policy)
        // Created here: any thread may be the first to use one of them, with or without the lock.
        _ = (board, link, placement, outputs, captureRouter, claims, players, devices, simulations)
    }

    /// Runs `body` with the lock that excludes the sound thread.
    package func withLock<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T { try mainloop.withLock(body) }

    // MARK: Connection

    /// Connects to the server if there is no connection, and waits until other clients' claims are known: for 2 s at
    /// most.
    package func open() throws(SessionError) { try link.open(until: AnswerDeadline()) }

    /// Begins a connection attempt and returns at once; ``open()`` waits for that attempt.
    package func beginToOpen() { link.beginToOpen() }

    /// Waits until no connection attempt is under way; begins none, and returns after 3.5 s at most.
    package func awaitAttempt() { link.awaitAttempt() }

    /// Whether there is a ready connection.
    package var isOpen: Bool { withLock { (try? link.readyConnection()) != nil } }

    private var linkHandlers: ServerLink.Handlers {
        ServerLink.Handlers(
            properties: { [weak self] in
                var list = AppIdentity.current.clientProperties
                // The claim is part of the new client, so that others see it with the client.
                list[Claim.property] = self?.board.claim.encoded
                return list
            },
            attach: { [weak self] in self?.attach(to: $0, of: $1, completion: $2) },
            event: { [weak self] in self?.received($0) },
            lost: { [weak self] in self?.connectionLost() },
            category: { [weak self] in self?.board.claim.settings.category ?? .soloAmbient },
            returned: { [weak self] in self?.events(.servicesReset) })
    }

    private func attach(
        to connection: PulseConnection, of server: ServerInfo, completion: @escaping (PulseError?) -> Void
    ) {
        // PipeWire has no such policy: every mute there is the user's.
        policyWatch = server.isPipeWire ? nil : makePolicyWatch(on: connection)
        // Before the claim is attached, whose answers include the other clients' properties.
        let monitor = makeMonitor(on: connection, of: server)
        self.monitor = monitor
        outputs.attach(monitor, policyWatch)
        placement.attach(monitor)
        claims.attach(monitor)
        if board.claim.state == .active { monitor.sessionActivated() }
        monitor.verdictsChanged()
        board.setCanDuck(monitor.canDuck)
        board.attach(to: connection) { [weak self] error in
            self?.priority.noteLoopThread()
            completion(error)
        }
    }

    private func connectionLost() {
        (monitor, policyWatch) = (nil, nil)
        acceptsSound = false
        claims.attach(nil)
        placement.attach(nil)
        outputs.connectionLost()
        placement.forget()
        captureRouter.connectionLost()
        shortSounds?.connectionLost()
        board.detach()
        simulations.forget()
        priority.setRaised(false)
        events(.servicesLost)
    }

    private func makeMonitor(on connection: PulseConnection, of server: ServerInfo) -> OtherProgramsMonitor {
        let monitor = OtherProgramsMonitor(
            connection: connection, board: board, server: server, policy: policy,
            ownStreams: { [weak self] in self?.ownStreams ?? SessionStreams() },
            onRoute: { [weak self] in self?.received($0) }, report: { [weak self] in self?.events($0) })
        monitor.ignoresRinging = ignoresRinging
        if shortSounds != nil { monitor.listenToStreams() }
        return monitor
    }

    private func makePolicyWatch(on connection: PulseConnection) -> ServerPolicyWatch {
        let watch = ServerPolicyWatch(connection: connection, silence: { [weak self] in self?.silenceForServer() }) {
            [weak self] in self?.events($0)
        }
        watch.isLetBeByCall = { [weak self] in self?.claims.isLetBeByCall == true }
        watch.isOwn = { [weak self] in self?.claims.isOwn($0) == true }
        watch.isParticipants = { [weak self] in self?.claims.isParticipants($0) == true }
        return watch
    }

    private func makeBoard() -> ClaimBoard {
        let board = ClaimBoard(mainloop: mainloop, process: process) { [weak self] in self?.events($0) }
        board.onVerdicts = { [weak self] in self?.verdictsChanged() }
        board.onClient = { [weak self] in self?.clientChanged($0, $1) }
        return board
    }

    // MARK: Events

    private func received(_ event: SubscriptionEvent) {
        switch event.facility {
        case .client: board.received(event)
        case .sinkInput where shortSounds != nil:
            shortSounds?.received(event)
            return
        case .sinkInput: policyWatch?.sinkInputChanged(event)
        case .sink: outputs.sinkChanged(event)
        default: break
        }
        monitor?.received(event)
    }

    /// Handles a change of a client's properties other than its claim, which the board handles; nil if the client is
    /// gone.
    ///
    /// | property | meaning | handled by |
    /// |---|---|---|
    /// | `avaudiosession.ducked` | the streams that the client's process has ducked | ``OtherProgramsMonitor`` |
    /// | `avaudiosession.longform` | the output shared by long-form sessions | ``DevicePlacement`` |
    /// | `avaudiosession.simulate` | a simulated event | ``SimulationReceiver`` |
    func clientChanged(_ client: UInt32, _ properties: PropertyList?) {
        monitor?.clientChanged(client, properties)
        if client != board.id, placement.choiceSeen(properties) { monitor?.routes.happened(.devices) }
        simulations.clientChanged(client, properties, claim: board.claim)
    }

    private func verdictsChanged() {
        monitor?.verdictsChanged()
        players.participantsChanged()
        watchQuiet()
        updateQuiet()
        outputs.applyBuffer()
        follow(board.verdict)
    }

    private func follow(_ verdict: Verdict) { if let fade = volume.follow(verdict) { outputs.apply(fade) } }

    private func reportRunning() {
        let running = outputs.isRunning || captureRouter.isRunning
        guard running != isReportedRunning else { return }
        isReportedRunning = running
        events(running ? .ioStarted : .ioStopped)
    }

    /// Silences the output at once for the server's policy.
    ///
    /// The session is notified later, and only then may sound start.
    private func silenceForServer() {
        guard board.claim.state == .active else { return }
        stopIO(interrupting: true)
    }

    private func simulate(_ action: SimulationReceiver.Action) {
        switch action {
        case .reset: link.drop()
        case .unplug:
            // A second simulated unplug has no effect: its silence would never end.
            guard let routes = monitor?.routes, !routes.isUnplugged else { return }
            outputs.hold()
            routes.isUnplugged = true
        case .plug: monitor?.routes.isUnplugged = false
        case .suspend: events(.interruptionBegan(.deviceSuspended))
        case .resume: events(.interruptionEnded(.deviceSuspended, shouldResume: true))
        }
    }

    // MARK: Quiet

    /// Starts watching the desktop, if the session respects its quiet.
    ///
    /// Asynchronous: the start of a session does not wait for the buses.
    private func watchQuiet() {
        guard meetsDesktop, quietWatch == nil, board.claim.state == .active, board.claim.settings.silencedByLock
        else { return }
        updateQuiet { $0.isSwitchOn = SilentSwitch.current.isOn }
        watchSleep()
        quietWatch = QuietWatch(session: DesktopSession.bus, machine: machineBus) { [weak self] change in
            guard let self else { return }
            mainloop.withLock { updateQuiet(change) }
        }
    }

    private func updateQuiet(_ change: (inout QuietFacts) -> Void = { _ in }) {
        if let fade = volume.updateQuiet(for: board.claim.settings, change) { outputs.apply(fade) }
    }

    /// Watches for the machine's wake-up, after which the devices may be different ones.
    private func watchSleep() {
        guard machineBus == nil, let bus = SessionBus.ofMachine() else { return }
        machineBus = bus
        bus.onWake { [weak self] in self?.routeMayHaveChanged(.wake) }
    }

    // MARK: Route

    private var ownStreams: SessionStreams {
        let (stream, sink) = outputs.streamInUse
        return SessionStreams(output: stream, sink: sink, captureClients: captureRouter.clients)
    }

    /// The settings that the route follows: those that the other sessions know, or the app's own while they know none.
    private var routeSettings: SessionSettings { board.claim.state == .idle ? settings : board.claim.settings }

    /// Handles a change of the devices: places the streams, moves them, and then reports the changes.
    private func received(_ news: RouteNews) {
        switch news {
        case .connectorsLost(let sinks): outputs.connectorsLost(of: sinks)
        case .managerReturned: outputs.managerReturned()
        case .settled(let facts):
            let decision = placement.decide(from: facts, under: routeSettings)
            if let sink = decision.newSink { outputs.move(to: sink, facts) }
            if let source = decision.newSource { captureRouter.move(to: source) }
            for event in decision.events { events(event) }
            guard let outcome = monitor?.routes.observe(decision.facts, under: routeSettings) else { return }
            if outcome.isRestored { outputs.release() }
            for event in outcome.events { events(event) }
        }
    }
}

// MARK: - Requests of sessions and players

extension PulseHost: AudioHost {
    package func beginToConnect() { link.beginToOpen() }

    package func awaitConnection() -> Bool {
        link.awaitAttempt()
        return isOpen
    }

    package func connect() throws(SessionError) { try open() }

    package func activate(_ settings: SessionSettings, implicitly: Bool) throws(SessionError) {
        try activate(settings) { [events] in events(.activated(implicitly: implicitly)) }
    }

    package func change(to settings: SessionSettings) throws(SessionError) { try claims.change(to: settings) }

    package func perform(_ command: HostCommand) {
        switch command {
        case .stopIO(let interrupting): stopIO(interrupting: interrupting)
        case .stopOutput: withLock { outputs.stop(interrupting: false) }
        case .closeIO: closeIO()
        // Fails silently: the settings apply all the same, and a stream that could not be recreated reports that when
        // used.
        case .setOutputRole(let role): try? outputs.change(role: role)
        case .setCaptureRole(let role): withLock { captureRouter.change(role: role) }
        case .muteOutput(let muted): withLock { outputs.apply(volume.setOutputMuted(muted)) }
        case .muteInput(let muted):
            withLock {
                volume.setInputMuted(muted)
                captureRouter.setMuted(volume.isInputMuted)
            }
        case .claim(let step): publish(step)
        case .foreignPlayers(let step): players.handle(step)
        case .prefer(let preferences): withLock { prefer(preferences) }
        case .updateRoute: routeMayHaveChanged(.category)
        case .endRouteSilence(let number): withLock { outputs.release(silence: number) }
        case .silenceCommand(let isSilent): withLock { monitor?.silenceCommand(isSilent) }
        case .releaseCommand: releaseCommand(within: .seconds(1))
        case .awaitEndOfCalls(let settings): claims.awaitEndOfCalls(for: settings)
        case .raisePriority(let thread): ThreadPriority.raise(thread) { withLock { machineBus } }
        }
    }

    // MARK: Queries

    package var facts: HostFacts {
        withLock {
            var facts = HostFacts()
            facts.isConnected = isOpen
            facts.deviceTime = outputs.deviceTime
            facts.isCapturing = captureRouter.isRunning
            facts.routeSilence = outputs.silenceNumber
            facts.underruns = outputs.underruns
            facts.owner = board.claim.owner
            return facts
        }
    }

    package var others: OtherAudio { claims.others }

    package func isOtherAudioPlaying() throws(SessionError) -> Bool { try claims.isOtherAudioPlaying() }

    package func route(under settings: SessionSettings) throws(SessionError) -> Route {
        // The last reported route is that of the published settings, which the app may have changed since, in an
        // inactive session.
        let known = withLock {
            board.claim.state != .idle && board.claim.settings.hasRoute(of: settings) ? monitor?.routes.route : nil
        }
        if let known { return known }
        return try link.request { () throws(PulseError) in
            let facts = try askFacts()
            let route = Route(
                facts.granting(placement.devices(from: facts, under: settings)), settings: settings)
            if routeSettings.hasRoute(of: settings) { monitor?.routes.answered(route, from: facts) }
            return route
        }
    }

    package func ports() throws(SessionError) -> HostPorts {
        try link.request { () throws(PulseError) in
            let facts = try askFacts()
            return HostPorts(outputs: facts.sinks, inputs: facts.sources)
        }
    }

    package func inputs() throws(SessionError) -> [InputDevice] { try captureRouter.inputs() }

    package func echoCancellation() throws(SessionError) -> EchoCancellationFacts {
        EchoCancellationFacts(
            isAvailable: try captureRouter.canCancelEcho(), isActive: try captureRouter.isEchoCancelled())
    }

    package func hardware(under settings: SessionSettings, measuring: Bool) throws(SessionError) -> HardwareFacts {
        try devices.hardware(under: settings, measuring: measuring)
    }

    package func apply(_ change: DeviceChange, under settings: SessionSettings) throws(SessionError) {
        switch change {
        case .outputVolume(let fraction): try devices.setOutputVolume(fraction, under: settings)
        case .dataSource(let port, let source): try devices.setDataSource(port, of: source)
        }
    }

    // MARK: Sound

    package func openOutput(_ request: OutputRequest) throws(SessionError) -> OutputPlace {
        let mix = try link.request { () throws(PulseError) in
            let mix = try outputs.begin(request)
            try mix.awaitStream()
            return mix
        }
        return withLock {
            OutputPlace(
                id: mix.number, rate: mix.format.rate, channels: mix.format.channels, device: mix.deviceName,
                historySeconds: OutputMix.historySeconds, period: mix.buffer.request)
        }
    }

    package func makeSound(of source: any SoundSource, in place: OutputPlace) throws(SessionError) -> any HostSound {
        guard let mix = withLock({ outputs.output(number: place.id) }) else {
            throw SessionError(.mediaServicesFailed, "The output is gone.")
        }
        return MixedSound(of: source, in: mix, on: self)
    }

    package func openCapture(
        _ request: CaptureRequest, receiver: any CaptureReceiver
    ) throws(SessionError) -> any HostCapture {
        let capture = try openCapture(request, handlers: Capture.Handlers(receiver))
        return OpenCapture(capture, for: receiver, on: self)
    }

    package var shortSoundPlayer: any ShortSounds {
        withLock {
            if let shortSounds { return shortSounds }
            let sounds = SystemSounds(
                mainloop: mainloop, owner: board.claim.owner,
                connection: { [weak self] in try? self?.link.readyConnection() },
                usesStandby: { [weak self] in self?.link.isPipeWire == true },
                passOn: { [weak self] event in
                    self?.policyWatch?.sinkInputChanged(event)
                    self?.monitor?.received(event)
                })
            shortSounds = sounds
            monitor?.listenToStreams()
            return sounds
        }
    }
}

extension PulseHost {
    /// Publishes the session's active claim, and returns when all other sessions can know it: after 2 s at most.
    ///
    /// `concluded` is called when the claim takes effect, on the main loop's thread with its lock held. No reaction of
    /// another session can come in between.
    package func activate(_ settings: SessionSettings, concluded: @escaping () -> Void) throws(SessionError) {
        let deadline = AnswerDeadline()
        try link.open(until: deadline)
        if settings.allowsInput, try !captureRouter.hasInput(until: deadline) {
            throw SessionError(.resourceNotAvailable, "There is nothing to record from: the server has no source.")
        }
        defer { withLock { priority.setRaised(board.claim.state == .active) } }
        try claims.activate(settings, until: deadline, publishing: { [self] in priority.setRaised(true) }) { [self] in
            outputs.sessionActivated()
            captureRouter.sessionActivated()
            monitor?.sessionActivated()
            // The claim takes effect in a moment; sound that starts before must have the gain it will have then.
            follow(board.expectedVerdict)
            acceptsSound = true
            concluded()
            watchSleep()
            if let machineBus { priority.requestRealtimeKit(on: machineBus) }
        }
    }

    /// Publishes a step of the session; after its end waits until others can know it, for 1 s at most.
    package func publish(_ step: ClaimStep) {
        claims.take(step)
        withLock { priority.setRaised(board.claim.state == .active) }
    }

    /// Applies the app's preferences, unless later ones were applied already.
    private func prefer(_ preferences: HostPreferences) {
        // Of two threads the second may have the older preferences.
        guard preferences.revision >= preferencesRevision else { return }
        preferencesRevision = preferences.revision
        ignoresRinging = preferences.ignoresRinging
        monitor?.ignoresRinging = ignoresRinging
        outputs.setDevicePreferences(preferences.devices)
        let isPlaced = placement.setPreference(preferences.output, isLongForm: preferences.isLongForm)
        let isFed = placement.setPreferredInput(preferences.input)
        let isOther = !preferences.settings.hasRoute(of: settings)
        settings = preferences.settings
        if board.claim.state == .idle {
            // An app whose session is not active is told of no change that it makes itself.
            if isPlaced || isFed || isOther { monitor?.routes.settingsBegan() }
        } else if isPlaced || isFed {
            monitor?.routes.happened(.devices)
        }
        outputs.setUsesSides(preferences.usesSideOutputs)
    }

    /// Pauses all voices and captures at once; with `interrupting` their owners are notified of an interruption.
    package func stopIO(interrupting: Bool) {
        withLock {
            StepTrace.measure(.cork) {
                if interrupting { shortSounds?.stop() }
                outputs.stop(interrupting: interrupting)
                captureRouter.stop(interrupting: interrupting)
            }
        }
    }

    /// Pauses everything and releases the output streams, after 0.25 s at most; captures end with their recorders.
    package func closeIO() {
        withLock {
            acceptsSound = false
            captureRouter.stopRunning()
            outputs.close()
        }
    }

    /// Restores the streams that name this session as their owner, and waits until this process has no part in that
    /// left, or for the timeout.
    private func releaseCommand(within timeout: Duration) {
        withLock {
            guard let monitor else { return }
            monitor.silenceCommand(false)
            _ = mainloop.wait(timeout: timeout) { monitor.isCommandReleased }
        }
    }

    /// Evaluates the route after a change of the app's settings, or the machine's wake-up.
    package func routeMayHaveChanged(_ cause: RouteCause) { withLock { monitor?.routes.happened(cause) } }

    private func askFacts() throws(PulseError) -> RouteFacts {
        try RouteFacts.asked(of: link.readyConnection(), sinkInUse: outputs.measured?.deviceName)
    }

    /// Waits until the positions of an output's paused voices are exact, for the given seconds at most.
    ///
    /// A server that hangs delays only the first caller: once a wait has timed out, later calls with no longer limit
    /// return at once, until the server answers again.
    package func awaitSettled(_ mix: OutputMix, seconds: Double) {
        guard !mainloop.isOnLoop else { return }
        withLock {
            guard !mix.isSettled, mix.waitedInVain < seconds else { return }
            let isSettled = mainloop.wait(timeout: .seconds(seconds)) { mix.isSettled }
            mix.waitedInVain = isSettled ? 0 : max(mix.waitedInVain, seconds)
        }
    }

    /// Creates a corked recording stream, for ``Capture/resume(at:)``.
    package func openCapture(
        _ request: CaptureRequest, handlers: Capture.Handlers
    ) throws(SessionError) -> Capture { try captureRouter.open(request, handlers: handlers) }
}
