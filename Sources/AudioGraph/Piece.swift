/// A stretch of sound that a ``Player`` plays: planar Float32 in memory of somebody else.
// SAFETY: all members are constants; who made the piece promises not to change the samples until it is finished.
package final class Piece: @unchecked Sendable {
    /// What happens to the pieces that were scheduled before.
    package enum Entry: Sendable {
        /// They are played first.
        case afterOthers
        /// They are dropped at once.
        case interrupts
        /// The one that plays ends with its current pass, and the others are dropped.
        case interruptsAtLoop
    }

    /// Number of frames.
    package let frames: Int
    let channels: [UnsafePointer<Float>]
    let time: Int?
    let loops: Bool
    let entry: Entry
    let continues: Bool
    private let owner: AnyObject?

    /// Creates a piece.
    ///
    /// - Parameters:
    ///   - channels: The first frame of each channel.
    ///   - frames: The frames of each channel; a piece without frames is finished as soon as its turn comes.
    ///   - time: The player time at which it begins, in frames; nil for the end of the piece before. A piece whose time
    ///     has passed begins at once.
    ///   - loops: Whether it repeats until it is interrupted or stopped.
    ///   - entry: What happens to the pieces before it.
    ///   - continues: Whether it is one sound with the piece before, so that `interruptsAtLoop` keeps both.
    ///   - owner: The owner of the samples, which the piece retains.
    package init(
        channels: [UnsafePointer<Float>], frames: Int, time: Int? = nil, loops: Bool = false,
        entry: Entry = .afterOthers, continues: Bool = false, owner: AnyObject? = nil
    ) {
        precondition(frames >= 0, "a piece has no negative length")
        self.channels = channels
        self.frames = frames
        self.time = time
        self.loops = loops
        self.entry = entry
        self.continues = continues
        self.owner = owner
    }
}
