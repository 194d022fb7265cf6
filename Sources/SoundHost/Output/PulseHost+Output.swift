internal import AudioHost
internal import PulseClient
package import SessionPolicy

extension PulseHost {
    /// The output stream with the given role; it is made, corked, if there is none, and made anew if it has another
    /// role.
    ///
    /// It runs at the sink's rate and with its channels, unless the app wished for others.
    ///
    /// - Parameters:
    ///   - role: What servers are told of the sound.
    ///   - sink: One of several that are played on at once; nil for the one that everything else goes to.
    package func openOutput(role: StreamRole?, on sink: String? = nil) throws(SessionError) -> OutputMix {
        let mix = try beginOutput(role: role, on: sink)
        try awaitOutput(mix)
        return mix
    }

    /// The same, but its stream may still be on its way: voices can be made for it meanwhile, and are played after
    /// ``awaitOutput(_:)``.
    ///
    /// What is to be on one sink of several has a stream of its own beside the main one, which others follow.
    ///
    /// `isAssigned` says that channels of the sink are meant one by one: an output that was moved there, with the
    /// channels of another one, gets a stream with those of this one.
    package func beginOutput(
        role: StreamRole?, on sink: String? = nil, isAssigned: Bool = false
    ) throws(SessionError) -> OutputMix {
        try request { () throws(PulseError) in
            // The lock is released while the server is asked: one thread at a time.
            _ = mainloop.wait(timeout: .seconds(2)) { !isOpeningOutput }
            isOpeningOutput = true
            defer {
                isOpeningOutput = false
                mainloop.signal()
            }
            let main = try beginMain(role: role, isAssigned: isAssigned && sink == nil)
            guard let sink else { return main }
            try awaitStream(of: main)
            // Also where the main one is there now: that goes where the user sends everything, and this is to stay.
            return try openSide(role: role, on: sink)
        }
    }

    /// Waits until the stream of an output stands; throws if it could not be made.
    package func awaitOutput(_ mix: OutputMix) throws(SessionError) {
        try request { () throws(PulseError) in try awaitStream(of: mix) }
    }

    private func beginMain(role: StreamRole?, isAssigned: Bool) throws(PulseError) -> OutputMix {
        guard let output, output.phase != .dead else { return try makeOutput(role: role) }
        let isRight = try role == outputRole ? isPlaced(output) : false
        let other = isAssigned ? try otherPlace(of: output) : nil
        if !isRight || other != nil {
            try awaitStream(of: output)
            try replaceStream(of: output, role: role, on: other)
        }
        return output
    }

    /// The sink that an output is to be on, and what its stream takes there, if it has not the channels of that.
    private func otherPlace(of output: OutputMix) throws(PulseError) -> (sink: String?, format: OutputMix.Format)? {
        try awaitStream(of: output)
        let connection = try readyConnection()
        var sink = try sinkToOpen(on: connection)
        var info = try sinkInfo(sink, on: connection)
        if sink == nil, let device = output.deviceName, device != info.name {
            // Somebody has moved it in a mixer.
            sink = device
            info = try sinkInfo(device, on: connection)
        }
        let format = OutputMix.Format(rate: output.format.rate, positions: outputChannels(on: info.map.positions))
        return format == output.format ? nil : (sink, format)
    }

    /// Whether an output is where it is to be: nobody moves one that was made before the session was watched.
    private func isPlaced(_ output: OutputMix) throws(PulseError) -> Bool {
        guard surroundings?.routes.route == nil, mayChooseSink,
            let sink = try sinkToOpen(on: readyConnection())
        else { return true }
        return (output.requestedSink ?? output.deviceName) == sink
    }

    /// Gives the output stream, if there is one, another role; what plays goes on at the same frame.
    ///
    /// Where the new stream cannot be had the sound is over as if somebody had killed it, and so it is told.
    package func changeOutput(role: StreamRole?) throws(SessionError) {
        guard let mix = withLock({ output }) else { return }
        do { _ = try openOutput(role: role) } catch {
            withLock { if mix.phase == .dead { ended(mix.voicesLostWithStream) } }
            throw error
        }
    }

    /// Voices have lost their stream, and were not paused by anybody; with the lock held.
    private func ended(_ voices: [OutputVoice]) {
        // A lost connection is told by itself.
        guard !voices.isEmpty, (try? readyConnection()) != nil else { return }
        for voice in voices { voice.onInterrupted() }
        // Not in the middle of what the caller does with the session.
        let timer = MainloopTimer(mainloop: mainloop) { [weak self] in
            self?.endingTimer = nil
            self?.events(.interruptionBegan(.streamKilled))
        }
        timer.start(after: .zero)
        endingTimer = timer
    }

    /// The output that there is, its stream maybe still on its way.
    package var currentOutput: OutputMix? { withLock { output.flatMap { $0.phase == .dead ? nil : $0 } } }

    /// The time of the output in seconds, see ``OutputMix/deviceTime``; it goes on while there is none, and is 0 before
    /// the first.
    package var deviceTime: Double { withLock { output?.deviceTime ?? restingClock?.now(heard: 0) ?? 0 } }

