package import AVFAudio
public import Foundation

/// A player of a queue of items.
///
/// The next item is opened during playback of the current one, and starts on the following frame, without a gap. An
/// item leaves the queue at its end. When the queue is empty the rate stays, so that an item inserted then is played.
/// Can be used from any thread.
///
/// Apple: `AVQueuePlayer`.
// SAFETY: it adds no state of its own.
nonisolated open class AVQueuePlayer: AVPlayer, @unchecked Sendable {
    override var isQueue: Bool { true }

    /// Creates a player of items in the given order.
    ///
    /// Each item can occur once, and must not belong to another player: otherwise the call traps.
    ///
    /// Apple: `AVQueuePlayer.init(items:)`.
    public init(items: [AVPlayerItem]) {
        super.init(playerItem: items.first)
        actionAtItemEnd = .advance
        for item in items.dropFirst() { insert(item, after: nil) }
    }

    /// Creates a player without items.
    ///
    /// Apple: `AVQueuePlayer.init()`.
    public override init() {
        super.init()
        actionAtItemEnd = .advance
    }

    /// Creates a player of a file, or of an http or https URL.
    ///
    /// Apple: `AVQueuePlayer.init(url:)`.
    public override init(url: URL) {
        super.init(url: url)
        actionAtItemEnd = .advance
    }

    /// Creates a player of an item.
    ///
    /// An item of another player traps.
    ///
    /// Apple: `AVQueuePlayer.init(playerItem:)`.
    public override init(playerItem item: AVPlayerItem?) {
        super.init(playerItem: item)
        actionAtItemEnd = .advance
    }

    /// Creates a player of items in a separate session, for tests.
    package convenience init(items: [AVPlayerItem], session: AVAudioSession) {
        self.init(playerItem: items.first, session: session)
        for item in items.dropFirst() { insert(item, after: nil) }
    }

    /// The current item and the items after it.
    ///
    /// Apple: `AVQueuePlayer.items()`.
    open func items() -> [AVPlayerItem] { core.queue }

    /// Plays the next item in place of the current one, at the same rate.
    ///
    /// Apple: `AVQueuePlayer.advanceToNextItem()`.
    open func advanceToNextItem() { core.skip() }

    /// Whether an item can be inserted: it is in no queue, and the item before it is in this one.
    ///
    /// - Parameters:
    ///   - item: The item to insert.
    ///   - afterItem: The item before it; nil for the end of the queue.
    ///
    /// Apple: `AVQueuePlayer.canInsert(_:after:)`.
    open func canInsert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) -> Bool {
        item.awaitRelease(for: core)
        let items = core.queue
        guard item.core == nil, !items.contains(where: { $0 === item }) else { return false }
        return afterItem == nil || items.contains { $0 === afterItem }
    }

    /// Inserts an item.
    ///
    /// ``canInsert(_:after:)`` must be true, otherwise the call traps. In an empty queue the item becomes the current
    /// one.
    ///
    /// - Parameters:
    ///   - item: The item to insert.
    ///   - afterItem: The item before it; nil for the end of the queue.
    ///
    /// Apple: `AVQueuePlayer.insert(_:after:)`.
    open func insert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) {
        precondition(
            canInsert(item, after: afterItem),
            "An AVPlayerItem can occupy only one position in one player's queue, after an item that is there.")
        core.enqueue(item, after: afterItem)
    }

    /// Removes an item from the queue; the current one is replaced by the next one.
    ///
    /// Apple: `AVQueuePlayer.remove(_:)`.
    open func remove(_ item: AVPlayerItem) { core.dequeue(item) }

    /// Removes all items from the queue, which ends playback.
    ///
    /// Apple: `AVQueuePlayer.removeAllItems()`.
    open func removeAllItems() { core.dequeueAll() }
}
