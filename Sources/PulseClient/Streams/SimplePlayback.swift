internal import CPulse
internal import Locks
internal import Synchronization

/// A playback stream with a connection of its own, whose calls block and can be interrupted from any thread.
///
/// One thread writes; ``interrupt()`` and ``resume()``
/// may come from any other.
///
/// A stream's role, and all other properties, cannot be given: the simple API of libpulse has no place for them. A
/// program that is a phone or plays music throughout can set `PULSE_PROP=media.role=phone` in its environment before it
/// starts; it holds for the whole process, which is why this class does not do it. Use ``PlaybackStream`` for roles by
/// stream.
///
/// libpulse bounds no waiting here: a server that is gone makes every call throw within milliseconds, but one that is
/// *stopped* (SIGSTOP, a debugger) holds ``write(_:)`` and ``drain()`` until it goes on, the initialiser for 30
/// seconds. ``interrupt()`` does not wait for a blocked write. ``PulseConnection`` has timeouts.
///
/// PulseAudio: `pa_simple`.
public final class SimplePlayback: Sendable {
    /// The outcome of a write.
    public enum Outcome: Hashable, Sendable {
        /// All frames are played or queued.
        case written
        /// Playback was interrupted and what was queued is thrown away: so many of the last frames that were handed
        /// over, counted from the end of this write's, were not heard.
        case interrupted(unplayedFrames: Int)
    }

    /// The format of what is written; frames are interleaved.
    public let spec: SampleSpec

    // SAFETY: the pointer never changes, and libpulse takes its loop's lock in every call.
    private nonisolated(unsafe) let raw: OpaquePointer
    private let interrupted = Atomic<Bool>(false)
    /// Held while sound is handed over, and while an interruption is carried out.
    private let lock = RecursiveLock()
    // SAFETY: only touched with `lock` held.
    private nonisolated(unsafe) var queue = QueueRecord()

    /// The fate of the frames handed over; only touched with the lock held.
    private struct QueueRecord {
        /// Frames handed over since the queue was last thrown away: no more than these can be unplayed.
        var handedOver = 0
        /// Whether the current interruption has thrown the queue away.
        var isFlushed = false
        /// Dropped frames that no outcome has reported yet.
        var untold = 0
        /// Why throwing them away failed, for the next call to throw.
        var error: PulseError?
    }

    /// Opens a connection and a stream of its own; blocks until both are there.
    ///
    /// - Parameters:
    ///   - server: The server's address; nil looks where every client looks.
    ///   - name: The application's name, as mixers show it.
    ///   - streamName: What is played, as mixers show it.
    ///   - sink: A sink's name; nil for the default one.
    ///   - spec: The format of what will be written.
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
    /// - Returns: Whether all is queued. While interrupted every write is refused, with all its frames as unplayed; the
    ///   first one adds those that the interruption threw away. A program that goes back by that many frames goes on,
    ///   after ``resume()``, where the listener was cut off.
    ///
    /// Frames that were already in the device's own buffer count as unplayed too; what the listener hears again is less
    /// than its latency.
    ///
    /// PulseAudio: `pa_simple_write`.
    @discardableResult
    public func write(_ frames: UnsafeRawBufferPointer) throws(PulseError) -> Outcome {
        let frameSize = spec.bytesPerFrame
        precondition(frames.count % frameSize == 0, "a write must hold whole frames")
        // Small pieces, so that an interruption takes effect soon.
        let piece = max(1, Int(spec.rate) / 50) * frameSize
        var offset = 0
        while offset < frames.count {
            let end = min(offset + piece, frames.count)
            guard try push(UnsafeRawBufferPointer(rebasing: frames[offset..<end])) else { break }
            offset = end
        }
        // Also after the last piece: the interruption may have come while it was handed over. And again after that: one
        // that came meanwhile found the lock taken, and leaves the queue to us.
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

    /// Waits until the queued audio has been played.
    ///
    /// An interruption does not cut it short: it takes no longer than the queue is long.
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
    /// It does not wait for a write or drain in another thread: the write then throws the queue away itself, at most
    /// 20 ms later. Without one it takes a round trip to the server.
    public func interrupt() {
        interrupted.store(true, ordering: .sequentiallyConsistent)
        carryOutIfFree()
    }

    /// Accepts writes again; from any thread.
    ///
    /// Nothing that was thrown away is played; begin again where ``Outcome/interrupted(unplayedFrames:)`` says.
    public func resume() {
        lock.withLock {
            // One that nobody has carried out yet, because it came during a drain, must still not leave sound behind.
            if interrupted.exchange(false, ordering: .sequentiallyConsistent) { carryOutLocked() }
            queue.isFlushed = false
        }
        carryOutIfFree()
    }

    /// Throws the queue away if interrupted and nobody holds the lock.
    ///
    /// Its holder sees the flag after letting go of it (a write, ``resume()``, this), or leaves nothing in the queue.
    private func carryOutIfFree() {
        while isInterrupted {
            let isDone = lock.withLockIfFree { () -> Bool in
                // It may be over by now.
                guard isInterrupted else { return false }
                carryOutLocked()
                return true
            }
            guard isDone == false else { return }
        }
    }

    /// Throws the queue away if interrupted; returns the lost frames that no outcome has told of, nil if nothing
    /// happened.
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
