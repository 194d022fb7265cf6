public import CoreMedia
public import Foundation

/// Repeats an item in a queue, until looping is disabled or the looper is released.
///
/// Three copies of the item take turns: a copy that ended is rewound and enqueued after the others. A whole file, or a
/// whole seekable stream, is therefore repeated without a gap. With a time range each repetition starts with the delay
/// of the main queue. The player's ``AVPlayer/actionAtItemEnd`` is `advance` until the last copy has ended, and then
/// set back. Can be used from any thread.
///
/// Apple: `AVPlayerLooper`.
// SAFETY: everything mutable is guarded by `lock`, except state that is set before the object is shared.
nonisolated open class AVPlayerLooper: NSObject, @unchecked Sendable {
    /// The state of a looper.
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

    /// The place of the copies among the items that are in the queue already.
    ///
    /// Apple: `AVPlayerLooper.ItemOrdering`.
    public enum ItemOrdering: Int, Sendable {
        /// Before all of them, also in place of the current item.
        case loopingItemsPrecedeExistingItems = 0
        /// After all of them.
        case loopingItemsFollowExistingItems = 1
    }

    private static let copies = 3

    private let player: AVQueuePlayer
    private var core: AVPlayerCore { player.core }
    private let start: CMTime
    private let items: [AVPlayerItem]
    /// Held while the looper edits the queue, and while it is disabled.
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
    ///   - item: The item to copy, which is not played itself.
    ///   - timeRange: The time range; invalid for the whole item.
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

    /// The state of the looper.
    ///
    /// Apple: `AVPlayerLooper.status`.
    open var status: Status {
        if lock.withLock({ isCancelled }) { return .cancelled }
        if items.contains(where: { $0.status == .failed }) { return .failed }
        return items.contains { $0.status == .readyToPlay } ? .ready : .unknown
    }

    /// The reason for the status `failed`.
    ///
    /// Apple: `AVPlayerLooper.error`.
    open var error: (any Error)? { items.lazy.compactMap(\.error).first }

    /// The number of times that the item was played to its end.
    ///
    /// Apple: `AVPlayerLooper.loopCount`.
    open var loopCount: Int { lock.withLock { count } }

    /// The copies of the item, in no particular order.
    ///
    /// Apple: `AVPlayerLooper.loopingPlayerItems`.
    open var loopingPlayerItems: [AVPlayerItem] { items }

    /// Ends looping after the current copy; the player's action at the end of an item is then set back.
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

    /// Takes over the player's action.
    ///
    /// An earlier looper may have changed it, and a finished one may not have set it back yet.
    private func takeAction() {
        core.lock.withLock {
            let usual = core.nextEndAction?.action ?? core.looping?.usual ?? core.endAction
            core.looping = (ObjectIdentifier(self), usual)
        }
        player.actionAtItemEnd = .advance
    }

    /// Sets the player's action back as soon as no copy is in the queue, unless a later looper has taken it over.
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

    /// Called on the main queue, after the player has advanced to the next item.
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
        // The app may have removed the copy, or all copies, from the queue.
        guard item !== player.currentItem, item.core == nil,
            let last = queue.last(where: { one in items.contains { $0 === one } })
        else { return }
        item.seek(to: start)
        // Any thread can make the player advance: the insertion must not require that the last item is still in the
        // queue.
        core.enqueue(item, after: last)
    }

    /// Removes the copies that are not heard from the queue.
    private func withdraw() { core.dequeue(unheard: items) }
}
