package import AudioHost
internal import Dispatch
internal import Locks
package import SessionPolicy

/// The imperative half of a session: feeds the policy one input at a time, and carries out what it answers.
///
/// Three locks, and the order in which they may be taken: `operations`, held by an app's thread for as long as one call
/// lasts, waiting for the server included; then the host's; then that of `state`, a leaf, held only around the policy's
/// pure functions. Events from the host's thread take the last one only, so they never wait for an app's thread.
package final class Session: Sendable {
    private struct State {
        var machine = SessionMachine()
        var host: (any AudioHost)?
        var participants: [ObjectIdentifier: WeakParticipant] = [:]
        var preferredInput: RoutePort?
        var preferences = SessionPreferences()
        /// Counts what hosts are told to prefer.
        var revision = 0
        weak var receiver: (any SessionReceiver)?
        /// How often no connection could be made, and why the last time.
        var connectionFailures: (count: Int, error: SessionError?) = (0, nil)
        /// Counts the servers that were lost: what belongs to an earlier one is dead.
        var epoch = 0
        /// Counts activations: what was wished for in one ends with that one.
        var activations = 0

        /// The source that recordings come from; nil for the server's default, and while the settings forbid the chosen
        /// one.
        var allowedInput: String? {
            preferredInput.flatMap { machine.settings.allowsInput(from: $0.kind) ? $0.device : nil }
        }

        func checkServices() throws(SessionError) {
            guard machine.state != .lost else {
                throw SessionError(.mediaServicesFailed, "The sound server is gone.")
            }
        }
    }

    private let operations = RecursiveLock()
    private let state = Guarded(State())
    private let makeHost: @Sendable (@escaping HostEventHandler) throws(SessionError) -> any AudioHost
    private let routes = DispatchQueue(label: "AVAudioSession.route", qos: .userInitiated)
    private let deadlines = DispatchQueue(label: "AVAudioSession.deadlines", qos: .userInitiated)
    private let preparations = DispatchQueue(label: "AVAudioSession.warmUp", qos: .userInitiated)
    /// What the session does for an app that does not wait for it.
    package let work = SessionAsyncQueue()
    /// The permission to record; nil for a session of a test, whose app needs none.
    package let microphone: (any MicrophonePermission)?

    /// A session that costs nothing until it is used.
    ///
    /// - Parameters:
    ///   - microphone: The permission to record; nil asks nobody.
    ///   - makeHost: Makes the session's host when it is first needed; the handler takes the host's events.
    package init(
        microphone: (any MicrophonePermission)?,
        makeHost: @escaping @Sendable (@escaping HostEventHandler) throws(SessionError) -> any AudioHost
    ) {
        self.microphone = microphone
        self.makeHost = makeHost
    }

    /// What takes the session's deliveries; not kept alive.
    package var receiver: (any SessionReceiver)? {
        get { state.withLock { $0.receiver } }
        set { state.withLock { $0.receiver = newValue } }
    }

    // MARK: What holds

    /// Whether the app muted its output.
    package var isOutputMuted: Bool { state.withLock { $0.machine.isOutputMuted } }
    /// Whether the app muted its input.
    package var isInputMuted: Bool { state.withLock { $0.machine.isInputMuted } }
    /// Category, mode, options and policy.
    package var settings: SessionSettings { state.withLock { $0.machine.settings } }
    /// Where the session stands.
    package var standing: SessionMachine.State { state.withLock { $0.machine.state } }
    /// The time of the output that players share, in seconds; 0 before there is one.
    package var deviceTime: Double { currentHost?.facts.deviceTime ?? 0 }
    /// Counts the servers that were lost.
    package var epoch: Int { state.withLock { $0.epoch } }
    /// Which activation this is, counted from 1; nil while the session is not active.
    package var activation: Int? { state.withLock { $0.machine.state == .active ? $0.activations : nil } }
    /// Whether a player or recorder runs.
    package var isIORunning: Bool { state.withLock { $0.machine.isIORunning } }
    /// How often the session was stopped, by others and by the app.
    package var stops: (interruptions: Int, deactivations: Int) { state.withLock { $0.machine.stops } }
    /// Whether a recorder takes sound in.
    package var isCapturing: Bool { currentHost?.facts.isCapturing ?? false }

    private var currentHost: (any AudioHost)? { state.withLock { $0.host } }

    // MARK: What the app prefers

    /// The source that recordings come from; nil for the server's default, and while the settings forbid the chosen one.
    package var preferredInput: String? { state.withLock { $0.allowedInput } }

    /// Has recordings come from a source; nil leaves that to the server.
    package func setPreferredInput(_ port: RoutePort?) {
        state.withLock { $0.preferredInput = port }
        updateHostPreferences()
    }

    /// What the app prefers, until the sound server is lost.
    package var preferences: SessionPreferences { state.withLock { $0.preferences } }

    /// Changes preferences; throws as ``checkServices()``, or what `change` throws: nothing has changed then.
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

    /// Throws `mediaServicesFailed` between the loss of the sound server and its return, which is a new beginning: what
    /// was said in between would be in force then.
    package func checkServices() throws(SessionError) {
        try state.withLock { state throws(SessionError) in try state.checkServices() }
    }

    /// Tells the host what the app prefers; the host's lock is never taken with that of `state` held.
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
            return (state.host, preferences)
        }
        host?.perform(.prefer(preferences))
    }

    // MARK: What the session is

    /// Validates and takes over new settings; `change` gets those that hold.
    ///
    /// Waits for the server while the session is active, for 2 s at most.
    package func configure(
        _ change: (SessionSettings) throws(SessionError) -> SessionSettings
    ) throws(SessionError) {
        try apply { machine throws(SessionError) in machine.prepare(try change(machine.settings)) }
    }

    /// Mutes or unmutes the output; throws `incompatibleCategory` in modes that forbid it.
    package func setOutputMuted(_ muted: Bool) throws(SessionError) {
        try apply { machine throws(SessionError) in try machine.prepare(outputMuted: muted) }
    }

    /// Mutes or unmutes the input.
    package func setInputMuted(_ muted: Bool) {
        operations.withLock { perform(state.withLock { $0.machine.setInputMuted(muted) }) }
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
            // Others are told first: a call that lives may forbid the change.
            if machine.state == .active { try currentHost?.change(to: change.claimed) }
            let (before, after, effects) = try state.withLock { state throws(SessionError) in
                let before = state.machine.settings
                let effects = try state.machine.commit(change)
                return (before, state.machine.settings, effects)
            }
            perform(effects)
            if after.category != before.category { forgetOverride() }
            updateHostPreferences()
            // Apps say the same again before each sound: that is no change.
            guard standing == .active, after != before else { return }
            currentHost?.perform(.updateRoute)
            // Now, and not when that is told: the app may have chosen the speaker anew by then.
            forgetOverride()
        }
    }

    /// Activates the session against the server and returns the host; does nothing more if it is active already.
    ///
    /// Waits for the server, for 2 s at most. Throws what ``AudioHost/activate(_:implicitly:)`` throws.
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
            // One wait for all of it: the host connects by itself.
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
    package func deactivate(notify: Bool) throws(SessionError) {
        try operations.withLock { () throws(SessionError) in
            let (effects, error) = state.withLock { $0.machine.deactivate(notify: notify) }
            perform(effects)
            forgetOverride()
            if let error { throw error }
        }
    }

    /// Connects to the server without activating, to ask it something; waits for 2 s at most.
    package func connected() throws(SessionError) -> any AudioHost {
        let failures = state.withLock { $0.connectionFailures.count }
        return try operations.withLock { () throws(SessionError) in
            let host = try openedHost()
            try connect(host, after: failures)
            return host
        }
    }

    /// Connects, once for all who ask meanwhile.
    private func connect(_ host: any AudioHost, after failures: Int) throws(SessionError) {
        try throwFailure(since: failures)
        do throws(SessionError) { try host.connect() } catch {
            noteFailure(error)
            throw error
        }
    }

    /// Throws the failure of another thread's attempt to connect, if there was one since there had been `failures`.
    ///
    /// A server that does not answer is given up after a while: a caller that has waited for another's attempt does not
    /// wait as long again for one of its own.
    private func throwFailure(since failures: Int) throws(SessionError) {
        let (count, error) = state.withLock { $0.connectionFailures }
        if count > failures, let error { throw error }
    }

    private func noteFailure(_ error: SessionError) {
        state.withLock { $0.connectionFailures = ($0.connectionFailures.count + 1, error) }
    }

    /// Connects, and then makes the output's corked stream, both on another thread; returns at once.
    ///
    /// Errors are left to the activation, which waits for the same attempt.
    package func warmUp() {
        // Another operation that is under way connects by itself.
        guard let host = operations.withLockIfFree({ try? openedHost() }) ?? nil else { return }
        let activations = state.withLock { $0.activations }
        host.beginToConnect()
        preparations.async { [weak self] in
            guard host.awaitConnection(), let self else { return }
            let settings = settings
            // After an activation, which may be over again, whoever plays makes the stream.
            guard settings.allowsOutput, state.withLock({ $0.activations }) == activations else { return }
            _ = try? host.openOutput(OutputRequest(role: settings.role))
        }
    }

    /// With `operations` held, so that only one is made.
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

    // MARK: What happens

    /// Something happened to the session's sound or server.
    package func received(_ event: HostEvent) {
        let effects = state.withLock { state in
            if case .activated = event { state.activations += 1 }
            return state.machine.received(event)
        }
        // The settings are the defaults again, and no policy holds any more.
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
            // Not kept until the app's queue has its turn: what is released falls silent then, and records no more.
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
        }
    }

    /// The server is lost, and with it everything that was made for it.
    private func abandonIO() {
        state.withLock {
            $0.epoch += 1
            $0.preferredInput = nil
            $0.preferences = SessionPreferences()
            $0.machine.prefersInterruptionOnRouteDisconnect = $0.preferences.interruptionOnRouteDisconnect
        }
        updateHostPreferences()
    }

    /// What had stopped players and recorders is over without a word of its end, as the app gave the session up or came
    /// back by itself: a later interruption is none of theirs.
    private func forgetInterruptions() {
        let flags = liveParticipants.map(\.interrupted).filter(\.isSet)
        guard !flags.isEmpty else { return }
        deliver(.forgetInterruptions(flags.map { ForgottenInterruption(flag: $0, times: $0.times) }))
    }

    /// The app's choice of the speaker is for the moment only.
    private func forgetOverride() {
        guard preferences.output.overridesToSpeaker else { return }
        // A server that is lost has taken it back by itself.
        try? prefer { preferences, _ throws(SessionError) in preferences.output.overridesToSpeaker = false }
    }

    /// Not in the middle of what an app's thread asks for.
    private func after(_ seconds: Double, _ event: @escaping @Sendable (Session) -> HostEvent) {
        deadlines.asyncAfter(deadline: .now() + seconds) { [weak self] in
            guard let self else { return }
            operations.withLock { self.received(event(self)) }
        }
    }

    // MARK: Players and recorders

    /// Adds a player or recorder, to be told of interruptions while it lives.
    package func add(_ participant: any SessionParticipant) {
        state.withLock { $0.participants[ObjectIdentifier(participant)] = WeakParticipant(value: participant) }
    }

    /// Removes a player or recorder, at the end of its life.
    package func remove(_ participant: any SessionParticipant) {
        let id = ObjectIdentifier(participant)
        state.withLock { $0.participants[id] = nil }
    }

    private var liveParticipants: [any SessionParticipant] {
        state.withLock { $0.participants.values.compactMap(\.value) }
    }
}
