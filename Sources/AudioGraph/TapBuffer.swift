internal import RealtimeShims
import Synchronization

/// A window on one bus: the frames that were rendered there wait until somebody reads them.
///
/// It outlives programs. The render side writes and never waits: a block that has no room is left out as a whole. One
/// thread at a time reads.
// SAFETY: the positions are atomics; the memory between them belongs to one side.
package final class TapBuffer: @unchecked Sendable {
    /// Number of channels.
    package let channels: Int
    let state: UnsafeMutablePointer<TapState>

    /// Creates a window for a number of channels, with room for at least `capacity` frames.
    package init(channels: Int, capacity: Int) {
        precondition(channels > 0 && capacity > 0, "a window has room for a frame")
        self.channels = channels
        state = .allocate(capacity: 1)
        state.initialize(to: TapState(channels: channels, capacity: capacity))
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// The frames that wait, at most `frames`, and the node's position of the first one; nil without any.
    ///
    /// They follow each other without a gap, and stay valid until ``consume(_:)``.
    package func waiting(_ frames: Int) -> (frames: Int, position: Int)? {
        let read = state.pointee.read.load(ordering: .relaxed)
        let count = min(state.pointee.written.load(ordering: .acquiring) - read, frames)
        return count > 0 ? (count, read + state.pointee.offset.load(ordering: .relaxed)) : nil
    }

    /// Copies the first waiting frames of a channel.
    package func copy(channel: Int, frames: Int, to target: UnsafeMutablePointer<Float>) {
        let capacity = state.pointee.capacity
        let start = state.pointee.read.load(ordering: .relaxed) % capacity
        let first = min(frames, capacity - start)
        let samples = state.pointee.samples + channel * capacity
        target.update(from: samples + start, count: first)
        (target + first).update(from: samples, count: frames - first)
    }

    /// Gives the room of waiting frames back.
    package func consume(_ frames: Int) {
        _ = state.pointee.read.wrappingAdd(frames, ordering: .releasing)
    }
}

/// The part of a ``TapBuffer`` that the kernel reads.
struct TapState: ~Copyable {
    let channels: Int
    let capacity: Int
    /// The channels, one behind the other.
    let samples: UnsafeMutablePointer<Float>
    let written = Atomic<Int>(0)
    let read = Atomic<Int>(0)
    /// The node's position less the frames that were written before; it changes only while nothing waits.
    let offset = Atomic<Int>(0)

    init(channels: Int, capacity: Int) {
        self.channels = channels
        self.capacity = capacity
        samples = .allocate(capacity: channels * capacity)
        samples.initialize(repeating: 0, count: channels * capacity)
    }

    deinit { samples.deallocate() }
}
