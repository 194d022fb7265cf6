/// A connector, which attempts to connect until a connection is ready.
///
/// A failed connection cannot be reopened, so a program that outlives its server then starts a connector:
///
///     connector.sync { connector in
///         connector.start(
///             ready: { _, connection in … },
///             failure: { _, error, delay in … })
///     }
///
/// The handlers run on the loop's thread with the lock held. It tries until it succeeds or is cancelled.
///
/// PulseAudio: nothing; `PA_CONTEXT_NOFAIL` does not bring back a connection that was lost.
public actor PulseConnector: MainloopActor {
    /// The handler of success: called once with the ready connection, which has no handlers yet.
    public typealias ReadyHandler = @Sendable (isolated PulseConnector, PulseConnection) -> Void
    /// The handler of failed attempts: called with the error and the delay before the next attempt.
    public typealias FailureHandler = @Sendable (isolated PulseConnector, PulseError, Duration) -> Void

    /// The loop of the connections.
    public nonisolated let mainloop: Mainloop
    /// The loop as an executor.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { mainloop.asUnownedSerialExecutor() }

    /// Whether the connector is attempting to connect.
    public var isRunning: Bool { ready != nil }

    private let name: String
    private let properties: PropertyList
    private let server: String?
    private let attemptTimeout: Duration
    private var policy: ReconnectPolicy
    private var ready: ReadyHandler?
    private var failure: FailureHandler?
    private var connection: PulseConnection?
    private var timer: MainloopTimer?

    /// Creates a connector that is not running.
    ///
    /// - Parameters:
    ///   - name: The application's name, as mixers show it.
    ///   - properties: Further properties of the client.
    ///   - server: The server's address; nil for libpulse's default, looked up for each attempt.
    ///   - mainloop: The loop of the connections.
    ///   - policy: The delays between attempts.
    ///   - attemptTimeout: The limit of one attempt; a stopped server does not answer.
    public init(
        name: String, properties: PropertyList = [:], server: String? = nil, mainloop: Mainloop,
        policy: ReconnectPolicy = ReconnectPolicy(), attemptTimeout: Duration = .seconds(2)
    ) {
        self.name = name
        self.properties = properties
        self.server = server
        self.mainloop = mainloop
        self.policy = policy
        self.attemptTimeout = attemptTimeout
    }

    /// Starts attempts to connect and returns at once; does nothing while they are being made.
    public func start(ready: @escaping ReadyHandler, failure: @escaping FailureHandler = { _, _, _ in }) {
        guard !isRunning else { return }
        self.ready = ready
        self.failure = failure
        policy.reset()
        // From the loop, so that no handler is called before this returns.
        schedule(after: .zero) { $0.attempt() }
    }

    /// Stops the attempts; no handler is called after it.
    public func cancel() {
        ready = nil
        failure = nil
        timer?.cancel()
        timer = nil
        abandon()
    }

    private func attempt() {
        let connection = PulseConnection(name: name, properties: properties, mainloop: mainloop)
        self.connection = connection
        do throws(PulseError) {
            try connection.sync { connection throws(PulseError) in
                try connection.connect(to: server)
                connection.stateHandler = { [weak self] connection, state in
                    self?.assumeIsolated { $0.changed(connection, state) }
                }
            }
            schedule(after: attemptTimeout) { $0.failed(PulseError(.timeout, in: "pa_context_connect")) }
        } catch {
            failed(error)
        }
    }

    private func changed(_ changed: PulseConnection, _ state: PulseConnection.State) {
        guard changed === connection else { return }
        switch state {
        case .ready: succeeded(changed)
        case .failed(let error): failed(error)
        case .unconnected, .connecting, .closed: break
        }
    }

    private func succeeded(_ connection: PulseConnection) {
        let ready = ready
        self.connection = nil
        connection.sync { $0.stateHandler = nil }
        cancel()
        ready?(self, connection)
    }

    private func failed(_ error: PulseError) {
        abandon()
        let delay = policy.next()
        schedule(after: delay) { $0.attempt() }
        failure?(self, error, delay)
    }

    private func abandon() {
        guard let connection else { return }
        self.connection = nil
        connection.sync { connection in
            connection.stateHandler = nil
            connection.close()
        }
    }

    private func schedule(after delay: Duration, _ body: @escaping @Sendable (isolated PulseConnector) -> Void) {
        timer?.cancel()
        let timer = MainloopTimer(mainloop: mainloop) { [weak self] in self?.assumeIsolated { body($0) } }
        self.timer = timer
        timer.start(after: delay)
    }
}
