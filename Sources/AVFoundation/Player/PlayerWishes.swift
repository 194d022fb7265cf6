internal import Foundation

/// What an app wishes of a player, and nothing comes of: there is no picture to show elsewhere.
// SAFETY: guarded by `lock`.
final class PlayerWishes: @unchecked Sendable {
    struct Values {
        var allowsExternalPlayback = true
        var usesExternalScreen = false
        var preventsDisplaySleep = true
    }

    private let lock = NSLock()
    private var values = Values()

    func withLock<Result>(_ body: (inout Values) -> Result) -> Result { lock.withLock { body(&values) } }
}
