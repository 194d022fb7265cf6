import Synchronization

/// A command for a player, or a piece in its queue: one link of a list in memory.
struct PlayerLink {
    enum Command {
        case piece(Piece.Entry)
        case play(Int)
        case pause
        case stop
    }

    let command: Command
    var channels: UnsafeMutablePointer<UnsafePointer<Float>>?
    var channelCount = 0
    var frames = 0
    /// The player time at which the piece begins, −1 for the end of the one before.
    var time = -1
    var loops = false
    /// Whether the piece is one sound with the one before it.
    var continues = false
    /// The frames of the current pass that were played.
    var played = 0
    /// The node's position behind the last frame, −1 for a piece that was dropped.
    var end = -1
    var next: UnsafeMutablePointer<PlayerLink>?
    // SAFETY: made and released by the control side; the render side only hands it on.
    var owner: Unmanaged<Piece>?

    init(_ command: Command) { self.command = command }
}

typealias LinkPointer = UnsafeMutablePointer<PlayerLink>

/// The part of a ``Player`` that the kernel reads.
struct PlayerState: ~Copyable {
    /// Links of the control side, the newest first.
    let incoming = Atomic<LinkPointer?>(nil)
    /// Links that the render side is done with, the newest first.
    let finished = Atomic<LinkPointer?>(nil)
    /// The node's position at player time 0, or ``noOrigin``.
    let origin = Atomic<Int>(PlayerState.noOrigin)
    let queue: UnsafeMutablePointer<PlayerQueue>

    static var noOrigin: Int {
        @_noLocks get { .min }
    }

    init() {
        queue = .allocate(capacity: 1)
        queue.initialize(to: PlayerQueue())
    }

    deinit { queue.deallocate() }
}

/// The state of the render side.
struct PlayerQueue {
    var head: LinkPointer?
    var tail: LinkPointer?
    var isPlaying = false
    /// The node's position at which the player begins to run.
    var start = 0
    /// The player time of the next frame.
    var time = 0
    /// The call: frames to render from a position of the node on.
    var samples: Samples?
    var frames = 0
    var position = 0
    /// Whether the call wrote a block; otherwise it is silent.
    var hasSound = false
}
