package import AudioHost
internal import PulseClient
package import SessionPolicy

extension PulseHost {
    /// Whether the server has a source to record from.
    package func hasInput() throws(SessionError) -> Bool {
        try request { () throws(PulseError) in
            try readyConnection().sync { connection throws(PulseError) in
                try !connection.answerAndWait("pa_context_get_source_info_list") {
                    connection.sources(completion: $0)
                }.isEmpty
            }
        }
    }

    /// The sources of the server.
    package func inputs() throws(SessionError) -> [InputDevice] {
        let end = Self.endOfPatience
        return try request { () throws(PulseError) in
            let connection = try readyConnection()
            let wanted = try sourceToOpen(on: connection, until: end)
            return try connection.sync { connection throws(PulseError) in
                let info = try connection.answerAndWait("pa_context_get_server_info", timeout: Self.rest(until: end)) {
                    connection.serverInfo(completion: $0)
                }
                let name = wanted ?? AppIdentity.environment("PULSE_SOURCE") ?? info.defaultSource
                return try connection.answerAndWait("pa_context_get_source_info_list", timeout: Self.rest(until: end)) {
                    connection.sources(completion: $0)
                }.map { InputDevice($0, isDefault: $0.name == name) }
            }
        }
    }

    /// Makes a stream that records, corked; hand it to ``Capture/resume(at:)``.
    package func openCapture(
        _ request: CaptureRequest, handlers: Capture.Handlers
    ) throws(SessionError) -> Capture {
        meetPermission()
        return try self.request { () throws(PulseError) in
            let connection = try readyConnection()
            let input = try CaptureInput(request, on: connection)
            let source = if let own = input.source { own } else { try sourceToOpen(on: connection) }
            capturesToCome += 1
            defer { capturesToCome -= 1 }
            let own = try connectionOfItsOwn()
            // Beside the session's own connection a stream has to say whose it is.
            let owner = own.map { _ in board.claim.owner }
            let stream = try makeStream(for: request, from: input, on: own ?? connection, owner: owner)
            let capture = Capture(
                stream, isPipeWire: isPipeWire, pace: request.pace, handlers: handlers)
            capture.role = request.role
            capture.home = input.source == preferredInput ? nil : input.source
            capture.isSessionInterrupted = { [weak self] in self?.isHeldBack == true }
            capture.onRunning = { [weak self] in self?.reportRunning() }
            capture.onEnd = { [weak self, weak capture] in
                guard let self, let capture else { return }
                self.captures[ObjectIdentifier(capture)] = nil
                self.close(own)
                self.reportRunning()
            }
            var flags: StreamFlags = [.startCorked, .adjustLatency]
            if input.map != nil { flags.insert(.noRemix) }
            do throws(PulseError) {
                try capture.open(source: source, flags: flags)
            } catch {
                close(own)
                throw error
            }
            // Not earlier: what changes while the stream is opened reaches only those that are listed.
            capture.setMuted(byApp: isInputMuted, byPermission: microphone?.isSilencing == true)
            captures[ObjectIdentifier(capture)] = capture
            return capture
        }
    }

    /// Gives all that records another role, without a hole: the same streams go on.
    ///
    /// A server that read it when a stream was made, as PulseAudio's Bluetooth policy does, looks again at the next
    /// one.
    package func changeCaptures(role: StreamRole?) {
        guard policy.setsRoles, let role else { return }
        mainloop.withLock {
            for capture in captures.values where capture.role != role {
                capture.role = role
                capture.stream.sync { $0.updateProperties(["media.role": role.rawValue]) }
            }
        }
    }

    /// A connection for a capture beside others, also those to come; nil where one connection carries them all.
    ///
    /// PipeWire sends a stream's frames only if nothing else waits to be sent to the same client at that moment. Of
    /// several captures on one connection some are put off again and again, for a second or more, and may get nothing
    /// for ten.
    private func connectionOfItsOwn() throws(PulseError) -> PulseConnection? {
        guard isPipeWire, captures.count + capturesToCome > 1 else { return nil }
        let connection = PulseConnection(
            name: AppIdentity.current.name, properties: AppIdentity.current.clientProperties, mainloop: mainloop)
        captureConnections.append(connection)
        do throws(PulseError) {
            try connection.sync { connection throws(PulseError) in
                try connection.connectAndWait(to: server, timeout: .milliseconds(1500))
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
        captureConnections.removeAll { $0 === connection }
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
        switch request.processing {
        case .usual: break
        case .none: properties["filter.suppress"] = EchoCancellation.filter
        case .voice: properties["filter.want"] = EchoCancellation.filter
        }
        return RecordStream(
            connection: connection, name: identity.name,
            spec: spec, map: input.map ?? places, properties: properties)
    }

    /// Whether the server can take the echo of what is played out of a microphone's sound.
    package func canCancelEcho() throws(SessionError) -> Bool {
        let end = Self.endOfPatience
        return try request { () throws(PulseError) in
            let connection = try readyConnection()
            let (modules, sources) = try connection.sync { connection throws(PulseError) in
                (
                    try connection.answerAndWait("pa_context_get_module_info_list", timeout: Self.rest(until: end)) {
                        connection.modules(completion: $0)
                    },
                    try connection.answerAndWait("pa_context_get_source_info_list", timeout: Self.rest(until: end)) {
                        connection.sources(completion: $0)
                    }
                )
            }
            return sources.contains(where: EchoCancellation.isSource)
                || modules.contains { $0.name == EchoCancellation.loader }
        }
    }

    /// Whether a capture of the session takes its sound from a source without echo.
    package func isEchoCancelled() throws(SessionError) -> Bool {
        try request { () throws(PulseError) in
            let names = Set(captures.values.compactMap(\.source))
            guard !names.isEmpty else { return false }
            return try readyConnection().sync { connection throws(PulseError) in
                try connection.answerAndWait("pa_context_get_source_info_list") {
                    connection.sources(completion: $0)
                }.contains { names.contains($0.name) && EchoCancellation.isSource($0) }
            }
        }
    }
}
