internal import CPulse

/// The state of a stream.
///
/// PulseAudio: `pa_stream_state_t`.
public enum StreamState: Hashable, Sendable {
    /// Not connected yet. Can move to: creating, closed.
    case unconnected
    /// Connecting. Can move to: ready, failed, closed.
    case creating
    /// In use. Can move to: failed, closed.
    case ready
    /// Refused, killed, or lost with its connection. Final.
    case failed(PulseError)
    /// Closed by this client. Final.
    case closed
}

/// An event of a stream, delivered on the loop's thread with the lock held.
public enum StreamEvent: Hashable, Sendable {
    /// The state changed. PulseAudio: `pa_stream_set_state_callback`.
    case stateChanged(StreamState)
    /// Playback has started, for the first time or after an underflow. PulseAudio: `pa_stream_set_started_callback`.
    case started
    /// The server ran out of data. PulseAudio: `pa_stream_set_underflow_callback`.
    case underflow
    /// The write exceeded the server's buffer. PulseAudio: `pa_stream_set_overflow_callback`.
    case overflow
    /// The stream was moved to another device. PulseAudio: `pa_stream_set_moved_callback`.
    case moved
    /// The device was suspended or resumed. PulseAudio: `pa_stream_set_suspended_callback`.
    case suspended(Bool)
    /// The server's buffer sizes changed. PulseAudio: `pa_stream_set_buffer_attr_callback`.
    case bufferAttributesChanged
    /// The server has reported where the stream is, because it was asked or by itself. PulseAudio:
    /// `pa_stream_set_latency_update_callback`.
    case timingUpdated
    /// The server requests something of the stream, such as `request-cork`. PulseAudio: `pa_stream_set_event_callback`.
    case server(name: String)
}

/// The write and read positions and latencies of a stream in the server's last report.
///
/// PulseAudio: `pa_timing_info`.
public struct StreamTiming: Hashable, Sendable {
    /// The position of the next write, in bytes from the start of the stream.
    public let writeIndex: Int64
    /// The position that the server reads next, in bytes from the start of the stream.
    public let readIndex: Int64
    /// Time from the server's buffer to the loudspeaker, in seconds.
    public let sinkLatency: Double
    /// Time from the microphone to the server's buffer, in seconds.
    public let sourceLatency: Double
    /// Whether sound is flowing.
    public let isPlaying: Bool

    /// The queued bytes in the server's buffer.
    public var queued: Int64 { max(0, writeIndex - readIndex) }
}

/// The part that playback and record streams share: the C object, its callbacks and its pending requests.
///
/// Not an actor: its owner is one, on the same loop, and receives `onEvent` and `onData`.
// SAFETY: only touched with the loop's lock held, by its owner, its connection and libpulse's callbacks.
final class StreamCore: @unchecked Sendable {
    let connection: PulseConnection
    let spec: SampleSpec
    private(set) var raw: OpaquePointer?
    private(set) var state: StreamState = .unconnected
    var onEvent: (StreamEvent) -> Void = { _ in }
    /// Called with the number of bytes to write or to read.
    var onData: (Int) -> Void = { _ in }
    private let requests = RequestTable()

    init(connection: PulseConnection, spec: SampleSpec) {
        self.connection = connection
        self.spec = spec
    }

    /// Creates the C object and begins to connect it.
    func connect(
        name: String, map: ChannelMap?, properties: PropertyList, call: String, _ begin: (OpaquePointer) -> Int32
    ) throws(PulseError) {
        guard state == .unconnected else { throw PulseError(.badState, in: call) }
        let context = try connection.sync { connection throws(PulseError) in try connection.ready(for: call) }
        var rawSpec = spec.raw
        let made = properties.withRaw { list in
            withUnsafeRaw(of: map) { pa_stream_new_with_proplist(context, name, &rawSpec, $0, list) }
        }
        guard let stream = made else { throw PulseError(context: context, in: "pa_stream_new") }
        raw = stream
        setCallbacks(on: stream)
        connection.sync { $0.register(self) }
        state = .creating
        if begin(stream) < 0 {
            let error = PulseError(context: context, in: call)
            end(.failed(error), code: error.code)
            throw error
        }
    }

    /// The C object of a ready stream.
    func ready(for call: String) throws(PulseError) -> OpaquePointer {
        guard state == .ready, let raw else { throw PulseError(.badState, in: call) }
        return raw
    }

    /// Sends a command that is answered with success or failure.
    func command(
        _ call: String, completion: @escaping (Result<Void, PulseError>) -> Void,
        begin: (OpaquePointer, UnsafeMutableRawPointer) -> OpaquePointer?
    ) {
        do throws(PulseError) {
            let stream = try ready(for: call)
            let request = PendingRequest(
                call, in: requests, end: { error in completion(error.map { .failure($0) } ?? .success(())) })
            requests.send(request, context: pa_stream_get_context(stream)) { begin(stream, $0) }
        } catch {
            completion(.failure(error))
        }
    }

    func lastError(_ call: String) -> PulseError {
        PulseError(context: raw.flatMap { pa_stream_get_context($0) }, in: call)
    }

