internal import Foundation

/// Whether the session stopped a player or recorder that was running; set on the main loop's thread.
// SAFETY: everything mutable is guarded by `lock`.
final class InterruptedFlag: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false
    private var count = 0
    private var isBeingTold = false

    var isSet: Bool { lock.withLock { value } }

    func set() {
        lock.withLock {
            value = true
            count += 1
        }
    }

    /// How often it was set.
    var times: Int { lock.withLock { count } }

    /// Takes the flag back, unless it was set once more than so many times.
    func clear(ifSet times: Int) { lock.withLock { if count == times { value = false } } }

    /// Runs what tells the app that the interruption began, if the flag is set.
    func tellBeginning(_ tell: () -> Void) {
        let isNews = lock.withLock {
            isBeingTold = value
            return value
        }
        guard isNews else { return }
        tell()
        lock.withLock { isBeingTold = false }
    }

    /// The app stopped it itself: nothing is to go on.
    ///
    /// Not in answer to the news of the beginning: many apps stop their players there, and play them at the end.
    func stopped() { lock.withLock { if !isBeingTold { value = false } } }

    /// Takes the flag back, and returns whether it was set.
    func clear() -> Bool {
        lock.withLock {
            defer { value = false }
            return value
        }
    }
}
