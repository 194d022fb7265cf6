internal import Foundation
internal import SessionPolicy
internal import SoundHost

/// The imperative half of a session: feeds the policy one input at a time, and carries out what it answers.
///
/// Three locks, and the order in which they may be taken: `operations`, held by an app's thread for as long as one call
/// lasts, waiting for the server included; then the main loop's; then `lock`, a leaf, held only around the policy's
/// pure functions. Events from the loop's thread take the last one only, so they never wait for an app's thread.
// SAFETY: everything mutable is guarded by `lock`.
final class SessionShell: @unchecked Sendable {
    private let lock = NSLock()
    private let operations = NSRecursiveLock()
    private let server: String?
    private var machine = SessionMachine()
    private var host: PulseHost?
    private var participants: [ObjectIdentifier: WeakParticipant] = [:]
    private var preferredInputPort: RoutePort?
    private var preferenceValues = Preferences()
    private var soundObserver: (@Sendable () -> Void)?
    let errands = SessionErrands()
    private let routes = DispatchQueue(label: "AVAudioSession.route", qos: .userInitiated)
    /// Makes the output's stream for ``warmUp()``.
    private let preparations = DispatchQueue(label: "AVAudioSession.warmUp", qos: .userInitiated)
    private let deadlines = DispatchQueue(label: "AVAudioSession.deadlines", qos: .userInitiated)
    /// How often no connection could be made, and why the last time.
    private var connectionFailures: (count: Int, error: SessionError?) = (0, nil)
    /// Counts the servers that were lost: what belongs to an earlier one is dead.
    private var epochCount = 0
    /// Counts activations: what was wished for in one ends with that one.
    private var activationCount = 0
    /// Posts notifications, with the session as their object.
    weak var session: AVAudioSession?
    /// What notifications about the input have as their object.
    weak var application: AVAudioApplication?
    /// Whether the app may listen; nil for a session of a test, whose app is none.
    let microphone: MicrophoneAccess?
    let delegateRelay = SessionDelegateRelay()
    private let rendering = RenderingRecord()
    private let meetsDesktop: Bool

    /// - Parameters:
    ///   - server: An address; nil looks where every client looks.
    ///   - meetsDesktop: Whether the user's screen and silent switch count.
    ///   - microphone: Whether the app may listen; nil does not ask.
    init(server: String?, meetsDesktop: Bool, microphone: MicrophoneAccess?) {
        self.server = server
        self.meetsDesktop = meetsDesktop
        self.microphone = microphone
    }

    // MARK: What the app asks

    var isOutputMuted: Bool { lock.withLock { machine.isOutputMuted } }
    var isInputMuted: Bool { lock.withLock { machine.isInputMuted } }
    var settings: SessionSettings { lock.withLock { machine.settings } }
    var state: SessionMachine.State { lock.withLock { machine.state } }
    /// The time of the output that players share, in seconds; 0 before there is one.
    var deviceTime: Double { currentHost?.deviceTime ?? 0 }
    var epoch: Int { lock.withLock { epochCount } }
    /// Which activation this is, counted from 1; nil while the session is not active.
    var activation: Int? { lock.withLock { machine.state == .active ? activationCount : nil } }
    var isIORunning: Bool { lock.withLock { machine.isIORunning } }
    var stops: (interruptions: Int, deactivations: Int) { lock.withLock { machine.stops } }

    /// Told when the first player or recorder runs, and when none does any more; maybe with the main loop's lock held.
    var soundHandler: (@Sendable () -> Void)? {
        get { lock.withLock { soundObserver } }
        set { lock.withLock { soundObserver = newValue } }
    }

    /// The source that recordings come from; nil for the server's default, and while the settings forbid the chosen one.
    var preferredInput: String? {
        lock.withLock {
            preferredInputPort.flatMap { machine.settings.allowsInput(from: $0.kind) ? $0.device : nil }
        }
    }

    /// Has recordings come from a source; nil leaves that to the server.
    func setPreferredInput(_ port: RoutePort?) {
        lock.withLock { preferredInputPort = port }
        currentHost.map { host in host.withLock { host.setPreferredInput(preferredInput) } }
    }

