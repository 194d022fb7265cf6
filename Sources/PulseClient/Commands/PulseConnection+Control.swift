internal import CPulse

// Commands for streams of any client, and for this client's properties. Each has a form with a completion, called on
// the loop's thread with the lock held, and an asynchronous one. Both end when the server has carried the command out.

// MARK: - Streams

extension PulseConnection {
    /// Sets the volume of a playback stream.
    ///
    /// The server stores it: the next stream of the same `module-stream-restore.id`, media role or application starts
    /// with it. A temporary change must be undone, also in the stored entry
    /// (``writeRestoreEntries(_:applyImmediately:completion:)``).
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_context_set_sink_input_volume`.
    public func setSinkInputVolume(
        _ volume: Volume, at index: UInt32, completion: @escaping Completion<Void> = { _ in }
    ) {
        command("pa_context_set_sink_input_volume", completion: completion) {
            var raw = volume.raw
            return pa_context_set_sink_input_volume($0, index, &raw, commandAnswered, $1)
        }
    }

    /// Mutes or unmutes a playback stream.
    ///
    /// The server stores it like the volume.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_context_set_sink_input_mute`.
    public func setSinkInputMute(_ muted: Bool, at index: UInt32, completion: @escaping Completion<Void> = { _ in }) {
        command("pa_context_set_sink_input_mute", completion: completion) {
            pa_context_set_sink_input_mute($0, index, muted ? 1 : 0, commandAnswered, $1)
        }
    }

    /// Moves a playback stream to another sink, by name.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_context_move_sink_input_by_name`.
    public func moveSinkInput(at index: UInt32, to sink: String, completion: @escaping Completion<Void> = { _ in }) {
        command("pa_context_move_sink_input_by_name", completion: completion) {
            pa_context_move_sink_input_by_name($0, index, sink, commandAnswered, $1)
        }
    }

    /// Ends a playback stream of any client.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_context_kill_sink_input`.
    public func killSinkInput(at index: UInt32, completion: @escaping Completion<Void> = { _ in }) {
        command("pa_context_kill_sink_input", completion: completion) {
            pa_context_kill_sink_input($0, index, commandAnswered, $1)
        }
    }

    /// Sets the volume of a recording stream.
    ///
    /// The server stores it like that of a playback stream.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_context_set_source_output_volume`.
    public func setSourceOutputVolume(
        _ volume: Volume, at index: UInt32, completion: @escaping Completion<Void> = { _ in }
    ) {
        command("pa_context_set_source_output_volume", completion: completion) {
            var raw = volume.raw
            return pa_context_set_source_output_volume($0, index, &raw, commandAnswered, $1)
        }
    }

    /// Mutes or unmutes a recording stream.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_context_set_source_output_mute`.
    public func setSourceOutputMute(_ muted: Bool, at index: UInt32, completion: @escaping Completion<Void> = { _ in })
    {
        command("pa_context_set_source_output_mute", completion: completion) {
            pa_context_set_source_output_mute($0, index, muted ? 1 : 0, commandAnswered, $1)
        }
    }

    /// Moves a recording stream to another source, by name.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_context_move_source_output_by_name`.
    public func moveSourceOutput(at index: UInt32, to source: String, completion: @escaping Completion<Void> = { _ in })
    {
        command("pa_context_move_source_output_by_name", completion: completion) {
            pa_context_move_source_output_by_name($0, index, source, commandAnswered, $1)
        }
    }

    /// Ends a recording stream of any client.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_context_kill_source_output`.
    public func killSourceOutput(at index: UInt32, completion: @escaping Completion<Void> = { _ in }) {
        command("pa_context_kill_source_output", completion: completion) {
            pa_context_kill_source_output($0, index, commandAnswered, $1)
        }
    }

    /// Ends a client's connection with all its streams.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_context_kill_client`.
    public func killClient(at index: UInt32, completion: @escaping Completion<Void> = { _ in }) {
        command("pa_context_kill_client", completion: completion) {
            pa_context_kill_client($0, index, commandAnswered, $1)
        }
    }
}

// MARK: - Our client's properties

extension PulseConnection {
    /// Adds properties to our client, or replaces their values; others see them in its ``Client/properties``.
    ///
    /// PipeWire answers before others can see the change: what must be seen is waited for by reading it back, or by the
    /// `client` event that follows.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_context_proplist_update` with `PA_UPDATE_REPLACE`.
    public func updateProperties(_ properties: PropertyList, completion: @escaping Completion<Void> = { _ in }) {
        command("pa_context_proplist_update", completion: completion) { context, userdata in
            properties.withRaw {
                pa_context_proplist_update(context, PA_UPDATE_REPLACE, $0, commandAnswered, userdata)
            }
        }
    }

    /// Removes properties from our client.
    ///
    /// PipeWire keeps them: before 1.0 it fails with ``PulseError/Code/noSuchEntity``, later versions succeed, and others
    /// see them still. Give them an empty value instead where that will do.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_context_proplist_remove`.
    public func removeProperties(_ keys: [String], completion: @escaping Completion<Void> = { _ in }) {
        command("pa_context_proplist_remove", completion: completion) { context, userdata in
            withCStrings(keys) { pa_context_proplist_remove(context, $0, commandAnswered, userdata) }
        }
    }
}

/// Lends an array of C strings that ends with NULL, for the length of one call.
func withCStrings<Result>(_ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result) -> Result {
    let copies = strings.map { pa_xstrdup($0) }
    defer { for copy in copies { pa_xfree(copy) } }
    let pointers = copies.map { UnsafePointer($0) } + [nil]
    return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
}
