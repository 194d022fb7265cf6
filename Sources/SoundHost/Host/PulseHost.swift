package import AudioHost
internal import AudioRealtime
internal import DesktopBus
internal import PulseClient
package import SessionPolicy

/// The session's sound on a PulseAudio or PipeWire server: one connection, one output stream, and recordings.
///
/// Each task has an owner with its own state; this class connects them, and is what the modules above use. Functions that
/// throw block the caller until the server has answered, for 2 s at most unless they say otherwise; they must not be
/// called from an event handler. Events come on the main loop's thread with its lock held.
// SAFETY: everything mutable is only touched with the main loop's lock held.
package final class PulseHost: @unchecked Sendable {
    private let mainloop: Mainloop
    /// Internal for the door, which reports the activation itself.
    let events: @Sendable (HostEvent) -> Void
    private let policy: UserPolicy
    /// Whether the locked screen and the silent switch may silence the session.
    private let meetsDesktop: Bool
    private let priority = ThreadPriority()
    private var volume: SessionVolume
    private var quietWatch: QuietWatch?
    /// The system bus connection, used for wake-up notifications; created at the first activation.
    private var machineBus: SessionBus?
    /// Internal for tests, which wait until it knows all streams.
    private(set) var monitor: OtherProgramsMonitor?
    private var policyWatch: ServerPolicyWatch?
    private var shortSounds: SystemSounds?
    /// Whether calls that only ring leave the session alone.
    private var ignoresRinging = false
    private var isReportedRunning = false
    /// Whether sounds and captures may run: the session was activated, and its I/O not closed since.
    private(set) var acceptsSound = false
    /// The number of the preferences that were applied last.
    private var preferencesRevision = 0

    /// Internal for tests, which look at the claim and its negotiation.
    private(set) lazy var board = makeBoard()
    /// Internal for tests, which look at attempts to connect.
    private(set) lazy var link = ServerLink(mainloop: mainloop, server: server, handlers: linkHandlers)
    /// Internal for tests, which replace streams.
    private(set) lazy var outputRouter = OutputRouter(
        link: link, board: board, placement: placement, policy: policy, report: { [weak self] in self?.events($0) },
        onRunning: { [weak self] in self?.reportRunning() })
    private lazy var captureRouter = CaptureRouter(
        link: link, board: board, placement: placement, policy: policy, microphone: microphone,
        onRunning: { [weak self] in self?.reportRunning() })
    private lazy var placement = DevicePlacement(link: link, board: board)
    private lazy var claims = SessionClaims(link: link, board: board)
    private lazy var players = ForeignPlayerControl(
        claims: claims, board: board, policy: policy, mainloop: mainloop)
    private lazy var devices = DeviceInquiry(
        link: link, placement: placement, outputs: outputRouter, captures: captureRouter)
    private lazy var simulations = SimulationReceiver(
        mainloop: mainloop, perform: { [weak self] in self?.simulate($0) },
        onQuiet: { [weak self] clients in self?.updateQuiet { $0.simulatedBy = clients } })
    private let server: String?
    private let microphone: (any MicrophonePermission)?

    /// A host without a connection; its thread starts.
    ///
    /// Throws `mediaServicesFailed` where the process has no descriptors left for that.
    ///
    /// - Parameters:
    ///   - server: An address; nil looks where every client looks.
    ///   - policy: The user's settings for programs outside the library.
    ///   - meetsDesktop: Whether the locked screen and the silent switch count, which are those of the process's user.
    ///   - microphone: The microphone permission; nil does not ask.
    ///   - events: Called for everything that the policy must know, with the main loop's lock held.
    package init(
        server: String? = nil, policy: UserPolicy = UserSettings.current.policy, meetsDesktop: Bool = false,
        microphone: (any MicrophonePermission)? = nil, events: @escaping @Sendable (HostEvent) -> Void
    ) throws(SessionError) {
        do throws(PulseError) { mainloop = try Mainloop() } catch { throw SessionError(error) }
        self.server = server
        self.policy = policy
        self.meetsDesktop = meetsDesktop
        self.microphone = microphone
        self.events = events
        volume = SessionVolume(policy: policy)
        // Now: any thread may be the first to use one of them, with or without the lock.
        _ = (board, link, placement, outputRouter, captureRouter, claims, players, devices, simulations)
    }

    /// Runs `body` with the lock that excludes the sound thread.
    package func withLock<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T { try mainloop.withLock(body) }

    // MARK: Connection

    /// Connects to the server, if that has not happened yet, and waits until it is known who is there: for 2 s at most.
    package func open() throws(SessionError) { try link.open(until: AnswerDeadline()) }

    /// Begins a connection attempt and returns at once; ``open()`` waits for that attempt.
    package func beginToOpen() { link.beginToOpen() }

    /// Waits until no connection attempt is under way; begins none, and returns after 3.5 s at most.
    package func awaitAttempt() { link.awaitAttempt() }

    /// Whether there is a server.
    package var isOpen: Bool { withLock { (try? link.readyConnection()) != nil } }

    private var linkHandlers: ServerLink.Handlers {
        ServerLink.Handlers(
            properties: { [weak self] in
                var list = AppIdentity.current.clientProperties
                // The claim is there from the first moment: others that list clients see it.
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
        // PipeWire has no such policy: every mute there is its user's.
        policyWatch = server.isPipeWire ? nil : makePolicyWatch(on: connection)
        // Before the claim: what other clients say of themselves comes with its answers.
        let monitor = makeMonitor(on: connection, of: server)
        self.monitor = monitor
        outputRouter.attach(monitor, policyWatch)
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
        outputRouter.connectionLost()
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
        let board = ClaimBoard(mainloop: mainloop) { [weak self] in self?.events($0) }
        board.onVerdicts = { [weak self] in self?.verdictsChanged() }
        board.onClient = { [weak self] in self?.clientChanged($0, $1) }
        return board
    }

    // MARK: What happens

    private func received(_ event: SubscriptionEvent) {
        switch event.facility {
        case .client: board.received(event)
        case .sinkInput where shortSounds != nil:
            shortSounds?.received(event)
            return
        case .sinkInput: policyWatch?.sinkInputChanged(event)
        case .sink: outputRouter.sinkChanged(event)
        default: break
        }
        monitor?.received(event)
    }

    /// What happens when a client's properties change, beside its claim, which the board has taken in; nil: it is gone.
    ///
    /// | property | what it says | where it goes |
    /// |---|---|---|
    /// | `avaudiosession.ducked` | which streams that process has ducked | ``OtherProgramsMonitor``, and on to ducking |
    /// | `avaudiosession.longform` | the output that long-form sessions share | ``DevicePlacement`` |
    /// | `avaudiosession.simulate` | an event that is simulated | ``SimulationReceiver`` |
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
        outputRouter.applyBuffer()
        follow(board.verdict)
    }

    private func follow(_ verdict: Verdict) { if let fade = volume.follow(verdict) { outputRouter.apply(fade) } }

    private func reportRunning() {
        let running = outputRouter.isRunning || captureRouter.isRunning
        guard running != isReportedRunning else { return }
        isReportedRunning = running
        events(running ? .ioStarted : .ioStopped)
    }

    /// The server wants quiet, and the session hears of it in a moment: only then may anything start again.
    private func silenceForServer() {
        guard board.claim.state == .active else { return }
        stopIO(interrupting: true)
    }

    private func simulate(_ action: SimulationReceiver.Action) {
        switch action {
        case .reset: link.drop()
        case .unplug:
            // What is said twice comes to nothing, and nobody would end the silence.
            guard let routes = monitor?.routes, !routes.isUnplugged else { return }
            outputRouter.hold()
            routes.isUnplugged = true
        case .plug: monitor?.routes.isUnplugged = false
        case .suspend: events(.interruptionBegan(.deviceSuspended))
        case .resume: events(.interruptionEnded(.deviceSuspended, shouldResume: true))
        }
    }

    // MARK: Quiet

    /// Watches the desktop from now on, if the session is one that keeps quiet.
    ///
    /// What the buses have to say comes a moment later: a session's start waits for nobody.
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
        if let fade = volume.updateQuiet(for: board.claim.settings, change) { outputRouter.apply(fade) }
    }

    /// Notices from now on that the machine has slept: what is plugged in may be something else then.
    private func watchSleep() {
        guard machineBus == nil, let bus = SessionBus.ofMachine() else { return }
        machineBus = bus
        bus.onWake { [weak self] in self?.routeMayHaveChanged(.wake) }
    }

    // MARK: Route

    private var ownStreams: SessionStreams {
        let (stream, sink) = outputRouter.streamInUse
        return SessionStreams(output: stream, sink: sink, captureClients: captureRouter.clients)
    }

    /// Acts on news of the devices: decides where streams are to be, moves them, and then reports what has changed.
    private func received(_ news: RouteNews) {
        switch news {
        case .connectorsLost(let sinks): outputRouter.connectorsLost(of: sinks)
        case .settled(let facts):
            let decision = placement.decide(from: facts)
            if let sink = decision.newSink { outputRouter.move(to: sink, facts) }
            if let source = decision.newSource { captureRouter.move(to: source) }
            for event in decision.events { events(event) }
            guard let outcome = monitor?.routes.observe(decision.facts, under: board.claim.settings) else { return }
            if outcome.isRestored { outputRouter.release() }
            for event in outcome.events { events(event) }
        }
    }
}

