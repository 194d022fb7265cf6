internal import PulseClient

/// An attempt to connect to the server and to read other clients' claims, which any number of threads may wait for.
// SAFETY: only touched with the main loop's lock held.
final class ConnectionAttempt: @unchecked Sendable {
    /// The connection that is made.
    let connection: PulseConnection
    /// Whether the connection is the session's, whatever becomes of the rest of the attempt.
    var isTakenOver = false
    /// How it ended; nil while it goes on.
    private(set) var outcome: Result<Void, PulseError>?
    private let ended: (ConnectionAttempt) -> Void
    private var timer: MainloopTimer?

    /// How long the server may take to answer at all, and then to say who is there.
    private static let timeout = (connecting: Duration.milliseconds(1500), asking: Duration.seconds(2))

    /// - Parameter ended: Told once, before those who wait.
    init(_ connection: PulseConnection, ended: @escaping (ConnectionAttempt) -> Void) {
        self.connection = connection
        self.ended = ended
    }

    /// Begins; `ready` is called on the loop's thread, and sees to it that ``end(_:)`` is.
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

    /// Says how it ended; what is said later does not count.
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
            // Of one that has been taken over it is only what was asked that is late. Any other would be a second one
            // beside that of the next attempt when the server goes on. After the end, which is told as what it is.
            if !isTakenOver { connection.sync { $0.close() } }
        }
        timer.start(after: time)
        self.timer = timer
    }
}
