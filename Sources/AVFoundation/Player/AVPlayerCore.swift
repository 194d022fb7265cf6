internal import AVFAudio
internal import Foundation

/// All of a player but the player itself: what it plays, and how.
///
/// Whoever has something to do for a player on a thread of ours keeps this, and never the player, which is gone as soon
/// as the app lets go of it: its items are free then, see ``close()``.
// SAFETY: everything mutable is guarded by `lock`, but `session`, `player` and `isQueue`, which are set before anybody
// else has the player.
final class AVPlayerCore: @unchecked Sendable {
    var session = AVAudioSession.sharedInstance()
    /// To be asked for only where apps are told of things.
    weak var player: AVPlayer?
    /// Whether other items may follow the current one.
    var isQueue = false
    /// Comes before the locks of items; nobody is told anything with it held.
    let lock = NSRecursiveLock()
    var item: AVPlayerItem?
    /// What is played after it.
    var upcoming: [AVPlayerItem] = []
    /// The next item, if its sound begins by itself where that of the current one ends.
    var linked: AVPlayerItem?
    /// Where that begins, in seconds.
    var linkedStart = 0.0
    /// The next item, if it was told to have ended before the current one was.
    var endedEarly: AVPlayerItem?
    var wantedRate: Float = 0
    /// How often the session had been stopped when the app asked for that rate.
    private var stopsBefore = (interruptions: 0, deactivations: 0)
    private var usualRate: Float = 1
    /// Whether the item's sound was told to play, so that it is known to have been stopped where it does not.
    var isStarted = false
    /// Whether a sound that is not open yet is not to wait for more than its beginning.
    private var isImpatient = false
    private var volumeValue: Float = 1
    private var muted = false
    var endAction: AVPlayer.ActionAtItemEnd = .pause
    /// What is done at the end of an item when this one is in the queue no more; nil if that stays as it is.
    var nextEndAction: (action: AVPlayer.ActionAtItemEnd, last: AVPlayerItem)?
    /// The looper that has the player's actions changed, and the action as it was before.
    var looping: (by: ObjectIdentifier, usual: AVPlayer.ActionAtItemEnd)?
    var waits = true
    var failure: NSError?
    private var wasReady = false
    private var watch: SessionWatch?
    let observers = TimeObservers()
    let callbacks = CallbackTracker()
    let properties: PropertyObservers

    init() { properties = PropertyObservers(around: { [callbacks] in callbacks.during($0) }) }

    // MARK: Beginning and end

    /// Watches the session, and makes an item the current one.
    func begin(for player: AVPlayer, with item: AVPlayerItem?) {
        self.player = player
        observers.core = self
        watch = SessionWatch(session, of: self)
        replaceCurrentItem(with: item)
    }

    /// The app has let go of the player: its items stop, and are free to be given to another one.
    func close() {
        changing {
            unlink()
            for item in queue { item.leave(self) }
            item = nil
            upcoming = []
            (nextEndAction, endedEarly) = (nil, nil)
            wantedRate = 0
            isStarted = false
        }
        watch = nil
        observers.stop()
    }

    // MARK: The item

    var currentItem: AVPlayerItem? { lock.withLock { item } }

    /// Plays something else from now on, or nothing.
    func replaceCurrentItem(with item: AVPlayerItem?) {
        item?.awaitRelease(for: self)
        changing {
            guard item !== self.item else { return }
            unlink()
            upcoming.removeAll { $0 === item }
            self.item?.leave(self)
            begin(item)
        }
        changed(isJump: true)
    }

    /// Hands an item what is set for all; with `lock` held.
    func adjust(_ item: AVPlayerItem) {
        item.sound.volume = muted ? 0 : volumeValue
        item.sound.waitsToMinimizeStalling = waits
    }

    var status: AVPlayer.Status {
        lock.withLock {
            if failure != nil { return .failed }
            if item?.status == .readyToPlay { wasReady = true }
            return wasReady ? .readyToPlay : .unknown
        }
    }

    var error: (any Error)? { lock.withLock { failure } }

    // MARK: Playing

    var rate: Float {
        get {
            lock.withLock {
                reconcile()
                return wantedRate
            }
        }
        set { play(atRate: newValue, impatiently: false) }
    }

    var defaultRate: Float {
        get { lock.withLock { usualRate } }
        set { lock.withLock { usualRate = newValue } }
    }

    var timeControlStatus: AVPlayer.TimeControlStatus {
        lock.withLock {
            guard rate != 0 else { return .paused }
            guard let item, item.status == .readyToPlay, !item.sound.isWaiting else {
                return .waitingToPlayAtSpecifiedRate
            }
            return .playing
        }
    }

