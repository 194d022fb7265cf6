import Foundation

/// What happened, in order, from any thread.
// SAFETY: `entries` is guarded by `lock`.
package final class Journal<Entry: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var entries: [Entry] = []

    /// Nothing yet.
    package init() {}

    /// Everything so far.
    package var all: [Entry] { lock.withLock { entries } }
    /// Notes something.
    package func add(_ entry: Entry) { lock.withLock { entries.append(entry) } }
    /// Forgets all of it.
    package func removeAll() { lock.withLock { entries.removeAll() } }

    /// Waits until something is among it.
    package func wait(
        for what: String, timeout: Duration = hangLimit, where matches: @escaping (Entry) -> Bool
    ) async throws {
        try await waitUntil("\(what) among \(all)", timeout: timeout) { all.contains(where: matches) }
    }
}
