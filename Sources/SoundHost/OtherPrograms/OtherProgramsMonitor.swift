internal import PulseClient
internal import SessionPolicy

/// The monitor of other programs' streams and of the devices, while they matter to the session. It finds calls, other
/// sound and changes of the route, and applies ducking and silencing.
///
/// While the session is idle and nothing is ducked, only claims and devices are monitored: events of other streams do
/// not wake up an idle process.
// SAFETY: only touched with the main loop's lock held.
final class OtherProgramsMonitor: @unchecked Sendable {
    let directory: StreamDirectory
    private let connection: PulseConnection
    private let board: ClaimBoard
    /// The subscription that always applies.
    private var always: SubscriptionMask
    private let report: (HostEvent) -> Void
    private let policy: UserPolicy
    private let ducking: ForeignDucking?
    private let muter: StreamMuter
    /// Whether the streams of the command for which this program holds the session are silent; nil in any other
    /// program, where the session's state decides.
    private var isCommandSilent: Bool?
    private lazy var calls = ForeignCallWatch(
        directory: directory, policy: policy,
        participants: { [weak self] in self?.board.arbitration.participants ?? [] },
        newcomers: { [weak self] in self?.newcomers ?? [] }, report: report)
    private lazy var devices = DeviceWatch(
        directory: directory, uses: { [weak self] in self?.own.devicesInUse ?? [:] },
        muteInterrupts: { [weak self] in self?.muteInterrupts == true }, report: report)
    private lazy var rolePolicy = RolePolicyWatch(
        directory: directory, output: { [weak self] in self?.own.streams().output }, report: report)
    private(set) lazy var routes = RouteWatch(
        directory: directory, uses: { [weak self] in self?.own.devices ?? (nil, []) })
    private lazy var unmanaged = UnmanagedStreamWatch(mainloop: connection.mainloop, report: report)
    /// The session's streams.
    private let own: OwnStreams
    /// The settings of an activation that a call refused; nil once ``HostEvent/refusalEnded`` was reported.
    private var refused: SessionSettings?
    /// The number of threads that wait for a complete directory.
    private var waiting = 0
    /// Whether the directory was complete at least once since monitoring began.
    private var hasPicture = false
    /// Whether ``restoreAtExit()`` has registered its handler.
    private var restoresAtExit = false
    /// Whether a session was activated, and monitoring starts with the verdict on it.
    private var isAboutToListen = false
    /// The playback streams that have started since then, until all streams are known.
    private var newcomers: Set<UInt32> = []
    /// The ducking ledgers of other processes, by client.
    ///
    /// Those of ended processes are kept until another process has taken over their streams.
    private var ledgers: [UInt32: String] = [:]
    private(set) var isListening = false
    /// The modules loaded when monitoring began.
    private var modules: [Module] = []
    /// Whether the devices are monitored while nothing else is.
    private var watchesDevices = false
    private lazy var deviceTimer = MainloopTimer(mainloop: connection.mainloop) { [weak self] in self?.watchDevices() }

    /// The time from the connection until the devices of an idle session are monitored, so that their list does not
    /// delay a first sound.
    private static let deviceDelay = Duration.milliseconds(500)
    private static let whileNeeded = StreamDirectory.mask
    private static let ledgerProperty = "avaudiosession.ducked"

