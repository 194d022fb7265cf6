public import CoreMedia
public import Foundation

/// A repetition of an item in a queue, until it is disabled or released.
///
/// Three copies of the item take turns: a copy that was heard goes back to its beginning and behind the others. So the
/// whole of a sound, or of a stream with seekable parts, is repeated without a gap. With a time range each repetition
/// begins as late as the main queue is busy. While it loops, and until the last copy has ended, the player's
/// ``AVPlayer/actionAtItemEnd`` is `advance`; after that it is the former action. May be used from any thread. Reading
/// a property waits for nothing. Making, disabling and releasing a looper waits for the sound server, for 2 s at most.
///
/// Apple: `AVPlayerLooper`.
// SAFETY: everything mutable is guarded by `lock`, but `tokens` and `opening`, which are set before another thread has
// the object.
nonisolated open class AVPlayerLooper: NSObject, @unchecked Sendable {
    /// The status of a looper.
    ///
    /// Apple: `AVPlayerLooper.Status`.
    public enum Status: Int, Sendable {
        /// No copy is open yet.
        case unknown = 0
        /// The item is repeated.
        case ready = 1
        /// The item cannot be played.
        case failed = 2
        /// The looper was disabled.
        case cancelled = 3
    }

    /// The place of the copies among the items that are in the queue already.
    ///
    /// Apple: `AVPlayerLooper.ItemOrdering`.
    public enum ItemOrdering: Int, Sendable {
        /// Before all of them; the first copy becomes the current item.
        case loopingItemsPrecedeExistingItems = 0
        /// After all of them.
        case loopingItemsFollowExistingItems = 1
    }

    private static let copies = 3

    private let player: AVQueuePlayer
    private var core: AVPlayerCore { player.core }
    private let start: CMTime
    private let items: [AVPlayerItem]
    /// Held while the looper changes the queue, so that a disabled looper puts no copy back.
    private let editing = NSRecursiveLock()
    private let lock = NSLock()
    private var count = 0
    private var isCancelled = false
    private var tokens: [any NSObjectProtocol] = []
    private var opening: NSKeyValueObservation?
    let properties: PropertyObservers

    // MARK: Making a looper

    /// Creates a looper for a whole item, before the other items of the queue.
    ///
    /// Apple: `AVPlayerLooper.init(player:templateItem:)`.
    public convenience init(player: AVQueuePlayer, templateItem item: AVPlayerItem) {
        self.init(player: player, templateItem: item, timeRange: .invalid)
    }

    /// Creates a looper for a time range of an item, or for the whole of it if the range is invalid, before the other
    /// items of the queue.
    ///
    /// Apple: `AVPlayerLooper.init(player:templateItem:timeRange:)`.
    public convenience init(player: AVQueuePlayer, templateItem item: AVPlayerItem, timeRange: CMTimeRange) {
        self.init(
            player: player, templateItem: item, timeRange: timeRange,
            existingItemsOrdering: .loopingItemsPrecedeExistingItems)
    }

    /// Creates a looper for a time range of an item.
    ///
    /// - Parameters:
    ///   - player: The player of the copies.
    ///   - item: The item to copy; it is not played itself, and must be in no queue.
    ///   - timeRange: The part; invalid for the whole.
    ///   - ordering: The place of the copies among the items that are in the queue already.
    ///
    /// Apple: `AVPlayerLooper.init(player:templateItem:timeRange:existingItemsOrdering:)`.
    public init(
        player: AVQueuePlayer, templateItem item: AVPlayerItem, timeRange: CMTimeRange,
        existingItemsOrdering ordering: ItemOrdering
    ) {
        self.player = player
        let callbacks = player.core.callbacks
        properties = PropertyObservers(around: { callbacks.during($0) })
        let isPart = timeRange.start.isNumeric && timeRange.duration.isNumeric
        start = isPart ? timeRange.start : .zero
        let end = isPart ? timeRange.end : item.forwardPlaybackEndTime
        items = (0..<Self.copies).map { _ in
            let copy = AVPlayerItem(asset: item.asset)
            copy.audioTimePitchAlgorithm = item.audioTimePitchAlgorithm
            copy.forwardPlaybackEndTime = end
            return copy
        }
        super.init()
        if start > .zero { for item in items { item.seek(to: start) } }
        watch()
        takeAction()
        enqueue(ordering)
    }

    deinit {
        for token in tokens { NotificationCenter.default.removeObserver(token) }
        withdraw()
        giveActionBack()
    }

    // MARK: State

    /// Whether the looper loops.
    ///
    /// Apple: `AVPlayerLooper.status`.
    open var status: Status {
        if lock.withLock({ isCancelled }) { return .cancelled }
        if items.contains(where: { $0.status == .failed }) { return .failed }
        return items.contains { $0.status == .readyToPlay } ? .ready : .unknown
    }

    /// The error of a copy that cannot be played.
    ///
    /// Apple: `AVPlayerLooper.error`.
    open var error: (any Error)? { items.lazy.compactMap(\.error).first }

    /// The number of times that the item was heard to its end.
    ///
    /// Apple: `AVPlayerLooper.loopCount`.
    open var loopCount: Int { lock.withLock { count } }

    /// The copies of the item, in no particular order.
    ///
    /// Apple: `AVPlayerLooper.loopingPlayerItems`.
    open var loopingPlayerItems: [AVPlayerItem] { items }

    /// Ends the repetition with the copy that is heard; the player has its former action at an item's end after that.
    ///
    /// Waits for the sound server, for 2 s at most.
    ///
    /// Apple: `AVPlayerLooper.disableLooping()`.
    open func disableLooping() {
        let isFirst = editing.withLock {
            let isFirst = lock.withLock {
                defer { isCancelled = true }
                return !isCancelled
            }
            if isFirst { withdraw() }
            return isFirst
        }
        guard isFirst else { return }
        giveActionBack()
        properties.changed()
    }

    // MARK: The action at an item's end

    /// Sets the action to `advance`.
    ///
    /// Another looper may have changed it, or a disabled one not have restored it yet.
    private func takeAction() {
        core.facts.run {
            let usual = core.nextEndAction?.action ?? core.looping?.usual ?? core.endAction
            core.looping = (ObjectIdentifier(self), usual)
        }
        player.actionAtItemEnd = .advance
    }

    /// Restores the action as soon as no copy is in the queue, unless another looper has the action now.
    private func giveActionBack() {
        let due = core.facts.run { () -> AVPlayer.ActionAtItemEnd? in
            guard let looping = core.looping, looping.by == ObjectIdentifier(self) else { return nil }
            core.looping = nil
            let last = core.facts.value.queue.last { one in items.contains { $0 === one } }
            guard let last else { return looping.usual }
            core.nextEndAction = (looping.usual, last)
            return nil
        }
        if let due { player.actionAtItemEnd = due }
    }

    // MARK: The queue

    private func watch() {
        for item in items {
            let token = NotificationCenter.default.addObserver(
                forName: AVPlayerItem.didPlayToEndTimeNotification, object: item, queue: nil
            ) { [weak self, weak item, callbacks = core.callbacks] _ in
                callbacks.during { if let item { self?.ended(item) } }
            }
            tokens.append(token)
        }
        opening = items[0].observe(\.status) { [weak self] _, _ in self?.properties.changed() }
    }

    private func enqueue(_ ordering: ItemOrdering) {
        let existing = ordering == .loopingItemsPrecedeExistingItems ? player.items() : []
        if !existing.isEmpty { player.removeAllItems() }
        for item in items + existing { player.insert(item, after: nil) }
    }

    /// Handles a copy's end; on the main queue, when the player has gone on to the next item.
    private func ended(_ item: AVPlayerItem) {
        defer { properties.changed() }
        editing.withLock {
            let goesOn = lock.withLock {
                count += 1
                return !isCancelled
            }
            // The app may have removed the copy, and given it to another player.
            guard goesOn, item.core == nil else { return }
            item.seek(to: start)
            core.putBack(item, among: items)
        }
    }

    /// Removes the copies that are not heard from the queue.
    private func withdraw() { core.dequeue(unheard: items) }
}
