internal import AudioHost
internal import PulseClient
internal import SessionPolicy

/// The recordings of the session: makes their streams, moves them to other sources, and silences them.
///
/// Functions that throw block the caller until the server has answered, for 2 s at most unless they say otherwise.
// SAFETY: everything mutable is only touched with the main loop's lock held.
final class CaptureRouter: @unchecked Sendable {
    private let link: ServerLink
    private let board: ClaimBoard
    private let placement: DevicePlacement
    private let policy: UserPolicy
    /// The microphone permission; nil in tests, where permission is not checked.
    private let microphone: (any MicrophonePermission)?
    private let onRunning: () -> Void
    private var observesMicrophone = false
    private var captures: [ObjectIdentifier: Capture] = [:]
    /// The number of captures being opened; the lock is not held while the server is waited for.
    private var capturesToCome = 0
    /// Connections that each carry one capture.
    private var ownConnections: [PulseConnection] = []
    /// Whether recordings are silent, since the app muted its input.
    private var isMuted = false
    /// Whether captures must not run until the session is active again.
    private var isInterrupted = false
    private var mainloop: Mainloop { link.mainloop }

    /// - Parameters:
    ///   - link: The session's connection.
    ///   - board: The session's claim.
    ///   - placement: Decides on sources.
    ///   - policy: Says whether streams have roles.
    ///   - microphone: The microphone permission; nil does not ask.
    ///   - onRunning: Called when a capture begins or ends to run.
    init(
        link: ServerLink, board: ClaimBoard, placement: DevicePlacement, policy: UserPolicy,
        microphone: (any MicrophonePermission)?, onRunning: @escaping () -> Void
    ) {
        self.link = link
        self.board = board
        self.placement = placement
        self.policy = policy
        self.microphone = microphone
        self.onRunning = onRunning
    }

    // MARK: State

    /// Whether a recorder of the session takes sound in.
    var isRunning: Bool { captures.values.contains { $0.isRunning } }

    /// The clients that capture streams belong to, beside the session's own.
    var clients: [UInt32] { ownConnections.compactMap { $0.sync { $0.clientIndex } } }

    /// The source that some recording of the session comes from; nil without a recording.
    var source: String? { captures.values.lazy.compactMap(\.source).first }

    /// The capture that takes its sound from a source, for measurements.
    func capture(from source: String) -> Capture? { captures.values.first { $0.source == source } }

    /// A capture through which frames flow, for measurements.
    var flowing: Capture? { captures.values.first { $0.isFlowing } }

    // MARK: Opening

    /// Makes a stream that records, corked; hand it to ``Capture/resume(at:)``.
    ///
    /// Waits for 3.5 s at most.
    func open(_ request: CaptureRequest, handlers: Capture.Handlers) throws(SessionError) -> Capture {
        observePermission()
        return try link.request { () throws(PulseError) in
            let connection = try link.readyConnection()
            let input = try CaptureInput(request, on: connection)
            let source = if let own = input.source { own } else { try placement.sourceToOpen(on: connection) }
            capturesToCome += 1
            defer { capturesToCome -= 1 }
            let own = try connectionOfItsOwn()
            let capture: Capture
            do throws(PulseError) {
                capture = try openCapture(request, from: input, at: source, on: connection, own, handlers)
            } catch {
                close(own)
                throw error
            }
            // Not earlier: what changes while the stream is opened reaches only those that are listed.
            capture.setMuted(byApp: isMuted, byPermission: microphone?.isSilencing == true)
            captures[ObjectIdentifier(capture)] = capture
            return capture
        }
    }

    /// Makes a stream and opens it; up to ten times more where PipeWire refuses it with an input/output error.
    ///
    /// That is the answer of a session manager that knows a stream, and of no source for it yet.
    private func openCapture(
        _ request: CaptureRequest, from input: CaptureInput, at source: String?, on connection: PulseConnection,
        _ own: PulseConnection?, _ handlers: Capture.Handlers
    ) throws(PulseError) -> Capture {
        // Beside the session's own connection a stream has to say whose it is.
        let owner = own.map { _ in board.claim.owner }
        var flags: StreamFlags = [.startCorked, .adjustLatency]
        if input.map != nil { flags.insert(.noRemix) }
        var attempts = link.isPipeWire ? 11 : 1
        while true {
            let stream = try makeStream(for: request, from: input, on: own ?? connection, owner: owner)
            let capture = makeCapture(stream, for: request, from: input, on: own, handlers: handlers)
            do throws(PulseError) {
                try capture.open(source: source, flags: flags)
                return capture
            } catch {
                attempts -= 1
                guard error.code == .inputOutput, attempts > 0 else { throw error }
                mainloop.withLock { _ = mainloop.wait(timeout: .milliseconds(100)) { false } }
            }
        }
    }

