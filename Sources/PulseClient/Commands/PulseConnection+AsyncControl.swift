// The asynchronous forms of the commands: each returns when the server has carried it out, and throws the server's
// error.

extension PulseConnection {
    /// Sets the volume of a playback stream, which the server remembers.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_set_sink_input_volume`.
    public func setSinkInputVolume(_ volume: Volume, at index: UInt32) async throws(PulseError) {
        try await answer { setSinkInputVolume(volume, at: index, completion: $0) }
    }

    /// Mutes or unmutes a playback stream, which the server remembers.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_set_sink_input_mute`.
    public func setSinkInputMute(_ muted: Bool, at index: UInt32) async throws(PulseError) {
        try await answer { setSinkInputMute(muted, at: index, completion: $0) }
    }

    /// Moves a playback stream to another sink, by name.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_move_sink_input_by_name`.
    public func moveSinkInput(at index: UInt32, to sink: String) async throws(PulseError) {
        try await answer { moveSinkInput(at: index, to: sink, completion: $0) }
    }

    /// Ends a playback stream of any client.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_kill_sink_input`.
    public func killSinkInput(at index: UInt32) async throws(PulseError) {
        try await answer { killSinkInput(at: index, completion: $0) }
    }

    /// Sets the volume of a recording stream, which the server remembers.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_set_source_output_volume`.
    public func setSourceOutputVolume(_ volume: Volume, at index: UInt32) async throws(PulseError) {
        try await answer { setSourceOutputVolume(volume, at: index, completion: $0) }
    }

    /// Mutes or unmutes a recording stream.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_set_source_output_mute`.
    public func setSourceOutputMute(_ muted: Bool, at index: UInt32) async throws(PulseError) {
        try await answer { setSourceOutputMute(muted, at: index, completion: $0) }
    }

    /// Moves a recording stream to another source, by name.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_move_source_output_by_name`.
    public func moveSourceOutput(at index: UInt32, to source: String) async throws(PulseError) {
        try await answer { moveSourceOutput(at: index, to: source, completion: $0) }
    }

    /// Ends a recording stream of any client.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_kill_source_output`.
    public func killSourceOutput(at index: UInt32) async throws(PulseError) {
        try await answer { killSourceOutput(at: index, completion: $0) }
    }

    /// Ends a client's connection with all its streams.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_kill_client`.
    public func killClient(at index: UInt32) async throws(PulseError) {
        try await answer { killClient(at: index, completion: $0) }
    }

    /// Adds properties to our client, or replaces their values; PipeWire answers before others can see them.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_proplist_update`.
    public func updateProperties(_ properties: PropertyList) async throws(PulseError) {
        try await answer { updateProperties(properties, completion: $0) }
    }

    /// Removes properties from our client; PipeWire keeps them, and before 1.0 throws ``PulseError/Code/noSuchEntity``.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_proplist_remove`.
    public func removeProperties(_ keys: [String]) async throws(PulseError) {
        try await answer { removeProperties(keys, completion: $0) }
    }

    /// Sets the volume of a sink, for all clients.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_set_sink_volume_by_name`.
    public func setSinkVolume(_ volume: Volume, of sink: String) async throws(PulseError) {
        try await answer { setSinkVolume(volume, of: sink, completion: $0) }
    }

    /// Mutes or unmutes a sink, for all clients.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_set_sink_mute_by_name`.
    public func setSinkMute(_ muted: Bool, of sink: String) async throws(PulseError) {
        try await answer { setSinkMute(muted, of: sink, completion: $0) }
    }

    /// Chooses the port of a sink.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_set_sink_port_by_name`.
    public func setSinkPort(_ port: String, of sink: String) async throws(PulseError) {
        try await answer { setSinkPort(port, of: sink, completion: $0) }
    }

    /// Suspends or resumes a sink.
    ///
    /// PulseAudio: `pa_context_suspend_sink_by_name`.
    public func suspendSink(_ sink: String, _ suspended: Bool) async throws(PulseError) {
        try await answer { suspendSink(sink, suspended, completion: $0) }
    }

    /// Makes a sink the default one.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_set_default_sink`.
    public func setDefaultSink(_ sink: String) async throws(PulseError) {
        try await answer { setDefaultSink(sink, completion: $0) }
    }

    /// Sets the volume of a source, for all clients.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_set_source_volume_by_name`.
    public func setSourceVolume(_ volume: Volume, of source: String) async throws(PulseError) {
        try await answer { setSourceVolume(volume, of: source, completion: $0) }
    }

    /// Mutes or unmutes a source, for all clients.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_set_source_mute_by_name`.
    public func setSourceMute(_ muted: Bool, of source: String) async throws(PulseError) {
        try await answer { setSourceMute(muted, of: source, completion: $0) }
    }

    /// Chooses the port of a source.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_set_source_port_by_name`.
    public func setSourcePort(_ port: String, of source: String) async throws(PulseError) {
        try await answer { setSourcePort(port, of: source, completion: $0) }
    }

    /// Suspends or resumes a source.
    ///
    /// PulseAudio: `pa_context_suspend_source_by_name`.
    public func suspendSource(_ source: String, _ suspended: Bool) async throws(PulseError) {
        try await answer { suspendSource(source, suspended, completion: $0) }
    }

    /// Makes a source the default one.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_set_default_source`.
    public func setDefaultSource(_ source: String) async throws(PulseError) {
        try await answer { setDefaultSource(source, completion: $0) }
    }

    /// Sets the profile of a card; its sinks and sources are created anew.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_set_card_profile_by_name`.
    public func setCardProfile(_ profile: String, of card: String) async throws(PulseError) {
        try await answer { setCardProfile(profile, of: card, completion: $0) }
    }

    /// Loads a module into the server and returns its index.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_load_module`.
    public func loadModule(_ name: String, _ argument: String = "") async throws(PulseError) -> UInt32 {
        try await answer { loadModule(name, argument, completion: $0) }
    }

    /// Removes a module from the server.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_unload_module`.
    public func unloadModule(_ index: UInt32) async throws(PulseError) {
        try await answer { unloadModule(index, completion: $0) }
    }

    /// Returns the server's stored volumes, mutes and devices of streams.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_ext_stream_restore_read`.
    public func restoreEntries() async throws(PulseError) -> [StreamRestoreEntry] {
        try await answer { restoreEntries(completion: $0) }
    }

    /// Replaces the server's stored volumes, mutes and devices of streams, by name.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_ext_stream_restore_write`.
    public func writeRestoreEntries(_ entries: [StreamRestoreEntry], applyImmediately: Bool = false)
        async throws(PulseError)
    {
        try await answer { writeRestoreEntries(entries, applyImmediately: applyImmediately, completion: $0) }
    }

    /// Removes the server's stored volumes, mutes and devices of streams, by name.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_ext_stream_restore_delete`.
    public func deleteRestoreEntries(_ names: [String]) async throws(PulseError) {
        try await answer { deleteRestoreEntries(names, completion: $0) }
    }
}
