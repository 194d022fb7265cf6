internal import AVFAudio
internal import Foundation

/// The state and the commands of a player.
///
/// Threads of the library keep the core and never the player, which ends as soon as the app lets go of it: its items
/// are free then, see ``close()``. Commands run one after the other and may wait for the sound server, for 2 s at most;
/// properties are read from facts, and wait for nothing. No notification is posted during a command.
// SAFETY: what is not in `facts` is only used within commands of it, but `session`, `player` and `isQueue`, which are
// set before another thread has the player.
final class AVPlayerCore: @unchecked Sendable {
    /// The time from which on a failed start counts as unanswered by the server.
    private static let unanswered = Duration.seconds(1)

    var session = AVAudioSession.sharedInstance()
    /// Only for notifications.
    weak var player: AVPlayer?
    /// Whether other items may follow the current one.
    var isQueue = false
    /// A command of the player comes before those of its items.
    let facts = CommandState(PlayerFacts())
    /// The next item, if its sound begins by itself where that of the current one ends.
    var linked: AVPlayerItem?
    /// The position at which that item begins, in seconds.
    var linkedStart = 0.0
    /// The next item, if its end was reported before the current one's.
    var endedEarly: AVPlayerItem?
    /// Whether a sound that is not open yet is to start with as little as is loaded.
    private var isImpatient = false
    /// Whether a start of another thread stayed unanswered while the present command waited for that thread.
    private var hasWaitedInVain = false
    /// The action at an item's end once the last of a looper's items has left the queue; nil for no change.
    var nextEndAction: (action: AVPlayer.ActionAtItemEnd, last: AVPlayerItem)?
    /// The looper that has the action changed, and the action before.
    var looping: (by: ObjectIdentifier, usual: AVPlayer.ActionAtItemEnd)?
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

    /// Stops the items, which may get another player then; the app has let go of this one.
    func close() {
        changing {
            unlink()
            for item in facts.value.queue { item.leave(self) }
            facts.change { ($0.item, $0.upcoming, $0.rate, $0.isStarted) = (nil, [], 0, false) }
            (nextEndAction, endedEarly) = (nil, nil)
        }
        watch = nil
        observers.stop()
    }

    // MARK: State, within a command

    var item: AVPlayerItem? {
        get { facts.value.item }
        set { facts.change { $0.item = newValue } }
    }

    var upcoming: [AVPlayerItem] {
        get { facts.value.upcoming }
        set { facts.change { $0.upcoming = newValue } }
    }

    /// Whether the item's sound was started, so that a sound that does not run was stopped.
    var isStarted: Bool {
        get { facts.value.isStarted }
        set { facts.change { $0.isStarted = newValue } }
    }

    var wantedRate: Float { facts.value.rate }
    var endAction: AVPlayer.ActionAtItemEnd { facts.value.endAction }

    /// Runs a command that may replace items, and releases them only after it: an app's subclass may ask the player for
    /// its items as it ends.
    ///
    /// For other threads rate and status stay as they are until then. A start in it is given up if another thread's
    /// start, which the command had to wait for, was not answered.
    func changing<Result>(_ body: () -> Result) -> Result {
        let unanswered = facts.value.unansweredStarts
        let (result, before) = facts.run {
            let now = facts.value
            let shown = (now.rate(in: session), now.status(in: session))
            facts.hold { $0.held = $0.held ?? shown }
            let outer = hasWaitedInVain
            hasWaitedInVain = outer || now.unansweredStarts != unanswered
            defer { hasWaitedInVain = outer }
            return (body(), (now.item, now.upcoming))
        }
        return withExtendedLifetime(before) { result }
    }

    // MARK: The item

    var currentItem: AVPlayerItem? { facts.value.item }

    /// Replaces the current item, by nothing too.
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

    /// Applies the player's settings to an item; within a command.
    func adjust(_ item: AVPlayerItem) {
        let facts = facts.value
        item.sound.volume = facts.isMuted ? 0 : facts.volume
        item.sound.waitsToMinimizeStalling = facts.waits
    }

    var status: AVPlayer.Status {
        let now = facts.value
        if now.failure != nil { return .failed }
        if now.wasReady { return .readyToPlay }
        guard now.item?.status == .readyToPlay else { return .unknown }
        facts.changeAtOnce { $0.wasReady = true }
        return .readyToPlay
    }

    var error: (any Error)? { facts.value.failure }

    // MARK: Playing

    var rate: Float {
        get {
            notice()
            return facts.read { $0.rate(in: session) }
        }
        set { play(atRate: newValue, impatiently: false) }
    }

    var defaultRate: Float {
        get { facts.value.usualRate }
        set { facts.changeAtOnce { $0.usualRate = newValue } }
    }

    var timeControlStatus: AVPlayer.TimeControlStatus {
        notice()
        return facts.read { $0.status(in: session) }
    }

