package import AudioHost
internal import Dispatch
internal import Locks
package import SessionPolicy

/// The imperative half of a session: feeds the policy one input at a time, and carries out the resulting effects.
///
/// Three locks are taken in this order. `operations` is held by an app's thread for the whole of a call, waiting for
/// the server included. The host's lock comes next. The lock of `state` is a leaf, held only around the policy's pure
/// functions. Events from the host's thread take the leaf only, so they never wait for an app's thread.
package final class Session: Sendable {
    private struct State {
        var machine = SessionMachine()
        var host: (any AudioHost)?
        var participants: [ObjectIdentifier: WeakParticipant] = [:]
        var preferredInput: RoutePort?
        var preferences = SessionPreferences()
        /// The revision of the host's preferences.
        var revision = 0
        weak var receiver: (any SessionReceiver)?
        /// The number of failed connection attempts, and the last error.
        var connectionFailures: (count: Int, error: SessionError?) = (0, nil)
        /// The number of lost servers: objects made for an earlier server are dead.
        var epoch = 0
        /// Whether the app says that streams of other libraries play for it; see ``Session/setPlaying(_:)``.
        var appPlays = false
        /// Whether a player or recorder of the host runs.
        var hostRuns = false
        /// The number of activations; ``warmUp()`` makes no stream if it grew in between.
        var activations = 0

        /// The source to record from; nil for the server's default, and while the settings forbid the app's choice.
        var allowedInput: String? {
            preferredInput.flatMap { machine.settings.allowsInput(from: $0.kind) ? $0.device : nil }
        }

        /// Passes an event on to the policy, for which the app's streams and the host's sounds are one.
        mutating func received(_ event: HostEvent) -> [Effect] {
            switch event {
            case .activated:
                activations += 1
                return machine.received(event) + (appPlays ? machine.received(.ioStarted) : [])
            case .ioStarted: hostRuns = true
            case .ioStopped:
                hostRuns = false
                if appPlays { return [] }
            case .servicesLost: (hostRuns, appPlays) = (false, false)
            default: break
            }
            return machine.received(event)
        }

        func checkServices() throws(SessionError) {
            guard machine.state != .lost else {
                throw SessionError(.mediaServicesFailed, "The sound server is gone.")
            }
        }
    }

    private let operations = CallLock()
    private let state = Guarded(State())
    private let makeHost: @Sendable (@escaping HostEventHandler) throws(SessionError) -> any AudioHost
    private let routes = DispatchQueue(label: "AVAudioSession.route", qos: .userInitiated)
    private let deadlines = DispatchQueue(label: "AVAudioSession.deadlines", qos: .userInitiated)
    private let preparations = DispatchQueue(label: "AVAudioSession.warmUp", qos: .userInitiated)
    /// The queue of the asynchronous calls.
    package let work = SessionAsyncQueue()
    /// The permission to record; nil in tests, where permission is not checked.
    package let microphone: (any MicrophonePermission)?

    /// A session without a host; it starts no thread and asks no server until it is used.
    ///
    /// - Parameters:
    ///   - microphone: The permission to record; nil skips the check.
    ///   - makeHost: Makes the host at its first use; the argument handles the host's events.
    package init(
        microphone: (any MicrophonePermission)?,
        makeHost: @escaping @Sendable (@escaping HostEventHandler) throws(SessionError) -> any AudioHost
    ) {
        self.microphone = microphone
        self.makeHost = makeHost
    }

    /// The receiver of the session's deliveries; a weak reference.
    package var receiver: (any SessionReceiver)? {
        get { state.withLock { $0.receiver } }
        set { state.withLock { $0.receiver = newValue } }
    }

    // MARK: State

    /// Whether the app muted its output.
    package var isOutputMuted: Bool { state.withLock { $0.machine.isOutputMuted } }
    /// Whether the app muted its input.
    package var isInputMuted: Bool { state.withLock { $0.machine.isInputMuted } }
    /// Category, mode, options and policy.
    package var settings: SessionSettings { state.withLock { $0.machine.settings } }
    /// The state of the session.
    package var standing: SessionMachine.State { state.withLock { $0.machine.state } }
    /// The clock of the output that players share, in seconds; 0 before the first output.
    package var deviceTime: Double { currentHost?.facts.deviceTime ?? 0 }
    /// The number of lost servers.
    package var epoch: Int { state.withLock { $0.epoch } }
    /// The number of the current activation, counted from 1; nil while the session is not active.
    package var activation: Int? { state.withLock { $0.machine.state == .active ? $0.activations : nil } }
    /// Whether a player or recorder runs.
    package var isIORunning: Bool { state.withLock { $0.machine.isIORunning } }
    /// The numbers of interruptions and deactivations so far.
    package var stops: (interruptions: Int, deactivations: Int) { state.withLock { $0.machine.stops } }
    /// Whether a recorder captures frames.
    package var isCapturing: Bool { currentHost?.facts.isCapturing ?? false }

    private var currentHost: (any AudioHost)? { state.withLock { $0.host } }

    // MARK: Preferences

    /// The source to record from; nil for the server's default, and while the settings forbid the app's choice.
    package var preferredInput: String? { state.withLock { $0.allowedInput } }

    /// Sets the source to record from; nil means the server's default.
    package func setPreferredInput(_ port: RoutePort?) {
        state.withLock { $0.preferredInput = port }
        updateHostPreferences()
    }

    /// The app's preferences; they are reset when the sound server is lost.
    package var preferences: SessionPreferences { state.withLock { $0.preferences } }

    /// Changes preferences.
    ///
    /// Throws as ``checkServices()`` does, or the error of `change`; the preferences are unchanged then.
    package func prefer(
        _ change: (inout SessionPreferences, SessionSettings) throws(SessionError) -> Void
    ) throws(SessionError) {
        try state.withLock { state throws(SessionError) in
            try state.checkServices()
            var preferences = state.preferences
            try change(&preferences, state.machine.settings)
            state.preferences = preferences
            state.machine.prefersInterruptionOnRouteDisconnect = preferences.interruptionOnRouteDisconnect
        }
        updateHostPreferences()
    }

    /// Throws `mediaServicesFailed` between the loss of the sound server and its return.
    ///
    /// The return resets the session, so that a change made in between would be lost.
    package func checkServices() throws(SessionError) {
        try state.withLock { state throws(SessionError) in try state.checkServices() }
    }

    /// Sends the app's preferences to the host, without the lock of `state`.
    private func updateHostPreferences() {
        let (host, preferences) = state.withLock { state in
            state.revision += 1
            var preferences = HostPreferences()
            preferences.revision = state.revision
            preferences.ignoresRinging = state.preferences.noInterruptionsFromSystemAlerts
            preferences.devices = state.preferences.devices
            preferences.output = state.preferences.output
            preferences.isLongForm = state.machine.settings.policy.isLongForm
            preferences.input = state.allowedInput
            preferences.usesSideOutputs = state.machine.settings.category == .multiRoute
            preferences.settings = state.machine.settings
            return (state.host, preferences)
        }
        host?.perform(.prefer(preferences))
    }

    // MARK: Settings and activation

    /// Validates and adopts new settings; `change` receives the current ones.
    ///
    /// On an active session it waits for the server until the claim counts and, if the role has changed, until the
    /// output has a new stream: for 2 s at most.
    package func configure(
        _ change: (SessionSettings) throws(SessionError) -> SessionSettings
    ) throws(SessionError) {
        try apply { machine throws(SessionError) in machine.prepare(try change(machine.settings)) }
    }

    /// Mutes or unmutes the output; throws `incompatibleCategory` in modes that forbid muting.
    ///
    /// On an active session it waits for the server, for 2 s at most.
    package func setOutputMuted(_ muted: Bool) throws(SessionError) {
        try apply { machine throws(SessionError) in try machine.prepare(outputMuted: muted) }
    }

    /// Mutes or unmutes the input; waits for other calls of the session only.
    package func setInputMuted(_ muted: Bool) {
        operations.withLock { perform(state.withLock { $0.machine.setInputMuted(muted) }) }
    }

    /// Says whether streams of other libraries play for the app, which the host does not know; they count as a player.
    ///
    /// `plays` is asked when this call has its turn, so that of several the last one counts. Waits for other calls of
    /// the session only. Has no effect while the sound server is lost, whose loss ends the app's streams too.
    package func setPlaying(_ plays: () -> Bool) {
        operations.withLock {
            let isAsserted = plays()
            let effects: [Effect] = state.withLock { state in
                let plays = isAsserted && state.machine.state != .lost
                guard plays != state.appPlays else { return [] }
                state.appPlays = plays
                return state.hostRuns ? [] : state.machine.received(plays ? .ioStarted : .ioStopped)
            }
            perform(effects)
        }
    }

    private func apply(
        _ prepare: (SessionMachine) throws(SessionError) -> SettingsChange
    ) throws(SessionError) {
        try operations.withLock { () throws(SessionError) in
            let machine = state.withLock { $0.machine }
            if machine.state == .lost {
                throw SessionError(.mediaServicesFailed, "The sound server is gone; wait for its return.")
            }
            let change = try prepare(machine)
            // The claim first: a call in progress may forbid the change.
            if machine.state == .active { try currentHost?.change(to: change.claimed) }
            let (before, after, effects) = try state.withLock { state throws(SessionError) in
                let before = state.machine.settings
                let effects = try state.machine.commit(change)
                return (before, state.machine.settings, effects)
            }
            perform(effects)
            if after.category != before.category { forgetOverride() }
            updateHostPreferences()
            // Apps often repeat their settings before each sound: that is no change.
            guard standing == .active, after != before else { return }
            currentHost?.perform(.updateRoute)
            // Now, and not when the route change is reported: the app may have chosen the speaker again by then.
            forgetOverride()
        }
    }

    /// Activates the session, and returns the host; an active session is only marked as in use.
    ///
    /// Waits for the server, for 2 s at most, and before that for other threads' calls of this session. Throws the
    /// errors of ``AudioHost/activate(_:implicitly:)``.
    @discardableResult
    package func activate(implicitly: Bool) throws(SessionError) -> any AudioHost {
        let failures = state.withLock { $0.connectionFailures.count }
        return try operations.withLock { () throws(SessionError) in
            let effects = try state.withLock { state throws(SessionError) in
                try state.machine.joinActivation(implicitly: implicitly)
            }
            let host = try openedHost()
            if let effects {
                perform(effects)
                return host
            }
            // The host connects by itself, within the same deadline.
            try throwFailure(since: failures)
            let claimed = state.withLock { $0.machine.claimedSettings }
            do throws(SessionError) { try host.activate(claimed, implicitly: implicitly) } catch {
                if error.code == .insufficientPriority {
                    state.withLock { $0.machine.refused() }
                    host.perform(.awaitEndOfCalls(claimed))
                } else if !host.facts.isConnected {
                    noteFailure(error)
                }
                throw error
            }
            return host
        }
    }

    /// Deactivates the session; it is inactive afterwards even if the call throws.
    ///
    /// Waits for the server, for 1.25 s at most.
    package func deactivate(notify: Bool) throws(SessionError) {
        try operations.withLock { () throws(SessionError) in
            let (effects, error) = state.withLock { $0.machine.deactivate(notify: notify) }
            perform(effects)
            forgetOverride()
            if let error { throw error }
        }
    }

    /// Connects to the server without activating the session, for a question; waits for 2 s at most.
    package func connected() throws(SessionError) -> any AudioHost {
        let failures = state.withLock { $0.connectionFailures.count }
        return try operations.withLock { () throws(SessionError) in
            let host = try openedHost()
            try connect(host, after: failures)
            return host
        }
    }

    /// Connects, and puts a question to the host; waits for 2 s at most for both.
    package func ask<Answer>(
        _ question: (any AudioHost) throws(SessionError) -> Answer
    ) throws(SessionError) -> Answer {
        try CallDeadline.share { () throws(SessionError) in try question(try connected()) }
    }

    /// Connects, once for all threads that wait.
    private func connect(_ host: any AudioHost, after failures: Int) throws(SessionError) {
        try throwFailure(since: failures)
        do throws(SessionError) { try host.connect() } catch {
            noteFailure(error)
            throw error
        }
    }

    /// Throws the error of another thread's connection attempt, if one failed since there were `failures` failures.
    ///
    /// A hanging server is given up after a timeout. A thread that has waited for another's attempt does not wait as
    /// long again for its own.
    private func throwFailure(since failures: Int) throws(SessionError) {
        let (count, error) = state.withLock { $0.connectionFailures }
        if count > failures, let error { throw error }
    }

    private func noteFailure(_ error: SessionError) {
        state.withLock { $0.connectionFailures = ($0.connectionFailures.count + 1, error) }
    }

    /// Connects, and then makes the output's corked stream, on another thread; returns at once.
    ///
    /// Errors are left to the activation, which joins the same attempt.
    package func warmUp() {
        let activations = state.withLock { $0.activations }
        guard let host = beginToConnect() else { return }
        preparations.async { [weak self] in
            guard host.awaitConnection(), let self else { return }
            let settings = settings
            // After an activation, which may have ended again, the next player makes the stream.
            guard settings.allowsOutput, state.withLock({ $0.activations }) == activations else { return }
            _ = try? host.openOutput(OutputRequest(role: settings.role))
        }
    }

    /// Connects on another thread, and returns at once; nil if another operation is in progress, which connects by itself.
    ///
    /// For sessions without players, which need no stream; see ``warmUp()``.
    @discardableResult
    package func beginToConnect() -> (any AudioHost)? {
        guard let host = operations.withLockIfFree({ try? openedHost() }) ?? nil else { return nil }
        host.beginToConnect()
        return host
    }

    /// Returns the host, made at the first call; with `operations` held, so that only one is made.
    private func openedHost() throws(SessionError) -> any AudioHost {
        if let host = currentHost { return host }
        let made = try makeHost { [weak self] in self?.received($0) }
        let (isMuted, isInputMuted) = state.withLock {
            $0.host = made
            return ($0.machine.isOutputMuted, $0.machine.isInputMuted)
        }
        updateHostPreferences()
        made.perform(.muteOutput(isMuted))
        made.perform(.muteInput(isInputMuted))
        return made
    }

    // MARK: Events

    /// Handles an event of the host.
    package func received(_ event: HostEvent) {
        StepTrace.measure(.decision, .init(StepTrace.word(for: event))) { handle(event) }
    }

    private func handle(_ event: HostEvent) {
        let effects = state.withLock { $0.received(event) }
        // The settings and the policy are the defaults again.
        if event == .servicesReset { updateHostPreferences() }
        perform(effects)
        guard [.ioStarted, .ioStopped, .servicesLost].contains(event) else { return }
        deliver(.sound)
        routes.async { [self] in deliver(.rendering) }
    }

    private func perform(_ effects: [Effect]) { for effect in effects { perform(effect) } }

    private func perform(_ effect: Effect) {
        let host = currentHost
        switch effect {
        case .interruptIO:
            host?.perform(.stopIO(interrupting: true))
            forgetOverride()
        case .stopIO: host?.perform(.stopIO(interrupting: false))
        case .stopOutput: host?.perform(.stopOutput)
        case .closeIO:
            host?.perform(.closeIO)
            forgetInterruptions()
        case .forgetInterruptions: forgetInterruptions()
        case .abandonIO: abandonIO()
        case .applyRoles:
            let settings = settings
            host?.perform(.setOutputRole(settings.role))
            host?.perform(.setCaptureRole(settings.captureRole))
        case .muteOutput(let muted): host?.perform(.muteOutput(muted))
        case .muteInput(let muted): host?.perform(.muteInput(muted))
        case .claim(let step): host?.perform(.claim(step))
        case .foreignPlayers(let step): host?.perform(.foreignPlayers(step))
        case .startIdleTimer(let number, let seconds):
            after(seconds) { session in
                .idleTimerFired(number: number, isAwaited: session.liveParticipants.contains { $0.isAwaiting })
            }
        case .startResumptionTimer(let number, let seconds):
            after(seconds) { _ in .resumptionTimerFired(number: number) }
        case .post(let notification):
            // Weak references until the app's queue runs: a released player must fall silent, a released recorder must
            // stop.
            deliver(.notification(notification, liveParticipants.map { WeakParticipant(value: $0) }))
        case .notifyRoute(let change): deliverRoute(change)
        case .notifyInputs: routes.async { [self] in deliver(.inputs) }
        case .forgetOverride: forgetOverride()
        case .forgetPreferredInput: state.withLock { $0.preferredInput = nil }
        }
    }

    private func deliver(_ delivery: SessionDelivery) { receiver?.receive(delivery) }

    private func deliverRoute(_ change: RouteChange) {
        if change.endsOverride { forgetOverride() }
        let silence = currentHost?.facts.routeSilence
        routes.async { [self] in
            deliver(.route(change))
            if let silence { currentHost?.perform(.endRouteSilence(silence)) }
            deliver(.rendering)
            for participant in liveParticipants { participant.routeChanged() }
        }
    }

    /// Drops everything that belongs to the lost server.
    private func abandonIO() {
        state.withLock {
            $0.epoch += 1
            $0.preferredInput = nil
            $0.preferences = SessionPreferences()
            $0.machine.prefersInterruptionOnRouteDisconnect = $0.preferences.interruptionOnRouteDisconnect
        }
        updateHostPreferences()
    }

    /// Clears the flags of stopped players and recorders, because their interruption ended without a notification.
    ///
    /// The app deactivated the session, or activated it again by itself; a later interruption must not count as the end
    /// of this one.
    private func forgetInterruptions() {
        let flags = liveParticipants.map(\.interrupted).filter(\.isSet)
        guard !flags.isEmpty else { return }
        deliver(.forgetInterruptions(flags.map { ForgottenInterruption(flag: $0, times: $0.times) }))
    }

    /// Ends the app's override of the output to the speaker.
    private func forgetOverride() {
        guard preferences.output.overridesToSpeaker else { return }
        // The loss of the server has reset the override already.
        try? prefer { preferences, _ throws(SessionError) in preferences.output.overridesToSpeaker = false }
    }

    /// Handles an event after a delay, and not in the middle of an app's call.
    private func after(_ seconds: Double, _ event: @escaping @Sendable (Session) -> HostEvent) {
        deadlines.asyncAfter(deadline: .now() + seconds) { [weak self] in
            guard let self else { return }
            operations.withLock { self.received(event(self)) }
        }
    }

    // MARK: Players and recorders

    /// Registers a player or recorder for interruptions.
    package func add(_ participant: any SessionParticipant) {
        state.withLock { $0.participants[ObjectIdentifier(participant)] = WeakParticipant(value: participant) }
    }

    /// Unregisters a player or recorder, at the end of its life.
    package func remove(_ participant: any SessionParticipant) {
        let id = ObjectIdentifier(participant)
        state.withLock { $0.participants[id] = nil }
    }

    private var liveParticipants: [any SessionParticipant] {
        state.withLock { $0.participants.values.compactMap(\.value) }
    }
}
