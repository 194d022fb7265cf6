internal import AudioHost
internal import PulseClient
internal import SessionPolicy

/// The connection to the sound server, shared by all threads that wait, and restored when the server returns.
///
/// Functions that throw block the caller until the server has answered; they must not be called on the loop's thread.
// SAFETY: everything mutable is only touched with the main loop's lock held.
final class ServerLink: @unchecked Sendable {
    /// The session's answers to what happens to the connection, called with the main loop's lock held.
    struct Handlers {
        /// Returns the properties of a new client, the session's claim among them.
        let properties: () -> PropertyList
        /// Attaches the session to a ready connection; the completion is called when other clients' claims are known.
        let attach: (PulseConnection, ServerInfo, @escaping (PulseError?) -> Void) -> Void
        /// Handles an event of the server's.
        let event: (SubscriptionEvent) -> Void
        /// Detaches the session from a connection that is gone.
        let lost: () -> Void
        /// Returns the category of the session that a loss ends.
        let category: () -> Category
        /// Reports that the server is back, with the devices that the lost session needed.
        let returned: () -> Void
    }

    /// The thread of libpulse, and the lock of everything that belongs to the session.
    let mainloop: Mainloop
    /// The server's address; nil looks where every client looks.
    let server: String?
    private let handlers: Handlers
    private var attempt: ConnectionAttempt?
    /// The connector while the server is lost; no other connection is made meanwhile.
    private var connector: PulseConnector?
    private var returningDevices: ReturningDevices?
    /// The connection, ready or about to be reported as lost; nil without a server.
    private var connection: PulseConnection?
    /// Whether the server is PipeWire's.
    private(set) var isPipeWire = false

    init(mainloop: Mainloop, server: String?, handlers: Handlers) {
        self.mainloop = mainloop
        self.server = server
        self.handlers = handlers
    }

    // MARK: Connecting

    /// Connects to the server, if there is no connection.
    ///
    /// Waits until other clients' claims are known, until the deadline at most. A later call joins an attempt that
    /// takes longer.
    func open(until deadline: AnswerDeadline) throws(SessionError) {
        try request { () throws(PulseError) in
            // A second connection would split the session: the claim on one of them, the sound on the other.
            guard connector == nil else {
                throw PulseError(
                    .connectionTerminated, in: "pa_context", explanation: "it went away, and is looked for")
            }
            guard let attempt = attemptToConnect() else { return }
            _ = mainloop.wait(timeout: deadline.remaining) { attempt.outcome != nil }
            try (attempt.outcome ?? .failure(PulseError(.timeout, in: "pa_context_connect"))).get()
        }
    }

    /// Begins a connection attempt and returns at once; ``open()`` waits for that attempt.
    func beginToOpen() {
        mainloop.withLock {
            if connector == nil { _ = attemptToConnect() }
        }
    }

    /// Whether a connection attempt is under way.
    var isOpening: Bool { mainloop.withLock { attempt != nil } }

    /// Waits until no connection attempt is under way; begins none, and returns after 3.5 s at most.
    func awaitAttempt() {
        guard !mainloop.isOnLoop else { return }
        mainloop.withLock { _ = mainloop.wait(timeout: .seconds(5)) { attempt == nil } }
    }

    /// The attempt in progress, started if there is none; nil if the connection is ready.
    private func attemptToConnect() -> ConnectionAttempt? {
        if let attempt { return attempt }
        if (try? readyConnection()) != nil { return nil }
        let made = ConnectionAttempt(
            PulseConnection(name: AppIdentity.current.name, properties: handlers.properties(), mainloop: mainloop)
        ) { [weak self] ended in
            if self?.attempt === ended { self?.attempt = nil }
        }
        attempt = made
        made.start(to: server) { [weak self, weak made] connection in
            self?.identify(connection) { made?.end($0) }
        }
        return made
    }

