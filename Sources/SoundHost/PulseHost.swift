internal import AudioRealtime
internal import PulseClient
package import SessionPolicy

/// The session's sound on a PulseAudio or PipeWire server: one connection, one output stream, and what records.
///
/// Methods that throw block the caller until the server has answered, for at most two seconds; they must not be called
/// from an event handler. Events come on the main loop's thread with its lock held.
// SAFETY: everything mutable is only touched with the main loop's lock held.
package final class PulseHost: @unchecked Sendable {
    private let mainloop = Mainloop()
    private let events: @Sendable (HostEvent) -> Void
    private let server: String?
    private var connection: PulseConnection?
    private var watch: ServerPolicyWatch?
    private var output: OutputMix?
    /// Whether a thread waits for the output to be made; the lock is not held meanwhile.
    private var isOpeningOutput = false
    private var captures: [ObjectIdentifier: Capture] = [:]
    private var isOutputRunning = false
    private var isReportedRunning = false
    private var isPipeWire = false
    private var connector: PulseConnector?

    /// A host without a connection; its thread starts.
    ///
    /// - Parameters:
    ///   - server: An address; nil looks where every client looks.
    ///   - events: Told of everything that the policy must know, with the main loop's lock held.
    package init(server: String? = nil, events: @escaping @Sendable (HostEvent) -> Void) {
        self.server = server
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

    /// Connects to the server, if that has not happened yet.
    package func open() throws(SessionError) {
        try asSession { () throws(PulseError) in
            try mainloop.withLock { () throws(PulseError) in
                if let connection, connection.sync({ $0.state == .ready }) { return }
                try connect()
            }
        }
    }

    private func connect() throws(PulseError) {
        let identity = AppIdentity.current
        let connection = PulseConnection(
            name: identity.name, properties: identity.clientProperties, mainloop: mainloop)
        try connection.sync { connection throws(PulseError) in
            try connection.connectAndWait(to: server, timeout: .milliseconds(1500))
            let info = try connection.answerAndWait("pa_context_get_server_info") {
                connection.serverInfo(completion: $0)
            }
            isPipeWire = info.isPipeWire
        }
        adopt(connection)
    }

    /// Makes a ready connection ours.
    private func adopt(_ connection: PulseConnection) {
        self.connection = connection
        let watch = ServerPolicyWatch(connection: connection) { [weak self] in self?.events($0) }
        self.watch = watch
        connection.sync { connection in
            connection.setHandlers(
                state: { [weak self] _, state in
                    if case .failed = state { self?.connectionLost() }
                },
                event: { [weak self] _, event in
                    if event.facility == .sinkInput { self?.watch?.sinkInputChanged(event) }
                })
            if !isPipeWire { connection.subscribe(.sinkInput) { _ in } }
        }
    }

    private func connectionLost() {
        connection = nil
        watch = nil
        output = nil
        captures = [:]
        events(.servicesLost)
        awaitServer()
    }

    /// Tries to connect again, with growing pauses, for as long as it takes.
    private func awaitServer() {
        let identity = AppIdentity.current
        let connector = PulseConnector(
            name: identity.name, properties: identity.clientProperties, server: server, mainloop: mainloop)
        self.connector = connector
        connector.sync { connector in
            connector.start(ready: { [weak self] _, connection in self?.serverReturned(connection) })
        }
    }

    private func serverReturned(_ connection: PulseConnection) {
        connector = nil
        connection.sync { connection in
            connection.serverInfo { [weak self] result in
                guard let self else { return }
                // It may be gone again already.
                guard case .success(let info) = result else { return self.awaitServer() }
                self.isPipeWire = info.isPipeWire
                self.adopt(connection)
                self.events(.servicesReset)
            }
        }
    }

    private func asSession<T>(_ body: () throws(PulseError) -> T) throws(SessionError) -> T {
        do throws(PulseError) { return try body() } catch { throw SessionError(error) }
    }

    private func readyConnection() throws(PulseError) -> PulseConnection {
        guard let connection, connection.sync({ $0.state == .ready }) else {
            throw PulseError(.badState, in: "pa_context")
        }
        return connection
    }

    // MARK: Output

    /// The output stream with the given role; it is made, corked, if there is none.
    ///
    /// It runs at the default sink's rate and with its channels.
    package func openOutput(role: StreamRole?) throws(SessionError) -> OutputMix {
        try asSession { () throws(PulseError) in
            try mainloop.withLock { () throws(PulseError) in
                _ = mainloop.wait(timeout: .seconds(2)) { !isOpeningOutput }
                if let output, output.phase != .dead { return output }
                isOpeningOutput = true
                defer {
                    isOpeningOutput = false
                    mainloop.signal()
                }
                let connection = try readyConnection()
                let sink = AppIdentity.environment("PULSE_SINK")
                let info = try connection.sync { connection throws(PulseError) in
                    try connection.answerAndWait("pa_context_get_sink_info_by_name") {
                        connection.sink(named: sink ?? "@DEFAULT_SINK@", completion: $0)
                    }
                }
                let rate = info.spec.map { Int($0.rate) } ?? 48000
                let format = OutputMix.Format(rate: rate, channels: info.map.positions.map(Channel.init))
                return try makeOutput(on: connection, role: role, format: format, map: info.map)
            }
        }
    }

    private func makeOutput(
        on connection: PulseConnection, role: StreamRole?, format: OutputMix.Format, map: ChannelMap
    ) throws(PulseError) -> OutputMix {
        let stream = makeStream(on: connection, role: role, format: format, map: map)
        let mix = OutputMix(stream: stream, format: format, buffer: OutputBuffer())
        mix.mayStart = { [weak self] in self?.watch?.silencesStart() != true }
        mix.onRunning = { [weak self] in self?.outputRunning($0) }
        mix.onEvent = { [weak self, weak mix] event in
            guard let mix else { return }
            self?.outputEvent(event, of: mix)
        }
        try open(mix)
        output = mix
        return mix
    }

    private func makeStream(
        on connection: PulseConnection, role: StreamRole?, format: OutputMix.Format, map: ChannelMap
    ) -> PlaybackStream {
        let identity = AppIdentity.current
        let spec = SampleSpec(format: .float32, rate: UInt32(format.rate), channels: UInt8(format.channels.count))
        return PlaybackStream(
            connection: connection, name: identity.name, spec: spec, map: map,
            properties: identity.streamProperties(role: role, name: identity.name))
    }

    private func open(_ mix: OutputMix) throws(PulseError) {
        try mix.open(sink: AppIdentity.environment("PULSE_SINK"))
        _ = mainloop.wait(timeout: .milliseconds(1500)) { mix.phase != .opening }
        switch mix.phase {
        case .opening:
            mix.close()
            throw PulseError(.timeout, in: "pa_stream_connect_playback")
        case .dead:
            if case .failed(let error) = mix.stream.sync({ $0.state }) { throw error }
            throw PulseError(.unknown, in: "pa_stream_connect_playback")
        case .corked, .running, .settling: break
        }
    }

    private func outputEvent(_ event: StreamEvent, of mix: OutputMix) {
        switch event {
        case .stateChanged(.ready):
            guard !isPipeWire, let watch else { return mix.becameReady() }
            watch.streamAppeared(mix.stream.sync { $0.index }) { [weak mix] in mix?.becameReady() }
        case .stateChanged(.failed(let error)):
            if output === mix { output = nil }
            watch?.streamDisappeared()
            mainloop.signal()
            // Killed from a mixer. A lost connection is told by the connection.
            if error.code == .killed { events(.interruptionBegan(.streamKilled)) }
        case .stateChanged(.closed): watch?.streamDisappeared()
        case .moved: watch?.streamMoved()
        case .server(let name): watch?.streamAsked(name)
        default: break
        }
    }

    /// Makes the output stream anew with another role; what plays goes on at the same frame.
    package func replaceOutput(role: StreamRole?) throws(SessionError) {
        try asSession { () throws(PulseError) in
            try mainloop.withLock { () throws(PulseError) in
                guard let output, output.phase != .dead else { return }
                let running = output.runningVoices
                output.silence()
                _ = mainloop.wait(timeout: .milliseconds(500)) { output.isSettled }
                let map = ChannelMap(output.format.channels.map(ChannelMap.Position.init))
                watch?.streamDisappeared()
                output.replaceStream(
                    makeStream(on: try readyConnection(), role: role, format: output.format, map: map))
                try open(output)
                for voice in running { _ = output.play(voice) }
            }
        }
    }

    // MARK: Input

    /// Whether the server has a source to record from.
    package func hasInput() throws(SessionError) -> Bool {
        try asSession { () throws(PulseError) in
            try mainloop.withLock { () throws(PulseError) in
                try readyConnection().sync { connection throws(PulseError) in
                    try !connection.answerAndWait("pa_context_get_source_info_list") {
                        connection.sources(completion: $0)
                    }.isEmpty
                }
            }
        }
    }

    /// The sources of the server.
    package func inputs() throws(SessionError) -> [InputDevice] {
        try asSession { () throws(PulseError) in
            try mainloop.withLock { () throws(PulseError) in
                try readyConnection().sync { connection throws(PulseError) in
                    let info = try connection.answerAndWait("pa_context_get_server_info") {
                        connection.serverInfo(completion: $0)
                    }
                    let name = AppIdentity.environment("PULSE_SOURCE") ?? info.defaultSource
                    return try connection.answerAndWait("pa_context_get_source_info_list") {
                        connection.sources(completion: $0)
                    }.map { InputDevice($0, isDefault: $0.name == name) }
                }
            }
        }
    }

    /// Makes a stream that records, corked; hand it to ``Capture/resume()``.
    package func openCapture(_ request: CaptureRequest, handlers: Capture.Handlers) throws(SessionError) -> Capture {
        try asSession { () throws(PulseError) in
            try mainloop.withLock { () throws(PulseError) in
                let capture = try Capture(request, on: readyConnection(), handlers: handlers)
                capture.onRunning = { [weak self] in self?.reportRunning() }
                capture.onEnd = { [weak self, weak capture] in
                    guard let self, let capture else { return }
                    self.captures[ObjectIdentifier(capture)] = nil
                    self.reportRunning()
                }
                try capture.open()
                captures[ObjectIdentifier(capture)] = capture
                return capture
            }
        }
    }

    // MARK: Everything

    /// Pauses all voices and captures at once.
    package func stopIO() {
        mainloop.withLock {
            output?.silence(interrupting: true)
            for capture in captures.values { capture.interrupt() }
        }
    }

    /// Releases the output stream; captures end with their recorders.
    package func closeIO() {
        mainloop.withLock {
            output?.silence()
            guard let old = output else { return }
            output = nil
            // Positions must be exact before the stream that knows them goes away.
            if !mainloop.isOnLoop { _ = mainloop.wait(timeout: .milliseconds(250)) { old.isSettled } }
            old.close()
        }
    }

    private func outputRunning(_ running: Bool) {
        isOutputRunning = running
        reportRunning()
    }

    private func reportRunning() {
        let running = isOutputRunning || captures.values.contains { $0.isRunning }
        guard running != isReportedRunning else { return }
        isReportedRunning = running
        events(running ? .ioStarted : .ioStopped)
    }
}

extension SessionError {
    /// A failed call to the server, in the session's words.
    init(_ error: PulseError) {
        switch error.code {
        case .noSuchEntity: self.init(.resourceNotAvailable, "No such device: \(error)")
        default: self.init(.mediaServicesFailed, "No sound server: \(error)")
        }
    }
}
