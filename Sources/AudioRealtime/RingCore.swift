import Synchronization

/// A ring of whole frames between one producer and one consumer, without locks.
///
/// Frames are raw bytes, of any sample format. Neither side ever waits: a write accepts as many frames as fit, a read
/// returns the available ones. The consumer can step back by up to `history` frames, to render queued sound again
/// before it is heard. The ring is a value inside a heap allocation, so that the kernel reaches it without reference
/// counting.
///
/// Its state is three positions, in frames since the last reset. `written` belongs to the producer, `read` and
/// `highestRead` to the consumer. Only `highestRead` frees space: a frame can be overwritten once it is more than
/// `history` frames behind. A rewind therefore changes nothing that the producer reads.
struct RingCore: ~Copyable {
    let bytesPerFrame: Int
    let capacity: Int
    let history: Int
    private let mask: Int
    private let storage: UnsafeMutableRawPointer
    private let written = Atomic<Int>(0)
    private let read = Atomic<Int>(0)
    private let highestRead = Atomic<Int>(0)

    init(bytesPerFrame: Int, capacity: Int, history: Int) {
        precondition(bytesPerFrame > 0 && capacity > 0 && history >= 0, "a ring holds at least one frame")
        var size = 1
        while size < capacity + history { size *= 2 }
        self.bytesPerFrame = bytesPerFrame
        self.capacity = size - history
        self.history = history
        mask = size - 1
        storage = .allocate(byteCount: size * bytesPerFrame, alignment: 16)
        // The memory is not touched here: the producer, which is not the sound thread, touches each page before the
        // consumer reads it, and a short sound needs few pages.
    }

    deinit { storage.deallocate() }

    @_noLocks
    borrowing func framesWritten() -> Int { written.load(ordering: .acquiring) }

    @_noLocks
    borrowing func framesRead() -> Int { read.load(ordering: .acquiring) }

    @_noLocks
    borrowing func writableFrames() -> Int {
        capacity &- (written.load(ordering: .relaxed) &- highestRead.load(ordering: .acquiring))
    }

    @_noLocks
    borrowing func readableFrames() -> Int {
        // `read` first: the difference between both can only grow between the loads, so it is never negative.
        let position = read.load(ordering: .acquiring)
        return written.load(ordering: .acquiring) &- position
    }

    @_noLocks
    borrowing func write(_ source: UnsafeRawPointer, frames: Int) -> Int {
        let position = written.load(ordering: .relaxed)
        let count = min(max(frames, 0), writableFrames())
        let start = position & mask
        let first = min(count, mask &+ 1 &- start)
        (storage + start &* bytesPerFrame).copyMemory(from: source, byteCount: first &* bytesPerFrame)
        storage.copyMemory(from: source + first &* bytesPerFrame, byteCount: (count &- first) &* bytesPerFrame)
        written.store(position &+ count, ordering: .releasing)
        return count
    }

    @_noLocks
    borrowing func read(into destination: UnsafeMutableRawPointer, frames: Int) -> Int {
        var copied = 0
        while copied < frames {
            let count = contiguousFrames(limit: frames &- copied)
            if count == 0 { break }
            (destination + copied &* bytesPerFrame)
                .copyMemory(from: readPointer(), byteCount: count &* bytesPerFrame)
            _ = skip(frames: count)
            copied &+= count
        }
        return copied
    }

    /// The number of frames, at most `limit`, that can be read in place at `readPointer()`.
    @_noLocks
    borrowing func contiguousFrames(limit: Int) -> Int {
        let position = read.load(ordering: .relaxed)
        let available = written.load(ordering: .acquiring) &- position
        return min(min(available, limit), mask &+ 1 &- (position & mask))
    }

    @_noLocks
    borrowing func readPointer() -> UnsafeRawPointer {
        UnsafeRawPointer(storage + (read.load(ordering: .relaxed) & mask) &* bytesPerFrame)
    }

    @_noLocks
    borrowing func skip(frames: Int) -> Int {
        let position = read.load(ordering: .relaxed)
        let count = min(max(frames, 0), written.load(ordering: .acquiring) &- position)
        let next = position &+ count
        read.store(next, ordering: .releasing)
        if next > highestRead.load(ordering: .relaxed) { highestRead.store(next, ordering: .releasing) }
        return count
    }

    @_noLocks
    borrowing func rewind(frames: Int) -> Int {
        let position = read.load(ordering: .relaxed)
        let lowest = max(highestRead.load(ordering: .relaxed) &- history, 0)
        let count = min(max(frames, 0), position &- lowest)
        read.store(position &- count, ordering: .releasing)
        return count
    }

    /// Copies frames that were written and not read yet; called by the producer.
    @_noLocks
    borrowing func copy(from frame: Int, frames: Int, to destination: UnsafeMutableRawPointer) -> Int {
        let count = min(max(frames, 0), written.load(ordering: .relaxed) &- frame)
        guard count > 0 else { return 0 }
        let start = frame & mask
        let first = min(count, mask &+ 1 &- start)
        destination.copyMemory(from: storage + start &* bytesPerFrame, byteCount: first &* bytesPerFrame)
        (destination + first &* bytesPerFrame)
            .copyMemory(from: storage, byteCount: (count &- first) &* bytesPerFrame)
        return count
    }

    /// Discards the frames written from `frame` on; called by the producer while the consumer is excluded.
    @_noLocks
    borrowing func truncate(to frame: Int) {
        precondition(frame >= read.load(ordering: .relaxed), "what was read cannot be taken back")
        written.store(min(frame, written.load(ordering: .relaxed)), ordering: .releasing)
    }

    borrowing func reset() {
        written.store(0, ordering: .relaxed)
        read.store(0, ordering: .relaxed)
        highestRead.store(0, ordering: .releasing)
    }
}
