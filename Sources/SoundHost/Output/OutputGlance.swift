internal import Foundation

/// An output as it was seen, for what is made for it beforehand.
package struct OutputSight: Sendable {
    /// The output.
    package let mix: OutputMix
    /// What its stream took then.
    package let format: OutputMix.Format
}

/// The output for those who cannot have the main loop's lock: the loop's thread keeps it while it takes in answers, of which
/// there are many when a program begins.
// SAFETY: `seen` is guarded by `condition`.
final class OutputGlance: @unchecked Sendable {
    private let condition = NSCondition()
    private var seen: OutputSight?

    /// The output that there is.
    var sight: OutputSight? { condition.withLock { seen } }

    /// Another one is there, or none.
    func show(_ sight: OutputSight?) { tell { seen = sight } }

    /// Changes what somebody may be waiting for.
    func tell(_ change: () -> Void) {
        condition.withLock {
            change()
            condition.broadcast()
        }
    }

    /// Waits until there is an output, or something else holds that is changed by ``tell(_:)``.
    func wait(seconds: Double, or isOver: () -> Bool) {
        let end = Date(timeIntervalSinceNow: seconds)
        condition.withLock {
            while seen == nil, !isOver(), condition.wait(until: end) {}
        }
    }
}
