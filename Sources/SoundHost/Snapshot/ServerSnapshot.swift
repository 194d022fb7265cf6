internal import Locks
package import PulseClient
package import SessionPolicy

/// A snapshot of a sound server: its sessions with the verdicts on them, all streams, and the devices.
package struct ServerSnapshot: Sendable {
    /// The server's name, version and defaults.
    package let server: ServerInfo
    /// All clients, including the observer.
    package let clients: [Client]
    /// The client index of the observer.
    package let observer: UInt32?
    /// The sinks.
    package let sinks: [Sink]
    /// The sources, including monitors.
    package let sources: [Source]
    /// The loaded modules.
    package let modules: [Module]
    /// The playback streams as the server lists them.
    package let playbackStreams: [SinkInput]
    /// The sessions and streams, in the policy's words.
    package let state: ServerState

    /// Reads a snapshot over a ready connection.
    ///
    /// All parts are requested at once, and clients before streams: a stream that led to a client's claim is in the snapshot
    /// that has the claim. The server may change between two answers.
    package static func read(_ connection: PulseConnection) async throws(PulseError) -> ServerSnapshot {
        let parts = await SnapshotParts.read(connection)
        return ServerSnapshot(
            observer: await connection.clientIndex, server: try parts.server.get(), clients: try parts.clients.get(),
            sinks: try parts.sinks.get(), sources: try parts.sources.get(), modules: try parts.modules.get(),
            inputs: try parts.inputs.get(), outputs: try parts.outputs.get())
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
        let roles = RoleSinks(among: sinks, inputs: inputs, defaultSink: server.defaultSink)
        let playback = inputs.map {
            ServerStream($0, client: $0.client.flatMap { clientsByIndex[$0] }, roles: roles)
        }
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
            serverLowersStreams: DuckServerPolicy.isPresent(modules: modules), rolePolicy: roles.policy,
            defaultSink: sinks.first { $0.name == server.defaultSink }?.index,
            policy: UserSettings.current.policy)
    }

    /// The default sink; nil if there is none.
    package var defaultSink: Sink? { sinks.first { $0.name == server.defaultSink } }

    /// The default source; nil if there is none.
    package var defaultSource: Source? { sources.first { $0.name == server.defaultSource } }

    /// The announcements of simulated events, by the indices of the clients that make them.
    package var simulations: [UInt32: Simulation] {
        clients.reduce(into: [:]) { found, client in
            found[client.index] = client.properties[Simulation.property].flatMap { Simulation($0) }
        }
    }
}

/// The answers of a server to the requests of one snapshot.
private struct SnapshotParts: Sendable {
    private static let unanswered = PulseError(.connectionTerminated, in: "pa_context_get_client_info_list")

    var clients: Result<[Client], PulseError> = .failure(unanswered)
    var inputs: Result<[SinkInput], PulseError> = .failure(unanswered)
    var outputs: Result<[SourceOutput], PulseError> = .failure(unanswered)
    var server: Result<ServerInfo, PulseError> = .failure(unanswered)
    var sinks: Result<[Sink], PulseError> = .failure(unanswered)
    var sources: Result<[Source], PulseError> = .failure(unanswered)
    var modules: Result<[Module], PulseError> = .failure(unanswered)

    /// Sends all requests, and suspends until each has been answered.
    static func read(_ connection: isolated PulseConnection) async -> SnapshotParts {
        await withCheckedContinuation { continuation in
            let state = Guarded((parts: SnapshotParts(), missing: 7))
            func keep<Value: Sendable>(
                _ part: WritableKeyPath<SnapshotParts, Result<Value, PulseError>>
            ) -> PulseConnection.Completion<Value> {
                { answer in
                    let whole: SnapshotParts? = state.withLock { state in
                        state.parts[keyPath: part] = answer
                        state.missing -= 1
                        return state.missing == 0 ? state.parts : nil
                    }
                    if let whole { continuation.resume(returning: whole) }
                }
            }
            connection.clients(completion: keep(\.clients))
            connection.sinkInputs(completion: keep(\.inputs))
            connection.sourceOutputs(completion: keep(\.outputs))
            connection.serverInfo(completion: keep(\.server))
            connection.sinks(completion: keep(\.sinks))
            connection.sources(completion: keep(\.sources))
            connection.modules(completion: keep(\.modules))
        }
    }
}

extension Participant {
    /// The participant of a client with a valid claim; nil for any other client.
    fileprivate init?(_ client: Client, seenFrom host: String) {
        guard let claim = client.properties[Claim.property].flatMap({ Claim($0) }) else { return nil }
        let isHere = claim.host == host && claim.pid > 0
        self.init(id: client.index, claim: claim, isStopped: isHere && ProcessGlance(claim.pid)?.isStopped == true)
    }
}

extension Client {
    /// The name to display.
    fileprivate var displayName: String {
        let name = (properties["application.name"] ?? name).withoutControls
        return name.isEmpty ? "client \(index)" : name
    }
}

extension ServerStream {
    /// The same stream, with printable names only.
    fileprivate var forPeople: ServerStream {
        var stream = self
        stream.role = role?.withoutControls
        stream.applicationID = applicationID?.withoutControls
        stream.applicationName = applicationName?.withoutControls
        stream.title = title?.withoutControls
        return stream
    }
}