    private func makeCapture(
        _ stream: RecordStream, for request: CaptureRequest, from input: CaptureInput, on own: PulseConnection?,
        handlers: Capture.Handlers
    ) -> Capture {
        let capture = Capture(stream, isPipeWire: link.isPipeWire, pace: request.pace, handlers: handlers)
        capture.role = request.role
        capture.home = input.source == placement.preferredInput ? nil : input.source
        capture.isSessionInterrupted = { [weak self] in self?.isInterrupted == true }
        capture.onRunning = { [weak self] in self?.onRunning() }
        capture.onEnd = { [weak self, weak capture] in
            guard let self, let capture else { return }
            captures[ObjectIdentifier(capture)] = nil
            close(own)
            onRunning()
        }
        return capture
    }

    /// Makes a connection for a capture beside others, also those to come; nil where one connection carries them all.
    ///
    /// PipeWire sends a stream's frames only if nothing else waits to be sent to the same client at that moment. Of
    /// several captures on one connection some are put off again and again, for a second or more, and may get nothing
    /// for ten.
    private func connectionOfItsOwn() throws(PulseError) -> PulseConnection? {
        guard link.isPipeWire, captures.count + capturesToCome > 1 else { return nil }
        let connection = PulseConnection(
            name: AppIdentity.current.name, properties: AppIdentity.current.clientProperties, mainloop: mainloop)
        ownConnections.append(connection)
        do throws(PulseError) {
            try connection.sync { connection throws(PulseError) in
                try connection.connectAndWait(to: link.server, timeout: .milliseconds(1500))
            }
            return connection
        } catch {
            close(connection)
            // A server that is full still takes streams, and frames that come late are better than none.
            guard error.code == .connectionTerminated else { throw error }
            return nil
        }
    }

    private func close(_ connection: PulseConnection?) {
        guard let connection else { return }
        connection.sync { $0.close() }
        ownConnections.removeAll { $0 === connection }
    }

    private func makeStream(
        for request: CaptureRequest, from input: CaptureInput, on connection: PulseConnection, owner: String?
    ) throws(PulseError) -> RecordStream {
        let format: SampleFormat
        switch request.format {
        case .int16: format = .int16
        case .int32: format = .int32
        case .float32: format = .float32
        }
        let identity = AppIdentity.current
        // A map of our own: libpulse knows none for seven channels, and orders six of them otherwise than files do.
        let channels = UInt8(clamping: request.channels)
        let places = request.places.isEmpty ? ChannelMap(wave: channels) : ChannelMap(request.places.map(\.position))
        let spec = SampleSpec(format: format, rate: UInt32(request.rate), channels: channels)
        guard spec.isValid else { throw PulseError(.invalidArgument, in: "pa_stream_new", explanation: "\(spec)") }
        let role = policy.setsRoles ? request.role : nil
        var properties = identity.streamProperties(role: role, name: identity.name)
        properties["avaudiosession.owner"] = owner
        // WirePlumber would begin the next recordings of the role, other programs' too, where the library moves this one.
        properties["state.restore-target"] = "false"
        switch request.processing {
        case .usual: break
        case .none: properties["filter.suppress"] = EchoCancellation.filter
        case .voice: properties["filter.want"] = EchoCancellation.filter
        }
        return RecordStream(
            connection: connection, name: identity.name,
            spec: spec, map: input.map ?? places, properties: properties)
    }

    // MARK: Changing

    /// Gives all recordings another role, without a hole: the same streams go on.
    ///
    /// A server that read it when a stream was made, as PulseAudio's Bluetooth policy does, looks again at the next one.
    func change(role: StreamRole?) {
        guard policy.setsRoles, let role else { return }
        for capture in captures.values where capture.role != role {
            capture.role = role
            capture.stream.sync { $0.updateProperties(["media.role": role.rawValue]) }
        }
    }

    /// Moves the recordings to another source; nil for the server's default.
    func move(to source: String?) {
        guard let connection = try? link.readyConnection() else { return }
        let isPreferred = source != nil && source == placement.preferredInput
        for capture in captures.values {
            // A capture with its own source only leaves it for the app's preferred one.
            let source = isPreferred ? source : capture.home ?? source
            guard capture.source != source, let index = capture.index else { continue }
            let moveBack = { connection.sync { $0.moveSourceOutput(at: index, to: "@DEFAULT_SOURCE@") } }
            capture.beforeEnd = {}
            if source != nil, !link.isPipeWire {
                capture.stream.sync { $0.updateProperties(AppIdentity.current.movedProperties) }
            }
            capture.move = CaptureMove(capture, at: index, to: source, on: connection, repeats: link.isPipeWire)
            guard let source else { continue }
            // WirePlumber 0.4 remembers the last source of every stream. A stream that another program moved meanwhile
            // stays where it is.
            capture.beforeEnd = { [weak capture] in if capture?.source == source { moveBack() } }
        }
    }

