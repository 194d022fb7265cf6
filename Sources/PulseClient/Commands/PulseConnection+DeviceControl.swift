internal import CPulse

// Commands about devices and modules, which all clients share. Devices are named, not numbered: PipeWire gives new
// numbers whenever a card's profile changes. `@DEFAULT_SINK@` and `@DEFAULT_SOURCE@` are names too.

// MARK: - Sinks

extension PulseConnection {
    /// Sets the volume of a sink, for all clients.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_context_set_sink_volume_by_name`.
    public func setSinkVolume(_ volume: Volume, of sink: String, completion: @escaping Completion<Void> = { _ in }) {
        command("pa_context_set_sink_volume_by_name", completion: completion) {
            var raw = volume.raw
            return pa_context_set_sink_volume_by_name($0, sink, &raw, commandAnswered, $1)
        }
    }

    /// Mutes or unmutes a sink, for all clients.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_context_set_sink_mute_by_name`.
    public func setSinkMute(_ muted: Bool, of sink: String, completion: @escaping Completion<Void> = { _ in }) {
        command("pa_context_set_sink_mute_by_name", completion: completion) {
            pa_context_set_sink_mute_by_name($0, sink, muted ? 1 : 0, commandAnswered, $1)
        }
    }

    /// Chooses the port of a sink.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_context_set_sink_port_by_name`.
    public func setSinkPort(_ port: String, of sink: String, completion: @escaping Completion<Void> = { _ in }) {
        command("pa_context_set_sink_port_by_name", completion: completion) {
            pa_context_set_sink_port_by_name($0, sink, port, commandAnswered, $1)
        }
    }

    /// Suspends or resumes a sink.
    ///
    /// PulseAudio: `pa_context_suspend_sink_by_name`.
    public func suspendSink(_ sink: String, _ suspended: Bool, completion: @escaping Completion<Void> = { _ in }) {
        command("pa_context_suspend_sink_by_name", completion: completion) {
            pa_context_suspend_sink_by_name($0, sink, suspended ? 1 : 0, commandAnswered, $1)
        }
    }

    /// Makes a sink the default one.
    ///
    /// On PipeWire it fails with ``PulseError/Code/notSupported`` in the first moments of a connection to a server that
    /// has just started: try again.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_context_set_default_sink`.
    public func setDefaultSink(_ sink: String, completion: @escaping Completion<Void> = { _ in }) {
        command("pa_context_set_default_sink", completion: completion) {
            pa_context_set_default_sink($0, sink, commandAnswered, $1)
        }
    }
}

// MARK: - Sources

extension PulseConnection {
    /// Sets the volume of a source, for all clients.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_context_set_source_volume_by_name`.
    public func setSourceVolume(_ volume: Volume, of source: String, completion: @escaping Completion<Void> = { _ in })
    {
        command("pa_context_set_source_volume_by_name", completion: completion) {
            var raw = volume.raw
            return pa_context_set_source_volume_by_name($0, source, &raw, commandAnswered, $1)
        }
    }

    /// Mutes or unmutes a source, for all clients.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_context_set_source_mute_by_name`.
    public func setSourceMute(_ muted: Bool, of source: String, completion: @escaping Completion<Void> = { _ in }) {
        command("pa_context_set_source_mute_by_name", completion: completion) {
            pa_context_set_source_mute_by_name($0, source, muted ? 1 : 0, commandAnswered, $1)
        }
    }

    /// Chooses the port of a source.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_context_set_source_port_by_name`.
    public func setSourcePort(_ port: String, of source: String, completion: @escaping Completion<Void> = { _ in }) {
        command("pa_context_set_source_port_by_name", completion: completion) {
            pa_context_set_source_port_by_name($0, source, port, commandAnswered, $1)
        }
    }

    /// Suspends or resumes a source.
    ///
    /// PulseAudio: `pa_context_suspend_source_by_name`.
    public func suspendSource(_ source: String, _ suspended: Bool, completion: @escaping Completion<Void> = { _ in }) {
        command("pa_context_suspend_source_by_name", completion: completion) {
            pa_context_suspend_source_by_name($0, source, suspended ? 1 : 0, commandAnswered, $1)
        }
    }

    /// Makes a source the default one.
    ///
    /// On PipeWire it fails with ``PulseError/Code/notSupported`` in the first moments of a connection to a server that
    /// has just started: try again.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_context_set_default_source`.
    public func setDefaultSource(_ source: String, completion: @escaping Completion<Void> = { _ in }) {
        command("pa_context_set_default_source", completion: completion) {
            pa_context_set_default_source($0, source, commandAnswered, $1)
        }
    }
}

// MARK: - Cards and modules

extension PulseConnection {
    /// Sets the profile of a card; its sinks and sources are created anew.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_context_set_card_profile_by_name`.
    public func setCardProfile(_ profile: String, of card: String, completion: @escaping Completion<Void> = { _ in }) {
        command("pa_context_set_card_profile_by_name", completion: completion) {
            pa_context_set_card_profile_by_name($0, card, profile, commandAnswered, $1)
        }
    }

    /// Loads a module into the server; the answer is its index.
    ///
    /// - Parameters:
    ///   - name: The module's name, such as `module-null-sink`.
    ///   - argument: The module's arguments, such as `sink_name=other`.
    ///   - completion: Called with the module's index.
    ///
    /// Returns at once; `completion` receives the answer or the error.
    ///
    /// PulseAudio: `pa_context_load_module`.
    public func loadModule(
        _ name: String, _ argument: String = "", completion: @escaping Completion<UInt32>
    ) {
        index("pa_context_load_module", completion: completion) {
            pa_context_load_module($0, name, argument, indexAnswered, $1)
        }
    }

    /// Removes a module from the server.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_context_unload_module`.
    public func unloadModule(_ index: UInt32, completion: @escaping Completion<Void> = { _ in }) {
        command("pa_context_unload_module", completion: completion) {
            pa_context_unload_module($0, index, commandAnswered, $1)
        }
    }
}