    /// What the app prefers, until the sound server is lost.
    var preferences: Preferences { lock.withLock { preferenceValues } }

    /// Changes one wish and leaves the others as they are, whatever other threads do.
    ///
    /// Throws as ``checkServices()``, an `NSError`.
    func prefer(_ change: (inout Preferences) -> Void) throws {
        try lock.withLock {
            do throws(SessionError) { try checkServices(of: machine) } catch { throw NSError(error) }
            change(&preferenceValues)
            machine.prefersInterruptionOnRouteDisconnect = preferenceValues.interruptionOnRouteDisconnect
        }
        currentHost.map(tell)
    }

    /// Throws `mediaServicesFailed` between the loss of the sound server and its return, which is a new beginning: what
    /// was said in between would be in force then.
    func checkServices() throws {
        let machine = lock.withLock { self.machine }
        do throws(SessionError) { try checkServices(of: machine) } catch { throw NSError(error) }
    }

    private func checkServices(of machine: SessionMachine) throws(SessionError) {
        guard machine.state != .lost else { throw SessionError(.mediaServicesFailed, "The sound server is gone.") }
    }

    /// Changes a wish that may be refused; nothing has changed then.
    func prefer(
        _ change: (inout DevicePreferences, SessionSettings) throws(SessionError) -> Void
    ) throws(SessionError) {
        let outcome = lock.withLock { () -> Result<Void, SessionError> in
            Result { () throws(SessionError) in
                try checkServices(of: machine)
                try change(&preferenceValues.devices, machine.settings)
            }
        }
        try outcome.get()
        currentHost.map(tell)
    }

    /// Tells a host what the app wishes; the main loop's lock is never taken with ours held.
    ///
    /// Read with that lock held: of two threads, the one that comes last tells of what both have changed.
    private func tell(_ host: PulseHost) {
        host.withLock {
            let preferences = preferences
            host.setIgnoresRinging(preferences.noInterruptionsFromSystemAlerts)
            host.setDevicePreferences(preferences.devices)
            host.setOutputWish(preferences.output, isLongForm: settings.policy.isLongForm)
            host.setPreferredInput(preferredInput)
            host.setUsesSideOutputs(settings.category == .multiRoute)
        }
    }

    /// Validates and takes over new settings.
    func configure(_ change: (SessionSettings) throws(SessionError) -> SessionSettings) throws(SessionError) {
        operations.lock()
        defer { operations.unlock() }
        try apply { machine throws(SessionError) in machine.configure(try change(machine.settings)) }
    }

    /// Mutes or unmutes the output.
    func setOutputMuted(_ muted: Bool) throws(SessionError) {
        operations.lock()
        defer { operations.unlock() }
        try apply { machine throws(SessionError) in
            guard !muted || machine.settings.allowsMutedOutput else {
                throw SessionError(
                    .incompatibleCategory, "The output cannot be muted in the mode \(machine.settings.mode.name).")
            }
            return machine.setOutputMuted(muted)
        }
    }

    /// Mutes or unmutes the input.
    func setInputMuted(_ muted: Bool) {
        operations.lock()
        defer { operations.unlock() }
        perform(lock.withLock { machine.setInputMuted(muted) })
    }

    /// Changes what the session is, with `operations` held.
    private func apply(_ change: (inout SessionMachine) throws(SessionError) -> [Effect]) throws(SessionError) {
        var next = lock.withLock { machine }
        if next.state == .lost {
            throw SessionError(.mediaServicesFailed, "The sound server is gone; wait for its return.")
        }
        _ = try change(&next)
        // Others are told first: a call that lives may forbid the change.
        if state == .active { try currentHost?.change(to: next.claimedSettings) }
        let (before, effects) = lock.withLock { () -> (SessionSettings, Result<[Effect], SessionError>) in
            (machine.settings, Result { () throws(SessionError) in try change(&machine) })
        }
        perform(try effects.get())
        if next.settings.category != before.category { forgetOverride() }
        currentHost.map(tell)
        // Apps say the same again before each sound: that is no change.
        guard state == .active, next.settings != before else { return }
        currentHost?.routeMayHaveChanged(.category)
        // Now, and not when that is told: the app may have chosen the speaker anew by then.
        forgetOverride()
    }