    /// Identifies the server of an attempt's connection, and adopts the connection.
    private func identify(
        _ connection: isolated PulseConnection, completion: @escaping PulseConnection.Completion<Void>
    ) {
        connection.serverInfo { [weak self, weak connection] result in
            // The attempt may be over by now.
            guard let self, let connection, let attempt, attempt.connection === connection else { return }
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success(let info):
                attempt.isTakenOver = true
                adopt(connection, of: info) { completion($0.map { .failure($0) } ?? .success(())) }
            }
        }
    }

    private func adopt(
        _ connection: PulseConnection, of info: ServerInfo, completion: @escaping (PulseError?) -> Void
    ) {
        self.connection = connection
        isPipeWire = info.isPipeWire
        connection.sync { connection in
            connection.setHandlers(
                state: { [weak self] failed, state in
                    if case .failed = state, self?.connection === failed { self?.connectionLost() }
                },
                event: { [weak self] _, event in self?.handlers.event(event) })
        }
        handlers.attach(connection, info, completion)
    }

    // MARK: Loss

    /// Drops the connection to a working server, as if the server had gone.
    func drop() {
        guard let connection else { return }
        connection.sync { connection in
            connection.setHandlers()
            connection.close()
        }
        connectionLost()
    }

    private func connectionLost() {
        connection = nil
        returningDevices = nil
        let category = handlers.category()
        handlers.lost()
        awaitServer(for: category)
    }

    /// Tries to reconnect, with growing delays, until the server returns.
    private func awaitServer(for category: Category) {
        let connector = PulseConnector(
            name: AppIdentity.current.name, properties: handlers.properties(), server: server, mainloop: mainloop)
        self.connector = connector
        connector.sync { connector in
            connector.start(ready: { [weak self] _, connection in self?.serverReturned(connection, for: category) })
        }
    }

    private func serverReturned(_ connection: PulseConnection, for category: Category) {
        connection.sync { connection in
            connection.serverInfo { [weak self] result in
                guard let self else { return }
                // The server may be gone again by now.
                guard case .success(let info) = result else { return awaitServer(for: category) }
                connector = nil
                adopt(connection, of: info) { [weak self] error in
                    if error == nil { self?.awaitDevices(for: category) }
                }
            }
        }
    }

    /// Reports the server's return once the devices of the lost session are back.
    private func awaitDevices(for category: Category) {
        guard let connection else { return }
        returningDevices = ReturningDevices(on: connection, isPipeWire: isPipeWire, for: category) { [weak self] in
            self?.returningDevices = nil
            self?.handlers.returned()
        }
    }

    // MARK: Requests

    /// Runs `body`, which may wait for the server, under the lock, and turns its errors into the session's.
    func request<T>(_ body: () throws(PulseError) -> T) throws(SessionError) -> T {
        do throws(PulseError) { return try mainloop.withLock(body) } catch { throw SessionError(error) }
    }

    /// Finds out why the server has ended a stream: its sink is gone and there is no other one, or somebody killed it.
    ///
    /// PulseAudio ends a stream before it tells of its sink's end.
    ///
    /// - Parameters:
    ///   - sink: The index of the stream's sink; nil if it is not known.
    ///   - completion: Called with the cause: at once, or on the loop's thread with its lock held.
    func findEnd(ofStreamOn sink: UInt32?, completion: @escaping @Sendable (InterruptionCause) -> Void) {
        guard let sink, let connection = try? readyConnection() else { return completion(.streamKilled) }
        connection.sync { connection in
            connection.sink(at: sink) { answer in
                if case .failure(let error) = answer, error.code == .noSuchEntity {
                    completion(.routeDisconnected)
                } else {
                    completion(.streamKilled)
                }
            }
        }
    }

    /// The connection; throws `badState` unless it is ready.
    func readyConnection() throws(PulseError) -> PulseConnection {
        guard let connection, connection.sync({ $0.state == .ready }) else {
            throw PulseError(.badState, in: "pa_context")
        }
        return connection
    }
}
