/// The lock around the structure of all graphs: engines, the nodes attached to them, their connections and formats.
///
/// One for the process, since a node's engine changes: with a lock for each engine, the attaching of a node would have
/// to take two. It is held for a few lines and for the compilation of a program, never while an app's code runs, and
/// not on a sound thread. The one lock that is taken with it is that of a tap's buffers.
enum GraphLock {
    private static let lock = NSLock()

    static func withLock<Result>(_ body: () throws -> Result) rethrows -> Result { try lock.withLock(body) }
}
