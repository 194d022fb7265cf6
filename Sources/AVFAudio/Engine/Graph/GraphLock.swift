internal import Synchronization

/// The lock around the structure of all graphs: engines, the nodes attached to them, their connections and formats.
///
/// One for the process, since a node's engine changes: with a lock for each engine, the attaching of a node would have
/// to take two. It is held for a few lines and for the compilation of a program, never while an app's code runs, and
/// not on a sound thread. The locks that are taken with it are those of a tap's buffers and of an engine's timer.
enum GraphLock {
    private static let lock = NSLock()
    /// The thread that has the lock; 0 for none.
    private static let holder = Atomic<UInt>(0)
    private static let ends = DispatchQueue(label: "AVAudioEngine.end")

    static func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        try lock.withLock {
            holder.store(UInt(pthread_self()), ordering: .relaxed)
            defer { holder.store(0, ordering: .relaxed) }
            return try body()
        }
    }

    /// Calls a function that takes the lock: at once, or on another thread if this one has the lock.
    ///
    /// It is for the end of an engine. A node asks for its engine with the lock held, and may be left with the last
    /// reference.
    static func withoutLock(_ body: @escaping @Sendable () -> Void) {
        guard holder.load(ordering: .relaxed) == UInt(pthread_self()) else { return body() }
        ends.async(execute: body)
    }
}
