public import Foundation

extension AVAudioSession {
    /// Delivers notifications, delegate calls and completion handlers on a queue of the app instead of the main queue.
    ///
    /// For programs that do not run the main queue: an emulator with its own loop, a server. The choice holds for the
    /// whole process and for all later deliveries, so call this first. The queue must be serial
    /// (`maxConcurrentOperationCount = 1`). Route changes keep their own thread. Nothing is handed to the main queue any
    /// more: the session's typed messages (`DidBecomeActiveMessage`), which belong to the main actor, are only posted
    /// where the queue runs on the main thread.
    ///
    /// If no queue was chosen and the main queue does not run for two seconds while an important delivery waits, a
    /// warning is printed on stderr, once.
    ///
    /// - Parameter queue: The queue; `OperationQueue.main` is the default. A queue over a `DispatchQueue` is made with
    ///   `underlyingQueue`.
    ///
    /// Any thread; returns at once. Linux only.
    public static func deliver(on queue: OperationQueue) {
        guard queue !== OperationQueue.main else { return Delivery.choose(nil) }
        Delivery.choose({ queue.addOperation($0) }, queue: queue)
    }

    /// Delivers notifications, delegate calls and completion handlers through a function of the app.
    ///
    /// For programs with a toolkit's event loop: the function hands each piece of work to that loop, as GLib's
    /// `g_idle_add` does, in the order of the calls, and returns at once. It is called on any thread. It receives the
    /// same deliveries as a queue would.
    ///
    /// - Parameter perform: Hands on a piece of work, which must be run once.
    ///
    /// Any thread; returns at once. Linux only.
    public static func deliver(on perform: @escaping @Sendable (_ work: @escaping @Sendable () -> Void) -> Void) {
        Delivery.choose(perform)
    }
}
