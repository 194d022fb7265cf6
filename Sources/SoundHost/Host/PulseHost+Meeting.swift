internal import PulseClient
internal import SessionPolicy

// Who the server is, and who else is there.
extension PulseHost {
    /// Asks who the server is, and adopts the connection.
    ///
    /// The connection is that of the attempt that goes on.
    func meet(_ connection: isolated PulseConnection, completion: @escaping PulseConnection.Completion<Void>) {
        connection.serverInfo { [weak self, weak connection] result in
            // What comes after the attempt's end is about a connection that nobody wants any more.
            guard let self, let connection, let attempt, attempt.connection === connection else { return }
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success(let server):
                attempt.isTakenOver = true
                adopt(connection, of: server) { completion($0.map { .failure($0) } ?? .success(())) }
            }
        }
    }

    func makeSurroundings(on connection: PulseConnection, of server: ServerInfo) -> OtherProgramsMonitor {
        let surroundings = OtherProgramsMonitor(
            connection: connection, board: board, server: server, policy: policy,
            output: { [weak self] in (self?.outputStream, self?.likelyOutputSink) },
            lost: { [weak self] in self?.outputLost($0) },
            place: { [weak self] in self?.place($0) ?? $0 },
            captureClients: { [weak self] in self?.captureConnections.compactMap { $0.sync { $0.clientIndex } } ?? [] }
        ) { [weak self] in self?.events($0) }
        surroundings.ignoresRinging = ignoresRinging
        if shortSounds != nil { surroundings.listenToStreams() }
        return surroundings
    }

    func policyWatch(on connection: PulseConnection) -> ServerPolicyWatch {
        let watch = ServerPolicyWatch(connection: connection, silence: { [weak self] in self?.silenceForServer() }) {
            [weak self] in self?.events($0)
        }
        watch.isLetBeByCall = { [weak self] in self?.isLetBeByCall == true }
        watch.isOwn = { [weak self] in self?.isOwn($0) == true }
        watch.isParticipants = { [weak self] in self?.isParticipants($0) == true }
        return watch
    }

    /// Where a corked stream is, of which PipeWire does not say that: where it was, or nowhere in particular after
    /// another sink became the default one, to which it goes when it plays.
    private var likelyOutputSink: UInt32? {
        let isDefault = wanted.sink == nil && surroundings?.directory.defaultSinkChanges != outputPlacedAt
        return isDefault ? nil : outputSink
    }

    /// The server wants quiet, and the session hears of it in a moment: only then may anything start again.
    private func silenceForServer() {
        guard board.claim.state == .active else { return }
        stopIO(interrupting: true)
    }
}