// MARK: - What the modules above ask

extension PulseHost {
    // MARK: The session

    /// Takes the session's place among others, and returns when all of them can know: after 2 s at most.
    ///
    /// `concluded` is called at the moment at which the place is taken, on the main loop's thread with its lock held,
    /// so that nothing can come between it and what other sessions do next. Throws `insufficientPriority` while a call
    /// of somebody else lives that the settings are no match for, `mediaServicesFailed` if the server does not answer.
    package func activate(_ settings: SessionSettings, concluded: @escaping () -> Void) throws(SessionError) {
        let deadline = AnswerDeadline()
        try link.open(until: deadline)
        if settings.allowsInput, try !captureRouter.hasInput(until: deadline) {
            throw SessionError(.resourceNotAvailable, "There is nothing to record from: the server has no source.")
        }
        defer { withLock { priority.setRaised(board.claim.state == .active) } }
        try claims.activate(settings, until: deadline, publishing: { [self] in priority.setRaised(true) }) { [self] in
            outputRouter.sessionActivated()
            captureRouter.sessionActivated()
            monitor?.sessionActivated()
            // The claim counts in a moment, and what begins before that is to be as loud as it will be then.
            follow(board.expectedVerdict)
            acceptsSound = true
            concluded()
            watchSleep()
            if let machineBus { priority.requestRealtimeKit(on: machineBus) }
        }
    }

