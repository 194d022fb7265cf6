internal import CPulse

// Requests for the objects of the server. Each has a form with a completion, called on the loop's thread with the lock
// held (for `sync`, callbacks on the loop and `answerAndWait`), and an asynchronous one.

extension PulseConnection {
    /// Fetches the server's description and default devices.
    ///
    /// Returns at once; `completion` receives the answer or the error.
    ///
    /// PulseAudio: `pa_context_get_server_info`.
    public func serverInfo(completion: @escaping Completion<ServerInfo>) {
        one("pa_context_get_server_info", of: pa_server_info.self, ServerInfo.init, completion: completion) {
            pa_context_get_server_info($0, serverInfoAnswered, $1)
        }
    }

    /// Fetches the server's description and default devices.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_get_server_info`.
    public func serverInfo() async throws(PulseError) -> ServerInfo { try await answer { serverInfo(completion: $0) } }
}

// MARK: - Sink

extension PulseConnection {
    /// Fetches all sinks.
    ///
    /// Returns at once; `completion` receives the answer or the error.
    ///
    /// PulseAudio: `pa_context_get_sink_info_list`.
    public func sinks(completion: @escaping Completion<[Sink]>) {
        list("pa_context_get_sink_info_list", of: pa_sink_info.self, Sink.init, completion: completion) {
            pa_context_get_sink_info_list($0, sinkAnswered, $1)
        }
    }

    /// Fetches all sinks.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_get_sink_info_list`.
    public func sinks() async throws(PulseError) -> [Sink] { try await answer { sinks(completion: $0) } }

    /// Fetches the sink with that name; fails with ``PulseError/Code/noSuchEntity`` when there is none.
    ///
    /// Returns at once; `completion` receives the answer or the error.
    ///
    /// PulseAudio: `pa_context_get_sink_info_by_name`.
    public func sink(named name: String, completion: @escaping Completion<Sink>) {
        one("pa_context_get_sink_info_by_name", of: pa_sink_info.self, Sink.init, completion: completion) {
            pa_context_get_sink_info_by_name($0, name, sinkAnswered, $1)
        }
    }

    /// Fetches the sink with that name; throws ``PulseError/Code/noSuchEntity`` when there is none.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_get_sink_info_by_name`.
    public func sink(named name: String) async throws(PulseError) -> Sink {
        try await answer { sink(named: name, completion: $0) }
    }

    /// Fetches the sink with that index; fails with ``PulseError/Code/noSuchEntity`` when there is none.
    ///
    /// Returns at once; `completion` receives the answer or the error.
    ///
    /// PulseAudio: `pa_context_get_sink_info_by_index`.
    public func sink(at index: UInt32, completion: @escaping Completion<Sink>) {
        one("pa_context_get_sink_info_by_index", of: pa_sink_info.self, Sink.init, completion: completion) {
            pa_context_get_sink_info_by_index($0, index, sinkAnswered, $1)
        }
    }

    /// Fetches the sink with that index; throws ``PulseError/Code/noSuchEntity`` when there is none.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_get_sink_info_by_index`.
    public func sink(at index: UInt32) async throws(PulseError) -> Sink {
        try await answer { sink(at: index, completion: $0) }
    }
}

// MARK: - Source

extension PulseConnection {
    /// Fetches all sources.
    ///
    /// Returns at once; `completion` receives the answer or the error.
    ///
    /// PulseAudio: `pa_context_get_source_info_list`.
    public func sources(completion: @escaping Completion<[Source]>) {
        list("pa_context_get_source_info_list", of: pa_source_info.self, Source.init, completion: completion) {
            pa_context_get_source_info_list($0, sourceAnswered, $1)
        }
    }

    /// Fetches all sources.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_get_source_info_list`.
    public func sources() async throws(PulseError) -> [Source] { try await answer { sources(completion: $0) } }

