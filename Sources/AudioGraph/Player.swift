import RealtimeShims
import Synchronization

/// A source of scheduled pieces, which begin and end at exact frames.
///
/// A player is paused when made. It outlives the programs that render it. Commands come from any thread and are carried
/// out in their order at the start of the next block; none of them waits.
// SAFETY: other threads reach atomics only; `queue` belongs to the render side, and links to the side that took them.
package final class Player: @unchecked Sendable {
    /// A piece that the player needs no more.
    package struct Finished: Sendable {
        /// The piece.
        package let piece: Piece
        /// The renderer's position behind its last frame; nil if it was dropped before that.
        package let end: Int?
    }

    /// Number of channels of all pieces.
    package let channels: Int
    private let state: PlayerPointer

    /// Creates a paused player for pieces of a number of channels.
    package init(channels: Int) {
        precondition(channels > 0, "a player has a channel")
        self.channels = channels
        state = .allocate(capacity: 1)
        state.initialize(to: PlayerState())
    }

    deinit {
        Self.free(state.pointee.incoming.exchange(nil, ordering: .acquiring))
        Self.free(state.pointee.queue.pointee.head)
        Self.free(state.pointee.finished.exchange(nil, ordering: .acquiring))
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// Adds a piece, which the player retains until ``collect()`` has returned it.
    package func schedule(_ piece: Piece) {
        precondition(piece.channels.count == channels, "a piece has as many channels as its player")
        var link = PlayerLink(.piece(piece.entry))
        let list = UnsafeMutablePointer<UnsafePointer<Float>>.allocate(capacity: channels)
        list.initialize(from: piece.channels, count: channels)
        link.channels = list
        link.channelCount = channels
        link.frames = piece.frames
        link.time = max(piece.time ?? -1, -1)
        link.loops = piece.loops
        link.continues = piece.continues
        // SAFETY: released by `take` or `free`, one of which gets each link.
        link.owner = .passRetained(piece)
        send(link)
    }

    /// Lets the player run from a position of the renderer on; at once if that has passed, or where nil is given.
    ///
    /// Player time goes on where it stopped. A player that runs is left as it is.
    package func play(at position: Int? = nil) { send(PlayerLink(.play(max(position ?? 0, 0)))) }

    /// Makes the player silent; its queue, and its place in the queue, are kept.
    package func pause() { send(PlayerLink(.pause)) }

    /// Makes the player silent, drops all pieces and sets player time to 0.
    package func stop() { send(PlayerLink(.stop)) }

    /// Carries out the commands that were sent, in place of a block that is not rendered.
    ///
    /// The caller sees to it that no block of this player is being rendered.
    package func carryOut() { takeLinks(state) }

    /// Whether ``collect()`` has something to free or to return; any thread.
    package var hasFinished: Bool { state.pointee.finished.load(ordering: .relaxed) != nil }

    /// The pieces that were finished since the last call, in order.
    ///
    /// Pieces of a player that no program renders stay in its queue.
    package func collect() -> [Finished] {
        var next = state.pointee.finished.exchange(nil, ordering: .acquiring)
        var result: [Finished] = []
        while let link = next {
            next = link.pointee.next
            let end = link.pointee.end
            // SAFETY: balances the retain in `schedule`.
            if let piece = link.pointee.owner?.takeRetainedValue() {
                result.append(Finished(piece: piece, end: end < 0 ? nil : end))
            }
            link.pointee.channels?.deallocate()
            link.deallocate()
        }
        return result.reversed()
    }

    /// The player time at a position of the renderer, in frames; nil while the player does not run.
    package func time(at position: Int) -> Int? {
        let origin = state.pointee.origin.load(ordering: .acquiring)
        return origin == PlayerState.noOrigin ? nil : position - origin
    }

    /// The source that renders this player, and retains it.
    ///
    /// A program has it once. Programs of one renderer may share it, since one of them runs at a time.
    package var source: SourceBlock {
        { [self] samples, frames, position in
            let queue = state.pointee.queue
            queue.pointee.samples = samples
            queue.pointee.frames = frames
            queue.pointee.position = position
            rt_call(playerKernel, state)
            return queue.pointee.hasSound
        }
    }

    private func send(_ value: PlayerLink) {
        let link = LinkPointer.allocate(capacity: 1)
        link.initialize(to: value)
        var head = state.pointee.incoming.load(ordering: .relaxed)
        while true {
            link.pointee.next = head
            let (exchanged, original) = state.pointee.incoming.compareExchange(
                expected: head, desired: link, ordering: .releasing)
            if exchanged { return }
            head = original
        }
    }

    private static func free(_ links: LinkPointer?) {
        var next = links
        while let link = next {
            next = link.pointee.next
            link.pointee.owner?.release()
            link.pointee.channels?.deallocate()
            link.deallocate()
        }
    }
}
