internal import CPulse
internal import CPulseSimple
internal import Locks
public import PulseClient
internal import Synchronization

/// A blocking playback stream with its own connection; its calls can be interrupted from any thread.
///
/// One thread writes; ``interrupt()`` and ``resume()`` can be called on any thread.
///
/// A stream's role and other properties cannot be set, as libpulse's simple API has no parameter for them. A program
/// whose streams all have one role can set `PULSE_PROP=media.role=phone` in its environment before it starts. The
/// variable applies to the whole process, so this class does not set it. Use ``PlaybackStream`` for a role per stream.
///
/// libpulse's simple API has no timeouts. Without a server every call throws within milliseconds, but a *stopped*
/// server (SIGSTOP, a debugger) blocks ``write(_:)`` and ``drain()`` until it continues, and the initializer for 30
/// seconds. ``interrupt()`` does not wait for a blocked write. ``PulseConnection`` has timeouts.
///
/// PulseAudio: `pa_simple`.
public final class SimplePlayback: Sendable {
    /// The outcome of a write.
    public enum Outcome: Hashable, Sendable {
        /// All frames are played or queued.
        case written
        /// Playback was interrupted, and the queue was dropped. This many of the last written frames were not heard,
        /// counted from the end of this write's frames.
        case interrupted(unplayedFrames: Int)
    }

    /// The format of the written frames, which are interleaved.
    public let spec: SampleSpec

    // SAFETY: the pointer never changes, and libpulse takes its loop's lock in every call.
    private nonisolated(unsafe) let raw: OpaquePointer
    private let interrupted = Atomic<Bool>(false)
    /// Held while frames are handed over, and while an interruption is carried out.
    private let lock = RecursiveLock()
    // SAFETY: only touched with `lock` held.
    private nonisolated(unsafe) var queue = QueueRecord()

    /// The fate of the frames handed over; only touched with the lock held.
    private struct QueueRecord {
        /// The frames handed over since the queue was last dropped: at most these can be unplayed.
        var handedOver = 0
        /// Whether the current interruption has dropped the queue.
        var isFlushed = false
        /// The dropped frames that no outcome has reported yet.
        var untold = 0
        /// The error of the last drop, for the next call to throw.
        var error: PulseError?
    }

    /// Opens a connection with one stream; blocks until both are ready, or throws libpulse's error.
    ///
    /// - Parameters:
    ///   - server: The server's address; nil for libpulse's default.
    ///   - name: The application's name, as mixers show it.
    ///   - streamName: The stream's name, as mixers show it.
    ///   - sink: A sink's name; nil for the default one.
    ///   - spec: The format of the written frames.
    ///   - map: The loudspeakers of the channels; nil for the server's default.
    ///   - latency: The length of the queue, in seconds. The server's own default would be about 2.
    ///
    /// PulseAudio: `pa_simple_new`.
    public init(
        server: String? = nil, name: String, streamName: String, sink: String? = nil, spec: SampleSpec,
        map: ChannelMap? = nil, latency: Double = 0.1
    ) throws(PulseError) {
        let attributes = BufferAttributes(targetLength: UInt32(clamping: max(1, spec.bytes(latency))))
        self.spec = spec
        raw = try openSimple(
            server: server, name: name, PA_STREAM_PLAYBACK, device: sink, streamName: streamName, spec: spec, map: map,
            attributes: attributes)
    }

    deinit { pa_simple_free(raw) }

    // MARK: Playing

    /// Plays whole frames; returns when the last of them is queued, or at once when interrupted.
    ///
    /// - Returns: Whether all frames are queued. While interrupted every write is refused, and all its frames are
    ///   unplayed; the first outcome also counts the frames dropped by the interruption. A program that rewinds by that
    ///   many frames continues, after ``resume()``, where the listener was interrupted.
    ///
    /// Frames in the device's own buffer count as unplayed too, so the listener may hear up to the device's latency
    /// twice.
    ///
    /// PulseAudio: `pa_simple_write`.
    @discardableResult
    public func write(_ frames: UnsafeRawBufferPointer) throws(PulseError) -> Outcome {
        let frameSize = spec.bytesPerFrame
        precondition(frames.count % frameSize == 0, "a write must hold whole frames")
        // In pieces of 20 ms, so that an interruption takes effect soon.
        let piece = max(1, Int(spec.rate) / 50) * frameSize
        var offset = 0
        while offset < frames.count {
            let end = min(offset + piece, frames.count)
            guard try push(UnsafeRawBufferPointer(rebasing: frames[offset..<end])) else { break }
            offset = end
        }
        // Also after the last piece, in case of an interruption during it. And again after that: an interruption that
        // found the lock taken leaves the queue to this thread.
        var lost: Int?
        repeat { lost = try carryOut() } while lost == nil && isInterrupted
        guard lost != nil || offset < frames.count else { return .written }
        return .interrupted(unplayedFrames: (lost ?? 0) + (frames.count - offset) / frameSize)
    }