    /// Fetches the source with that name; fails with ``PulseError/Code/noSuchEntity`` when there is none.
    ///
    /// Returns at once; `completion` receives the answer or the error.
    ///
    /// PulseAudio: `pa_context_get_source_info_by_name`.
    public func source(named name: String, completion: @escaping Completion<Source>) {
        one("pa_context_get_source_info_by_name", of: pa_source_info.self, Source.init, completion: completion) {
            pa_context_get_source_info_by_name($0, name, sourceAnswered, $1)
        }
    }

    /// Fetches the source with that name; throws ``PulseError/Code/noSuchEntity`` when there is none.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_get_source_info_by_name`.
    public func source(named name: String) async throws(PulseError) -> Source {
        try await answer { source(named: name, completion: $0) }
    }

    /// Fetches the source with that index; fails with ``PulseError/Code/noSuchEntity`` when there is none.
    ///
    /// Returns at once; `completion` receives the answer or the error.
    ///
    /// PulseAudio: `pa_context_get_source_info_by_index`.
    public func source(at index: UInt32, completion: @escaping Completion<Source>) {
        one("pa_context_get_source_info_by_index", of: pa_source_info.self, Source.init, completion: completion) {
            pa_context_get_source_info_by_index($0, index, sourceAnswered, $1)
        }
    }

    /// Fetches the source with that index; throws ``PulseError/Code/noSuchEntity`` when there is none.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_get_source_info_by_index`.
    public func source(at index: UInt32) async throws(PulseError) -> Source {
        try await answer { source(at: index, completion: $0) }
    }
}

// MARK: - Card

extension PulseConnection {
    /// Fetches all cards.
    ///
    /// Returns at once; `completion` receives the answer or the error.
    ///
    /// PulseAudio: `pa_context_get_card_info_list`.
    public func cards(completion: @escaping Completion<[Card]>) {
        list("pa_context_get_card_info_list", of: pa_card_info.self, Card.init, completion: completion) {
            pa_context_get_card_info_list($0, cardAnswered, $1)
        }
    }

    /// Fetches all cards.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_get_card_info_list`.
    public func cards() async throws(PulseError) -> [Card] { try await answer { cards(completion: $0) } }

    /// Fetches the card with that name; fails with ``PulseError/Code/noSuchEntity`` when there is none.
    ///
    /// Returns at once; `completion` receives the answer or the error.
    ///
    /// PulseAudio: `pa_context_get_card_info_by_name`.
    public func card(named name: String, completion: @escaping Completion<Card>) {
        one("pa_context_get_card_info_by_name", of: pa_card_info.self, Card.init, completion: completion) {
            pa_context_get_card_info_by_name($0, name, cardAnswered, $1)
        }
    }

    /// Fetches the card with that name; throws ``PulseError/Code/noSuchEntity`` when there is none.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_get_card_info_by_name`.
    public func card(named name: String) async throws(PulseError) -> Card {
        try await answer { card(named: name, completion: $0) }
    }

    /// Fetches the card with that index; fails with ``PulseError/Code/noSuchEntity`` when there is none.
    ///
    /// Returns at once; `completion` receives the answer or the error.
    ///
    /// PulseAudio: `pa_context_get_card_info_by_index`.
    public func card(at index: UInt32, completion: @escaping Completion<Card>) {
        one("pa_context_get_card_info_by_index", of: pa_card_info.self, Card.init, completion: completion) {
            pa_context_get_card_info_by_index($0, index, cardAnswered, $1)
        }
    }

    /// Fetches the card with that index; throws ``PulseError/Code/noSuchEntity`` when there is none.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_get_card_info_by_index`.
    public func card(at index: UInt32) async throws(PulseError) -> Card {
        try await answer { card(at: index, completion: $0) }
    }
}

// MARK: - SinkInput

extension PulseConnection {
    /// Fetches all playback streams.
    ///
    /// Returns at once; `completion` receives the answer or the error.
    ///
    /// PulseAudio: `pa_context_get_sink_input_info_list`.
    public func sinkInputs(completion: @escaping Completion<[SinkInput]>) {
        list("pa_context_get_sink_input_info_list", of: pa_sink_input_info.self, SinkInput.init, completion: completion)
        {
            pa_context_get_sink_input_info_list($0, sinkInputAnswered, $1)
        }
    }

