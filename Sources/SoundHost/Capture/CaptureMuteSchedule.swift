/// The frame ranges of a capture that are replaced by silence, as the input is muted or recording is not permitted.
///
/// Frames heard before a change are handed over after it: a word that was said while the input was muted is not to be
/// recorded once it is not.
struct CaptureMuteSchedule {
    /// Why a frame is replaced by silence.
    enum Reason: Hashable, Sendable {
        /// The app muted its input.
        case app
        /// The app may not record, which is news for it.
        case permission
    }

    /// Why frames are muted now; nil where they are not.
    private var now: Reason?
    /// Later reasons, and from which frames on; in their order.
    private var changes: [(frame: Int, reason: Reason?)] = []
    /// The reasons after those, while it is not known which frame was heard when; in their order.
    private var unplaced: [(time: Double, reason: Reason?)] = []

    private var last: Reason? {
        if let change = unplaced.last { return change.reason }
        if let change = changes.last { return change.reason }
        return now
    }

    /// Mutes all frames for a reason, or none.
    mutating func set(_ reason: Reason?) {
        now = reason
        changes = []
        unplaced = []
    }

    /// Begins a new timeline: changes that were still to come have come.
    mutating func restart() { set(last) }

    /// Mutes what is heard from a time on, before any frame has come.
    mutating func set(_ reason: Reason?, at time: Double) {
        if reason != last { unplaced.append((time, reason)) }
    }

    /// Places changes that were set for a time: frames have come, and it is known which of them is heard when.
    mutating func place(_ frame: (Double) -> Int?) {
        let times = unplaced
        unplaced = []
        for change in times { _ = set(change.reason, from: frame(change.time) ?? 0) }
    }

    /// Mutes the frames from `frame` on; false if that is no change.
    mutating func set(_ reason: Reason?, from frame: Int) -> Bool {
        guard reason != last else { return false }
        changes.append((max(frame, changes.last?.frame ?? frame), reason))
        return true
    }

    /// Why the frames from `frame` on are muted, and where that ends; frames before it are not asked for again.
    mutating func reason(at frame: Int) -> (reason: Reason?, end: Int) {
        while let next = changes.first, next.frame <= frame {
            now = next.reason
            changes.removeFirst()
        }
        return (now, changes.first?.frame ?? .max)
    }
}