    /// Plays whole frames of 16-bit samples, interleaved; see ``write(_:)-swift.method``.
    ///
    /// PulseAudio: `pa_simple_write`.
    @discardableResult
    public func write(_ samples: [Int16]) throws(PulseError) -> Outcome {
        precondition(spec.format == .int16, "the stream's format is not 16-bit integers")
        return try write(array: samples)
    }

    /// Plays whole frames of float samples, interleaved; see ``write(_:)-swift.method``.
    ///
    /// PulseAudio: `pa_simple_write`.
    @discardableResult
    public func write(_ samples: [Float]) throws(PulseError) -> Outcome {
        precondition(spec.format == .float32, "the stream's format is not 32-bit floats")
        return try write(array: samples)
    }

    private func write<Sample>(array: [Sample]) throws(PulseError) -> Outcome {
        let result: Result<Outcome, PulseError> = array.withUnsafeBytes { bytes in
            do throws(PulseError) { return .success(try write(bytes)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Hands over one piece; false when interrupted, also by a past interruption that no outcome has reported.
    private func push(_ piece: UnsafeRawBufferPointer) throws(PulseError) -> Bool {
        try lock.withLock { () throws(PulseError) in
            guard !isInterrupted, queue.untold == 0 else { return false }
            try callSimple("pa_simple_write") { pa_simple_write(raw, piece.baseAddress, piece.count, &$0) }
            queue.handedOver += piece.count / spec.bytesPerFrame
            return true
        }
    }

    /// Blocks until the queued audio has been played.
    ///
    /// An interruption does not shorten it: it takes as long as the queue.
    ///
    /// PulseAudio: `pa_simple_drain`.
    public func drain() throws(PulseError) {
        try lock.withLock { () throws(PulseError) in
            try callSimple("pa_simple_drain") { pa_simple_drain(raw, &$0) }
            queue.handedOver = 0
        }
    }

    /// Drops the queued audio.
    ///
    /// PulseAudio: `pa_simple_flush`.
    public func flush() throws(PulseError) {
        try lock.withLock { () throws(PulseError) in
            try flushSimple(raw)
            queue.handedOver = 0
        }
    }

    /// The time, in seconds, until a frame written now would be heard.
    ///
    /// PulseAudio: `pa_simple_get_latency`.
    public var latency: Double { get throws(PulseError) { try latencyOfSimple(raw) } }

    // MARK: Interruptions

    /// Whether writes are refused.
    public var isInterrupted: Bool { interrupted.load(ordering: .sequentiallyConsistent) }

    /// Silences playback and refuses writes until ``resume()``; from any thread.
    ///
    /// Does not wait for a write or drain on another thread: a write then drops the queue itself, at most 20 ms later.
    /// Without one it takes a round trip to the server.
    public func interrupt() {
        interrupted.store(true, ordering: .sequentiallyConsistent)
        carryOutIfFree()
    }

    /// Accepts writes again; from any thread.
    ///
    /// Dropped frames are not played: continue at the position given by ``Outcome/interrupted(unplayedFrames:)``.
    public func resume() {
        lock.withLock {
            // An interruption during a drain was not carried out yet, and must not leave audio in the queue.
            if interrupted.exchange(false, ordering: .sequentiallyConsistent) { carryOutLocked() }
            queue.isFlushed = false
        }
        carryOutIfFree()
    }

    /// Drops the queue if interrupted, unless the lock is held.
    ///
    /// The holder of the lock checks the flag after releasing it (a write, ``resume()``, this), or leaves an empty
    /// queue.
    private func carryOutIfFree() {
        while isInterrupted {
            let isDone = lock.withLockIfFree { () -> Bool in
                // The interruption may be over by now.
                guard isInterrupted else { return false }
                carryOutLocked()
                return true
            }
            guard isDone == false else { return }
        }
    }

    /// Drops the queue if interrupted; returns the dropped frames that no outcome has reported, or nil without an
    /// interruption.
    private func carryOut() throws(PulseError) -> Int? {
        try lock.withLock { () throws(PulseError) in
            if isInterrupted { carryOutLocked() }
            if let error = queue.error { throw error }
            defer { queue.untold = 0 }
            return isInterrupted || queue.untold > 0 ? queue.untold : nil
        }
    }

    private func carryOutLocked() {
        guard !queue.isFlushed else { return }
        do throws(PulseError) {
            let latency = try latencyOfSimple(raw)
            try flushSimple(raw)
            queue.untold += min(queue.handedOver, Int((latency * Double(spec.rate)).rounded()))
        } catch {
            queue.error = error
        }
        queue.handedOver = 0
        queue.isFlushed = true
    }
}