    var reasonForWaitingToPlay: AVPlayer.WaitingReason? {
        notice()
        return facts.read { facts in
            guard facts.status(in: session) == .waitingToPlayAtSpecifiedRate else { return nil }
            guard let item = facts.item else { return .noItemToPlay }
            return item.status == .readyToPlay && facts.waits ? .toMinimizeStalls : .evaluatingBufferingRate
        }
    }

    var actionAtItemEnd: AVPlayer.ActionAtItemEnd {
        get { endAction }
        set {
            changing {
                facts.change { $0.endAction = newValue }
                nextEndAction = nil
                prepareNext()
                // An item that was left at its end gets the new action.
                guard newValue != .none, wantedRate != 0, let item, item.sound.settledStanding == .finished else {
                    return
                }
                ended(item, nil)
            }
            changed(isJump: true)
        }
    }

    var automaticallyWaitsToMinimizeStalling: Bool {
        get { facts.value.waits }
        set { adjusting { $0.waits = newValue } }
    }

    // MARK: Volume

    var volume: Float {
        get { facts.value.volume }
        set { adjusting { $0.volume = newValue.isNaN ? 0 : min(max(newValue, 0), 1) } }
    }

    var isMuted: Bool {
        get { facts.value.isMuted }
        set { adjusting { $0.isMuted = newValue } }
    }

    /// Changes a setting of all items.
    private func adjusting(_ change: (inout PlayerFacts) -> Void) {
        facts.run {
            facts.change(change)
            facts.value.queue.forEach(adjust)
        }
    }

    // MARK: Starts and stops

    /// The nearest rate that there is.
    private static func playableRate(_ rate: Float) -> Float { min(max(rate, 0.5), 2) }

    /// Plays at a rate, or stops at 0; `impatiently` with as little of a stream as there is.
    func play(atRate rate: Float, impatiently: Bool) {
        changing {
            reconcile()
            let stops = session.stops
            facts.change { $0.stopsBefore = stops }
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

    /// Starts or stops the sound by the rate; within a command.
    ///
    /// Waits for the sound server, for 2 s at most.
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
        isStarted = start(item)
        isImpatient = false
        if !isStarted { change(to: 0, .setRateFailed) }
        prepareNext()
    }

    private func start(_ item: AVPlayerItem) -> Bool {
        guard !hasWaitedInVain else { return false }
        let begin = ContinuousClock.now
        if item.sound.play(rate: wantedRate, impatiently: isImpatient) { return true }
        if ContinuousClock.now - begin >= Self.unanswered { facts.change { $0.unansweredStarts += 1 } }
        return false
    }

    /// Passes over an item that cannot be played where another one follows, and stops the player elsewhere; within a
    /// command.
    func fail(afterEnd: Bool = false) {
        isStarted = false
        if isQueue, wantedRate != 0, endAction == .advance, !upcoming.isEmpty { return advance(afterEnd: afterEnd) }
        change(to: 0, .setRateFailed)
    }

    /// Notices that the session or the sound was stopped, for a property; at once also where a command runs, which
    /// notices for itself.
    private func notice() { _ = facts.runIfFree { reconcile(\.standing) } }

    /// Notices that the session stopped the sound, before the notification of that; within a command.
    func reconcile(_ standing: (ItemSound) -> PlayerStanding = \.settledStanding) {
        if isStarted, let sound = item?.sound {
            switch standing(sound) {
            case .running: return
            // A stop after the end is none of the sound's.
            case .finished: break
            case .interrupted: change(to: 0, .audioSessionInterrupted)
            case .stopped: change(to: 0, .setRateCalled)
            }
            isStarted = false
        }
        heedStops()
    }

    /// Notices that the session was stopped while no sound of the item ran: it is not open yet, or was heard to its
    /// end; within a command.
    ///
    /// To play it all the same would activate the session again, which is up to the app.
    private func heedStops() {
        let (stops, before) = (session.stops, facts.value.stopsBefore)
        guard wantedRate != 0, stops != before else { return }
        change(to: 0, stops.interruptions == before.interruptions ? .setRateCalled : .audioSessionInterrupted)
    }

    /// Changes the rate within a command, and posts the notification after it.
    func change(to rate: Float, _ reason: AVPlayer.RateDidChangeReason) {
        guard rate != wantedRate else { return }
        facts.change { $0.rate = rate }
        facts.afterwards { [self] in onMain { [self] in callbacks.during { tell(reason) } } }
    }

    private func tell(_ reason: AVPlayer.RateDidChangeReason) {
        guard let player else { return }
        // An object of Foundation's, which casts to `String` as well as to the reason.
        let userInfo = [AVPlayer.rateDidChangeReasonKey: reason._bridgeToObjectiveC()]
        NotificationCenter.default.post(name: AVPlayer.rateDidChangeNotification, object: player, userInfo: userInfo)
        // A property that was read may have noticed the stop.
        changed()
    }

    /// Has all observers compare; not within a command.
    func changed(isJump: Bool = false) {
        observers.update(isJump: isJump)
        properties.changed()
    }
}
