internal import PulseClient
internal import SessionPolicy

// Who the server is, and who else is there.
extension PulseHost {
    /// Asks who the server is and who else is there, both at once: answers come in order, and changes after the first.
    ///
    /// The connection is that of the attempt that goes on.
    func meet(
        _ connection: isolated PulseConnection, for output: StreamRole??,
        completion: @escaping PulseConnection.Completion<Void>
    ) {
        var refusal: PulseError?
        var server: ServerInfo?
        var sink: Sink?
        // First, so that it is known when the server is.
        if output != nil { connection.sink(named: "@DEFAULT_SINK@") { sink = try? $0.get() } }
        connection.serverInfo { [weak self, weak connection] result in
            switch result {
            case .success(let info):
                // What comes after the attempt's end is about a connection that nobody wants any more.
                guard let self, let connection, let attempt = self.attempt, attempt.connection === connection else {
                    return
                }
                attempt.isTakenOver = true
                adopt(connection, of: info)
                if let role = output, let sink { beginOutput(role: role, onDefault: sink) }
                mainloop.signal()
                server = info
            case .failure(let error): refusal = error
            }
        }
        connection.subscribe(.client) { _ in }
        board.attach(to: connection) { [weak self] error in
            self?.noteLoopThread()
            // Nobody adopted it.
            if refusal != nil { self?.board.detach() }
            completion((refusal ?? error).map { .failure($0) } ?? .success(()))
            if let self, let server, self.connection != nil { meetSurroundingsSoon(of: server) }
        }
    }

    /// Begins to look at who else is there when what was asked for is on its way to the server, and most likely answered:
    /// libpulse takes in all answers that have come before it sends anything, and this takes as long as a claim's way.
    private func meetSurroundingsSoon(of server: ServerInfo) {
        let timer = MainloopTimer(mainloop: mainloop) { [weak self] in _ = self?.surroundings }
        timer.start(after: .milliseconds(2))
        serverToWatch = (server, timer)
    }

    /// What happens around the session; nil before that is known, and without a server.
    var surroundings: Surroundings? {
        if let (server, _) = serverToWatch, let connection { meetSurroundings(on: connection, of: server) }
        return knownSurroundings
    }

    /// Begins to look at who else is there.
    func meetSurroundings(on connection: PulseConnection, of server: ServerInfo) {
        serverToWatch = nil
        let surroundings = Surroundings(
            connection: connection, board: board, server: server, policy: policy,
            output: { [weak self] in (self?.outputStream, self?.likelyOutputSink) },
            lost: { [weak self] in self?.outputLost($0) },
            place: { [weak self] in self?.place($0) ?? $0 },
            captureClients: { [weak self] in self?.captureConnections.compactMap { $0.sync { $0.clientIndex } } ?? [] }
        ) { [weak self] in self?.events($0) }
        surroundings.ignoresRinging = ignoresRinging
        if shortSounds != nil { surroundings.listenToStreams() }
        knownSurroundings = surroundings
        for (client, properties) in clientsMet { surroundings.clientChanged(client, properties) }
        clientsMet = [:]
        if board.claim.state == .active { surroundings.sessionActivated() }
        surroundings.verdictsChanged()
        board.tell(canDuck: surroundings.canDuck)
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