    /// Fetches all playback streams.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_get_sink_input_info_list`.
    public func sinkInputs() async throws(PulseError) -> [SinkInput] { try await answer { sinkInputs(completion: $0) } }

    /// Fetches the playback stream with that index; fails with ``PulseError/Code/noSuchEntity`` when there is none.
    ///
    /// Returns at once; `completion` receives the answer or the error.
    ///
    /// PulseAudio: `pa_context_get_sink_input_info`.
    public func sinkInput(at index: UInt32, completion: @escaping Completion<SinkInput>) {
        one("pa_context_get_sink_input_info", of: pa_sink_input_info.self, SinkInput.init, completion: completion) {
            pa_context_get_sink_input_info($0, index, sinkInputAnswered, $1)
        }
    }

    /// Fetches the playback stream with that index; throws ``PulseError/Code/noSuchEntity`` when there is none.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_get_sink_input_info`.
    public func sinkInput(at index: UInt32) async throws(PulseError) -> SinkInput {
        try await answer { sinkInput(at: index, completion: $0) }
    }
}

// MARK: - SourceOutput

extension PulseConnection {
    /// Fetches all recording streams.
    ///
    /// Returns at once; `completion` receives the answer or the error.
    ///
    /// PulseAudio: `pa_context_get_source_output_info_list`.
    public func sourceOutputs(completion: @escaping Completion<[SourceOutput]>) {
        list(
            "pa_context_get_source_output_info_list", of: pa_source_output_info.self, SourceOutput.init,
            completion: completion
        ) {
            pa_context_get_source_output_info_list($0, sourceOutputAnswered, $1)
        }
    }

    /// Fetches all recording streams.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_get_source_output_info_list`.
    public func sourceOutputs() async throws(PulseError) -> [SourceOutput] {
        try await answer { sourceOutputs(completion: $0) }
    }

    /// Fetches the recording stream with that index; fails with ``PulseError/Code/noSuchEntity`` when there is none.
    ///
    /// Returns at once; `completion` receives the answer or the error.
    ///
    /// PulseAudio: `pa_context_get_source_output_info`.
    public func sourceOutput(at index: UInt32, completion: @escaping Completion<SourceOutput>) {
        one(
            "pa_context_get_source_output_info", of: pa_source_output_info.self, SourceOutput.init,
            completion: completion
        ) {
            pa_context_get_source_output_info($0, index, sourceOutputAnswered, $1)
        }
    }

    /// Fetches the recording stream with that index; throws ``PulseError/Code/noSuchEntity`` when there is none.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_get_source_output_info`.
    public func sourceOutput(at index: UInt32) async throws(PulseError) -> SourceOutput {
        try await answer { sourceOutput(at: index, completion: $0) }
    }
}

// MARK: - Client

extension PulseConnection {
    /// Fetches all clients.
    ///
    /// Returns at once; `completion` receives the answer or the error.
    ///
    /// PulseAudio: `pa_context_get_client_info_list`.
    public func clients(completion: @escaping Completion<[Client]>) {
        list("pa_context_get_client_info_list", of: pa_client_info.self, Client.init, completion: completion) {
            pa_context_get_client_info_list($0, clientAnswered, $1)
        }
    }

    /// Fetches all clients.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_get_client_info_list`.
    public func clients() async throws(PulseError) -> [Client] { try await answer { clients(completion: $0) } }

    /// Fetches the client with that index; fails with ``PulseError/Code/noSuchEntity`` when there is none.
    ///
    /// Returns at once; `completion` receives the answer or the error.
    ///
    /// PulseAudio: `pa_context_get_client_info`.
    public func client(at index: UInt32, completion: @escaping Completion<Client>) {
        one("pa_context_get_client_info", of: pa_client_info.self, Client.init, completion: completion) {
            pa_context_get_client_info($0, index, clientAnswered, $1)
        }
    }

