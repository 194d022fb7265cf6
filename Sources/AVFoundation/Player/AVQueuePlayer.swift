package import AVFAudio
public import Foundation

/// Plays items one after the other.
///
/// The next item is opened while the current one plays, and begins with the frame after its last one, without a gap. An
/// item leaves the queue at its end; when none is left there is no current item, and the rate stays, so that an item
/// that is inserted then is played. May be used from any thread.
///
/// Apple: `AVQueuePlayer`.
// SAFETY: it adds no state of its own.
nonisolated open class AVQueuePlayer: AVPlayer, @unchecked Sendable {
    override var isQueue: Bool { true }

    /// A player of items in their order.
    ///
    /// Each item may be there once, and belong to no other player.
    ///
    /// Apple: `AVQueuePlayer.init(items:)`.
    public init(items: [AVPlayerItem]) {
        super.init(playerItem: items.first)
        actionAtItemEnd = .advance
        for item in items.dropFirst() { insert(item, after: nil) }
    }

    /// A player without items.
    ///
    /// Apple: `AVQueuePlayer.init()`.
    public override init() {
        super.init()
        actionAtItemEnd = .advance
    }

    /// A player of a file, or of an http or https address.
    ///
    /// Apple: `AVQueuePlayer.init(url:)`.
    public override init(url: URL) {
        super.init(url: url)
        actionAtItemEnd = .advance
    }

    /// A player of an item.
    ///
    /// Apple: `AVQueuePlayer.init(playerItem:)`.
    public override init(playerItem item: AVPlayerItem?) {
        super.init(playerItem: item)
        actionAtItemEnd = .advance
    }

    /// A player of items in a session of its own, for tests.
    package convenience init(items: [AVPlayerItem], session: AVAudioSession) {
        self.init(playerItem: items.first, session: session)
        for item in items.dropFirst() { insert(item, after: nil) }
    }

    /// The current item and those that are to be played after it.
    ///
    /// Apple: `AVQueuePlayer.items()`.
    open func items() -> [AVPlayerItem] { core.queue }

    /// Plays the next item in place of the current one, at the same rate.
    ///
    /// Apple: `AVQueuePlayer.advanceToNextItem()`.
    open func advanceToNextItem() { core.skip() }

    /// Whether an item can be inserted: it is in no queue, and the one before it is in this one.
    ///
    /// - Parameters:
    ///   - item: What is to be inserted.
    ///   - afterItem: The item before it; nil for the end of the queue.
    ///
    /// Apple: `AVQueuePlayer.canInsert(_:after:)`.
    open func canInsert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) -> Bool {
        item.awaitRelease(for: core)
        let items = core.queue
        guard item.core == nil, !items.contains(where: { $0 === item }) else { return false }
        return afterItem == nil || items.contains { $0 === afterItem }
    }

    /// Inserts an item for which ``canInsert(_:after:)`` holds, which is a condition; in an empty queue it becomes the
    /// current one.
    ///
    /// - Parameters:
    ///   - item: What is inserted.
    ///   - afterItem: The item before it; nil for the end of the queue.
    ///
    /// Apple: `AVQueuePlayer.insert(_:after:)`.
    open func insert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) {
        precondition(
            canInsert(item, after: afterItem),
            "An AVPlayerItem can occupy only one position in one player's queue, after an item that is there.")
        core.enqueue(item, after: afterItem)
    }

    /// Takes an item out of the queue; in place of the current one the next one is played.
    ///
    /// Apple: `AVQueuePlayer.remove(_:)`.
    open func remove(_ item: AVPlayerItem) { core.dequeue(item) }

    /// Takes all items out of the queue, which ends the sound.
    ///
    /// Apple: `AVQueuePlayer.removeAllItems()`.
    open func removeAllItems() { core.dequeueAll() }
}