    init(
        connection: PulseConnection, board: ClaimBoard, server: ServerInfo, policy: UserPolicy,
        ownStreams: @escaping () -> SessionStreams, onRoute: @escaping (RouteNews) -> Void,
        report: @escaping (HostEvent) -> Void
    ) {
        self.connection = connection
        self.board = board
        self.policy = policy
        self.report = report
        // On PulseAudio, the effect of the server's own policy on the session's streams is monitored as well.
        always = server.isPipeWire ? .client : [.client, .sinkInput]
        directory = StreamDirectory(connection: connection)
        own = OwnStreams(directory: directory, board: board, isPipeWire: server.isPipeWire, streams: ownStreams)
        let file = DuckLedgerFile(server: server.cookie)
        let volume: (any ForeignVolume)? =
            server.isPipeWire
            ? SoftVolumes(connection: connection, server: server.cookie, file: file)
            : PulseDucker(connection: connection, server: server.cookie, file: file)
        let address = connection.sync { $0.serverAddress }
        muter = StreamMuter(connection: connection, server: server.cookie, restorer: DuckRestorer(server: address))
        ducking = volume.map { volume in
            ForeignDucking(
                volume: volume, mainloop: connection.mainloop, settings: .init(policy),
                restorer: DuckRestorer(server: address)
            ) { [weak connection] text in connection?.sync { $0.updateProperties([Self.ledgerProperty: text]) } }
        }
        ducking?.onAbility = { [weak board] in board?.setCanDuck($0) }
        board.isLowering = { [weak ducking] in ducking?.isIdle == false }
        volume?.onIdle = { [weak board] in
            ProcessExitDelay.release()
            board?.watchStopped()
        }
        // Calls first: an app that a call interrupts needs no notification of other sound.
        calls.onLook = { [weak self] in
            self?.endRefusal()
            // The end of a call is found by a timer, without any other change.
            self?.silenceProcess()
        }
        calls.participantsChanged()
        devices.sessionChanged()
        routes.onNews = onRoute
        routes.happened(.devices)
        directory.onChange { [weak self] in self?.changed() }
        subscribe()
        deviceTimer.start(after: Self.deviceDelay)
    }

    // MARK: Events

    /// All streams on the server; calls have the role `phone`.
    var streams: [ServerStream] {
        ForeignCallRules(policy: policy).naming(directory.streams, participants: board.arbitration.participants)
    }

    /// Handles an event of the server.
    func received(_ event: SubscriptionEvent) {
        if event.facility == .sinkInput, event.change == .new, isListening || isAboutToListen, !isCurrent {
            newcomers.insert(event.index)
        }
        directory.received(event)
        if event.facility == .sinkInput { ducking?.streamsChanged() }
    }

    /// Handles a client's changed properties; nil if the client is gone.
    func clientChanged(_ client: UInt32, _ properties: PropertyList?) {
        guard let properties, client != board.id, ducking != nil else { return }
        let ledger = properties[Self.ledgerProperty]
        guard ledgers[client] != ledger else { return }
        ledgers[client] = ledger
        updateDucking()
    }

    /// Starts or stops monitoring after a change of claims or verdicts.
    func verdictsChanged() {
        let isDucking = board.arbitration.concernsStreamsOfOthers
        let isNeeded =
            board.claim.state != .idle || isDucking || waiting > 0 || isCommandSilent == true
            || ducking?.isIdle == false
        if isNeeded != isListening {
            isNeeded ? startListening() : stopListening()
        } else if !isNeeded, isAboutToListen, !board.isDeciding {
            // The session ended with the verdict on it.
            stopListening()
        }
        calls.participantsChanged()
        countUnmanagedStreams()
        silenceProcess()
        updateDucking()
    }

    /// Handles an activation: streams that play now do not interrupt the session, later ones do.
    func sessionActivated() {
        calls.sessionActivated()
        forgetRefusal()
        // Not during a negotiation, whose answers would wait behind the listing: monitoring then starts with the
        // verdict.
        if !isListening { board.isDeciding ? prepareToListen() : startListening() }
        routes.settingsBegan()
    }

    /// Whether calls that only ring are ignored.
    var ignoresRinging: Bool {
        get { calls.ignoresRinging }
        set { calls.ignoresRinging = newValue }
    }

    // MARK: The complete directory

    /// Keeps the directory complete independent of the session's state, or ends that; calls must be balanced.
    func setAwaited(_ awaited: Bool) {
        waiting = max(0, waiting + (awaited ? 1 : -1))
        verdictsChanged()
    }

    /// Whether the directory is complete.
    var isCurrent: Bool { directory.state == .current }

