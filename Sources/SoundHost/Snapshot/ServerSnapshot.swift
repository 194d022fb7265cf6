package import PulseClient
package import SessionPolicy

/// One look at a sound server: its sessions with the verdicts on them, all streams, and the devices.
package struct ServerSnapshot: Sendable {
    /// What the server is.
    package let server: ServerInfo
    /// All connections, this one among them.
    package let clients: [Client]
    /// The connection that looked.
    package let observer: UInt32?
    /// What plays sound.
    package let sinks: [Sink]
    /// What records sound, monitors among them.
    package let sources: [Source]
    /// What the server has loaded.
    package let modules: [Module]
    /// The playback streams as the server lists them.
    package let playbackStreams: [SinkInput]
    /// The sessions and streams.
    package let state: ServerState

    /// Looks at everything, in a handful of questions; the connection must be ready.
    ///
    /// The questions are asked one after the other, so the answers may be some milliseconds apart.
    package static func read(_ connection: PulseConnection) async throws(PulseError) -> ServerSnapshot {
        let clients = try await connection.clients()
        let inputs = try await connection.sinkInputs()
        let outputs = try await connection.sourceOutputs()
        return ServerSnapshot(
            observer: await connection.clientIndex, server: try await connection.serverInfo(), clients: clients,
            sinks: try await connection.sinks(),
            sources: try await connection.sources(), modules: try await connection.modules(), inputs: inputs,
            outputs: outputs)
    }

    private init(
        observer: UInt32?, server: ServerInfo, clients: [Client], sinks: [Sink], sources: [Source], modules: [Module],
        inputs: [SinkInput], outputs: [SourceOutput]
    ) {
        self.observer = observer
        self.server = server
        self.clients = clients
        self.sinks = sinks
        self.sources = sources
        self.modules = modules
        playbackStreams = inputs
        let host = ProcessGlance.hostName
        let clientsByIndex = Dictionary(clients.map { ($0.index, $0) }) { first, _ in first }
        let sourcesByIndex = Dictionary(sources.map { ($0.index, $0) }) { first, _ in first }
        let playback = inputs.map { ServerStream($0, client: $0.client.flatMap { clientsByIndex[$0] }) }
        let capture = outputs.map { output in
            ServerStream(
                output, client: output.client.flatMap { clientsByIndex[$0] },
                source: output.source.flatMap { sourcesByIndex[$0] })
        }
        state = ServerState(
            arbitration: Arbitration(clients.compactMap { Participant($0, seenFrom: host) }),
            names: Dictionary(clients.map { ($0.index, $0.displayName) }) { first, _ in first },
            streams: (playback + capture).sorted { $0.index < $1.index }.map(\.forPeople), host: host,
            serverSilencesForCalls: modules.contains { $0.name == "module-role-cork" },
            serverLowersStreams: DuckServerPolicy.isPresent(modules: modules, sinks: sinks),
            defaultSink: sinks.first { $0.name == server.defaultSink }?.index,
            policy: UserSettings.current.policy)
    }

    /// The default sink, where sound goes that names no other; nil where there is none.
    package var defaultSink: Sink? { sinks.first { $0.name == server.defaultSink } }

    /// The default source, where sound comes from that names no other; nil where there is none.
    package var defaultSource: Source? { sources.first { $0.name == server.defaultSource } }

}

extension Participant {
    /// A client with a valid claim; nil for all others.
    fileprivate init?(_ client: Client, seenFrom host: String) {
        guard let claim = client.properties[Claim.property].flatMap({ Claim($0) }) else { return nil }
        let isHere = claim.host == host && claim.pid > 0
        self.init(id: client.index, claim: claim, isStopped: isHere && ProcessGlance(claim.pid)?.isStopped == true)
    }
}

extension Client {
    /// The name for people.
    fileprivate var displayName: String {
        let name = (properties["application.name"] ?? name).withoutControls
        return name.isEmpty ? "client \(index)" : name
    }
}

extension ServerStream {
    /// The same stream with names that are safe to print.
    fileprivate var forPeople: ServerStream {
        var stream = self
        stream.role = role?.withoutControls
        stream.applicationID = applicationID?.withoutControls
        stream.applicationName = applicationName?.withoutControls
        stream.title = title?.withoutControls
        return stream
    }
}