    /// A call refused an activation with these settings: ``HostEvent/refusalEnded`` reports when none would any more.
    package func awaitEndOfCalls(for settings: SessionSettings) { claims.awaitEndOfCalls(for: settings) }

    /// Publishes other settings of an active session; throws where they must not be, and nothing has changed then.
    package func change(to settings: SessionSettings) throws(SessionError) { try claims.change(to: settings) }

    /// Publishes where the session stands; after its end it waits for 0.2 s at most until others can know of it.
    package func take(_ step: ClaimStep) {
        claims.take(step)
        withLock { priority.setRaised(board.claim.state == .active) }
    }

    /// Applies what the app prefers, unless later preferences were applied already.
    func prefer(_ preferences: HostPreferences) {
        withLock {
            // Of two threads the one that comes last may have the older preferences.
            guard preferences.revision >= preferencesRevision else { return }
            preferencesRevision = preferences.revision
            setIgnoresRinging(preferences.ignoresRinging)
            setDevicePreferences(preferences.devices)
            setOutputPreference(preferences.output, isLongForm: preferences.isLongForm)
            setPreferredInput(preferences.input)
            setUsesSideOutputs(preferences.usesSideOutputs)
        }
    }

    /// Says whether calls that only ring leave the session alone.
    package func setIgnoresRinging(_ ignores: Bool) {
        withLock {
            ignoresRinging = ignores
            monitor?.ignoresRinging = ignores
        }
    }

