internal import AVFAudio
internal import CoreMedia
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
    private var linked: AVPlayerItem?
    /// The position at which that item begins, in seconds.
    private var linkedStart = 0.0
    /// The next item, if its end was reported before the current one's.
    private var endedEarly: AVPlayerItem?
    /// The item that left the queue last, if it left at its end; nil once the app has removed another one.
    private(set) weak var leftAtEnd: AVPlayerItem?
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
            (nextEndAction, endedEarly, leftAtEnd) = (nil, nil, nil)
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
            leftAtEnd = nil
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

/// Events of the items, the session and the sound server.
extension AVPlayerCore {
    /// Handles an item's event; on any thread.
    func happened(_ event: ItemSound.Event, to item: AVPlayerItem) {
        if case .ended = event { observers.ended(item) }
        changing {
            guard item === self.item else {
                guard item === upcoming.first else { return }
                if case .ended(nil) = event { endedEarly = item }
                return prepareNext()
            }
            defer { prepareNext() }
            switch event {
            case .opened: carryOut()
            case .interrupted: reconcile()
            case .ended(let error): ended(item, error)
            case .stalled: stalled(item)
            case .changed, .announced, .partFailed: break
            }
        }
        changed()
    }

    /// Stops a player that does not wait; the app decides whether to go on.
    private func stalled(_ item: AVPlayerItem) {
        // The app may have gone on since then.
        guard !facts.value.waits, item.sound.settledStanding != .running else { return }
        isStarted = false
        change(to: 0, .setRateCalled)
    }

    func ended(_ item: AVPlayerItem, _ error: NSError?) {
        if error != nil { return fail(afterEnd: true) }
        // The app may have gone elsewhere since then.
        guard item.sound.settledStanding == .finished, endAction != .none else { return }
        if isQueue && endAction == .advance { return advance(afterEnd: true) }
        isStarted = false
        change(to: 0, .setRateCalled)
    }

    /// Prepares for a seek of an item, which leaves a sound that had ended stopped.
    func willJump(_ item: AVPlayerItem) {
        facts.run {
            if item === self.item { reconcile() }
            unlink()
        }
    }

    /// Goes on after a seek of an item.
    func jumped(_ item: AVPlayerItem) {
        changing {
            guard item === self.item else { return prepareNext() }
            if wantedRate != 0 { carryOut() }
        }
        changed(isJump: true)
    }

    /// Handles a deactivation or interruption of the session.
    func sessionStopped() {
        facts.run {
            item?.sound.sessionStopped()
            reconcile()
            prepareNext()
        }
        changed()
    }

    /// Handles a change of the session's category, which may be one without output.
    func sessionChanged() {
        facts.run {
            reconcile()
            prepareNext()
        }
        changed()
    }

    /// Handles the loss of the sound server: all items fail.
    func sessionLost() {
        let items = facts.run {
            let (error, items) = (NSError(.mediaServicesWereReset, "The sound server is gone."), facts.value.queue)
            facts.change { ($0.failure, $0.isStarted) = (error, false) }
            for item in items { item.sound.fail(error) }
            change(to: 0, .setRateFailed)
            return items
        }
        for item in items { item.properties.changed() }
        changed()
    }

    /// Handles the loss of the device that was played on.
    func deviceLost() { rate = 0 }
}

// The items after the current one. A player that is no queue has none.
extension AVPlayerCore {
    // MARK: Commands

    /// Inserts an item that has no player after another one, or at the end.
    func enqueue(_ new: AVPlayerItem, after other: AVPlayerItem?) {
        changing { insert(new, after: other) }
        changed()
    }

    private func insert(_ new: AVPlayerItem, after other: AVPlayerItem?) {
        guard item != nil || !upcoming.isEmpty else { return begin(new) }
        new.join(self)
        adjust(new)
        let place = upcoming.firstIndex { $0 === other }.map { $0 + 1 }
        upcoming.insert(new, at: place ?? (other != nil && other === item ? 0 : upcoming.count))
        item == nil ? advance() : prepareNext()
    }

    /// Inserts a looper's copy that was heard behind its others, unless the app has removed these.
    ///
    /// Where all copies were heard before the first of them was reported, which happens with sounds of a few frames, it
    /// goes behind the current item, or becomes that in an empty queue.
    func putBack(_ copy: AVPlayerItem, among copies: [AVPlayerItem]) {
        func isCopy(_ one: AVPlayerItem) -> Bool { copies.contains { $0 === one } }
        changing {
            guard copy !== item, copy.core == nil else { return }
            let last = facts.value.queue.last(where: isCopy)
            guard last != nil || leftAtEnd.map(isCopy) == true else { return }
            insert(copy, after: last ?? item)
        }
        changed()
    }

