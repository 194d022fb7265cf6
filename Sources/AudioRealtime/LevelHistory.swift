import Synchronization

/// The levels of the last render calls of one voice: written on the render side, read from any thread.
///
/// Rendered frames are heard only after the server's queue, so a reader asks for the levels of the frame that is
/// audible now. Each block is a slot guarded by a sequence number that is odd while the slot is written; a reader that
/// sees the number change skips the slot.
///
/// A slot is 3 + channels words: sequence, end frame, frames, and for each channel the bits of peak (upper half) and
/// sum of squares (lower half).
struct LevelHistory: ~Copyable {
    private typealias Word = Atomic<UInt64>

    static let slots = 256
    let channels: Int
    private let words: UnsafeMutablePointer<Word>
    private let stride: Int
    /// Peak and sum of squares of the block being rendered; render side only.
    private let peaks: UnsafeMutablePointer<Float>
    private let squares: UnsafeMutablePointer<Float>
    private let next: UnsafeMutablePointer<Int>

    init(channels: Int) {
        self.channels = channels
        stride = 3 + channels
        words = .allocate(capacity: Self.slots * stride)
        for index in 0..<Self.slots * stride { (words + index).initialize(to: Word(0)) }
        peaks = .allocate(capacity: channels)
        squares = .allocate(capacity: channels)
        next = .allocate(capacity: 1)
        peaks.initialize(repeating: 0, count: channels)
        squares.initialize(repeating: 0, count: channels)
        next.initialize(to: 0)
    }

    deinit {
        words.deinitialize(count: Self.slots * stride)
        words.deallocate()
        peaks.deallocate()
        squares.deallocate()
        next.deallocate()
    }

    // MARK: Render side

    @_noLocks
    borrowing func begin() {
        for channel in 0..<channels {
            peaks[channel] = 0
            squares[channel] = 0
        }
    }

    /// Adds interleaved frames, as they sound under `gain`; the caller's ramp is not moved.
    @_noLocks
    borrowing func measure(_ source: UnsafePointer<Float>, frames: Int, gain: GainRamp) {
        for channel in 0..<channels {
            var ramp = gain
            var peak = peaks[channel]
            var sum = squares[channel]
            for frame in 0..<frames {
                let sample = source[frame &* channels &+ channel] * ramp.next()
                let magnitude = sample < 0 ? -sample : sample
                if magnitude > peak { peak = magnitude }
                sum += sample * sample
            }
            peaks[channel] = peak
            squares[channel] = sum
        }
    }

    /// Publishes the block that ends before frame `end`.
    @_noLocks
    borrowing func publish(end: Int, frames: Int) {
        let slot = words + next.pointee &* stride
        next.pointee = (next.pointee &+ 1) % Self.slots
        let sequence = open(slot)
        (slot + 1).pointee.store(UInt64(bitPattern: Int64(end)), ordering: .relaxed)
        (slot + 2).pointee.store(UInt64(bitPattern: Int64(frames)), ordering: .relaxed)
        for channel in 0..<channels {
            let bits = UInt64(peaks[channel].bitPattern) &<< 32 | UInt64(squares[channel].bitPattern)
            (slot + 3 + channel).pointee.store(bits, ordering: .relaxed)
        }
        close(slot, sequence)
    }

    /// Drops every block that extends beyond `frame`: those frames will be rendered again, or not at all.
    @_noLocks
    borrowing func forget(after frame: Int) {
        // These are the last blocks. Their slots are reused, so that repeated rendering does not push out the blocks
        // heard now.
        for _ in 0..<Self.slots {
            let last = (next.pointee &+ Self.slots &- 1) % Self.slots
            let slot = words + last &* stride
            if Int64(bitPattern: (slot + 1).pointee.load(ordering: .relaxed)) <= Int64(frame) { break }
            next.pointee = last
            let sequence = open(slot)
            (slot + 1).pointee.store(0, ordering: .relaxed)
            (slot + 2).pointee.store(0, ordering: .relaxed)
            close(slot, sequence)
        }
    }

    @_noLocks
    private borrowing func open(_ slot: UnsafeMutablePointer<Word>) -> UInt64 {
        let sequence = slot.pointee.load(ordering: .relaxed)
        slot.pointee.store(sequence &+ 1, ordering: .relaxed)
        atomicMemoryFence(ordering: .releasing)
        return sequence
    }

    @_noLocks
    private borrowing func close(_ slot: UnsafeMutablePointer<Word>, _ sequence: UInt64) {
        slot.pointee.store(sequence &+ 2, ordering: .releasing)
    }

    // MARK: Any thread

    /// The levels over all blocks that touch the `window` frames before `frame`, or nil if there are none.
    borrowing func levels(atFrame frame: Int, window: Int) -> Levels? {
        var total = 0
        var peak = [Float](repeating: 0, count: channels)
        var sums = [Double](repeating: 0, count: channels)
        for index in 0..<Self.slots {
            guard let block = block(at: index) else { continue }
            guard block.end - block.frames < frame, block.end > frame - window else { continue }
            total += block.frames
            for (channel, bits) in block.channels.enumerated() {
                peak[channel] = max(peak[channel], Float(bitPattern: UInt32(truncatingIfNeeded: bits >> 32)))
                sums[channel] += Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
            }
        }
        guard total > 0 else { return nil }
        return Levels(peak: peak, average: sums.map { Float(($0 / Double(total)).squareRoot()) })
    }

    private borrowing func block(at index: Int) -> (end: Int, frames: Int, channels: [UInt64])? {
        let slot = words + index * stride
        let before = slot.pointee.load(ordering: .acquiring)
        guard before % 2 == 0 else { return nil }
        let end = Int(truncatingIfNeeded: (slot + 1).pointee.load(ordering: .relaxed))
        let frames = Int(truncatingIfNeeded: (slot + 2).pointee.load(ordering: .relaxed))
        guard frames > 0 else { return nil }
        let bits = (0..<channels).map { (slot + 3 + $0).pointee.load(ordering: .relaxed) }
        atomicMemoryFence(ordering: .acquiring)
        return slot.pointee.load(ordering: .relaxed) == before ? (end, frames, bits) : nil
    }
}
