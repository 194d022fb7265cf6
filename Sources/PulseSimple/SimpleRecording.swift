internal import CPulse
internal import CPulseSimple
public import PulseClient
internal import Synchronization

/// A blocking recording stream with its own connection; its calls can be interrupted from any thread.
///
/// One thread reads; ``interrupt()`` and ``resume()`` can be called on any thread. Roles and other properties cannot be
/// set, and a stopped server or source blocks without a limit: see ``SimplePlayback``.
///
/// PulseAudio: `pa_simple`.
public final class SimpleRecording: Sendable {
    /// The outcome of a read.
    public enum Outcome: Hashable, Sendable {
        /// The memory is full of recorded frames.
        case read
        /// Recording was interrupted after that many frames of the memory were filled.
        case interrupted(readFrames: Int)
    }

    /// The format of the read frames, which are interleaved.
    public let spec: SampleSpec

    // SAFETY: the pointer never changes, and libpulse takes its loop's lock in every call.
    private nonisolated(unsafe) let raw: OpaquePointer
    private let interrupted = Atomic<Bool>(false)
    /// Whether audio captured during an interruption must still be dropped.
    private let stale = Atomic<Bool>(false)

    /// Opens a connection with one stream; blocks until both are ready, or throws libpulse's error.
    ///
    /// - Parameters:
    ///   - server: The server's address; nil for libpulse's default.
    ///   - name: The application's name, as mixers show it.
    ///   - streamName: The stream's name, as mixers show it.
    ///   - source: A source's name; nil for the default one.
    ///   - spec: The format of the read frames.
    ///   - map: The channels' positions; nil for the server's default.
    ///   - fragment: The amount of audio that the server delivers at a time, in seconds.
    ///
    /// PulseAudio: `pa_simple_new`.
    public init(
        server: String? = nil, name: String, streamName: String, source: String? = nil, spec: SampleSpec,
        map: ChannelMap? = nil, fragment: Double = 0.02
    ) throws(PulseError) {
        let attributes = BufferAttributes(fragmentSize: UInt32(clamping: max(1, spec.bytes(fragment))))
        self.spec = spec
        raw = try openSimple(
            server: server, name: name, PA_STREAM_RECORD, device: source, streamName: streamName, spec: spec, map: map,
            attributes: attributes)
    }

    deinit { pa_simple_free(raw) }

    /// Fills the memory, which must hold whole frames, with recorded sound; returns at once when interrupted.
    ///
    /// An interruption takes effect within 20 ms of audio. After ``resume()``, audio captured meanwhile is dropped.
    ///
    /// PulseAudio: `pa_simple_read`.
    public func read(into memory: UnsafeMutableRawBufferPointer) throws(PulseError) -> Outcome {
        let frameSize = spec.bytesPerFrame
        precondition(memory.count % frameSize == 0, "a read must take whole frames")
        let piece = max(1, Int(spec.rate) / 50) * frameSize
        var offset = 0
        while offset < memory.count {
            if isInterrupted { return .interrupted(readFrames: offset / frameSize) }
            if stale.exchange(false, ordering: .sequentiallyConsistent) { try flush() }
            let size = min(piece, memory.count - offset)
            try fill(UnsafeMutableRawBufferPointer(rebasing: memory[offset..<offset + size]))
            offset += size
        }
        return .read
    }

    /// Reads that many frames of 16-bit samples, interleaved; there are fewer of them when interrupted.
    ///
    /// PulseAudio: `pa_simple_read`.
    public func read(int16 frames: Int) throws(PulseError) -> (samples: [Int16], outcome: Outcome) {
        precondition(spec.format == .int16, "the stream's format is not 16-bit integers")
        return try read(array: [Int16](repeating: 0, count: frames * Int(spec.channels)))
    }

    /// Reads that many frames of float samples, interleaved; there are fewer of them when interrupted.
    ///
    /// PulseAudio: `pa_simple_read`.
    public func read(float frames: Int) throws(PulseError) -> (samples: [Float], outcome: Outcome) {
        precondition(spec.format == .float32, "the stream's format is not 32-bit floats")
        return try read(array: [Float](repeating: 0, count: frames * Int(spec.channels)))
    }

    private func read<Sample>(array: [Sample]) throws(PulseError) -> (samples: [Sample], outcome: Outcome) {
        var samples = array
        let result: Result<Outcome, PulseError> = samples.withUnsafeMutableBytes { bytes in
            do throws(PulseError) { return .success(try read(into: bytes)) } catch { return .failure(error) }
        }
        let outcome = try result.get()
        if case .interrupted(let frames) = outcome {
            samples.removeLast(samples.count - frames * Int(spec.channels))
        }
        return (samples, outcome)
    }

    private func fill(_ memory: UnsafeMutableRawBufferPointer) throws(PulseError) {
        try callSimple("pa_simple_read") { pa_simple_read(raw, memory.baseAddress, memory.count, &$0) }
    }

    /// Drops the audio that was recorded but not read, to within 20 ms.
    ///
    /// PulseAudio: `pa_simple_read`; `pa_simple_flush` leaves what has already come over from the server.
    public func flush() throws(PulseError) {
        let frameSize = spec.bytesPerFrame
        var left = Int(try latency * Double(spec.rate)) * frameSize
        let size = max(1, Int(spec.rate) / 50) * frameSize
        let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { scratch.deallocate() }
        while left > 0 {
            let start = pa_rtclock_now()
            try fill(UnsafeMutableRawBufferPointer(rebasing: scratch[..<min(left, size)]))
            left -= size
            // A read that had to wait has returned new audio: after an overflow there is less than the latency says.
            if pa_rtclock_now() - start > 5_000 { break }
        }
    }

    /// The age of the next frame to be read, in seconds; waits for the server.
    ///
    /// PulseAudio: `pa_simple_get_latency`.
    public var latency: Double { get throws(PulseError) { try latencyOfSimple(raw) } }

    /// Whether reads are refused.
    public var isInterrupted: Bool { interrupted.load(ordering: .sequentiallyConsistent) }

    /// Ends the current read, and refuses others until ``resume()``; from any thread, without waiting.
    public func interrupt() { interrupted.store(true, ordering: .sequentiallyConsistent) }

    /// Accepts reads again; from any thread.
    ///
    /// Audio captured meanwhile is dropped.
    public func resume() {
        guard isInterrupted else { return }
        stale.store(true, ordering: .sequentiallyConsistent)
        interrupted.store(false, ordering: .sequentiallyConsistent)
    }
}
