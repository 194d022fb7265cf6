internal import PulseClient

/// The server's stream of an output, in frames: its buffer, the sink that it was made for, and the stream that is to
/// take its place.
///
/// Used with the main loop's lock held.
final class StreamLink {
    /// The stream.
    private(set) var current: PlaybackStream
    /// The stream that will take the place of the current one when it stands.
    private(set) var successor: PlaybackStream?
    /// The name of the sink that the current stream was made for; nil for the default one.
    private(set) var requestedSink: String?
    /// The amount of sound ahead of the listener.
    private(set) var buffer: OutputBuffer
    /// Whether ``buffer`` has changed since the stream, or the next one, was asked for.
    private var isBufferOutdated = false
    private var spec: SampleSpec

    init(_ stream: PlaybackStream, spec: SampleSpec, buffer: OutputBuffer) {
        current = stream
        self.spec = spec
        self.buffer = buffer
    }

    // MARK: Streams

    /// Connects the current stream, corked.
    func open(sink: String?) throws(PulseError) {
        try connect(current, to: sink)
        requestedSink = sink
    }

    private func connect(_ stream: PlaybackStream, to sink: String?) throws(PulseError) {
        isBufferOutdated = false
        let attributes = buffer.attributes(for: spec)
        try stream.sync { stream throws(PulseError) in
            try stream.connect(
                to: sink, attributes: attributes, flags: [.startCorked, .autoTimingUpdate, .interpolateTiming])
        }
    }

    /// Replaces the current stream, which has failed, by an unconnected copy of it.
    func renew() { current = current.copy() }

    /// Connects a stream that is to take the place of the current one, unless that fails at once.
    func prepare(_ new: PlaybackStream, on sink: String?) {
        successor = new
        do { try connect(new, to: sink) } catch { successor = nil }
    }

    /// Closes the stream that was to take the place of the current one; false if there is none.
    func forgetSuccessor() -> Bool {
        guard let old = successor else { return false }
        successor = nil
        old.sync { $0.close() }
        return true
    }

    /// Takes another stream, and closes the current one.
    func replace(with new: PlaybackStream, spec: SampleSpec) {
        let old = current
        current = new
        successor = nil
        self.spec = spec
        old.sync { $0.close() }
    }

    /// Notes the sink that a successor was made for.
    func succeeded(on sink: String?) { requestedSink = sink }

    /// Closes the current stream.
    func close() { current.sync { $0.close() } }

    // MARK: The server

    /// Whether the server answers; once it does not, all its commands fail, and the failure of the stream follows.
    var isAnswered: Bool { current.sync { $0.state == .ready } }

    /// The name of the sink that the stream is on; nil without a stream.
    var deviceName: String? { current.sync { $0.device?.name } }

    /// The time from the server to the listener, in seconds; nil before the server has reported it.
    var sinkLatency: Double? { current.sync { $0.timing?.sinkLatency } }

    /// The time from the next write to the listener, in seconds; nil before the server has reported it.
    var latency: Double? { current.sync { $0.latency } }

    /// The number of frames that the server has not taken from the stream, as of its last answer.
    var queuedFrames: Int { Int(current.sync { $0.timing?.queued } ?? 0) / spec.bytesPerFrame }

    /// The number of frames that the server takes behind those that it has.
    var writableFrames: Int { current.sync { $0.writableBytes } / spec.bytesPerFrame }

    /// Writes frames; returns how many it were, 0 if the server takes none.
    ///
    /// - Parameters:
    ///   - offset: Where they go, in frames relative to the end of what was written last.
    ///   - fill: Fills the room for them, and returns its size.
    func write(_ frames: Int, offset: Int, fill: @Sendable (UnsafeMutableRawBufferPointer) -> Int) -> Int {
        let bytesPerFrame = spec.bytesPerFrame
        let bytes = current.sync { stream in
            try? stream.write(frames * bytesPerFrame, offset: offset * bytesPerFrame, fill: fill)
        }
        return (bytes ?? 0) / bytesPerFrame
    }

    /// Asks the server for its position; `then` is called on the main loop's thread.
    func updateTiming(then: @escaping @Sendable () -> Void) { current.sync { $0.updateTiming { _ in then() } } }

    /// Stops or starts the stream.
    func cork(_ isCorked: Bool, then: @escaping @Sendable () -> Void = {}) {
        current.sync { $0.cork(isCorked) { _ in then() } }
    }

    /// Throws away the queue.
    func flush(then: @escaping @Sendable () -> Void) { current.sync { $0.flush { _ in then() } } }

    /// A running timer of the stream's main loop.
    func timer(after seconds: Double, _ body: @escaping @Sendable () -> Void) -> MainloopTimer {
        let timer = MainloopTimer(mainloop: current.mainloop, handler: body)
        timer.start(after: .microseconds(Int64(seconds * 1e6)))
        return timer
    }

    // MARK: The buffer

    /// The amount of sound ahead of the listener that the server has granted to the device, in seconds; nil before it
    /// has said.
    var grantedBuffer: Double? {
        guard let attributes = current.sync({ $0.bufferAttributes }), let target = attributes.targetLength,
            let request = attributes.minimumRequest
        else { return nil }
        let bytes = Double(target) - 2 * Double(request)
        return max(0, bytes) / Double(spec.bytesPerFrame) / Double(spec.rate)
    }

    /// Asks for another buffer, at once if the stream stands.
    func setBuffer(_ new: OutputBuffer, isOpening: Bool) {
        buffer = new
        isBufferOutdated = isOpening || successor != nil
        let attributes = new.attributes(for: spec)
        current.sync { $0.setBufferAttributes(attributes) }
    }

    /// Asks again for a buffer that was set while the stream was being made.
    func updateBuffer() {
        guard isBufferOutdated else { return }
        setBuffer(buffer, isOpening: false)
    }
}