    /// The call that refuses the activation of sessions that record; nil without one.
    var blocksInput: InterruptionOrigin? { calls.blocksInput }

    /// Records new streams from now on, to tell them from those that exist.
    private func prepareToListen() {
        guard !isAboutToListen else { return }
        isAboutToListen = true
        if !always.contains(.sinkInput) { subscribe() }
    }

    /// Subscribes to what is needed now.
    private func subscribe() {
        var mask = always
        if isListening { mask.formUnion(Self.whileNeeded) }
        if isAboutToListen { mask.insert(.sinkInput) }
        if watchesDevices { mask.formUnion(StreamDirectory.deviceMask) }
        connection.sync { $0.subscribe(mask) { _ in } }
    }

    /// Monitors the devices of a session that is idle: its app is told of changes of its route too.
    private func watchDevices() {
        guard !isListening else { return }
        if !watchesDevices {
            watchesDevices = true
            subscribe()
        }
        directory.startDevices()
    }

    private func startListening() {
        isAboutToListen = false
        isListening = true
        hasPicture = false
        subscribe()
        connection.sync { connection in
            connection.modules { [weak self] result in
                if case .success(let modules) = result { self?.modules = modules }
            }
        }
        // Last, so that the modules are known before the directory is complete.
        directory.start()
    }

    private func stopListening() {
        (isListening, isAboutToListen) = (false, false)
        hasPicture = false
        newcomers = []
        watchesDevices = true
        subscribe()
        directory.startDevices()
        connection.mainloop.signal()
        board.noteForeignMainSound(false, isNews: false)
        devices.sessionChanged()
    }

    /// Subscribes to playback streams independent of the session's state.
    func listenToStreams() {
        guard !always.contains(.sinkInput) else { return }
        always.insert(.sinkInput)
        subscribe()
    }

    /// Counts the streams that the session cannot stop itself as its I/O while it is active.
    private func countUnmanagedStreams() {
        // The function is called again once the pending claim is decided.
        guard !board.isDeciding else { return }
        guard board.claim.state == .active else { return unmanaged.observe(nil) }
        guard isCurrent else { return }
        unmanaged.observe(own.unmanaged.contains { !$0.isCorked })
    }

    private var muteInterrupts: Bool {
        let settings = board.claim.settings
        return settings.category == .record && !settings.options.contains(.overrideMutedMicrophoneInterruption)
    }

    private func changed() {
        // Wakes threads that wait for a complete directory.
        connection.mainloop.signal()
        let participants = board.arbitration.participants
        let isHeard = directory.streams.contains {
            $0.isMainSound && $0.participant(among: participants) == nil
        }
        // Sound found in the first listing was there before the activation.
        board.noteForeignMainSound(isHeard, isNews: hasPicture)
        hasPicture = directory.state == .current
        if hasPicture { newcomers = [] }
        rolePolicy.look()
        countUnmanagedStreams()
        silenceProcess()
        updateDucking()
        if ducking?.isIdle == true, board.claim.state == .idle { verdictsChanged() }
        // Wakes an activation that waits for a complete directory.
        connection.mainloop.signal()
    }

    // MARK: Refusals

    /// Monitors all programs after a call has refused an activation (S38), until no call would.
    func sessionRefused(_ settings: SessionSettings) {
        if refused == nil { setAwaited(true) }
        refused = settings
        // The call may have ended since the refusal.
        endRefusal()
    }

    /// Ends this monitoring after an activation.
    private func forgetRefusal() {
        guard refused != nil else { return }
        refused = nil
        setAwaited(false)
    }

    /// Reports once that no call refuses the activation any more.
    private func endRefusal() {
        guard let settings = refused, isCurrent, !board.isDeciding, blocksInput == nil else { return }
        let ticket = ClaimOrder.nextTicket(after: board.table.claims)
        guard board.refusal(of: board.claim.activating(with: settings, ticket: ticket)) == nil else { return }
        forgetRefusal()
        report(.refusalEnded)
    }

