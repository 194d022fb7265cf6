public import CoreMedia
public import Foundation

/// Plays an item again and again in a queue, until it is told to stop, or nobody keeps it any more.
///
/// Three copies of the item take turns: a copy that was heard goes back to its beginning and to the end of the others.
/// So the whole of a sound, or of a stream that can be sought in, is repeated without a frame of silence. With a time
/// range each repetition begins as late as the main queue is busy. While it loops, and until the last copy is over, the
/// player's ``AVPlayer/actionAtItemEnd`` is `advance`; then it is what it was before. May be used from any thread.
///
/// Apple: `AVPlayerLooper`.
// SAFETY: everything mutable is guarded by `lock`, but for what is set before anybody else has the object.
nonisolated open class AVPlayerLooper: NSObject, @unchecked Sendable {
    /// Whether a looper can loop.
    ///
    /// Apple: `AVPlayerLooper.Status`.
    public enum Status: Int, Sendable {
        /// The item is not open yet.
        case unknown = 0
        /// The item is repeated.
        case ready = 1
        /// The item cannot be played.
        case failed = 2
        /// Looping was disabled.
        case cancelled = 3
    }

    /// Where the copies stand among the items that are in the queue before.
    ///
    /// Apple: `AVPlayerLooper.ItemOrdering`.
    public enum ItemOrdering: Int, Sendable {
        /// Before all of them, in place of the current one too.
        case loopingItemsPrecedeExistingItems = 0
        /// After all of them.
        case loopingItemsFollowExistingItems = 1
    }

    private static let copies = 3

    private let player: AVQueuePlayer
    private var core: AVPlayerCore { player.core }
    private let start: CMTime
    private let items: [AVPlayerItem]
    /// Held while the queue is changed by what the looper wants of it, and while it ceases to want anything.
    private let editing = NSRecursiveLock()
    private let lock = NSLock()
    private var count = 0
    private var isCancelled = false
    private var tokens: [any NSObjectProtocol] = []
    private var opening: NSKeyValueObservation?
    let properties: PropertyObservers

    // MARK: Making a looper

    /// Loops the whole of an item, before the other items of the queue.
    ///
    /// Apple: `AVPlayerLooper.init(player:templateItem:)`.
    public convenience init(player: AVQueuePlayer, templateItem item: AVPlayerItem) {
        self.init(player: player, templateItem: item, timeRange: .invalid)
    }

    /// Loops a part of an item, or with an invalid range the whole of it, before the other items of the queue.
    ///
    /// Apple: `AVPlayerLooper.init(player:templateItem:timeRange:)`.
    public convenience init(player: AVQueuePlayer, templateItem item: AVPlayerItem, timeRange: CMTimeRange) {
        self.init(
            player: player, templateItem: item, timeRange: timeRange,
            existingItemsOrdering: .loopingItemsPrecedeExistingItems)
    }

    /// Loops a part of an item in a queue.
    ///
    /// - Parameters:
    ///   - player: Plays the copies.
    ///   - item: What is copied; it is not played itself, and must be in no queue.
    ///   - timeRange: The part; invalid for the whole.
    ///   - ordering: Where the copies stand among the items that are in the queue already.
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

    /// Whether it loops.
    ///
    /// Apple: `AVPlayerLooper.status`.
    open var status: Status {
        if lock.withLock({ isCancelled }) { return .cancelled }
        if items.contains(where: { $0.status == .failed }) { return .failed }
        return items.contains { $0.status == .readyToPlay } ? .ready : .unknown
    }

    /// Why the item cannot be played.
    ///
    /// Apple: `AVPlayerLooper.error`.
    open var error: (any Error)? { items.lazy.compactMap(\.error).first }

    /// How often the item was heard to its end.
    ///
    /// Apple: `AVPlayerLooper.loopCount`.
    open var loopCount: Int { lock.withLock { count } }

    /// The copies that are played, in no particular order.
    ///
    /// Apple: `AVPlayerLooper.loopingPlayerItems`.
    open var loopingPlayerItems: [AVPlayerItem] { items }

    /// Lets the copy that is heard be the last one; then the player does what it did before at the end of an item.
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

    /// Another looper may have changed it already, or one that is done may not have given it back yet.
    private func takeAction() {
        core.lock.withLock {
            let usual = core.nextEndAction?.action ?? core.looping?.usual ?? core.endAction
            core.looping = (ObjectIdentifier(self), usual)
        }
        player.actionAtItemEnd = .advance
    }

    /// Lets the player do what it did before as soon as no copy is in the queue, unless that is up to another
    /// looper by now.
    private func giveActionBack() {
        let due = core.lock.withLock { () -> AVPlayer.ActionAtItemEnd? in
            guard let looping = core.looping, looping.by == ObjectIdentifier(self) else { return nil }
            core.looping = nil
            let last = core.queue.last { one in items.contains { $0 === one } }
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

    /// On the main queue, after the player has gone on to the next item.
    private func ended(_ item: AVPlayerItem) {
        defer { properties.changed() }
        editing.withLock {
            let goesOn = lock.withLock {
                count += 1
                return !isCancelled
            }
            if goesOn { putBack(item) }
        }
    }

    private func putBack(_ item: AVPlayerItem) {
        let queue = player.items()
        // The app may have taken it, or all of them, out of the queue.
        guard item !== player.currentItem, item.core == nil,
            let last = queue.last(where: { one in items.contains { $0 === one } })
        else { return }
        item.seek(to: start)
        // Whoever asks the player lets it go on, on any thread: an insertion must not depend on the last one being
        // there still.
        core.enqueue(item, after: last)
    }

    /// Takes out of the queue what is not heard.
    private func withdraw() { core.dequeue(unheard: items) }
}
