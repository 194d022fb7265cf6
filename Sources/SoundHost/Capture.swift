internal import PulseClient
package import SessionPolicy

/// What is to be recorded, and how.
package struct CaptureRequest: Hashable, Sendable {
    /// How one sample is stored; native byte order.
    package enum Format: Hashable, Sendable {
        /// 16-bit integers.
        case int16
        /// 32-bit integers, of which the upper bits count.
        case int32
        /// 32-bit floats of −1 … 1.
        case float32
    }

    /// How one sample is stored.
    package var format: Format
    /// Frames per second, in Hz.
    package var rate: Int
    /// Samples in a frame.
    package var channels: Int
    /// The role of the stream.
    package var role: StreamRole?
    /// A source's name; nil for the default one.
    package var source: String?
    /// How much is delivered at a time, in seconds.
    package var fragment = 0.04

    /// A request to record.
    package init(format: Format, rate: Int, channels: Int, role: StreamRole?, source: String? = nil) {
        self.format = format
        self.rate = rate
        self.channels = channels
        self.role = role
        self.source = source
    }
}

/// A stream that records.
// SAFETY: everything mutable is only touched with the main loop's lock held.
package final class Capture: @unchecked Sendable {
    /// What a capture tells its recorder, on the main loop's thread with the lock held.
    package struct Handlers: Sendable {
        /// Interleaved frames, and how many bytes; nil data for frames that the server lost.
        var data: @Sendable (UnsafeRawBufferPointer?, Int) -> Void
        /// The session paused the capture; told whether it was running and the app did not ask for it.
        var interrupted: @Sendable (Bool) -> Void
        /// The stream ended without our doing: killed, or its server or source went away.
        var ended: @Sendable () -> Void

        /// Handlers of a capture.
        package init(
            data: @escaping @Sendable (UnsafeRawBufferPointer?, Int) -> Void,
            interrupted: @escaping @Sendable (_ wasRunning: Bool) -> Void, ended: @escaping @Sendable () -> Void
        ) {
            self.data = data
            self.interrupted = interrupted
            self.ended = ended
        }
    }

    private let request: CaptureRequest
    private let stream: RecordStream
    private let handlers: Handlers
    private var isClosed = false
    /// Whether frames are wanted.
    package private(set) var isRunning = false
    /// Asked before frames flow; true keeps them away, because the session was interrupted in between.
    var isHeldBack: () -> Bool = { false }
    var onRunning: () -> Void = {}
    var onEnd: () -> Void = {}

    init(_ request: CaptureRequest, on connection: PulseConnection, handlers: Handlers) throws(PulseError) {
        self.request = request
        self.handlers = handlers
        let format: SampleFormat
        switch request.format {
        case .int16: format = .int16
        case .int32: format = .int32
        case .float32: format = .float32
        }
        let identity = AppIdentity.current
        // A map of our own: libpulse knows none for seven channels, and orders six of them otherwise than files do.
        let channels = UInt8(clamping: request.channels)
        stream = RecordStream(
            connection: connection, name: identity.name,
            spec: SampleSpec(format: format, rate: UInt32(request.rate), channels: channels),
            map: ChannelMap(wave: channels),
            properties: identity.streamProperties(role: request.role, name: identity.name))
    }

    func open() throws(PulseError) {
        try stream.sync { stream throws(PulseError) in
            stream.setHandlers(
                data: { [weak self] _, bytes, count in
                    guard let self, self.isRunning else { return }
                    self.handlers.data(bytes, count)
                },
                event: { [weak self] stream, event in
                    guard case .stateChanged(let state) = event else { return }
                    stream.mainloop.signal()
                    if case .failed = state { self?.failed() }
                })
            try stream.connect(
                to: request.source,
                attributes: BufferAttributes(fragmentSize: UInt32(stream.spec.bytes(request.fragment))),
                flags: [.startCorked, .adjustLatency, .autoTimingUpdate, .interpolateTiming])
            let mainloop = stream.mainloop
            _ = mainloop.wait(timeout: .milliseconds(1500)) { stream.state != .creating }
            if case .failed(let error) = stream.state { throw error }
            guard stream.state == .ready else {
                stream.close()
                throw PulseError(.timeout, in: "pa_stream_connect_record")
            }
        }
    }

    /// Lets frames flow.
    ///
    /// With the main loop's lock held.
    package func resume() {
        guard !isClosed, !isRunning else { return }
        guard !isHeldBack() else { return handlers.interrupted(true) }
        isRunning = true
        stream.sync { $0.cork(false) }
        onRunning()
    }

    /// Stops the flow at once.
    ///
    /// With the main loop's lock held.
    package func pause() {
        guard isRunning else { return }
        isRunning = false
        stream.sync { $0.cork(true) }
        onRunning()
    }

    /// Ends the stream.
    ///
    /// With the main loop's lock held.
    package func close() {
        guard !isClosed else { return }
        isClosed = true
        isRunning = false
        stream.sync { $0.close() }
        onEnd()
    }

    /// Pauses at the session's wish; `interrupting` if the app did not ask for it.
    func stop(interrupting: Bool) {
        let wasRunning = isRunning
        pause()
        // An interruption may come in two steps, and the second one finds nothing that runs.
        if wasRunning || !interrupting { handlers.interrupted(wasRunning && interrupting) }
    }

    private func failed() {
        guard !isClosed else { return }
        isClosed = true
        isRunning = false
        onEnd()
        handlers.ended()
    }
}
