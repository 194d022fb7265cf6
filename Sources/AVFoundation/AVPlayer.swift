internal import AVFAudio
internal import CoreMedia
internal import Foundation

/// Plays an item: the sound of a file, or of an http or https address, that is loaded while it plays.
///
/// Its sound is mixed with that of all players of the process, under the session's category. A player may be used from
/// any thread. Notifications are posted, and completion handlers called, on the main queue. Video is not shown.
///
/// Apple: `AVPlayer`.
// SAFETY: everything mutable is guarded by `lock`, but `session`, which is set before anybody else has the player.
open class AVPlayer: NSObject, @unchecked Sendable {
    private(set) var session = AVAudioSession.sharedInstance()
    /// Comes before the locks of items; nobody is told anything with it held.
    let lock = NSRecursiveLock()
    var item: AVPlayerItem?
    /// What is played after it.
    var upcoming: [AVPlayerItem] = []
    /// The next item, if its sound begins by itself where that of the current one ends.
    var linked: AVPlayerItem?
    /// Where that begins, in seconds.
    var linkedStart = 0.0
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
    var endAction: ActionAtItemEnd = .pause
    /// What is done at the end of an item when this one is in the queue no more; nil if that stays as it is.
    var nextEndAction: (action: ActionAtItemEnd, last: AVPlayerItem)?
    /// The looper that has the player's actions changed, and the action as it was before.
    var looping: (by: ObjectIdentifier, usual: ActionAtItemEnd)?
    var waits = true
    var failure: NSError?
    private var wasReady = false
    private var watch: SessionWatch?
    let observers = TimeObservers()
    let properties = PropertyObservers()

    // MARK: Making a player

    /// A player that has no item yet.
    ///
    /// Apple: `AVPlayer.init()`.
    public override init() {
        super.init()
        setUp(nil)
    }

    /// A player of a file, or of an http or https address, which is opened in the background.
    ///
    /// Apple: `AVPlayer.init(url:)`.
    public init(url: URL) {
        super.init()
        setUp(AVPlayerItem(url: url))
    }

    /// A player of an item.
    ///
    /// Apple: `AVPlayer.init(playerItem:)`.
    public init(playerItem item: AVPlayerItem?) {
        super.init()
        setUp(item)
    }

    /// A player in a session of its own, for tests.
    ///
    /// Not a designated one: what others cannot see would keep subclasses from inheriting any.
    package convenience init(playerItem item: AVPlayerItem?, session: AVAudioSession) {
        self.init()
        self.session = session
        setUp(item)
    }

    private func setUp(_ item: AVPlayerItem?) {
        observers.player = self
        watch = SessionWatch(session, of: self)
        replaceCurrentItem(with: item)
    }

    deinit {
        unlink()
        item?.sound.pause()
        observers.stop()
    }

    // MARK: The item

    /// What is played.
    ///
    /// Apple: `AVPlayer.currentItem`.
    open var currentItem: AVPlayerItem? { lock.withLock { item } }

    /// Plays something else from now on, or nothing; the rate stays.
    ///
    /// Apple: `AVPlayer.replaceCurrentItem(with:)`.
    open func replaceCurrentItem(with item: AVPlayerItem?) {
        changing {
            guard item !== self.item else { return }
            unlink()
            upcoming.removeAll { $0 === item }
            self.item?.leave()
            begin(item)
        }
        changed(isJump: true)
    }

    /// Whether other items may follow the current one.
    var isQueue: Bool { false }

    /// Hands an item what is set for all; with `lock` held.
    func adjust(_ item: AVPlayerItem) {
        item.sound.volume = muted ? 0 : volumeValue
        item.sound.waitsToMinimizeStalling = waits
    }

    /// Whether the player can play; unknown until its first item can.
    ///
    /// Apple: `AVPlayer.status`.
    open var status: Status {
        lock.withLock {
            if failure != nil { return .failed }
            if item?.status == .readyToPlay { wasReady = true }
            return wasReady ? .readyToPlay : .unknown
        }
    }

    /// Why the player cannot play: the sound server was lost, and another player has to be made.
    ///
    /// Apple: `AVPlayer.error`.
    open var error: (any Error)? { lock.withLock { failure } }

    // MARK: Playing

    /// Plays from the position on, at ``defaultRate``: as soon as the item is ready, if it is not yet.
    ///
    /// Where the session is interrupted or deactivated before that, it has to be asked for again.
    ///
    /// Apple: `AVPlayer.play()`.
    open func play() { rate = defaultRate }

    /// Stops at the frame that is heard now.
    ///
    /// Apple: `AVPlayer.pause()`.
    open func pause() { rate = 0 }

