internal import CPulse

/// A connection to the sound server.
///
/// Its isolated members run on its ``mainloop``. From asynchronous code use `await`; from a plain thread
/// ``MainloopActor/sync(_:)`` with the `…AndWait` forms.
///
/// A failed connection cannot be reopened; ``PulseConnector`` creates a new one. Requests have no timeout of their own:
/// libpulse closes a connection whose server has not answered for 30 seconds.
///
/// PulseAudio: `pa_context`.
public actor PulseConnection: MainloopActor {
    /// The state of a connection.
    ///
    /// PulseAudio: `pa_context_state_t`.
    public enum State: Hashable, Sendable {
        /// ``connect(to:)`` has not been called yet. Can move to: connecting, closed.
        case unconnected
        /// Connecting. Can move to: ready, failed, closed.
        case connecting
        /// In use. Can move to: failed, closed.
        case ready
        /// Refused, or lost. Final.
        case failed(PulseError)
        /// Closed by this client. Final.
        case closed
    }

    /// The loop that the connection and its streams run on.
    public nonisolated let mainloop: Mainloop
    /// The loop as an executor.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { mainloop.asUnownedSerialExecutor() }

    /// The state of the connection.
    public private(set) var state: State = .unconnected
    /// Called on the loop's thread after each change of ``state``.
    public var stateHandler: (@Sendable (isolated PulseConnection, State) -> Void)?
    /// Called on the loop's thread for each change that was subscribed to.
    public var eventHandler: (@Sendable (isolated PulseConnection, SubscriptionEvent) -> Void)?

    private var context: OpaquePointer? { link.context }
    private let link: ConnectionLink
    var requests: RequestTable { link.requests }
    private var streams: [ObjectIdentifier: WeakStream] = [:]
    private let name: String
    private let properties: PropertyList

    /// Creates an unconnected connection, without using the server.
    ///
    /// - Parameters:
    ///   - name: The application's name, as mixers show it.
    ///   - properties: Further properties of the client, such as `application.id`.
    ///   - mainloop: The loop to run on; several connections may share one.
    ///
    /// PulseAudio: `pa_context_new_with_proplist`.
    public init(name: String, properties: PropertyList = [:], mainloop: Mainloop) {
        self.name = name
        self.properties = properties
        self.mainloop = mainloop
        link = ConnectionLink(mainloop: mainloop)
    }

    /// Creates an unconnected connection with a new loop; throws the errors of ``Mainloop/init()``.
    ///
    /// PulseAudio: `pa_threaded_mainloop_new`, `pa_context_new_with_proplist`.
    public init(name: String, properties: PropertyList = [:]) throws(PulseError) {
        self.init(name: name, properties: properties, mainloop: try Mainloop())
    }

    // MARK: Connecting

    /// Begins to connect; ``stateHandler`` receives the outcome.
    ///
    /// - Parameter server: An address such as `unix:/run/user/1000/pulse/native`; nil for libpulse's default
    ///   (`PULSE_SERVER`, the runtime directory, the configuration).
    ///
    /// PulseAudio: `pa_context_connect`.
    public func connect(to server: String? = nil) throws(PulseError) {
        guard state == .unconnected else { throw PulseError(.badState, in: "pa_context_connect") }
        let context = properties.withRaw { pa_context_new_with_proplist(mainloop.api, name, $0) }
        guard let context else { throw PulseError(.unknown, in: "pa_context_new_with_proplist") }
        link.adopt(context, of: self)
        state = .connecting
        // Without a server the state callback is called before `pa_context_connect` returns, and the link releases the
        // context.
        pa_context_ref(context)
        defer { pa_context_unref(context) }
        // A library must not start a sound server on the user's machine.
        let result = pa_context_connect(context, server, PA_CONTEXT_NOAUTOSPAWN, nil)
        if case .failed(let error) = state { throw error }
        if result < 0 {
            let error = PulseError(context: context, in: "pa_context_connect")
            fail(error)
            throw error
        }
    }

    /// Connects, and returns when the connection is ready.
    ///
    /// Suspends until the server has answered, or for `timeout`; throws ``PulseError/Code/timeout`` or the server's
    /// error.
    ///
    /// PulseAudio: `pa_context_connect`.
    public func connect(to server: String? = nil, timeout: Duration) async throws(PulseError) {
        try connect(to: server)
        let timer = MainloopTimer(mainloop: mainloop) { [weak self] in
            self?.assumeIsolated { $0.fail(PulseError(.timeout, in: "pa_context_connect")) }
        }
        timer.start(after: timeout)
        defer { timer.cancel() }
        if let error = await withCheckedContinuation({ readyWaiters.append($0) }) { throw error }
    }

    /// Connects, and blocks the calling thread (not the loop's) until the connection is ready, or for `timeout`.
    ///
    /// Throws ``PulseError/Code/timeout`` or the server's error.
    ///
    /// PulseAudio: `pa_context_connect`, `pa_threaded_mainloop_wait`.
    public func connectAndWait(to server: String? = nil, timeout: Duration = .seconds(2)) throws(PulseError) {
        try connect(to: server)
        let settled = mainloop.wait(timeout: timeout) { self.state != .connecting }
        if case .failed(let error) = state { throw error }
        guard settled else {
            let error = PulseError(.timeout, in: "pa_context_connect")
            fail(error)
            throw error
        }
    }

    /// Closes the connection and all its streams; pending calls fail.
    ///
    /// It cannot be opened again.
    ///
    /// PulseAudio: `pa_context_disconnect`.
    public func close() {
        switch state {
        case .failed, .closed: return
        case .unconnected, .connecting, .ready: end(.closed, code: .connectionTerminated)
        }
    }

    private var readyWaiters: [CheckedContinuation<PulseError?, Never>] = []

    func contextChanged() {
        guard let context, state == .connecting || state == .ready else { return }
        switch pa_context_get_state(context) {
        case PA_CONTEXT_READY:
            state = .ready
            announce(nil)
        case PA_CONTEXT_FAILED:
            fail(connectionError(context))
        case PA_CONTEXT_TERMINATED:
            end(.closed, code: .connectionTerminated)
        default:
            break
        }
    }

    /// The error of a failed context.
    ///
    /// A server that closes the connection before it was ready is full or shutting down.
    private func connectionError(_ context: OpaquePointer) -> PulseError {
        let error = PulseError(context: context, in: "pa_context_connect")
        guard state == .connecting, error.code == .connectionTerminated else { return error }
        return PulseError(
            error.code, in: error.operation,
            explanation: "the sound server hung up at once: it is shutting down, or full (it takes 64 connections)")
    }

    private func fail(_ error: PulseError) { end(.failed(error), code: error.code) }

    private func end(_ final: State, code: PulseError.Code) {
        let wasOpen = state == .connecting || state == .ready
        state = final
        // The streams first: they see their own end before the connection's, as with libpulse.
        for stream in streams.values { stream.value?.connectionEnded(code) }
        streams = [:]
        link.release()
        requests.failAll(code)
        if wasOpen, case .failed(let error) = final { announce(error) } else { announce(.init(code, in: "close")) }
    }

    private func announce(_ error: PulseError?) {
        let waiters = readyWaiters
        readyWaiters = []
        for waiter in waiters { waiter.resume(returning: error) }
        stateHandler?(self, state)
        mainloop.signal()
    }

    // MARK: For the rest of the module

    /// The context of a ready connection.
    func ready(for call: String) throws(PulseError) -> OpaquePointer {
        guard state == .ready, let context else { throw PulseError(.badState, in: call) }
        return context
    }

    func register(_ stream: StreamCore) { streams[ObjectIdentifier(stream)] = WeakStream(value: stream) }
    func unregister(_ stream: StreamCore) { streams[ObjectIdentifier(stream)] = nil }

    func changed(_ event: SubscriptionEvent) { eventHandler?(self, event) }

    private struct WeakStream { weak var value: StreamCore? }

    /// Sets the handlers of state changes and of subscribed changes.
    public func setHandlers(
        state: (@Sendable (isolated PulseConnection, State) -> Void)? = nil,
        event: (@Sendable (isolated PulseConnection, SubscriptionEvent) -> Void)? = nil
    ) {
        stateHandler = state
        eventHandler = event
    }
}
