package import AVFAudio
public import Foundation

/// A player of items one after the other.
///
/// The next item is opened while the current one plays, and begins with the frame after its last one, without a gap. An
/// item leaves the queue at its end. When the queue is empty the rate stays, so that an item that is inserted then is
/// played. May be used from any thread; as of an ``AVPlayer`` no property waits, and no command for more than 2 s.
///
/// Apple: `AVQueuePlayer`.
// SAFETY: it adds no state to its superclass.
nonisolated open class AVQueuePlayer: AVPlayer, @unchecked Sendable {
    override var isQueue: Bool { true }

    /// A player of items in their order; each may occur once, and belong to no other player.
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

    /// The current item and those after it; waits for nothing.
    ///
    /// Apple: `AVQueuePlayer.items()`.
    open func items() -> [AVPlayerItem] { core.facts.value.queue }

    /// Replaces the current item by the next one, at the same rate; waits for the sound server, for 2 s at most.
    ///
    /// Apple: `AVQueuePlayer.advanceToNextItem()`.
    open func advanceToNextItem() { core.skip() }

    /// Whether an item can be inserted: it is in no queue, and the item before it is in this one.
    ///
    /// Waits for callbacks of a player that has the item and is being released, for 2 s at most; for no server.
    ///
    /// - Parameters:
    ///   - item: The item to insert.
    ///   - afterItem: The item before it; nil for the end of the queue.
    ///
    /// Apple: `AVQueuePlayer.canInsert(_:after:)`.
    open func canInsert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) -> Bool {
        item.awaitRelease(for: core)
        let items = core.facts.value.queue
        guard item.core == nil, !items.contains(where: { $0 === item }) else { return false }
        return afterItem == nil || items.contains { $0 === afterItem }
    }

    /// Inserts an item; in an empty queue it becomes the current one.
    ///
    /// ``canInsert(_:after:)`` must be true. Waits as that does, and for the sound server, for 2 s at most.
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

    /// Removes an item; the current one is replaced by the next.
    ///
    /// Waits for the sound server, for 2 s at most.
    ///
    /// Apple: `AVQueuePlayer.remove(_:)`.
    open func remove(_ item: AVPlayerItem) { core.dequeue(item) }

    /// Removes all items, which ends the sound; does not wait for the sound server.
    ///
    /// Apple: `AVQueuePlayer.removeAllItems()`.
    open func removeAllItems() { core.dequeueAll() }
}