    /// Activates the session against the server and returns the host; does nothing more if it is active already.
    @discardableResult
    func activate(implicitly: Bool) throws(SessionError) -> PulseHost {
        let failures = lock.withLock { connectionFailures.count }
        operations.lock()
        defer { operations.unlock() }
        let joined = lock.withLock { () -> Result<[Effect]?, SessionError> in
            Result { () throws(SessionError) in try machine.joinActivation(implicitly: implicitly) }
        }
        let host = try openedHost()
        if let effects = try joined.get() {
            perform(effects)
            return host
        }
        try open(host, after: failures)
        if settings.allowsInput, try !host.hasInput() {
            throw SessionError(.resourceNotAvailable, "There is nothing to record from: the server has no source.")
        }
        let claimed = lock.withLock { machine.claimedSettings }
        do throws(SessionError) {
            try host.activate(claimed) { [self] in
                let effects = lock.withLock {
                    activationCount += 1
                    return machine.activated(implicitly: implicitly)
                }
                perform(effects)
            }
        } catch {
            if error.code == .insufficientPriority {
                lock.withLock { machine.refused() }
                host.awaitEndOfCalls(for: claimed)
            }
            throw error
        }
        return host
    }

    /// Deactivates the session; it is inactive afterwards even if the call throws.
    func deactivate(notify: Bool) throws(SessionError) {
        operations.lock()
        defer { operations.unlock() }
        let (effects, error) = lock.withLock { machine.deactivate(notify: notify) }
        perform(effects)
        forgetOverride()
        if let error { throw error }
    }

    /// Connects to the server without activating, to ask it something.
    func connected() throws(SessionError) -> PulseHost {
        let failures = lock.withLock { connectionFailures.count }
        operations.lock()
        defer { operations.unlock() }
        let host = try openedHost()
        try open(host, after: failures)
        return host
    }

    /// Connects, once for all who ask meanwhile.
    ///
    /// A server that does not answer is given up after a while. Whoever has waited for another's attempt to fail, since
    /// there had been so many failures, is told of that failure, and does not wait as long again for one of its own.
    private func open(_ host: PulseHost, after failures: Int) throws(SessionError) {
        let (count, error) = lock.withLock { connectionFailures }
        if count > failures, let error { throw error }
        do { try host.open() } catch { throw remembered(error) }
    }

    private func remembered(_ failure: SessionError) -> SessionError {
        lock.withLock { connectionFailures = (connectionFailures.count + 1, failure) }
        return failure
    }

    /// Connects, and then makes the output's corked stream, both on another thread; returns at once.
    ///
    /// Errors are left to the activation, which waits for the same attempt.
    func warmUp() {
        // Another operation that is under way connects by itself.
        guard operations.try() else { return }
        defer { operations.unlock() }
        guard let host = try? openedHost() else { return }
        let activations = lock.withLock { activationCount }
        host.beginToOpen()
        // Not an errand: `setActive` waits for those, and would try again after an attempt that has failed.
        preparations.async { [weak self] in
            host.awaitAttempt()
            guard let self else { return }
            let settings = settings
            // After an activation, which may be over again, whoever plays makes the stream.
            guard settings.allowsOutput, host.currentOutput == nil, lock.withLock({ activationCount }) == activations
            else { return }
            _ = try? host.beginOutput(role: settings.role)
        }
    }

    /// With `operations` held, so that only one is made.
    private func openedHost() throws(SessionError) -> PulseHost {
        if let host = currentHost { return host }
        let made = try PulseHost(server: server, meetsDesktop: meetsDesktop, microphone: microphone) { [weak self] in
            self?.received($0)
        }
        let (isMuted, isInputMuted) = lock.withLock {
            host = made
            return (machine.isOutputMuted, machine.isInputMuted)
        }
        tell(made)
        made.setOutputMuted(isMuted)
        made.setInputMuted(isInputMuted)
        return made
    }

