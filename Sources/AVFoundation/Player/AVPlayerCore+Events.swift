internal import AVFAudio
internal import CoreMedia
internal import Foundation

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
