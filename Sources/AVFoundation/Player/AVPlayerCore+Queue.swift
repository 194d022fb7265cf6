internal import AVFAudio
internal import Foundation

// The items after the current one. A player that is no queue has none.
extension AVPlayerCore {
    // MARK: Commands

    /// Inserts an item that has no player after another one, or at the end.
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

    /// Removes an item; the current one is replaced by the next.
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
        case .advance where isQueue: skip()
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
