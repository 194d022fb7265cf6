import Synchronization

/// Numbers that any thread sets and the render side reads, one by one.
///
/// They outlive programs and effects. NaN is ignored.
// SAFETY: the memory holds atomics only, and lives as long as the object.
package final class Parameters: @unchecked Sendable {
    let list: ParameterList
    private let count: Int

    /// Creates parameters with their first values.
    package init(_ values: [Double]) {
        count = values.count
        list = ParameterList(values: .allocate(capacity: max(values.count, 1)))
        for (index, value) in values.enumerated() { (list.values + index).initialize(to: Atomic(value.bitPattern)) }
    }

    deinit {
        list.values.deinitialize(count: count)
        list.values.deallocate()
    }

    /// The value of a parameter.
    ///
    /// Any thread.
    package subscript(index: Int) -> Double {
        get { list[index] }
        set {
            guard !newValue.isNaN else { return }
            list.values[index].store(newValue.bitPattern, ordering: .relaxed)
        }
    }
}

/// The part of ``Parameters`` that the render side reads.
struct ParameterList {
    let values: UnsafeMutablePointer<Atomic<UInt64>>

    subscript(index: Int) -> Double {
        @_noLocks get { Double(bitPattern: values[index].load(ordering: .relaxed)) }
    }

    /// A value, or the nearest one of a range.
    @_noLocks
    func value(_ index: Int, _ least: Double, _ greatest: Double) -> Double { min(max(self[index], least), greatest) }
}

/// The switches that all effects have.
///
/// They outlive programs and effects.
// SAFETY: the memory holds atomics only, and lives as long as the object.
package final class EffectSwitches: @unchecked Sendable {
    let state: UnsafeMutablePointer<SwitchState>

    /// Creates switches of an effect that is not bypassed.
    package init() {
        state = .allocate(capacity: 1)
        state.initialize(to: SwitchState())
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// Whether the effect passes its input on.
    ///
    /// Any thread.
    package var isBypassed: Bool {
        get { state.pointee.isBypassed.load(ordering: .relaxed) }
        set { state.pointee.isBypassed.store(newValue, ordering: .relaxed) }
    }

    /// Makes the effect forget what it has heard, at the start of the next block.
    ///
    /// Any thread.
    package func reset() { state.pointee.isReset.store(true, ordering: .relaxed) }
}

/// The part of ``EffectSwitches`` that the render side reads.
struct SwitchState: ~Copyable {
    let isBypassed = Atomic<Bool>(false)
    let isReset = Atomic<Bool>(false)
}