    /// The random bits by which streams of other processes say that they belong to this session.
    package var owner: String { withLock { board.claim.owner } }

    // MARK: Others

    /// All with a claim, this process included; for threads that may wait.
    package var participants: [Participant] { withLock { board.arbitration.participants } }

    /// Whether any other program is heard: other sessions, and programs outside the library.
    ///
    /// Waits for 2 s at most.
    package func isOtherAudioPlaying() throws(SessionError) -> Bool { try claims.isOtherAudioPlaying() }

    /// Whether sound that only decorates should be left out, as another program's main sound is heard; waits for 2 s at
    /// most until all streams on the server are known, which they are at once while the session is active.
    package var isSecondaryAudioToBeSilenced: Bool { claims.isSecondaryAudioToBeSilenced }

    /// Whether anybody else is in a call, and whether another session in mode spokenAudio is active; waits likewise.
    package var speakers: (call: Bool, speech: Bool) { claims.speakers }

    /// Keeps programs outside the library from being heard beside the session as their user wants it, or ends that.
    package func meetForeignPlayers(_ step: ForeignStep) { players.handle(step) }

    /// Silences the streams that name this session as their owner, or lets them be heard, whatever the session's state.
    ///
    /// The elected process carries it out, as it ducks other programs. Returns at once.
    package func silenceCommand(_ isSilent: Bool) { withLock { monitor?.silenceCommand(isSilent) } }

    /// Lets the streams that name this session as their owner be heard, and waits until this process has nothing left
    /// to do for that, or for the timeout.
    package func releaseCommand(within timeout: Duration) {
        withLock {
            guard let monitor else { return }
            monitor.silenceCommand(false)
            _ = mainloop.wait(timeout: timeout) { monitor.isCommandReleased }
        }
    }

    /// Pauses the players of a command that belongs to the session, and of its children, until ``resumePlayers()``.
    package func pausePlayers(ofProcesses processes: [Int32]) { players.pausePlayers(ofProcesses: processes) }

    /// Resumes the players that ``pausePlayers(ofProcesses:)`` paused, and that nobody touched since.
    package func resumePlayers() { players.resumePlayers() }

    /// Players outside the library that are paused for this session.
    package var pausedPlayers: [ForeignPlayerPause.Entry] { players.paused }

    // MARK: Playing and recording

    /// Pauses all voices and captures at once; `interrupting` tells their owners that this was not the app's wish.
    package func stopIO(interrupting: Bool) {
        withLock {
            if interrupting { shortSounds?.stop() }
            outputRouter.stop(interrupting: interrupting)
            captureRouter.stop(interrupting: interrupting)
        }
    }

    /// Pauses everything and releases the output streams, after 0.25 s at most; captures end with their recorders.
    package func closeIO() {
        withLock {
            acceptsSound = false
            captureRouter.stopRunning()
            outputRouter.close()
        }
    }

