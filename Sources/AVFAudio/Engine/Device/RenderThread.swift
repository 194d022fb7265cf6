internal import AudioHost
internal import Synchronization

/// A thread that does one piece of work each time it is woken, until the object is released.
///
/// A thread of its own, since a pool's threads may all be busy with an app's work when the device needs sound.
final class RenderThread: Sendable {
    private final class State: Sendable {
        let wake = DispatchSemaphore(value: 0)
        let isEnded = Atomic<Bool>(false)
    }

    private let state = State()

    /// Starts a thread, which waits for ``wake()``.
    ///
    /// - Parameters:
    ///   - host: The host, which raises the thread's priority.
    ///   - work: Called on the thread; it must not retain this object for longer than a call.
    init(_ name: String, on host: any AudioHost, work: @escaping @Sendable () -> Void) {
        let thread = Thread { [state, weak host] in
            host?.perform(.raisePriority(ofThread: KernelThread.current))
            while true {
                state.wake.wait()
                if state.isEnded.load(ordering: .acquiring) { return }
                work()
            }
        }
        thread.name = name
        thread.start()
    }

    deinit { end() }

    /// Has the work done once more; waits for nothing, and may be called with any lock held.
    func wake() { state.wake.signal() }

    /// Ends the thread after the work that it does now, which is not waited for.
    func end() {
        state.isEnded.store(true, ordering: .releasing)
        state.wake.signal()
    }
}