    private var currentHost: PulseHost? { lock.withLock { host } }

    /// Whether a recorder takes sound in.
    var isCapturing: Bool { currentHost?.isCapturing ?? false }

    // MARK: What happens

    func received(_ event: HostEvent) {
        let effects = lock.withLock { machine.received(event) }
        // The settings are the defaults again, and no policy holds any more.
        if event == .servicesReset { currentHost.map(tell) }
        perform(effects)
        guard [.ioStarted, .ioStopped, .servicesLost].contains(event) else { return }
        soundHandler?()
        routes.async { [self] in postRendering(rendering) }
    }

    private func perform(_ effects: [Effect]) { for effect in effects { perform(effect) } }

    private func perform(_ effect: Effect) {
        switch effect {
        case .interruptIO:
            currentHost?.stopIO(interrupting: true)
            forgetOverride()
        case .stopIO: currentHost?.stopIO(interrupting: false)
        case .stopOutput: currentHost?.stopOutput()
        case .closeIO:
            currentHost?.closeIO()
            forgetInterruptions()
        case .forgetInterruptions: forgetInterruptions()
        case .abandonIO:
            lock.withLock {
                epochCount += 1
                preferredInputPort = nil
                preferenceValues = Preferences()
                machine.prefersInterruptionOnRouteDisconnect = preferenceValues.interruptionOnRouteDisconnect
            }
            currentHost.map(tell)
        case .applyRoles:
            // The settings are taken over all the same: a stream that could not be made anew says so when it is used.
            try? currentHost?.changeOutput(role: settings.role)
            currentHost?.changeCaptures(role: settings.captureRole)
        case .muteOutput(let muted): currentHost?.setOutputMuted(muted)
        case .muteInput(let muted): currentHost?.setInputMuted(muted)
        case .claim(let step): currentHost?.take(step)
        case .foreignPlayers(let step): currentHost?.meetForeignPlayers(step)
        case .startIdleTimer(let number, let seconds):
            after(seconds) { shell in
                .idleTimerFired(number: number, isAwaited: shell.liveParticipants.contains { $0.isAwaiting })
            }
        case .startPatience(let number, let seconds): after(seconds) { _ in .patienceEnded(number: number) }
        case .post(let notification): post(notification)
        case .tellRoute(let change):
            if change.endsOverride { forgetOverride() }
            let silence = currentHost?.silenceNumber
            routes.async { [self] in
                post(change)
                if let silence { currentHost?.releaseOutput(silence: silence) }
                postRendering(rendering)
            }
        case .tellInputs: routes.async { [self] in postInputsChange() }
        case .forgetOverride: forgetOverride()
        case .forgetPreferredInput: lock.withLock { preferredInputPort = nil }
        }
    }

    /// The app's choice of the speaker is for the moment only.
    private func forgetOverride() {
        guard preferences.output.overridesToSpeaker else { return }
        // A server that is lost has taken it back by itself.
        try? prefer { $0.output.overridesToSpeaker = false }
    }

    /// Not in the middle of what an app's thread asks for.
    private func after(_ seconds: Double, _ event: @escaping @Sendable (SessionShell) -> HostEvent) {
        deadlines.asyncAfter(deadline: .now() + seconds) { [weak self] in
            guard let self else { return }
            self.operations.lock()
            defer { self.operations.unlock() }
            self.received(event(self))
        }
    }

    // MARK: Players and recorders

    /// Adds a player or recorder, to be told of interruptions while it lives.
    func add(_ participant: any SessionParticipant) {
        lock.withLock { participants[ObjectIdentifier(participant)] = WeakParticipant(value: participant) }
    }

    func remove(_ participant: any SessionParticipant) {
        lock.withLock { participants[ObjectIdentifier(participant)] = nil }
    }

    var liveParticipants: [any SessionParticipant] { lock.withLock { participants.values.compactMap(\.value) } }
}