    /// Removes an item; the current one is replaced by the next.
    func dequeue(_ old: AVPlayerItem) {
        changing {
            if old === item { return advance() }
            guard let place = upcoming.firstIndex(where: { $0 === old }) else { return }
            if linked === old { unlink() }
            leftAtEnd = nil
            upcoming.remove(at: place).leave(self)
            prepareNext()
        }
        changed(isJump: true)
    }

    /// Removes items but those that are heard: the current one, and the next one if it has begun by itself, which may
    /// not have been reported yet.
    func dequeue(unheard items: [AVPlayerItem]) {
        changing {
            let next = linked
            var isHeard: Bool { (next?.sound.settledTime.seconds ?? 0) > linkedStart }
            if !isHeard { unlink() }
            // A beginning that the server could not take back is heard all the same, and played on in its turn.
            let kept = isHeard ? next : nil
            for old in items where old !== item && old !== kept {
                guard let place = upcoming.firstIndex(where: { $0 === old }) else { continue }
                upcoming.remove(at: place).leave(self)
            }
            prepareNext()
        }
        changed()
    }

    /// Removes all items.
    func dequeueAll() {
        changing {
            unlink()
            for item in upcoming { item.leave(self) }
            upcoming = []
            advance()
        }
        changed(isJump: true)
    }

    /// Replaces the current item by the next.
    func skip() {
        changing { advance() }
        changed(isJump: true)
    }

    /// Handles the current item's forward end.
    func reachedForwardEnd() {
        switch actionAtItemEnd {
        case .advance where isQueue:
            changing {
                let old = item
                advance()
                leftAtEnd = old
            }
            changed(isJump: true)
        case .none:
            // The rate stays, though the sound stops.
            facts.run { reconcile() }
            changed()
        default: rate = 0
        }
    }

    // MARK: Going on, within a command

    /// Goes on with the next item, or with none; `afterEnd` with one that may have begun by itself.
    func advance(afterEnd: Bool = false) {
        let next = upcoming.isEmpty ? nil : upcoming.removeFirst()
        // A sound that broke off may have ended before the next one could begin.
        let hasBegun = afterEnd && next != nil && linked === next && next?.sound.settledStanding != .stopped
        if hasBegun { linked = nil } else { unlink() }
        leftAtEnd = afterEnd ? item : nil
        item?.leave(self)
        begin(next, hasBegun: hasBegun)
    }

    /// Makes an item the current one, and plays it if the rate says so.
    func begin(_ new: AVPlayerItem?, hasBegun: Bool = false) {
        let start = new.map { new in new.sound.command { new.sound.time.seconds } } ?? 0
        observers.begin(new, at: hasBegun ? linkedStart : start)
        let wasEarly = endedEarly != nil && endedEarly === new
        endedEarly = nil
        item = new
        isStarted = hasBegun
        if let (action, last) = nextEndAction, last !== new, !upcoming.contains(where: { $0 === last }) {
            facts.change { $0.endAction = action }
            nextEndAction = nil
        }
        guard let new else { return }
        new.join(self)
        adjust(new)
        new.sound.open(session: session)
        if hasBegun { reconcile() } else { carryOut() }
        if !hasBegun, new === item { passOverWhatWasHeard() }
        prepareNext()
        // Its end is not reported a second time.
        if hasBegun, wasEarly, new === item { ended(new, nil) }
    }

    /// Ends a current item again that was heard to its end before, and was not sought in since, once it is to be
    /// played.
    func passOverWhatWasHeard() {
        guard isQueue, wantedRate != 0, let item, item.sound.settledStanding == .finished else { return }
        facts.afterwards { [weak self] in onMain { [weak self] in self?.hasEndedBefore(item) } }
    }

    /// On the main queue, when the app may have gone elsewhere.
    private func hasEndedBefore(_ item: AVPlayerItem) {
        let isAtEnd = facts.run {
            item === self.item && wantedRate != 0 && item.sound.settledStanding == .finished
        }
        guard isAtEnd else { return }
        item.happened(.ended(nil))
    }

    /// Opens the next item, and lets it begin by itself where the current one ends, once both ends are known; undoes
    /// that where another item follows now.
    ///
    /// Waits for the sound server, for 0.25 s at most.
    func prepareNext() {
        upcoming.first?.sound.open(session: session)
        // The next item is heard from the current one's end on, and that end is reported to the player later.
        let isOn = isStarted || linked != nil && wantedRate != 0 && item?.sound.settledStanding == .finished
        let wanted = isQueue && isOn && endAction == .advance ? upcoming.first : nil
        if linked !== wanted { unlink() }
        guard linked == nil, let wanted, let item else { return }
        let start = wanted.sound.settledTime.seconds
        guard item.sound.lead(wanted.sound, rate: wantedRate) else { return }
        (linked, linkedStart) = (wanted, start)
    }

    /// Lets no item begin by itself.
    func unlink() {
        guard let next = linked else { return }
        linked = nil
        _ = item?.sound.lead(nil)
        next.sound.pause()
    }
}