    /// Makes recordings silent, as the app muted its input, or ends that; recorders go on, and time passes for them.
    func setMuted(_ muted: Bool) {
        isMuted = muted
        applyHearing()
    }

    /// Pauses all captures that run: the session is not active any more.
    func stopRunning() { for capture in captures.values where capture.isRunning { capture.stop(interrupting: false) } }

    /// Pauses all captures at once; `interrupting` tells their owners that this was not the app's wish, and keeps others
    /// from running until ``sessionActivated()``.
    func stop(interrupting: Bool) {
        if interrupting { isInterrupted = true }
        for capture in captures.values { capture.stop(interrupting: interrupting) }
    }

    /// Lets captures run again after an interruption.
    func sessionActivated() { isInterrupted = false }

    /// Forgets all captures: their server is gone.
    func connectionLost() {
        captures = [:]
        for connection in ownConnections { connection.sync { $0.close() } }
        ownConnections = []
        isInterrupted = false
    }

    // MARK: Permission

    /// Observes the microphone permission from the first recording on: captures are silent whenever it is denied.
    ///
    /// Waits for the desktop's first word on that, so that the first frames of who may listen are sound.
    private func observePermission() {
        guard let microphone else { return }
        microphone.recordingBegins()
        let isNew = mainloop.withLock { () -> Bool in
            defer { observesMicrophone = true }
            return !observesMicrophone
        }
        guard isNew else { return }
        microphone.observe { [weak self] in
            guard let self else { return }
            // With the lock held, so that of two changes the later one stays.
            mainloop.withLock { applyHearing() }
        }
    }

    private func applyHearing() {
        let isDenied = microphone?.isSilencing == true
        for capture in captures.values { capture.setMuted(byApp: isMuted, byPermission: isDenied) }
    }

    // MARK: Inputs

    /// Whether the server has a source to record from.
    func hasInput(until deadline: AnswerDeadline) throws(SessionError) -> Bool {
        try link.request { () throws(PulseError) in
            try link.readyConnection().sync { connection throws(PulseError) in
                try !connection.answerAndWait("pa_context_get_source_info_list", timeout: deadline.remaining) {
                    connection.sources(completion: $0)
                }.isEmpty
            }
        }
    }

    /// The sources of the server.
    func inputs() throws(SessionError) -> [InputDevice] {
        let deadline = AnswerDeadline()
        return try link.request { () throws(PulseError) in
            let connection = try link.readyConnection()
            let wanted = try placement.sourceToOpen(on: connection, until: deadline)
            return try connection.sync { connection throws(PulseError) in
                let info = try connection.answerAndWait("pa_context_get_server_info", timeout: deadline.remaining) {
                    connection.serverInfo(completion: $0)
                }
                let name = wanted ?? AppIdentity.environment("PULSE_SOURCE") ?? info.defaultSource
                return try connection.answerAndWait("pa_context_get_source_info_list", timeout: deadline.remaining) {
                    connection.sources(completion: $0)
                }.map { InputDevice($0, isDefault: $0.name == name) }
            }
        }
    }

    /// Whether the server can take the echo of what is played out of a microphone's sound.
    func canCancelEcho() throws(SessionError) -> Bool {
        let deadline = AnswerDeadline()
        return try link.request { () throws(PulseError) in
            let connection = try link.readyConnection()
            let (modules, sources) = try connection.sync { connection throws(PulseError) in
                (
                    try connection.answerAndWait("pa_context_get_module_info_list", timeout: deadline.remaining) {
                        connection.modules(completion: $0)
                    },
                    try connection.answerAndWait("pa_context_get_source_info_list", timeout: deadline.remaining) {
                        connection.sources(completion: $0)
                    }
                )
            }
            return sources.contains(where: EchoCancellation.isSource)
                || modules.contains { $0.name == EchoCancellation.loader }
        }
    }

    /// Whether a capture of the session takes its sound from a source without echo.
    func isEchoCancelled() throws(SessionError) -> Bool {
        try link.request { () throws(PulseError) in
            let names = Set(captures.values.compactMap(\.source))
            guard !names.isEmpty else { return false }
            return try link.readyConnection().sync { connection throws(PulseError) in
                try connection.answerAndWait("pa_context_get_source_info_list") {
                    connection.sources(completion: $0)
                }.contains { names.contains($0.name) && EchoCancellation.isSource($0) }
            }
        }
    }
}
