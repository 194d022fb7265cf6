/// A ring of whole frames between one producer and one consumer, without locks.
///
/// Frames are raw bytes, of any sample format. Neither side ever waits: a write takes what fits, a read gives what is there.
/// The consumer may step back by up to `history` frames, which is how sound that was queued but not yet heard is
/// rendered again; the producer never overwrites those frames.
// SAFETY: the positions are atomic, and the bytes between them belong to exactly one side at any time (RingCore).
package final class FrameRing: @unchecked Sendable {
    private let core: RingCore

    /// Makes an empty ring.
    ///
    /// - Parameters:
    ///   - bytesPerFrame: Bytes of one frame: all channels of one moment.
    ///   - capacity: Frames that fit. The storage, with the history, is rounded up to a power of two; the ring uses it all.
    ///   - history: Frames the consumer may step back, on top of `capacity`.
    package init(bytesPerFrame: Int, capacity: Int, history: Int = 0) {
        core = RingCore(bytesPerFrame: bytesPerFrame, capacity: capacity, history: history)
    }

    /// Frames that fit between the producer and the frame read furthest.
    package var capacity: Int { core.capacity }

    /// Bytes of one frame.
    package var bytesPerFrame: Int { core.bytesPerFrame }

    // MARK: Producer

    /// Copies up to `frames` frames in and returns how many fitted.
    ///
    /// Producer's thread.
    @_noLocks
    package func write(_ source: UnsafeRawPointer, frames: Int) -> Int { core.write(source, frames: frames) }

    /// Frames that a write would take now; only exact on the producer's thread, elsewhere a bound that may have grown.
    package var writableFrames: Int {
        @_noLocks get { core.writableFrames() }
    }

    // MARK: Consumer

    /// Copies up to `frames` frames out and returns how many there were.
    ///
    /// Consumer's thread.
    @_noLocks
    package func read(into destination: UnsafeMutableRawPointer, frames: Int) -> Int {
        core.read(into: destination, frames: frames)
    }

    /// Frames that a read would give now; only exact on the consumer's thread.
    package var readableFrames: Int {
        @_noLocks get { core.readableFrames() }
    }

    /// Passes over up to `frames` frames unread and returns how many there were.
    ///
    /// Consumer's thread.
    @_noLocks
    package func skip(frames: Int) -> Int { core.skip(frames: frames) }

    /// Moves the read position back by up to `frames` frames and returns by how many.
    ///
    /// Consumer's thread.
    ///
    /// Rewinds together never go further than `history` frames behind the frame read furthest.
    @_noLocks
    package func rewind(frames: Int) -> Int { core.rewind(frames: frames) }

    // MARK: Both

    /// Frames written since the last reset.
    ///
    /// Any thread.
    package var framesWritten: Int {
        @_noLocks get { core.framesWritten() }
    }

    /// The read position: frames read since the last reset, less what was rewound.
    ///
    /// Any thread.
    package var framesRead: Int {
        @_noLocks get { core.framesRead() }
    }

    /// Empties the ring and starts counting at zero.
    ///
    /// Only while neither side runs.
    package func reset() { core.reset() }
}
