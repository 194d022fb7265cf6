internal import AVFAudio
internal import Foundation

// What follows the current item. A player that is no queue has nothing there.
extension AVPlayerCore {
    // MARK: Changes, without `lock`

    /// The current item and those after it.
    var queue: [AVPlayerItem] { lock.withLock { (item.map { [$0] } ?? []) + upcoming } }

    /// Runs `body` with `lock` held, and lets go of the items that it takes out only then: an app's subclass may ask
    /// the player for its items as it goes, which would be a second access to what is being changed.
    func changing<Result>(_ body: () -> Result) -> Result {
        let (result, before) = lock.withLock {
            let before = (item, upcoming)
            return (body(), before)
        }
        return withExtendedLifetime(before) { result }
    }

    /// Puts an item that no player has behind another one, or at the end.
    func enqueue(_ new: AVPlayerItem, after other: AVPlayerItem?) {
        changing {
            guard item != nil || !upcoming.isEmpty else { return begin(new) }
            new.join(self)
            adjust(new)
            let place = upcoming.firstIndex { $0 === other }.map { $0 + 1 }
            upcoming.insert(new, at: place ?? (other != nil && other === item ? 0 : upcoming.count))
            item == nil ? advance() : prepareNext()
        }
        changed()
    }

    /// Takes an item out; the next one is played in place of the current one.
    func dequeue(_ old: AVPlayerItem) {
        changing {
            if old === item { return advance() }
            guard let place = upcoming.firstIndex(where: { $0 === old }) else { return }
            if linked === old { unlink() }
            upcoming.remove(at: place).leave(self)
            prepareNext()
        }
        changed(isJump: true)
    }

    /// Takes some items out, but for those that are heard: the current one, and the next one if it has begun by itself,
    /// of which nobody may have been told yet.
    func dequeue(unheard items: [AVPlayerItem]) {
        changing {
            let next = linked
            var isHeard: Bool { (next?.sound.settledTime.seconds ?? 0) > linkedStart }
            if !isHeard { unlink() }
            // What a server could not take back is heard all the same, and played on in its turn.
            let kept = isHeard ? next : nil
            for old in items where old !== item && old !== kept {
                guard let place = upcoming.firstIndex(where: { $0 === old }) else { continue }
                upcoming.remove(at: place).leave(self)
            }
            prepareNext()
        }
        changed()
    }

    /// Takes all items out.
    func dequeueAll() {
        changing {
            unlink()
            for item in upcoming { item.leave(self) }
            upcoming = []
            advance()
        }
        changed(isJump: true)
    }

    /// Plays the next item in place of the current one.
    func skip() {
        changing { advance() }
        changed(isJump: true)
    }

    /// The current item has come to where the app wants it to end.
    func reachedForwardEnd() {
        switch actionAtItemEnd {
        case .advance where isQueue: skip()
        case .none:
            // The rate stays, whatever becomes of the sound.
            lock.withLock { reconcile() }
            changed()
        default: rate = 0
        }
    }

    // MARK: Going on, with `lock` held

    /// Goes on with the next item, or with none; `afterEnd` with one that may have begun by itself.
    func advance(afterEnd: Bool = false) {
        let next = upcoming.isEmpty ? nil : upcoming.removeFirst()
        // One that broke off may have ended before the next one could begin.
        let hasBegun = afterEnd && next != nil && linked === next && next?.sound.standing != .stopped
        if hasBegun { linked = nil } else { unlink() }
        item?.leave(self)
        begin(next, hasBegun: hasBegun)
    }

    /// Makes an item the current one, and plays it if the rate says so.
    func begin(_ new: AVPlayerItem?, hasBegun: Bool = false) {
        observers.begin(new, at: hasBegun ? linkedStart : new?.sound.time.seconds ?? 0)
        let wasEarly = endedEarly != nil && endedEarly === new
        endedEarly = nil
        item = new
        isStarted = hasBegun
        if let (action, last) = nextEndAction, last !== new, !upcoming.contains(where: { $0 === last }) {
            (endAction, nextEndAction) = (action, nil)
        }
        guard let new else { return }
        new.join(self)
        adjust(new)
        new.sound.open(session: session)
        if hasBegun { reconcile() } else { carryOut() }
        if !hasBegun, new === item { passOverWhatWasHeard() }
        prepareNext()
        // Nobody tells of its end a second time.
        if hasBegun, wasEarly, new === item { ended(new, nil) }
    }

    /// A current item that was heard to its end before, and that nobody went back in, is at its end again as soon as it
    /// is to be played; with `lock` held.
    func passOverWhatWasHeard() {
        guard isQueue, wantedRate != 0, let item, item.sound.standing == .finished else { return }
        onMain { [weak self] in self?.hasEndedBefore(item) }
    }

    /// On the main queue, when the app may have gone elsewhere.
    private func hasEndedBefore(_ item: AVPlayerItem) {
        guard lock.withLock({ item === self.item && wantedRate != 0 && item.sound.standing == .finished }) else {
            return
        }
        item.happened(.ended(nil))
    }

    /// Opens the next item, and lets it begin by itself where the current one ends as soon as both are known; takes
    /// that back where it is not wanted any more.
    func prepareNext() {
        upcoming.first?.sound.open(session: session)
        // One that has been heard has stopped, and the next one is heard already, before the player is told of the end.
        let isOn = isStarted || linked != nil && wantedRate != 0 && item?.sound.standing == .finished
        let wanted = isQueue && isOn && endAction == .advance ? upcoming.first : nil
        if linked !== wanted { unlink() }
        guard linked == nil, let wanted, let item else { return }
        let start = wanted.sound.settledTime.seconds
        guard item.sound.lead(wanted.sound, rate: wantedRate) else { return }
        (linked, linkedStart) = (wanted, start)
    }

    /// Lets nothing begin by itself.
    func unlink() {
        guard let next = linked else { return }
        linked = nil
        _ = item?.sound.lead(nil)
        next.sound.pause()
    }
}
