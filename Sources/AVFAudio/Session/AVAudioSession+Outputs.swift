internal import AudioHost
internal import AudioSession
internal import SessionPolicy

// The app's choice of output. Only the session's own stream is ever moved.

extension AVAudioSession {
    /// Overrides the route with the built-in speaker and microphone, or ends the override.
    ///
    /// Any thread; returns at once. The override also ends when the user plugs in or chooses a device, when the
    /// category, mode or options change, and at an interruption. It has no effect where the speaker has no sink of its
    /// own: a sink shared with the headphones can only be switched for all programs, which is left to the user. Throws
    /// `badParam` (−50) for the speaker outside category `playAndRecord`, and `mediaServicesFailed` while the sound
    /// server is lost.
    ///
    /// Apple: `AVAudioSession.overrideOutputAudioPort(_:)`.
    public func overrideOutputAudioPort(_ portOverride: AVAudioSession.PortOverride) throws {
        guard portOverride == .none || category == .playAndRecord else {
            throw NSError(SessionError(.badParam, "Only playAndRecord can override its output."))
        }
        try prefer { $0.output.overridesToSpeaker = portOverride == .speaker }
    }

    // MARK: Linux additions

    /// The outputs that the session could play on: the port in use of each sink.
    ///
    /// Any thread. Waits for the sound server, for 2 s at most; empty without one. For apps that draw their own route
    /// picker.
    ///
    /// Linux only; PulseAudio: `pa_context_get_sink_info_list`.
    public var availableOutputs: [AVAudioSessionPortDescription] {
        outputPorts.map { description(of: $0) }
    }

    /// The output that the app chose; nil if it chose none, or while that output is missing.
    ///
    /// Any thread. Waits for the sound server, for 2 s at most, if the app chose an output. The session plays on the
    /// chosen output again as soon as it returns, such as a headset that was switched off. Meanwhile the system
    /// decides, even if another port of the same card is in use.
    ///
    /// Linux only.
    public var preferredOutput: AVAudioSessionPortDescription? {
        guard let chosen = core.preferences.output.chosen else { return nil }
        return outputPorts.first { $0.uid == chosen }.map { description(of: $0) }
    }

    /// Sets the output of the session, at once if it plays; nil leaves the choice to the system.
    ///
    /// Any thread. Waits for the sound server, for 2 s at most, to look the port up. Throws an `NSError` in
    /// `NSOSStatusErrorDomain`: `badParam` (−50) for a port that is not among ``availableOutputs``,
    /// `mediaServicesFailed` while the sound server is lost.
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

    /// Sets the volume of the output device for all programs, as a mixer does.
    ///
    /// Any thread. Waits for the sound server, for 2 s at most. For apps that draw their own volume control; the app's
    /// own volume is `AVAudioPlayer.volume`. Throws `badParam` for NaN, `resourceNotAvailable` if there is no output,
    /// and `mediaServicesFailed` without a server.
    ///
    /// - Parameter volume: The volume, 0 … 1, linear as in ``outputVolume``; other values are clamped.
    ///
    /// Linux only; PulseAudio: `pa_context_set_sink_volume_by_name`.
    public func setOutputVolume(_ volume: Float) throws {
        guard !volume.isNaN else { throw NSError(SessionError(.badParam, "\(volume) is no volume.")) }
        let settings = core.settings
        do throws(SessionError) {
            try core.ask { host throws(SessionError) in
                try host.apply(.outputVolume(Double(min(1, max(0, volume)))), under: settings)
            }
        } catch {
            throw NSError(error)
        }
    }

    private var outputPorts: [RoutePort] { (try? askForOutputs()) ?? [] }

    private func askForOutputs() throws(SessionError) -> [RoutePort] {
        // A connector looks for a lost server already; a second attempt would only block.
        guard core.standing != .lost else { return [] }
        return try core.ask { host throws(SessionError) in try host.ports().outputs }
    }
}