    /// Plays with as little of a stream as there is, at the risk of a stall; files need no more in any case.
    ///
    /// Apple: `AVPlayer.playImmediately(atRate:)`.
    open func playImmediately(atRate rate: Float) { play(atRate: rate, impatiently: true) }

    /// How fast the sound plays: 0 is paused, 1 as usual; others are brought to 0.5 … 2, and leave the pitch as it is.
    ///
    /// It is what was asked for, also while the item is not ready. Setting it starts and stops the sound. It becomes 0
    /// at the end of the item, where the session is interrupted, deactivated or given a category without output, and
    /// where the sound cannot be played: backwards, for one.
    ///
    /// Apple: `AVPlayer.rate`.
    open var rate: Float {
        get {
            lock.withLock {
                reconcile()
                return wantedRate
            }
        }
        set { play(atRate: newValue, impatiently: false) }
    }

    /// The rate of ``play()``.
    ///
    /// Apple: `AVPlayer.defaultRate`.
    open var defaultRate: Float {
        get { lock.withLock { usualRate } }
        set { lock.withLock { usualRate = newValue } }
    }

    /// Whether the sound is heard, or why not.
    ///
    /// Apple: `AVPlayer.timeControlStatus`.
    open var timeControlStatus: TimeControlStatus {
        lock.withLock {
            guard rate != 0 else { return .paused }
            guard let item, item.status == .readyToPlay, !item.sound.isWaiting else {
                return .waitingToPlayAtSpecifiedRate
            }
            return .playing
        }
    }

    /// Why the sound is not heard although it should be; nil if it is, or should not be.
    ///
    /// Apple: `AVPlayer.reasonForWaitingToPlay`.
    open var reasonForWaitingToPlay: WaitingReason? {
        lock.withLock {
            guard timeControlStatus == .waitingToPlayAtSpecifiedRate else { return nil }
            guard let item else { return .noItemToPlay }
            return item.status == .readyToPlay && waits ? .toMinimizeStalls : .evaluatingBufferingRate
        }
    }

    /// What happens at the end of the item: `pause`, as at first, sets the rate to 0; with `none` it stays, and the
    /// sound goes on with the next seek; `advance`, as at first in an ``AVQueuePlayer``, goes on with the next item.
    ///
    /// Another action than `none` is taken at once where the item has come to its end.
    ///
    /// Apple: `AVPlayer.actionAtItemEnd`.
    open var actionAtItemEnd: ActionAtItemEnd {
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

    /// Whether the player waits until enough of a stream is there to play on without a stall, and goes on by itself
    /// after one; files never need that.
    ///
    /// Otherwise it plays as soon as anything is there, and a stall sets the rate to 0.
    ///
    /// Apple: `AVPlayer.automaticallyWaitsToMinimizeStalling`.
    open var automaticallyWaitsToMinimizeStalling: Bool {
        get { lock.withLock { waits } }
        set {
            lock.withLock {
                waits = newValue
                queue.forEach(adjust)
            }
        }
    }

    // MARK: Volume

    /// The player's own volume, 0 … 1, linear.
    ///
    /// Apple: `AVPlayer.volume`.
    open var volume: Float {
        get { lock.withLock { volumeValue } }
        set {
            lock.withLock {
                volumeValue = newValue.isNaN ? 0 : min(max(newValue, 0), 1)
                queue.forEach(adjust)
            }
        }
    }

    /// Whether the sound is not heard, at any volume.
    ///
    /// Apple: `AVPlayer.isMuted`.
    open var isMuted: Bool {
        get { lock.withLock { muted } }
        set {
            lock.withLock {
                muted = newValue
                queue.forEach(adjust)
            }
        }
    }

    // MARK: What is done about it

    /// The nearest rate that there is.
    private static func playableRate(_ rate: Float) -> Float { min(max(rate, 0.5), 2) }

    private func play(atRate rate: Float, impatiently: Bool) {
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
    func change(to rate: Float, _ reason: RateDidChangeReason) {
        guard rate != wantedRate else { return }
        wantedRate = rate
        // An item may be given to another player as soon as nobody has this one any more.
        onMain { [weak self] in
            guard let self else { return }
            // A real string, which casts to `String` as well as to the reason.
            let userInfo = [Self.rateDidChangeReasonKey: reason._bridgeToObjectiveC()]
            NotificationCenter.default.post(name: Self.rateDidChangeNotification, object: self, userInfo: userInfo)
            // Whoever asked for the rate may have been the one who found out.
            changed()
        }
    }

    /// Lets everybody look who wants to know; without `lock`.
    func changed(isJump: Bool = false) {
        observers.update(isJump: isJump)
        properties.changed()
    }
}
