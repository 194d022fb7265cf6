/// A recursive lock that serialises an app's calls of one object.
///
/// All waits of a call share one deadline (``CallDeadline``), which begins when the call has the lock.
package final class CallLock: Sendable {
    private let lock = RecursiveLock()

    /// A free lock.
    package init() {}

    /// Runs `body` with the lock held; waits while another thread holds it.
    package func withLock<Result, E: Error>(_ body: () throws(E) -> Result) throws(E) -> Result {
        try lock.withLock { () throws(E) in try CallDeadline.share(body) }
    }

    /// Runs `body` with the lock held if no other thread holds it; returns nil at once if one does.
    package func withLockIfFree<Result, E: Error>(_ body: () throws(E) -> Result) throws(E) -> Result? {
        try lock.withLockIfFree { () throws(E) in try CallDeadline.share(body) }
    }
}