    var timing: StreamTiming? {
        guard state == .ready, let raw, let info = pa_stream_get_timing_info(raw)?.pointee else { return nil }
        return StreamTiming(
            writeIndex: info.write_index, readIndex: info.read_index, sinkLatency: Double(info.sink_usec) / 1e6,
            sourceLatency: Double(info.source_usec) / 1e6, isPlaying: info.playing != 0)
    }

    // MARK: Ending

    func close() {
        switch state {
        case .failed, .closed: return
        case .unconnected, .creating, .ready: end(.closed, code: .badState)
        }
    }

    /// Called by the connection when it ends, for any reason.
    func connectionEnded(_ code: PulseError.Code) { end(.failed(PulseError(code, in: "pa_stream")), code: code) }

    fileprivate func stateChanged() {
        guard let raw, state == .creating || state == .ready else { return }
        switch pa_stream_get_state(raw) {
        case PA_STREAM_READY:
            state = .ready
            onEvent(.stateChanged(.ready))
        case PA_STREAM_FAILED:
            let error = lastError("pa_stream")
            end(.failed(error), code: error.code)
        case PA_STREAM_TERMINATED:
            end(.failed(PulseError(.killed, in: "pa_stream")), code: .killed)
        default:
            break
        }
    }

    private func end(_ final: StreamState, code: PulseError.Code) {
        guard state != final else { return }
        state = final
        release()
        requests.failAll(code)
        onEvent(.stateChanged(final))
    }

    private func release() {
        guard let stream = raw else { return }
        raw = nil
        connection.sync { $0.unregister(self) }
        clearCallbacks(on: stream)
        if pa_stream_get_state(stream) == PA_STREAM_CREATING {
            // libpulse refuses to disconnect a stream before the server has answered, and retains it meanwhile.
            pa_stream_set_state_callback(stream, disconnectOnceReady, nil)
        } else {
            pa_stream_disconnect(stream)
        }
        pa_stream_unref(stream)
    }

    /// Called by the owner's `deinit`, on any thread.
    func dispose() {
        connection.mainloop.withLock {
            onEvent = { _ in }
            onData = { _ in }
            state = .closed
            release()
            requests.failAll(.badState)
        }
    }

    // MARK: Callbacks

    private func setCallbacks(on stream: OpaquePointer) {
        // SAFETY: `clearCallbacks(on:)` clears them before this object is released.
        let me = Unmanaged.passUnretained(self).toOpaque()
        pa_stream_set_state_callback(stream, { core(from: $1)?.stateChanged() }, me)
        pa_stream_set_write_callback(stream, { core(from: $2)?.onData($1) }, me)
        pa_stream_set_read_callback(stream, { core(from: $2)?.onData($1) }, me)
        pa_stream_set_started_callback(stream, { core(from: $1)?.onEvent(.started) }, me)
        pa_stream_set_underflow_callback(stream, { core(from: $1)?.onEvent(.underflow) }, me)
        pa_stream_set_overflow_callback(stream, { core(from: $1)?.onEvent(.overflow) }, me)
        pa_stream_set_moved_callback(stream, { core(from: $1)?.onEvent(.moved) }, me)
        pa_stream_set_suspended_callback(
            stream, { core(from: $1)?.onEvent(.suspended(pa_stream_is_suspended($0) == 1)) }, me)
        pa_stream_set_buffer_attr_callback(stream, { core(from: $1)?.onEvent(.bufferAttributesChanged) }, me)
        pa_stream_set_latency_update_callback(stream, { core(from: $1)?.onEvent(.timingUpdated) }, me)
        pa_stream_set_event_callback(
            stream,
            { _, name, _, userdata in
                guard let name else { return }
                core(from: userdata)?.onEvent(.server(name: String(cString: name)))
            }, me)
    }

    private func clearCallbacks(on stream: OpaquePointer) {
        pa_stream_set_state_callback(stream, nil, nil)
        pa_stream_set_write_callback(stream, nil, nil)
        pa_stream_set_read_callback(stream, nil, nil)
        pa_stream_set_started_callback(stream, nil, nil)
        pa_stream_set_underflow_callback(stream, nil, nil)
        pa_stream_set_overflow_callback(stream, nil, nil)
        pa_stream_set_moved_callback(stream, nil, nil)
        pa_stream_set_suspended_callback(stream, nil, nil)
        pa_stream_set_buffer_attr_callback(stream, nil, nil)
        pa_stream_set_latency_update_callback(stream, nil, nil)
        pa_stream_set_event_callback(stream, nil, nil)
    }
}

private func core(from userdata: UnsafeMutableRawPointer?) -> StreamCore? {
    // SAFETY: the stream clears its callbacks before it is released.
    userdata.map { Unmanaged<StreamCore>.fromOpaque($0).takeUnretainedValue() }
}

private func disconnectOnceReady(_ stream: OpaquePointer?, userdata: UnsafeMutableRawPointer?) {
    guard let stream, pa_stream_get_state(stream) == PA_STREAM_READY else { return }
    pa_stream_set_state_callback(stream, nil, nil)
    pa_stream_disconnect(stream)
}

/// The callback of stream commands: `pa_stream_success_cb_t`.
func streamCommandAnswered(_ stream: OpaquePointer?, success: Int32, userdata: UnsafeMutableRawPointer?) {
    PendingRequest.from(userdata)?.received(success: success, context: stream.flatMap { pa_stream_get_context($0) })
}
