internal import CPulse

/// A connection to the sound server.
///
/// Its isolated members run on its ``mainloop``. From asynchronous code use `await`; from a plain thread
/// ``MainloopActor/sync(_:)`` with the `…AndWait` forms.
///
/// A connection that failed is over; ``PulseConnector`` makes another one. Questions have no timeout of their own: libpulse
/// gives a connection up whose server has not answered for 30 seconds.
///
/// PulseAudio: `pa_context`.
public actor PulseConnection: MainloopActor {
    /// How far a connection has come.
    ///
    /// PulseAudio: `pa_context_state_t`.
    public enum State: Hashable, Sendable {
        /// ``connect(to:)`` has not been called yet. Can move to: connecting, closed.
        case unconnected
        /// On the way. Can move to: ready, failed, closed.
        case connecting
        /// In use. Can move to: failed, closed.
        case ready
        /// Refused, or lost. Final.
        case failed(PulseError)
        /// Closed by us. Final.
        case closed
    }

    /// The loop that the connection and its streams run on.
    public nonisolated let mainloop: Mainloop
    /// The loop as an executor.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { mainloop.asUnownedSerialExecutor() }

    /// How far the connection has come.
    public private(set) var state: State = .unconnected
    /// Called on the loop's thread after each change of ``state``.
    public var stateHandler: (@Sendable (isolated PulseConnection, State) -> Void)?
    /// Called on the loop's thread for each change that was subscribed to.
    public var eventHandler: (@Sendable (isolated PulseConnection, SubscriptionEvent) -> Void)?

    private var context: OpaquePointer?
    private var link: ConnectionLink?
    let requests = RequestTable()
    private var streams: [ObjectIdentifier: WeakStream] = [:]
    private let name: String
    private let properties: PropertyList

    /// A connection that is not connected yet, and costs nothing.
    ///
    /// - Parameters:
    ///   - name: The application's name, as mixers show it.
    ///   - properties: More of the client's properties, such as `application.id`.
    ///   - mainloop: The loop to run on; several connections may share one.
    ///
    /// PulseAudio: `pa_context_new_with_proplist`.
    public init(name: String, properties: PropertyList = [:], mainloop: Mainloop = Mainloop()) {
        self.name = name
        self.properties = properties
        self.mainloop = mainloop
    }

    isolated deinit {
        release()
        requests.failAll(.connectionTerminated)
    }

    // MARK: Connecting

    /// Begins to connect; ``stateHandler`` is told how it goes.
    ///
    /// - Parameter server: An address such as `unix:/run/user/1000/pulse/native`; nil looks where every client looks
    ///   (`PULSE_SERVER`, the runtime directory, the configuration).
    ///
    /// PulseAudio: `pa_context_connect`.
    public func connect(to server: String? = nil) throws(PulseError) {
        guard state == .unconnected else { throw PulseError(.badState, in: "pa_context_connect") }
        let context = properties.withRaw { pa_context_new_with_proplist(mainloop.api, name, $0) }
        guard let context else { throw PulseError(.unknown, in: "pa_context_new_with_proplist") }
        self.context = context
        let link = ConnectionLink(connection: self)
        self.link = link
        // SAFETY: `release()` takes the callbacks back before it lets go of the link.
        let userdata = Unmanaged.passUnretained(link).toOpaque()
        pa_context_set_state_callback(context, contextStateChanged, userdata)
        pa_context_set_subscribe_callback(context, subscribedObjectChanged, userdata)
        state = .connecting
        // Where nobody listens, the state callback says so before the call returns, and `release()` lets go of the context.
        pa_context_ref(context)
        defer { pa_context_unref(context) }
        // Never NOAUTOSPAWN's opposite: a library must not start a sound server on the user's machine.
        let result = pa_context_connect(context, server, PA_CONTEXT_NOAUTOSPAWN, nil)
        if case .failed(let error) = state { throw error }
        if result < 0 {
            let error = PulseError(context: context, in: "pa_context_connect")
            fail(error)
            throw error
        }
    }

    /// Connects, and waits until the connection is ready.
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

    /// Connects, and blocks the calling thread (not the loop's) until the connection is ready.
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

    fileprivate func contextChanged() {
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

    /// What a failed context means: a server that hangs up before the connection was ready is full or on its way out.
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
        release()
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

    private func release() {
        guard let context else { return }
        self.context = nil
        pa_context_set_state_callback(context, nil, nil)
        pa_context_set_subscribe_callback(context, nil, nil)
        pa_context_disconnect(context)
        pa_context_unref(context)
        link = nil
    }

    // MARK: For the rest of the module

    /// The context of a ready connection.
    func ready(for call: String) throws(PulseError) -> OpaquePointer {
        guard state == .ready, let context else { throw PulseError(.badState, in: call) }
        return context
    }

    func register(_ stream: StreamCore) { streams[ObjectIdentifier(stream)] = WeakStream(value: stream) }
    func unregister(_ stream: StreamCore) { streams[ObjectIdentifier(stream)] = nil }

    fileprivate func changed(_ event: SubscriptionEvent) { eventHandler?(self, event) }

    private struct WeakStream { weak var value: StreamCore? }

    /// Sets what is told of state changes and of subscribed changes.
    public func setHandlers(
        state: (@Sendable (isolated PulseConnection, State) -> Void)? = nil,
        event: (@Sendable (isolated PulseConnection, SubscriptionEvent) -> Void)? = nil
    ) {
        stateHandler = state
        eventHandler = event
    }
}

/// What libpulse's callbacks get in place of the connection.
///
/// The last reference may be let go on any thread, while the loop is about to call: the connection itself would then be
/// found half gone, a weak reference finds nil. The link lives until the connection's deinit, on the loop, is through.
// SAFETY: never changed.
private final class ConnectionLink: @unchecked Sendable {
    private(set) weak var connection: PulseConnection?

    init(connection: PulseConnection) { self.connection = connection }

    static func connection(_ userdata: UnsafeMutableRawPointer?) -> PulseConnection? {
        // SAFETY: the connection takes its callbacks back before it lets go of the link.
        userdata.map { Unmanaged<ConnectionLink>.fromOpaque($0).takeUnretainedValue() }?.connection
    }
}

// File-scope functions: a closure literal would be isolated to wherever it is written, and checked at run time for it.

private func contextStateChanged(_: OpaquePointer?, userdata: UnsafeMutableRawPointer?) {
    ConnectionLink.connection(userdata)?.assumeIsolated { $0.contextChanged() }
}

private func subscribedObjectChanged(
    _: OpaquePointer?, type: pa_subscription_event_type_t, index: UInt32, userdata: UnsafeMutableRawPointer?
) {
    guard let event = SubscriptionEvent(type, index: index) else { return }
    ConnectionLink.connection(userdata)?.assumeIsolated { $0.changed(event) }
}
