internal import PulseClient

/// An attempt to connect to the server and to read other clients' claims. Any number of threads can wait for it.
// SAFETY: only touched with the main loop's lock held.
final class ConnectionAttempt: @unchecked Sendable {
    /// The connection of the attempt.
    let connection: PulseConnection
    /// Whether the session has adopted the connection, which then outlives the rest of the attempt.
    var isTakenOver = false
    /// The result; nil while the attempt is in progress.
    private(set) var outcome: Result<Void, PulseError>?
    private let ended: (ConnectionAttempt) -> Void
    private var timer: MainloopTimer?

    /// The timeouts for the connection, and then for the list of clients.
    private static let timeout = (connecting: Duration.milliseconds(1500), asking: Duration.seconds(2))

    /// - Parameter ended: Called once, before waiting threads wake up.
    init(_ connection: PulseConnection, ended: @escaping (ConnectionAttempt) -> Void) {
        self.connection = connection
        self.ended = ended
    }

    /// Starts the attempt.
    ///
    /// `ready` is called on the loop's thread, and must lead to ``end(_:)``.
    func start(to server: String?, ready: @escaping @Sendable (isolated PulseConnection) -> Void) {
        connection.sync { connection in
            connection.setHandlers(state: { [weak self] connection, state in
                switch state {
                case .ready:
                    self?.allow(Self.timeout.asking, for: "pa_context_get_client_info_list")
                    ready(connection)
                case .failed(let error): self?.end(.failure(error))
                case .unconnected, .connecting, .closed: break
                }
            })
            allow(Self.timeout.connecting, for: "pa_context_connect")
            do throws(PulseError) { try connection.connect(to: server) } catch { end(.failure(error)) }
        }
    }

    /// Sets the result; later results are ignored.
    func end(_ outcome: Result<Void, PulseError>) {
        guard self.outcome == nil else { return }
        self.outcome = outcome
        timer = nil
        ended(self)
        connection.mainloop.signal()
    }

    private func allow(_ time: Duration, for call: String) {
        let timer = MainloopTimer(mainloop: connection.mainloop) { [weak self] in
            guard let self else { return }
            end(.failure(PulseError(.timeout, in: call)))
            // An adopted connection is kept, as only an answer is late. Any other is closed, or it would be a second
            // connection beside the next attempt's. It is closed after `end`, which keeps the error.
            if !isTakenOver { connection.sync { $0.close() } }
        }
        timer.start(after: time)
        self.timer = timer
    }
}
