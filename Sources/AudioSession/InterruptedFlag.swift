internal import Locks

/// A flag: whether the session stopped a running player or recorder; set with the host's lock held.
package final class InterruptedFlag: Sendable {
    private struct State {
        var value = false
        var count = 0
        var isBeingTold = false
    }

    private let state = Guarded(State())

    /// A flag that is not set.
    package init() {}

    /// Whether the flag is set.
    package var isSet: Bool { state.withLock { $0.value } }

    /// Sets the flag.
    package func set() {
        state.withLock {
            $0.value = true
            $0.count += 1
        }
    }

    /// The number of times that the flag was set.
    package var times: Int { state.withLock { $0.count } }

    /// Clears the flag, unless it was set again since it had been set `times` times.
    package func clear(ifSet times: Int) { state.withLock { if $0.count == times { $0.value = false } } }

    /// Runs `notify`, which notifies the app of the interruption's beginning, if the flag is set.
    package func notifyBeginning(_ notify: () -> Void) {
        let isNews = state.withLock {
            $0.isBeingTold = $0.value
            return $0.value
        }
        guard isNews else { return }
        notify()
        state.withLock { $0.isBeingTold = false }
    }

    /// Clears the flag, because the app stopped the participant itself and expects no resumption.
    ///
    /// Has no effect during ``notifyBeginning(_:)``: many apps stop their players on that notification and play them at
    /// the end.
    package func stopped() { state.withLock { if !$0.isBeingTold { $0.value = false } } }

    /// Clears the flag, and returns whether it was set.
    @discardableResult
    package func clear() -> Bool {
        state.withLock { state in
            defer { state.value = false }
            return state.value
        }
    }
}