    /// Fetches the client with that index; throws ``PulseError/Code/noSuchEntity`` when there is none.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_get_client_info`.
    public func client(at index: UInt32) async throws(PulseError) -> Client {
        try await answer { client(at: index, completion: $0) }
    }
}

// MARK: - Module

extension PulseConnection {
    /// Fetches all modules.
    ///
    /// Returns at once; `completion` receives the answer or the error.
    ///
    /// PulseAudio: `pa_context_get_module_info_list`.
    public func modules(completion: @escaping Completion<[Module]>) {
        list("pa_context_get_module_info_list", of: pa_module_info.self, Module.init, completion: completion) {
            pa_context_get_module_info_list($0, moduleAnswered, $1)
        }
    }

    /// Fetches all modules.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_get_module_info_list`.
    public func modules() async throws(PulseError) -> [Module] { try await answer { modules(completion: $0) } }

    /// Fetches the module with that index; fails with ``PulseError/Code/noSuchEntity`` when there is none.
    ///
    /// Returns at once; `completion` receives the answer or the error.
    ///
    /// PulseAudio: `pa_context_get_module_info`.
    public func module(at index: UInt32, completion: @escaping Completion<Module>) {
        one("pa_context_get_module_info", of: pa_module_info.self, Module.init, completion: completion) {
            pa_context_get_module_info($0, index, moduleAnswered, $1)
        }
    }

    /// Fetches the module with that index; throws ``PulseError/Code/noSuchEntity`` when there is none.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_get_module_info`.
    public func module(at index: UInt32) async throws(PulseError) -> Module {
        try await answer { module(at: index, completion: $0) }
    }
}

// MARK: - Callbacks

// Not private: a test simulates a server that refuses.
func serverInfoAnswered(
    _ context: OpaquePointer?, info: UnsafePointer<pa_server_info>?, data: UnsafeMutableRawPointer?
) {
    // Unlike the lists, this answer has no end mark.
    let request = PendingRequest.from(data)
    if let info { request?.received(info, endOfList: 0, context: context) }
    request?.received(nil, endOfList: info == nil ? -1 : 1, context: context)
}

private func sinkAnswered(
    _ context: OpaquePointer?, info: UnsafePointer<pa_sink_info>?, end: Int32, data: UnsafeMutableRawPointer?
) {
    PendingRequest.from(data)?.received(info, endOfList: end, context: context)
}

private func sourceAnswered(
    _ context: OpaquePointer?, info: UnsafePointer<pa_source_info>?, end: Int32, data: UnsafeMutableRawPointer?
) {
    PendingRequest.from(data)?.received(info, endOfList: end, context: context)
}

private func cardAnswered(
    _ context: OpaquePointer?, info: UnsafePointer<pa_card_info>?, end: Int32, data: UnsafeMutableRawPointer?
) {
    PendingRequest.from(data)?.received(info, endOfList: end, context: context)
}

private func sinkInputAnswered(
    _ context: OpaquePointer?, info: UnsafePointer<pa_sink_input_info>?, end: Int32, data: UnsafeMutableRawPointer?
) {
    PendingRequest.from(data)?.received(info, endOfList: end, context: context)
}

private func sourceOutputAnswered(
    _ context: OpaquePointer?, info: UnsafePointer<pa_source_output_info>?, end: Int32, data: UnsafeMutableRawPointer?
) {
    PendingRequest.from(data)?.received(info, endOfList: end, context: context)
}

private func clientAnswered(
    _ context: OpaquePointer?, info: UnsafePointer<pa_client_info>?, end: Int32, data: UnsafeMutableRawPointer?
) {
    PendingRequest.from(data)?.received(info, endOfList: end, context: context)
}

private func moduleAnswered(
    _ context: OpaquePointer?, info: UnsafePointer<pa_module_info>?, end: Int32, data: UnsafeMutableRawPointer?
) {
    PendingRequest.from(data)?.received(info, endOfList: end, context: context)
}
