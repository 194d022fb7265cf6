internal import PulseClient
internal import SessionPolicy

/// The streams of the session, by the server's numbers.
struct SessionStreams {
    /// The output's stream; nil without one.
    var output: UInt32?
    /// The sink that it was on when the server last said so, or is to play on.
    var sink: UInt32?
    /// The clients that recordings belong to, beside the session's own.
    var captureClients: [UInt32] = []
}

/// The monitor of other programs' streams and of the devices, for as long as they matter to the session: finds calls,
/// other sound and changes of the route, and has streams ducked and silenced.
///
/// While the session is idle, and nobody ducks, only claims are listened to: a process that plays nothing does not wake up
/// for every stream of the machine.
// SAFETY: only touched with the main loop's lock held.
final class OtherProgramsMonitor: @unchecked Sendable {
    let directory: StreamDirectory
    private let connection: PulseConnection
    private let board: ClaimBoard
    /// What is listened to at all times.
    private var always: SubscriptionMask
    private let isPipeWire: Bool
    private let report: (HostEvent) -> Void
    private let policy: UserPolicy
    private let ducking: ForeignDucking?
    private let muter: StreamMuter
    /// Whether the streams of the command are to be silent for which a program holds the session; nil in any other
    /// program, where the session's state decides.
    private var isCommandSilent: Bool?
    private lazy var calls = ForeignCallWatch(
        directory: directory, policy: policy,
        participants: { [weak self] in self?.board.arbitration.participants ?? [] },
        newcomers: { [weak self] in self?.newcomers ?? [] }, report: report)
    private lazy var devices = DeviceWatch(
        directory: directory, uses: { [weak self] in self?.devicesInUse ?? [:] },
        muteInterrupts: { [weak self] in self?.muteInterrupts == true }, report: report)
    private(set) lazy var routes = RouteWatch(
        directory: directory, uses: { [weak self] in self?.devicesOfStreams ?? (nil, []) })
    private let ownStreams: () -> SessionStreams
    /// The settings of an activation that a call refused; nil once the app has been told that it may try again.
    private var refused: SessionSettings?
    /// How many threads wait for the whole picture.
    private var waiting = 0
    /// Whether there has been a whole picture since the listening began.
    private var hasPicture = false
    /// Whether a session was activated, and the streams are listened to as soon as the verdict on it is known.
    private var isAboutToListen = false
    /// The playback streams that started since then, until all streams are known.
    private var newcomers: Set<UInt32> = []
    /// What other processes say that they have lowered; those that are gone too, until somebody has taken over.
    private var ledgers: [UInt32: String] = [:]
    private(set) var isListening = false
    /// What the server had loaded when the listening began.
    private var modules: [Module] = []

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
        self.ownStreams = ownStreams
        // PulseAudio's own policy is watched through its effect on our streams.
        isPipeWire = server.isPipeWire
        always = server.isPipeWire ? .client : [.client, .sinkInput]
        directory = StreamDirectory(connection: connection)
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
        // Calls first: an app that is interrupted by one need not hear as well that there is other sound now.
        calls.onLook = { [weak self] in
            self?.endRefusal()
            // An end is found out by a timer, when nothing else changes any more.
            self?.silenceProcess()
        }
        calls.participantsChanged()
        devices.sessionChanged()
        routes.onNews = onRoute
        routes.happened(.devices)
        directory.onChange { [weak self] in self?.changed() }
        connection.sync { $0.subscribe(always) { _ in } }
    }

    // MARK: What happens

    /// All streams on the server, calls with the role of one.
    var streams: [ServerStream] {
        ForeignCallRules(policy: policy).naming(directory.streams, participants: board.arbitration.participants)
    }

    /// Something happened on the server.
    func received(_ event: SubscriptionEvent) {
        if event.facility == .sinkInput, event.change == .new, isListening || isAboutToListen, !isCurrent {
            newcomers.insert(event.index)
        }
        directory.received(event)
        if event.facility == .sinkInput { ducking?.streamsChanged() }
    }

    /// A client changed, or is gone if it has no properties.
    func clientChanged(_ client: UInt32, _ properties: PropertyList?) {
        guard let properties, client != board.id, ducking != nil else { return }
        let ledger = properties[Self.ledgerProperty]
        guard ledgers[client] != ledger else { return }
        ledgers[client] = ledger
        updateDucking()
    }

    /// Claims or verdicts changed: begins or stops to listen.
    func verdictsChanged() {
        let isDucking = board.arbitration.concernsStreamsOfOthers
        let isNeeded =
            board.claim.state != .idle || isDucking || waiting > 0 || isCommandSilent == true
            || ducking?.isIdle == false
        if isNeeded != isListening { isNeeded ? startListening() : stopListening() }
        calls.participantsChanged()
        silenceProcess()
        updateDucking()
    }

    /// The session is active: what runs now, it knew of; what begins when the app has heard of it is news.
    func sessionActivated() {
        calls.sessionActivated()
        forgetRefusal()
        // Not while the claim is negotiated, whose answers would come behind all that: it begins with the verdict.
        if !isListening { board.isDeciding ? prepareToListen() : startListening() }
        routes.sessionActivated()
    }

    /// Whether calls that only ring leave the session alone.
    var ignoresRinging: Bool {
        get { calls.ignoresRinging }
        set { calls.ignoresRinging = newValue }
    }

    // MARK: The whole picture

    /// Asks for the whole picture, whatever the session does, or says that it is not needed any more; once for each.
    func setAwaited(_ awaited: Bool) {
        waiting = max(0, waiting + (awaited ? 1 : -1))
        verdictsChanged()
    }

    /// Whether everything on the server is known.
    var isCurrent: Bool { directory.state == .current }

    /// Who keeps sessions that record from being activated; nil if nobody does.
    var blocksInput: InterruptionOrigin? { calls.blocksInput }

    /// Tells streams that begin until then from those that were there.
    private func prepareToListen() {
        guard !isAboutToListen else { return }
        isAboutToListen = true
        if !always.contains(.sinkInput) { connection.sync { $0.subscribe(always.union(.sinkInput)) { _ in } } }
    }

    private func startListening() {
        isAboutToListen = false
        isListening = true
        hasPicture = false
        connection.sync { connection in
            connection.subscribe(always.union(Self.whileNeeded)) { _ in }
            connection.modules { [weak self] result in
                if case .success(let modules) = result { self?.modules = modules }
            }
        }
        // Answered after the modules, so that these are known with the first picture.
        directory.start()
    }

    private func stopListening() {
        (isListening, isAboutToListen) = (false, false)
        hasPicture = false
        newcomers = []
        connection.sync { $0.subscribe(always) { _ in } }
        directory.stop()
        connection.mainloop.signal()
        board.noteForeignMainSound(false, isNews: false)
        devices.sessionChanged()
    }

    /// Has the ends of streams told, whatever the session does.
    func listenToStreams() {
        guard !always.contains(.sinkInput) else { return }
        always.insert(.sinkInput)
        connection.sync { $0.subscribe(isListening ? always.union(Self.whileNeeded) : always) { _ in } }
    }

    /// The sinks and sources of our streams, and whether sound runs there.
    private var devicesInUse: [Device: Bool] {
        var uses: [Device: Bool] = [:]
        for input in directory.sinkInputs.values where input.client == board.id {
            guard let sink = input.sink else { continue }
            uses[Device(.playback, sink)] = !input.isCorked || uses[Device(.playback, sink)] == true
        }
        for output in recordings {
            guard let source = output.source else { continue }
            uses[Device(.capture, source)] = !output.isCorked || uses[Device(.capture, source)] == true
        }
        return uses
    }

    /// Our streams that record.
    private var recordings: [SourceOutput] {
        let clients = [board.id] + ownStreams().captureClients
        return directory.sourceOutputs.values.filter { $0.client != nil && clients.contains($0.client) }
    }

    /// Where our streams are.
    private var devicesOfStreams: (sink: UInt32?, sources: [UInt32]) {
        let own = ownStreams()
        let (stream, sink) = (own.output, own.sink)
        let playing = directory.sinkInputs.values.first { $0.client == board.id && $0.index == stream ?? $0.index }
        let recording = recordings.sorted { $0.index < $1.index }
        // PipeWire does not say where a corked stream is, or where it was once, and tells nobody when the default takes
        // it along.
        let isVague = isPipeWire && playing?.isCorked == true
        return (playing.flatMap { isVague ? sink : $0.sink ?? sink }, recording.map { $0.source ?? .max })
    }

    private var muteInterrupts: Bool {
        let settings = board.claim.settings
        return settings.category == .record && !settings.options.contains(.overrideMutedMicrophoneInterruption)
    }

    private func changed() {
        // Threads may wait for the whole picture.
        connection.mainloop.signal()
        let participants = board.arbitration.participants
        let isHeard = directory.streams.contains {
            $0.isMainSound && $0.participant(among: participants) == nil
        }
        // What is found at the first look stood there when the session was activated.
        board.noteForeignMainSound(isHeard, isNews: hasPicture)
        hasPicture = directory.state == .current
        if hasPicture { newcomers = [] }
        silenceProcess()
        updateDucking()
        if ducking?.isIdle == true, board.claim.state == .idle { verdictsChanged() }
        // An activation may wait for the whole picture.
        connection.mainloop.signal()
    }

    // MARK: Refusals

    /// Listens to all programs after a call has refused an activation (S38), until none would.
    func sessionRefused(_ settings: SessionSettings) {
        if refused == nil { setAwaited(true) }
        refused = settings
        // It may have ended since it was asked.
        endRefusal()
    }

    /// Ends that: the app has what it wanted.
    private func forgetRefusal() {
        guard refused != nil else { return }
        refused = nil
        setAwaited(false)
    }

    /// Reports, once, that no call of anybody would refuse the activation any more.
    private func endRefusal() {
        guard let settings = refused, isCurrent, !board.isDeciding, blocksInput == nil else { return }
        let ticket = ClaimOrder.nextTicket(after: board.table.claims)
        guard board.refusal(of: board.claim.activating(with: settings, ticket: ticket)) == nil else { return }
        forgetRefusal()
        report(.refusalEnded)
    }

    // MARK: Ducking

    /// Silences the streams of the command for which this program holds the session, or lets them be heard.
    func silenceCommand(_ isSilent: Bool) {
        isCommandSilent = isSilent
        verdictsChanged()
    }

    /// Whether all streams of the command are heard again, as far as this process has to do with it.
    var isCommandReleased: Bool {
        !board.claim.isProcessSilent && board.isEchoed && ducking?.isIdle != false && muter.isIdle
    }

    /// Has the streams silenced that the session cannot stop itself, for as long as it is not to be heard.
    ///
    /// Once begun it is kept until then: what comes and goes should not be told to everybody each time.
    private func silenceProcess() {
        // What is said while a claim is pending may be void after it, and this is asked again.
        guard let id = board.id, !board.isDeciding else { return }
        let (arbitration, claim) = (board.arbitration, board.claim)
        let isSilent: Bool
        if let isCommandSilent {
            // As soon as the session is active again, so that nothing is silenced anew before that is said.
            isSilent = isCommandSilent && claim.state != .active || arbitration.verdict(on: id).isMutedByRecording
        } else {
            isSilent = arbitration.silencesProcess(of: id) || claim.state == .interrupted && calls.isInterrupting
        }
        let wanted = isSilent && (claim.isProcessSilent || !unmanagedStreams.isEmpty)
        if wanted != claim.isProcessSilent { board.apply(.process(isSilent: wanted)) }
    }

    /// The streams that belong to this session and that it cannot stop itself.
    private var unmanagedStreams: [ServerStream] {
        let participants = board.arbitration.participants
        return directory.streams.filter { stream in
            stream.unmanagedStreamOwner(among: participants).map { $0.id == board.id } ?? false
        }
    }

    /// Whether streams of other programs can be lowered from here.
    var canDuck: Bool { ducking?.isAble == true }

    private func updateDucking() {
        // Half a picture would give back what is to stay lowered.
        guard directory.state == .current || !isListening, !ProcessExitDelay.isOver else { return }
        if let ducking { update(ducking) }
        muter.update(
            board.claim.isProcessSilent ? unmanagedStreams : nil,
            isAnybodyAble: executor(of: board.arbitration.participants) != nil
        ) { [ducking] in ducking?.isWrittenDown($0) == true }
    }

    private func update(_ ducking: ForeignDucking) {
        let sink = directory.defaultSink.flatMap { name in directory.sinks.values.first { $0.name == name }?.index }
        let wasIdle = ducking.isIdle
        ducking.update(
            ForeignDucking.Situation(
                streams: streams, arbitration: board.arbitration, own: board.id, defaultSink: sink,
                ledgers: ledgers,
                isLeftToServer: DuckServerPolicy.isPresent(modules: modules, sinks: Array(directory.sinks.values))))
        let present = board.table.rows
        ledgers = ledgers.filter { present[$0.key] != nil || !ducking.isSettled($0.key) }
        if !wasIdle || !ducking.isIdle, !board.arbitration.concernsStreamsOfOthers {
            // A program that ends here should not leave it to another one to give back what it had lowered, or what it
            // has just taken over from one that was killed.
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