    // MARK: Ducking

    /// Silences the streams of the command for which this program holds the session, or ends that.
    func silenceCommand(_ isSilent: Bool) {
        isCommandSilent = isSilent
        verdictsChanged()
    }

    /// Whether this process has restored all streams of the command.
    var isCommandReleased: Bool {
        !board.claim.isProcessSilent && board.isEchoed && ducking?.isIdle != false && muter.isIdle
    }

    /// Silences the streams that the session cannot stop itself, while the session must not be heard.
    ///
    /// Silencing lasts until the session may be heard: publishing a claim for each stream that starts or ends would be
    /// costly.
    private func silenceProcess() {
        // A pending claim may change the verdict; the function is called again after it.
        guard let id = board.id, !board.isDeciding else { return }
        let (arbitration, claim) = (board.arbitration, board.claim)
        let isSilent: Bool
        if let isCommandSilent {
            // Ends with the activation, so that no stream is silenced anew before the claim says so.
            isSilent = isCommandSilent && claim.state != .active || arbitration.verdict(on: id).isMutedByRecording
        } else {
            isSilent = arbitration.silencesProcess(of: id) || claim.state == .interrupted && calls.isInterrupting
        }
        let wanted = isSilent && (claim.isProcessSilent || !own.unmanagedPlayback.isEmpty)
        if wanted != claim.isProcessSilent { board.apply(.process(isSilent: wanted)) }
    }

    /// Whether this process can duck streams of other programs.
    var canDuck: Bool { ducking?.isAble == true }

    private func updateDucking() {
        // An incomplete directory would restore streams that must stay ducked.
        guard directory.state == .current || !isListening, !ProcessExitDelay.isOver else { return }
        if let ducking { update(ducking) }
        muter.update(
            board.claim.isProcessSilent ? own.unmanagedPlayback : nil,
            isAnybodyAble: executor(of: board.arbitration.participants) != nil
        ) { [ducking] in ducking?.isWrittenDown($0) == true }
    }

    /// Registers a handler that restores the lowered streams when the process exits with an active session.
    private func restoreAtExit() {
        guard !restoresAtExit else { return }
        restoresAtExit = true
        let (mainloop, seconds) = (connection.mainloop, policy.duckUpSeconds + 0.2)
        ProcessExitDelay.before(exit: { [weak self] in
            let isLeaving = mainloop.withLock { self?.ducking?.leave() ?? false }
            if isLeaving { ProcessExitDelay.extend(bySeconds: seconds) }
        })
    }

    private func update(_ ducking: ForeignDucking) {
        let sink = directory.defaultSink.flatMap { name in directory.sinks.values.first { $0.name == name }?.index }
        let wasIdle = ducking.isIdle
        ducking.update(
            ForeignDucking.Situation(
                streams: streams, arbitration: board.arbitration, own: board.id, defaultSink: sink,
                ledgers: ledgers,
                isLeftToServer: DuckServerPolicy.isPresent(modules: modules),
                rolePolicy: directory.roleSinks.policy))
        let present = board.table.rows
        ledgers = ledgers.filter { present[$0.key] != nil || !ducking.isSettled($0.key) }
        if !ducking.isIdle { restoreAtExit() }
        if !wasIdle || !ducking.isIdle, !board.arbitration.concernsStreamsOfOthers {
            // A process that exits restores the streams it has ducked or taken over, rather than leaving them to
            // another process.
            ProcessExitDelay.extend(bySeconds: policy.duckUpSeconds + 0.2)
        }
    }
}

extension ForeignDucking.Settings {
    /// The user's depth and ramps.
    init(_ policy: UserPolicy) {
        self.init(
            gain: VerdictGain.ducked(decibels: policy.duckDepth).amplitude,
            ramps: DuckRamps(down: .seconds(policy.duckDownSeconds), up: .seconds(policy.duckUpSeconds)))
    }
}
