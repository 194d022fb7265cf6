import RealtimeShims
import Synchronization

/// Volume and pan of one input of a mixer.
///
/// The input outlives the programs that read it, so that a change of the graph does not make its gain jump. A value that
/// changes while sound runs is reached linearly within one block, whose first frame still has the old gain (E82).
// SAFETY: other threads reach atomics only; `last` belongs to the render side.
package final class MixerInput: @unchecked Sendable {
    let state: UnsafeMutablePointer<InputState>

    /// Creates an input at volume 1 and pan 0.
    package init() {
        state = .allocate(capacity: 1)
        state.initialize(to: InputState())
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

    /// The place between left (−1) and right (1); values beyond sound as these do, NaN is ignored.
    ///
    /// Any thread.
    package var pan: Float {
        get { Float(bitPattern: state.pointee.pan.load(ordering: .relaxed)) }
        set {
            guard !newValue.isNaN else { return }
            state.pointee.pan.store(newValue.bitPattern, ordering: .relaxed)
            state.pointee.power.store(Sides.constantPower(pan: newValue).bits, ordering: .relaxed)
            state.pointee.balance.store(Sides.balance(pan: newValue).bits, ordering: .relaxed)
        }
    }

    /// Makes the next block begin at the gain that is set, without a ramp.
    ///
    /// Any thread.
    package func restart() { state.pointee.isFresh.store(true, ordering: .relaxed) }
}

/// The part of a ``MixerInput`` that the kernel reads.
///
/// In memory of its own, as access to a class would count references.
struct InputState: ~Copyable {
    let volume = Atomic<UInt32>(Float(1).bitPattern)
    let pan = Atomic<UInt32>(0)
    /// The gains of a mono input, as ``Sides/bits``.
    let power = Atomic<UInt64>(Sides.constantPower(pan: 0).bits)
    /// The gains of an input with a left and a right channel, as ``Sides/bits``.
    let balance = Atomic<UInt64>(Sides.balance(pan: 0).bits)
    let isFresh = Atomic<Bool>(true)
    /// The gains at the end of the last block.
    let last: UnsafeMutablePointer<InputGains>

    init() {
        last = .allocate(capacity: 1)
        last.initialize(to: InputGains(volume: 1, power: Sides(left: 1, right: 1), balance: Sides(left: 1, right: 1)))
    }

    deinit { last.deallocate() }

    /// The gains that are set now.
    @_noLocks
    borrowing func gains() -> InputGains {
        InputGains(
            volume: Float(bitPattern: volume.load(ordering: .relaxed)),
            power: Sides(bits: power.load(ordering: .relaxed)), balance: Sides(bits: balance.load(ordering: .relaxed)))
    }
}

/// The gains of an input during one frame.
struct InputGains {
    let volume: Float
    let power: Sides
    let balance: Sides
}

/// The gains of the left and of the right output.
struct Sides {
    let left: Float
    let right: Float

    @_noLocks
    init(left: Float, right: Float) {
        self.left = left
        self.right = right
    }

    /// Both gains in one word: left in the upper half.
    var bits: UInt64 { UInt64(left.bitPattern) << 32 | UInt64(right.bitPattern) }

    @_noLocks
    init(bits: UInt64) {
        left = Float(bitPattern: UInt32(truncatingIfNeeded: bits &>> 32))
        right = Float(bitPattern: UInt32(truncatingIfNeeded: bits))
    }

    /// The gains of mono sound: their squares add up to 1, so the centre has 1/√2 (E81).
    static func constantPower(pan: Float) -> Sides {
        let angle = (Double(min(max(pan, -1), 1)) + 1) * .pi / 4
        return Sides(left: Float(rt_cosine(angle)), right: Float(rt_sine(angle)))
    }

    /// The gains of stereo sound: 1 for the side to which the pan points, and for both in the centre.
    static func balance(pan: Float) -> Sides {
        Sides(left: min(1, max(0, 1 - pan)), right: min(1, max(0, 1 + pan)))
    }
}
