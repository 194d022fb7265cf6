internal import Locks

/// Whether the session stopped a player or recorder that was running; set with the host's lock held.
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

    /// How often it was set.
    package var times: Int { state.withLock { $0.count } }

    /// Takes the flag back, unless it was set once more than so many times.
    package func clear(ifSet times: Int) { state.withLock { if $0.count == times { $0.value = false } } }

    /// Runs `notify`, which tells the app that the interruption began, if the flag is set.
    package func notifyBeginning(_ notify: () -> Void) {
        let isNews = state.withLock {
            $0.isBeingTold = $0.value
            return $0.value
        }
        guard isNews else { return }
        notify()
        state.withLock { $0.isBeingTold = false }
    }

    /// The app stopped the participant itself: nothing is to go on.
    ///
    /// Not in answer to the news of the beginning: many apps stop their players there, and play them at the end.
    package func stopped() { state.withLock { if !$0.isBeingTold { $0.value = false } } }

    /// Takes the flag back, and returns whether it was set.
    @discardableResult
    package func clear() -> Bool {
        state.withLock { state in
            defer { state.value = false }
            return state.value
        }
    }
}
