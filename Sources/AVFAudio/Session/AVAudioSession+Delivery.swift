public import Foundation

extension AVAudioSession {
    /// Has notifications, delegate calls and completion handlers come on a queue of the app's, in place of the main one.
    ///
    /// For programs that do not run the main queue: an emulator with a loop of its own, a server. It counts for the whole
    /// process, and for what is told from now on: call it first. The queue has to do one thing after the other
    /// (`maxConcurrentOperationCount = 1`). Route changes come on a thread of their own as ever. The typed messages of the
    /// session (`DidBecomeActiveMessage`) and what is annotated for the main actor stay with the main queue.
    ///
    /// Where nothing is chosen and the main queue does not run for two seconds while something waits to be told, that is
    /// said on stderr, once.
    ///
    /// - Parameter queue: The queue; `OperationQueue.main` is where it begins. One over a `DispatchQueue` is made with
    ///   `underlyingQueue`.
    ///
    /// Any thread. Linux only.
    public static func deliver(on queue: OperationQueue) {
        guard queue !== OperationQueue.main else { return Delivery.choose(nil) }
        Delivery.choose({ queue.addOperation($0) }, queue: queue)
    }

    /// Has notifications, delegate calls and completion handlers come wherever a function of the app's runs them.
    ///
    /// For programs with the event loop of a toolkit: the function hands each piece of work to it, as GLib's `g_idle_add`
    /// does, in the order of the calls, and returns at once. It is called on any thread. What comes this way is what
    /// comes on a queue that is given in place of it.
    ///
    /// - Parameter perform: Hands on one piece of work, which is to be run once.
    ///
    /// Any thread. Linux only.
    public static func deliver(on perform: @escaping @Sendable (_ work: @escaping @Sendable () -> Void) -> Void) {
        Delivery.choose(perform)
    }
}