    /// Pauses all voices at once.
    package func stopOutput() { withLock { for output in allOutputs { output.silence() } } }

    /// How often the server ran out of data since the output was made.
    package var outputUnderruns: Int { withLock { output?.underruns ?? 0 } }

    /// An output whose stream is on its way.
    private func makeOutput(role: StreamRole?) throws(PulseError) -> OutputMix {
        let connection = try readyConnection()
        let sink = try sinkToOpen(on: connection)
        let mix = makeMix(on: connection, for: try sinkInfo(sink, on: connection), role: role)
        try open(mix, on: sink, role: role)
        return mix
    }

    private func open(_ mix: OutputMix, on sink: String? = nil, role: StreamRole?) throws(PulseError) {
        mix.handlers.mayStart = { [weak self] in self?.watch?.silencesStart() != true }
        mix.handlers.onEvent = { [weak self, weak mix] event in
            guard let mix else { return }
            self?.outputEvent(event, of: mix)
        }
        if let clock = output?.clock ?? restingClock { mix.clock = OutputClock(rate: mix.format.rate, after: clock) }
        try mix.open(sink: sink)
        (output, outputRole) = (mix, role)
    }

    /// A mix for a sink, whose stream is still to be opened.
    func makeMix(on connection: PulseConnection, for sink: Sink, role: StreamRole?) -> OutputMix {
        let format = OutputMix.Format(
            rate: devicePreferences.streamRate(on: sink.spec.map { Int($0.rate) } ?? 48000),
            positions: outputChannels(on: sink.map.positions))
        let stream = makeStream(on: connection, role: role, format: format)
        let mix = OutputMix(stream: stream, format: format, buffer: outputBuffer)
        outputsMade += 1
        mix.number = outputsMade
        mix.handlers.isSessionInterrupted = { [weak self] in self?.isHeldBack == true }
        mix.handlers.onRunning = { [weak self] _ in self?.reportRunning() }
        mix.setGain(outputGain, seconds: 0)
        return mix
    }

    /// What the server says of a sink; nil for the default one.
    func sinkInfo(_ name: String?, on connection: PulseConnection) throws(PulseError) -> Sink {
        try connection.sync { connection throws(PulseError) in
            try connection.answerAndWait("pa_context_get_sink_info_by_name") {
                connection.sink(named: name ?? "@DEFAULT_SINK@", completion: $0)
            }
        }
    }

    /// Servers read a role when a stream is made, so another role is another stream.
    private func replaceStream(
        of output: OutputMix, role: StreamRole?, on other: (sink: String?, format: OutputMix.Format)? = nil
    ) throws(PulseError) {
        output.awaitReplacement()
        // Nobody waits for a stream that could not be had.
        defer { output.keepStream() }
        _ = mainloop.wait(timeout: .milliseconds(500)) { output.isSettled }
        watch?.streamDisappeared()
        let connection = try readyConnection()
        let sink = if let other { other.sink } else { try sinkToOpen(on: connection) }
        let format = other?.format ?? output.format
        output.replaceStream(makeStream(on: connection, role: role, format: format), format: format)
        try openStream(of: output, on: sink)
        outputRole = role
    }

    func makeStream(
        on connection: PulseConnection, role: StreamRole?, format: OutputMix.Format
    ) -> PlaybackStream {
        let identity = AppIdentity.current
        var properties = identity.streamProperties(role: policy.setsRoles ? role : nil, name: identity.name)
        // PipeWire's graph may follow one stream's wish, and forgets it with the stream.
        if devicePreferences.sampleRate > 0 { properties["node.rate"] = "1/\(format.rate)" }
        return PlaybackStream(
            connection: connection, name: identity.name, spec: format.spec,
            map: ChannelMap(format.positions), properties: properties)
    }

    /// Opens a mix' stream, and waits until it stands.
    func openStream(of mix: OutputMix, on sink: String?) throws(PulseError) {
        try mix.open(sink: sink)
        try awaitStream(of: mix)
    }

    private func awaitStream(of mix: OutputMix) throws(PulseError) {
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
            (outputStream, outputSink) = mix.stream.sync { ($0.index, $0.device?.index) }
            // It may have taken another one's place, on another sink.
            watch?.streamDisappeared()
            surroundings?.routes.streamAppeared()
            let stream = mix.stream
            guard let watch else { return mix.becameReady(stream) }
            watch.streamAppeared(stream.sync { $0.index }) { [weak mix, weak stream] in
                if let stream { mix?.becameReady(stream) }
            }
        case .stateChanged(.failed(let error)):
            if output === mix { output = nil }
            watch?.streamDisappeared()
            mainloop.signal()
            // Killed from a mixer. A lost connection is told by the connection.
            if error.code == .killed { events(.interruptionBegan(.streamKilled)) }
        case .stateChanged(.closed): watch?.streamDisappeared()
        case .moved:
            watch?.streamMoved()
            outputMoved(mix)
        case .server(let name): watch?.streamAsked(name)
        default: break
        }
    }
}