    var reasonForWaitingToPlay: AVPlayer.WaitingReason? {
        lock.withLock {
            guard timeControlStatus == .waitingToPlayAtSpecifiedRate else { return nil }
            guard let item else { return .noItemToPlay }
            return item.status == .readyToPlay && waits ? .toMinimizeStalls : .evaluatingBufferingRate
        }
    }

    var actionAtItemEnd: AVPlayer.ActionAtItemEnd {
        get { lock.withLock { endAction } }
        set {
            changing {
                endAction = newValue
                nextEndAction = nil
                prepareNext()
                // It was left at its end, and now there is something to be done about that.
                guard newValue != .none, wantedRate != 0, let item, item.sound.standing == .finished else { return }
                ended(item, nil)
            }
            changed(isJump: true)
        }
    }

    var automaticallyWaitsToMinimizeStalling: Bool {
        get { lock.withLock { waits } }
        set { adjusting { waits = newValue } }
    }

    // MARK: Volume

    var volume: Float {
        get { lock.withLock { volumeValue } }
        set { adjusting { volumeValue = newValue.isNaN ? 0 : min(max(newValue, 0), 1) } }
    }

    var isMuted: Bool {
        get { lock.withLock { muted } }
        set { adjusting { muted = newValue } }
    }

    /// Changes what is set for all items.
    private func adjusting(_ change: () -> Void) {
        lock.withLock {
            change()
            queue.forEach(adjust)
        }
    }

    // MARK: What is done about it

    /// The nearest rate that there is.
    private static func playableRate(_ rate: Float) -> Float { min(max(rate, 0.5), 2) }

    /// Plays at a rate, or stops at 0; `impatiently` with as little of a stream as there is.
    func play(atRate rate: Float, impatiently: Bool) {
        changing {
            reconcile()
            stopsBefore = session.stops
            let wasStill = wantedRate == 0
            if rate.isNaN || rate < 0 {
                change(to: 0, .setRateFailed)
            } else {
                change(to: rate == 0 ? 0 : Self.playableRate(rate), .setRateCalled)
            }
            isImpatient = impatiently
            carryOut()
            if wasStill, endAction == .advance { passOverWhatWasHeard() }
        }
        changed()
    }

    /// Lets the sound do what the rate says; with `lock` held.
    func carryOut() {
        guard let item else { return }
        heedStops()
        switch item.status {
        case .unknown: return
        case .failed: return fail()
        case .readyToPlay: break
        }
        guard wantedRate != 0 else {
            // In this order: it stops the next one with it, at the same frame.
            item.sound.pause()
            isStarted = false
            return unlink()
        }
        unlink()
        isStarted = item.sound.play(rate: wantedRate, impatiently: isImpatient)
        isImpatient = false
        if !isStarted { change(to: 0, .setRateFailed) }
        prepareNext()
    }

    /// What cannot be played is passed over where something follows it, and stops the player elsewhere; with `lock`
    /// held.
    func fail(afterEnd: Bool = false) {
        isStarted = false
        if isQueue, wantedRate != 0, endAction == .advance, !upcoming.isEmpty { return advance(afterEnd: afterEnd) }
        change(to: 0, .setRateFailed)
    }

    /// Sees that the sound was stopped by others than this player, before anybody tells; with `lock` held.
    func reconcile() {
        if isStarted, let standing = item?.sound.standing {
            switch standing {
            case .running: return
            // Whatever stops it from now on is no stop.
            case .finished: break
            case .interrupted: change(to: 0, .audioSessionInterrupted)
            case .stopped: change(to: 0, .setRateCalled)
            }
            isStarted = false
        }
        heedStops()
    }

    /// Sees that the session was stopped while the item had no sound to be stopped with it: it is not open yet, or was
    /// heard to its end; with `lock` held.
    ///
    /// To play it all the same would take the session back, which only the app may do.
    private func heedStops() {
        let stops = session.stops
        guard wantedRate != 0, stops != stopsBefore else { return }
        change(to: 0, stops.interruptions == stopsBefore.interruptions ? .setRateCalled : .audioSessionInterrupted)
    }

    /// With `lock` held.
    func change(to rate: Float, _ reason: AVPlayer.RateDidChangeReason) {
        guard rate != wantedRate else { return }
        wantedRate = rate
        onMain { [self] in callbacks.during { tell(reason) } }
    }

    private func tell(_ reason: AVPlayer.RateDidChangeReason) {
        guard let player else { return }
        // A real string, which casts to `String` as well as to the reason.
        let userInfo = [AVPlayer.rateDidChangeReasonKey: reason._bridgeToObjectiveC()]
        NotificationCenter.default.post(name: AVPlayer.rateDidChangeNotification, object: player, userInfo: userInfo)
        // Whoever asked for the rate may have been the one who found out.
        changed()
    }

    /// Lets everybody look who wants to know; without `lock`.
    func changed(isJump: Bool = false) {
        observers.update(isJump: isJump)
        properties.changed()
    }
}