    /// The system sounds; made when first asked for, and told the ends of streams from then on.
    package var systemSounds: SystemSounds {
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

    /// Makes the session's output silent, or lets it be heard again, without a click; players go on.
    package func setOutputMuted(_ muted: Bool) { withLock { outputRouter.apply(volume.setOutputMuted(muted)) } }

    /// Makes everything that is captured silent, or ends that; recorders go on.
    package func setInputMuted(_ muted: Bool) {
        withLock {
            volume.setInputMuted(muted)
            captureRouter.setMuted(volume.isInputMuted)
        }
    }

    // MARK: Outputs

    /// The output stream with the given role; it is made, corked, if there is none, and made anew if it has another
    /// role.
    ///
    /// It runs at the sink's rate and with its channels, unless the app preferred others.
    ///
    /// - Parameters:
    ///   - role: The role that servers are told.
    ///   - sink: One of several that are played on at once; nil for the one that everything else goes to.
    package func openOutput(role: StreamRole?, on sink: String? = nil) throws(SessionError) -> OutputMix {
        let mix = try beginOutput(role: role, on: sink)
        try awaitOutput(mix)
        return mix
    }

    /// The output stream, maybe still on its way: voices can be made for it, and are played after ``awaitOutput(_:)``.
    ///
    /// - Parameters:
    ///   - role: The role that servers are told.
    ///   - sink: One of several that are played on at once; nil for the one that everything else goes to.
    ///   - isAssigned: Whether channels of the sink are meant one by one, so that the stream needs exactly those.
    package func beginOutput(
        role: StreamRole?, on sink: String? = nil, isAssigned: Bool = false
    ) throws(SessionError) -> OutputMix {
        try link.request { () throws(PulseError) in try outputRouter.begin(role: role, on: sink, isAssigned: isAssigned)
        }
    }

    /// Waits until the stream of an output stands, for 1.5 s at most; throws if it could not be made.
    package func awaitOutput(_ mix: OutputMix) throws(SessionError) {
        try link.request { () throws(PulseError) in try mix.awaitStream() }
    }

    /// Waits, for at most so many seconds, until the positions of an output's paused voices are exact.
    ///
    /// A server that is busy gets its time from everybody, one that hangs from the first only: who would wait no longer
    /// than somebody has waited in vain already does not, until the server answers again.
    package func awaitSettled(_ mix: OutputMix, seconds: Double) {
        guard !mainloop.isOnLoop else { return }
        withLock {
            guard !mix.isSettled, mix.waitedInVain < seconds else { return }
            let isSettled = mainloop.wait(timeout: .seconds(seconds)) { mix.isSettled }
            mix.waitedInVain = isSettled ? 0 : max(mix.waitedInVain, seconds)
        }
    }

    /// Gives the output stream, if there is one, another role; what plays goes on at the same frame.
    ///
    /// Where the new stream cannot be had the sound is over as if somebody had killed it, and so it is reported.
    package func changeOutput(role: StreamRole?) throws(SessionError) { try outputRouter.change(role: role) }

    /// The output that there is, its stream maybe still on its way.
    package var currentOutput: OutputMix? { withLock { outputRouter.current } }

    /// The time of the output in seconds, see ``OutputMix/deviceTime``; it goes on while there is none, and is 0 before
    /// the first.
    package var deviceTime: Double { withLock { outputRouter.deviceTime } }

    /// How often the server ran out of data since the output was made.
    package var outputUnderruns: Int { withLock { outputRouter.measured?.underruns ?? 0 } }

    /// Pauses all voices at once.
    package func stopOutput() { withLock { outputRouter.stop(interrupting: false) } }

    /// Says whether the category plays on several sinks; the streams on further ones are closed when it does not, each
    /// as soon as nothing is heard there.
    package func setUsesSideOutputs(_ uses: Bool) { withLock { outputRouter.setUsesSides(uses) } }

    // MARK: Inputs

    /// Whether the server has a source to record from.
    package func hasInput() throws(SessionError) -> Bool { try captureRouter.hasInput(until: AnswerDeadline()) }

    /// The sources of the server.
    package func inputs() throws(SessionError) -> [InputDevice] { try captureRouter.inputs() }

    /// Makes a stream that records, corked; hand it to ``Capture/resume(at:)``.
    ///
    /// Waits for 3.5 s at most.
    package func openCapture(
        _ request: CaptureRequest, handlers: Capture.Handlers
    ) throws(SessionError) -> Capture { try captureRouter.open(request, handlers: handlers) }

    /// Gives all recordings another role, without a hole: the same streams go on.
    package func changeCaptures(role: StreamRole?) { withLock { captureRouter.change(role: role) } }

    /// Whether the server can take the echo of what is played out of a microphone's sound.
    package func canCancelEcho() throws(SessionError) -> Bool { try captureRouter.canCancelEcho() }

    /// Whether a capture of the session takes its sound from a source without echo.
    package func isEchoCancelled() throws(SessionError) -> Bool { try captureRouter.isEchoCancelled() }

    /// Whether a recorder of the session takes sound in.
    package var isCapturing: Bool { withLock { captureRouter.isRunning } }

    // MARK: Devices

    /// The devices that the session uses, or would use under these settings.
    ///
    /// - Parameters:
    ///   - settings: The session's, which others may not know yet.
    ///   - measuring: Whether buffers and latencies are wanted, for which PipeWire's streams are watched, and may be
    ///     waited for.
    package func hardware(under settings: SessionSettings, measuring: Bool) throws(SessionError) -> HardwareFacts {
        try devices.hardware(under: settings, measuring: measuring)
    }

    /// Sets the volume of the session's sink for everybody, as a share of what mixers call 100 %.
    package func setOutputVolume(_ fraction: Double, under settings: SessionSettings) throws(SessionError) {
        try devices.setOutputVolume(fraction, under: settings)
    }

    /// Has a source take its sound from one of its ports, for everybody; nil for the one that the server likes best.
    package func setDataSource(_ port: String?, of source: String) throws(SessionError) {
        try devices.setDataSource(port, of: source)
    }

    /// Takes over what the app prefers of the devices: the I/O buffer changes at once; rate and channels do when the
    /// output is made the next time.
    package func setDevicePreferences(_ preferences: DevicePreferences) {
        withLock { outputRouter.setDevicePreferences(preferences) }
    }

    /// Takes over where the app wants its output; with a long-form policy the choice is all such sessions'.
    package func setOutputPreference(_ preference: OutputPreference, isLongForm: Bool) {
        withLock {
            if placement.setPreference(preference, isLongForm: isLongForm) { monitor?.routes.happened(.devices) }
        }
    }

    /// Has recordings come from a source, if it is there; nil for the server's default.
    package func setPreferredInput(_ source: String?) {
        withLock { if placement.setPreferredInput(source) { monitor?.routes.happened(.devices) } }
    }

    // MARK: Route

    /// The session's route now: the one that was reported last, or what the server says while nothing is watched.
    ///
    /// What was reported is that of the settings that others know; the app may have changed them since, while the session
    /// was not active.
    package func route(under settings: SessionSettings) throws(SessionError) -> Route {
        let known = withLock { board.claim.settings.hasRoute(of: settings) ? monitor?.routes.route : nil }
        if let known { return known }
        return try link.request { () throws(PulseError) in
            let facts = try askFacts()
            let route = Route(
                facts.granting(placement.devices(from: facts, under: settings)), settings: settings)
            if board.claim.state == .active, board.claim.settings.hasRoute(of: settings) {
                monitor?.routes.answered(route, from: facts)
            }
            return route
        }
    }

    /// The ports in use of all sinks and sources.
    package func ports() throws(SessionError) -> HostPorts {
        try link.request { () throws(PulseError) in
            let facts = try askFacts()
            return HostPorts(outputs: facts.sinks, inputs: facts.sources)
        }
    }

    private func askFacts() throws(PulseError) -> RouteFacts {
        try RouteFacts.asked(of: link.readyConnection(), sinkInUse: outputRouter.measured?.deviceName)
    }

    /// The app changed category, mode or options of an active session, or the machine woke up.
    package func routeMayHaveChanged(_ cause: RouteCause) { withLock { monitor?.routes.happened(cause) } }

    /// The number of the silence that a change of route which is reported now is about.
    package var silenceNumber: Int { withLock { outputRouter.silenceNumber } }

    /// Ends the silence for a loss: the app has been told.
    ///
    /// - Parameter number: The silence that it was told of; one that came later stands for a loss of its own.
    package func releaseOutput(silence number: Int) { withLock { outputRouter.release(silence: number) } }
}
