internal import CPulse

/// A stream of sound to a sink.
///
/// Frames are interleaved in the format of ``spec``. The server requests data through ``requestHandler``; more data is
/// queued, up to the buffer's maximum.
///
/// PulseAudio: `pa_stream` for playback.
public actor PlaybackStream: MainloopActor {
    /// The handler of a command's answer, called exactly once, on the loop's thread with the lock held.
    public typealias Completion = (Result<Void, PulseError>) -> Void

    /// The loop of the connection.
    public nonisolated var mainloop: Mainloop { connection.mainloop }
    /// The loop as an executor.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { connection.mainloop.asUnownedSerialExecutor() }
    /// The connection that the stream belongs to.
    public nonisolated let connection: PulseConnection
    /// The format of the written frames.
    public nonisolated let spec: SampleSpec

    /// The handler of stream events, called on the loop's thread with the lock held.
    public var eventHandler: (@Sendable (isolated PlaybackStream, StreamEvent) -> Void)?
    /// Called on the loop's thread when the server wants that many more bytes.
    ///
    /// PulseAudio: `pa_stream_set_write_callback`.
    public var requestHandler: (@Sendable (isolated PlaybackStream, Int) -> Void)?

    let core: StreamCore
    private let name: String
    private let map: ChannelMap?
    private let properties: PropertyList

    /// Creates an unconnected stream.
    ///
    /// - Parameters:
    ///   - connection: A connection that is ready by the time of ``connect(to:attributes:flags:)``.
    ///   - name: The stream's name, as mixers show it (`media.name`).
    ///   - spec: The format of the written frames.
    ///   - map: The loudspeakers of the channels; nil for the server's default.
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

    /// A stream of the same name, format and properties on the same connection; not connected yet.
    package nonisolated func copy() -> PlaybackStream {
        PlaybackStream(connection: connection, name: name, spec: spec, map: map, properties: properties)
    }

    /// Sets both handlers.
    public func setHandlers(
        request: (@Sendable (isolated PlaybackStream, Int) -> Void)?,
        event: (@Sendable (isolated PlaybackStream, StreamEvent) -> Void)?
    ) {
        requestHandler = request
        eventHandler = event
    }

    /// The state of the stream.
    public var state: StreamState { core.state }

    /// Begins to connect the stream; ``eventHandler`` receives the outcome.
    ///
    /// - Parameters:
    ///   - sink: A sink's name; nil for the default one.
    ///   - attributes: The buffer's sizes.
    ///   - flags: The options for connecting.
    ///
    /// PulseAudio: `pa_stream_connect_playback`.
    public func connect(
        to sink: String? = nil, attributes: BufferAttributes = BufferAttributes(), flags: StreamFlags = []
    ) throws(PulseError) {
        // Weak, not unowned: the last reference may be released on any thread while the loop is about to call.
        core.onEvent = { [weak self] event in self?.assumeIsolated { $0.eventHandler?($0, event) } }
        core.onData = { [weak self] bytes in self?.assumeIsolated { $0.requestHandler?($0, bytes) } }
        try core.connect(name: name, map: map, properties: properties, call: "pa_stream_connect_playback") { stream in
            var raw = attributes.raw
            return pa_stream_connect_playback(
                stream, sink, &raw, pa_stream_flags_t(rawValue: flags.rawValue), nil, nil)
        }
    }

    /// Closes the stream and drops the queued audio.
    ///
    /// PulseAudio: `pa_stream_disconnect`.
    public func close() { core.close() }

    // MARK: Data

    /// The number of bytes that the server requests now.
    ///
    /// PulseAudio: `pa_stream_writable_size`.
    public var writableBytes: Int {
        guard core.state == .ready, let raw = core.raw else { return 0 }
        let size = pa_stream_writable_size(raw)
        return size == Int.max || size < 0 ? 0 : size
    }

    /// Lets `fill` write into the server's own memory, and queues what it returns in bytes.
    ///
    /// - Parameters:
    ///   - bytes: The requested room in bytes; there may be less.
    ///   - offset: The position to write at, in bytes from the end of the data written so far. A negative one replaces
    ///     queued audio, which must then be written again to its end; audio that the server has taken stays.
    ///   - fill: Fills the room from its start, and returns the number of bytes written, in whole frames.
    /// - Returns: The number of bytes queued.
    ///
    /// PulseAudio: `pa_stream_begin_write`, `pa_stream_write`.
    @discardableResult
    public func write(
        _ bytes: Int, offset: Int = 0, fill: (UnsafeMutableRawBufferPointer) -> Int
    ) throws(PulseError) -> Int {
        let stream = try core.ready(for: "pa_stream_begin_write")
        var room: UnsafeMutableRawPointer?
        var size = bytes
        guard pa_stream_begin_write(stream, &room, &size) == 0, let room else {
            throw core.lastError("pa_stream_begin_write")
        }
        let whole = min(size, bytes) / spec.bytesPerFrame * spec.bytesPerFrame
        let filled = fill(UnsafeMutableRawBufferPointer(start: room, count: whole))
        guard filled > 0 else {
            pa_stream_cancel_write(stream)
            return 0
        }
        let place = place(at: offset, of: stream)
        guard pa_stream_write(stream, room, filled, nil, place.offset, place.mode) == 0 else {
            throw core.lastError("pa_stream_write")
        }
        return filled
    }

    /// The write position in libpulse's form.
    ///
    /// libpulse checks an offset for whole frames with unsigned arithmetic. It therefore refuses negative offsets
    /// unless the size of a frame is a power of two, as with six channels. Offsets from the stream's start have no such
    /// problem.
    private func place(at offset: Int, of stream: OpaquePointer) -> (offset: Int64, mode: pa_seek_mode_t) {
        let relative = (offset: Int64(offset), mode: PA_SEEK_RELATIVE)
        guard offset < 0, spec.bytesPerFrame & (spec.bytesPerFrame - 1) != 0 else { return relative }
        guard let timing = pa_stream_get_timing_info(stream)?.pointee, timing.write_index_corrupt == 0,
            timing.write_index + Int64(offset) >= 0
        else { return relative }
        return (timing.write_index + Int64(offset), PA_SEEK_ABSOLUTE)
    }

    /// Queues a copy of the given frames.
    ///
    /// PulseAudio: `pa_stream_write`.
    public func write(_ frames: UnsafeRawBufferPointer) throws(PulseError) {
        let stream = try core.ready(for: "pa_stream_write")
        guard pa_stream_write(stream, frames.baseAddress, frames.count, nil, 0, PA_SEEK_RELATIVE) == 0 else {
            throw core.lastError("pa_stream_write")
        }
    }
}

