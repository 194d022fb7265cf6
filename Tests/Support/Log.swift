import Foundation

/// What was told, in order; from any thread.
// SAFETY: guarded by `lock`.
package final class Log<Entry: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var entries: [Entry] = []

    /// Nothing yet.
    package init() {}

    /// All that was told so far.
    package var all: [Entry] { lock.withLock { entries } }

    /// Adds what was told now.
    package func note(_ entry: Entry) { lock.withLock { entries.append(entry) } }
}
