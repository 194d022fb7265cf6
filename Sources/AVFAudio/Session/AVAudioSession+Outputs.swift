internal import AudioHost
internal import AudioSession
internal import SessionPolicy

// Where the session plays, beyond what the server decides. Only the session's own stream is ever moved.

extension AVAudioSession {
    /// Has the session play on the built-in speaker and record from the built-in microphone, or takes that back.
    ///
    /// What the user plugs in or chooses takes it back as well, and so does another category, mode or option, or an
    /// interruption. Nothing changes where no speaker has a sink of its own: one that shares it with the headphones can
    /// only be chosen for all programs, which is the user's to do. Throws `badParam` (−50) for the speaker outside
    /// category `playAndRecord`.
    ///
    /// Apple: `AVAudioSession.overrideOutputAudioPort(_:)`.
    public func overrideOutputAudioPort(_ portOverride: AVAudioSession.PortOverride) throws {
        guard portOverride == .none || category == .playAndRecord else {
            throw NSError(SessionError(.badParam, "Only playAndRecord can override its output."))
        }
        try prefer { $0.output.overridesToSpeaker = portOverride == .speaker }
    }

    // MARK: Linux additions

    /// What the session could play on: the connector in use of each sink.
    ///
    /// Asks the sound server, for at most two seconds; empty without one. For apps that draw their own route picker.
    ///
    /// Linux only; PulseAudio: `pa_context_get_sink_info_list`.
    public var availableOutputs: [AVAudioSessionPortDescription] {
        outputPorts.map { description(of: $0) }
    }

    /// The output that the app chose; nil if it chose none, or while that one is not there.
    ///
    /// One that was away, as a headset that was switched off, is played on again when it is back. Meanwhile the system
    /// decides, also where the same card has another connector in use.
    ///
    /// Linux only.
    public var preferredOutput: AVAudioSessionPortDescription? {
        guard let chosen = core.preferences.output.chosen else { return nil }
        return outputPorts.first { $0.uid == chosen }.map { description(of: $0) }
    }

    /// Chooses what the session plays on, at once if it plays; nil leaves that to the system.
    ///
    /// Throws an `NSError` in `NSOSStatusErrorDomain`: `badParam` (−50) for a port that is not among
    /// ``availableOutputs``.
    ///
    /// Linux only; PulseAudio: `pa_context_move_sink_input_by_name`.
    public func setPreferredOutput(_ outPort: AVAudioSessionPortDescription?) throws {
        try checkServices()
        guard let outPort else { return try prefer { $0.output.choose(nil) } }
        guard let port = outputPorts.first(where: { $0.uid == outPort.uid }) else {
            throw NSError(SessionError(.badParam, "There is no output \(outPort.uid) to play on."))
        }
        try prefer { $0.output.choose(port.uid) }
    }

    /// Sets the volume of the output device, for all programs, as the user does in a mixer.
    ///
    /// For apps that draw their own volume control; an app's own loudness is `AVAudioPlayer.volume`. Throws
    /// `badParam` for what is no number, `resourceNotAvailable` where there is no output, `mediaServicesFailed` without a
    /// server.
    ///
    /// - Parameter volume: From 0 to 1, as in ``outputVolume``; values outside are clamped.
    ///
    /// Linux only; PulseAudio: `pa_context_set_sink_volume_by_name`.
    public func setOutputVolume(_ volume: Float) throws {
        guard !volume.isNaN else { throw NSError(SessionError(.badParam, "\(volume) is no volume.")) }
        do throws(SessionError) {
            try core.connected().apply(.outputVolume(Double(min(1, max(0, volume)))), under: core.settings)
        } catch {
            throw NSError(error)
        }
    }

    private var outputPorts: [RoutePort] { (try? askForOutputs()) ?? [] }

    private func askForOutputs() throws(SessionError) -> [RoutePort] {
        // A lost server is looked for already; asking for it a second time would only block.
        guard core.standing != .lost else { return [] }
        return try core.connected().ports().outputs
    }
}
