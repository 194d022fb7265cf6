import Synchronization

/// The volume of a mixer's output.
///
/// The output outlives the programs that read it. A change is a ramp, as for ``MixerInput``.
// SAFETY: other threads reach atomics only; `last` belongs to the render side.
package final class MixerOutput: @unchecked Sendable {
    let state: UnsafeMutablePointer<OutputState>

    /// Creates an output at volume 1.
    package init() {
        state = .allocate(capacity: 1)
        state.initialize(to: OutputState())
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// The linear gain, of any value; NaN is ignored.
    ///
    /// Any thread.
    package var volume: Float {
        get { Float(bitPattern: state.pointee.volume.load(ordering: .relaxed)) }
        set {
            guard !newValue.isNaN else { return }
            state.pointee.volume.store(newValue.bitPattern, ordering: .relaxed)
        }
    }

    /// Makes the next block begin at the volume that is set, without a ramp.
    ///
    /// Any thread.
    package func restart() { state.pointee.isFresh.store(true, ordering: .relaxed) }
}

/// The part of a ``MixerOutput`` that the kernel reads.
struct OutputState: ~Copyable {
    let volume = Atomic<UInt32>(Float(1).bitPattern)
    let isFresh = Atomic<Bool>(true)
    /// The volume at the end of the last block.
    let last: UnsafeMutablePointer<Float>

    init() {
        last = .allocate(capacity: 1)
        last.initialize(to: 1)
    }

    deinit { last.deallocate() }
}