// MARK: - Commands

extension PlaybackStream {
    /// Corks or uncorks the stream; the queued audio is kept.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_stream_cork`.
    public func cork(_ corked: Bool, completion: @escaping Completion = { _ in }) {
        core.cork(corked, completion: completion)
    }

    /// Drops the queued audio.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_stream_flush`.
    public func flush(completion: @escaping Completion = { _ in }) {
        core.flush(completion: completion)
    }

    /// Completes when the queued audio has been played.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_stream_drain`.
    public func drain(completion: @escaping Completion) {
        core.command("pa_stream_drain", completion: completion) { pa_stream_drain($0, streamCommandAnswered, $1) }
    }

    /// Asks the server for fresh ``timing``.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_stream_update_timing_info`.
    public func updateTiming(completion: @escaping Completion) {
        core.updateTiming(completion: completion)
    }

    /// Changes the buffer's sizes.
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

    /// Drops the queued audio.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_stream_flush`.
    public func flush() async throws(PulseError) { try await answerOfCommand { flush(completion: $0) } }

    /// Waits until the queued audio has been played.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_stream_drain`.
    public func drain() async throws(PulseError) { try await answerOfCommand { drain(completion: $0) } }

    /// Asks the server for fresh ``timing`` and returns it.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_stream_update_timing_info`.
    public func updateTiming() async throws(PulseError) -> StreamTiming? {
        try await answerOfCommand { updateTiming(completion: $0) }
        return timing
    }

    // MARK: State

    /// The positions of the stream in the server's last report; nil before the first.
    ///
    /// PulseAudio: `pa_stream_get_timing_info`.
    public var timing: StreamTiming? { core.timing }

    /// The time, in seconds, until a frame written now is heard; nil before the server's first report.
    ///
    /// PulseAudio: `pa_stream_get_latency`.
    public var latency: Double? { core.latency }

    /// The buffer sizes that the server granted.
    ///
    /// PulseAudio: `pa_stream_get_buffer_attr`.
    public var bufferAttributes: BufferAttributes? { core.bufferAttributes }

    /// The index of the stream's sink input; nil before the stream is ready.
    ///
    /// PulseAudio: `pa_stream_get_index`.
    public var index: UInt32? { core.index }

    /// The current sink of the stream.
    ///
    /// PulseAudio: `pa_stream_get_device_index`, `pa_stream_get_device_name`.
    public var device: (index: UInt32, name: String)? { core.device }

    /// Whether the sink is suspended.
    ///
    /// PulseAudio: `pa_stream_is_suspended`.
    public var isSuspended: Bool { core.isSuspended }
}
