internal import CPulse

/// A stream of sound from a source.
///
/// Frames are interleaved in the format of ``spec`` and handed to ``dataHandler`` as they come.
///
/// PulseAudio: `pa_stream` for recording.
public actor RecordStream: MainloopActor {
    /// The handler of a command's answer, called exactly once, on the loop's thread with the lock held.
    public typealias Completion = (Result<Void, PulseError>) -> Void

    /// The loop of the connection.
    public nonisolated var mainloop: Mainloop { connection.mainloop }
    /// The loop as an executor.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { connection.mainloop.asUnownedSerialExecutor() }
    /// The connection that the stream belongs to.
    public nonisolated let connection: PulseConnection
    /// The format of the recorded frames.
    public nonisolated let spec: SampleSpec

    /// The handler of stream events, called on the loop's thread with the lock held.
    public var eventHandler: (@Sendable (isolated RecordStream, StreamEvent) -> Void)?
    /// Called on the loop's thread with whole frames, or with a number of bytes that the server lost (`nil` data).
    ///
    /// PulseAudio: `pa_stream_peek`, `pa_stream_drop`.
    public var dataHandler: (@Sendable (isolated RecordStream, UnsafeRawBufferPointer?, Int) -> Void)?

    let core: StreamCore
    private let name: String
    private let map: ChannelMap?
    private let properties: PropertyList

    /// Creates an unconnected stream.
    ///
    /// - Parameters:
    ///   - connection: A connection that is ready by the time of ``connect(to:attributes:flags:)``.
    ///   - name: The stream's name, as mixers show it (`media.name`).
    ///   - spec: The format of the recorded frames.
    ///   - map: The channels' positions; nil for the server's default.
    ///   - properties: Further properties, such as `media.role`.
    ///
    /// PulseAudio: `pa_stream_new_with_proplist`.
    public init(
        connection: PulseConnection, name: String, spec: SampleSpec, map: ChannelMap? = nil,
        properties: PropertyList = [:]
    ) {
        self.connection = connection
        self.name = name
        self.spec = spec
        self.map = map
        self.properties = properties
        core = StreamCore(connection: connection, spec: spec)
    }

    deinit { core.dispose() }

    /// Sets both handlers.
    public func setHandlers(
        data: (@Sendable (isolated RecordStream, UnsafeRawBufferPointer?, Int) -> Void)?,
        event: (@Sendable (isolated RecordStream, StreamEvent) -> Void)?
    ) {
        dataHandler = data
        eventHandler = event
    }

    /// The state of the stream.
    public var state: StreamState { core.state }

    /// Begins to connect the stream; ``eventHandler`` receives the outcome.
    ///
    /// - Parameters:
    ///   - source: A source's name; nil for the default one.
    ///   - sinkInput: The index of a sink input to record alone, in place of a source; nil for the source.
    ///   - attributes: The buffer's sizes; only ``BufferAttributes/fragmentSize`` matters.
    ///   - flags: The options for connecting.
    ///
    /// PulseAudio: `pa_stream_connect_record`, `pa_stream_set_monitor_stream`.
    public func connect(
        to source: String? = nil, monitoring sinkInput: UInt32? = nil,
        attributes: BufferAttributes = BufferAttributes(), flags: StreamFlags = []
    ) throws(PulseError) {
        // Weak, not unowned: the last reference may be released on any thread while the loop is about to call.
        core.onEvent = { [weak self] event in self?.assumeIsolated { $0.eventHandler?($0, event) } }
        core.onData = { [weak self] _ in self?.assumeIsolated { $0.deliver() } }
        try core.connect(name: name, map: map, properties: properties, call: "pa_stream_connect_record") { stream in
            var raw = attributes.raw
            if let sinkInput, pa_stream_set_monitor_stream(stream, sinkInput) < 0 { return -1 }
            return pa_stream_connect_record(stream, source, &raw, pa_stream_flags_t(rawValue: flags.rawValue))
        }
    }

    /// Closes the stream and drops the undelivered audio.
    ///
    /// PulseAudio: `pa_stream_disconnect`.
    public func close() { core.close() }

    /// Delivers all received fragments.
    ///
    /// The handler may close the stream.
    private func deliver() {
        while core.state == .ready, let stream = core.raw, pa_stream_readable_size(stream) > 0 {
            var data: UnsafeRawPointer?
            var size = 0
            guard pa_stream_peek(stream, &data, &size) == 0, size > 0 else { return }
            dataHandler?(self, data.map { UnsafeRawBufferPointer(start: $0, count: size) }, size)
            guard core.raw == stream else { return }
            pa_stream_drop(stream)
        }
    }

    // MARK: Commands

    /// Corks or uncorks the stream.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_stream_cork`.
    public func cork(_ corked: Bool, completion: @escaping Completion = { _ in }) {
        core.cork(corked, completion: completion)
    }

    /// Drops the audio that has not been delivered yet.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_stream_flush`.
    public func flush(completion: @escaping Completion = { _ in }) {
        core.flush(completion: completion)
    }

    /// Asks the server for fresh ``timing``.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_stream_update_timing_info`.
    public func updateTiming(completion: @escaping Completion) {
        core.updateTiming(completion: completion)
    }

    /// Changes the buffer's sizes; only ``BufferAttributes/fragmentSize`` matters.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_stream_set_buffer_attr`.
    public func setBufferAttributes(_ attributes: BufferAttributes, completion: @escaping Completion = { _ in }) {
        core.setBufferAttributes(attributes, completion: completion)
    }

    /// Adds properties, or replaces their values.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_stream_proplist_update`.
    public func updateProperties(_ properties: PropertyList, completion: @escaping Completion = { _ in }) {
        core.updateProperties(properties, completion: completion)
    }

    /// Corks or uncorks the stream.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_stream_cork`.
    public func cork(_ corked: Bool) async throws(PulseError) {
        try await answerOfCommand { cork(corked, completion: $0) }
    }

    // MARK: State

    /// The positions of the stream in the server's last report; nil before the first.
    ///
    /// PulseAudio: `pa_stream_get_timing_info`.
    public var timing: StreamTiming? { core.timing }

    /// The age of the newest readable frame, in seconds; nil before the server's first report.
    ///
    /// PulseAudio: `pa_stream_get_latency`.
    public var latency: Double? { core.latency }

    /// The buffer sizes that the server granted.
    ///
    /// PulseAudio: `pa_stream_get_buffer_attr`.
    public var bufferAttributes: BufferAttributes? { core.bufferAttributes }

    /// The index of the stream's source output; nil before the stream is ready.
    ///
    /// PulseAudio: `pa_stream_get_index`.
    public var index: UInt32? { core.index }

    /// The current source of the stream.
    ///
    /// PulseAudio: `pa_stream_get_device_index`, `pa_stream_get_device_name`.
    public var device: (index: UInt32, name: String)? { core.device }

    /// Whether the source is suspended.
    ///
    /// PulseAudio: `pa_stream_is_suspended`.
    public var isSuspended: Bool { core.isSuspended }
}
