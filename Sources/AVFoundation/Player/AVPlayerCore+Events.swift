internal import AVFAudio
internal import CoreMedia
internal import Foundation

/// What becomes of a player when something happens to its items, its session or the sound server.
extension AVPlayerCore {
    /// Something happened to an item; on any thread.
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

    /// A player that does not wait stops; it is up to the app to go on.
    private func stalled(_ item: AVPlayerItem) {
        // The app may have gone on since then.
        guard !waits, item.sound.standing != .running else { return }
        isStarted = false
        change(to: 0, .setRateCalled)
    }

    func ended(_ item: AVPlayerItem, _ error: NSError?) {
        if error != nil { return fail(afterEnd: true) }
        // The app may have gone elsewhere since then.
        guard item.sound.standing == .finished, endAction != .none else { return }
        if isQueue && endAction == .advance { return advance(afterEnd: true) }
        isStarted = false
        change(to: 0, .setRateCalled)
    }

    /// An item's position is about to be changed, which leaves a sound that had ended stopped.
    func willJump(_ item: AVPlayerItem) {
        lock.withLock {
            if item === self.item { reconcile() }
            unlink()
        }
    }

    /// An item's position was changed.
    func jumped(_ item: AVPlayerItem) {
        changing {
            guard item === self.item else { return prepareNext() }
            if wantedRate != 0 { carryOut() }
        }
        changed(isJump: true)
    }

    /// The session was deactivated, or interrupted.
    func sessionStopped() {
        lock.withLock {
            item?.sound.sessionStopped()
            reconcile()
            prepareNext()
        }
        changed()
    }

    /// The session has another category, in which the sound may not be heard.
    func sessionChanged() {
        lock.withLock {
            reconcile()
            prepareNext()
        }
        changed()
    }

    /// The sound server is gone, and with it everything that was made for it.
    func sessionLost() {
        let items = lock.withLock {
            let error = NSError(.mediaServicesWereReset, "The sound server is gone.")
            failure = error
            for item in queue { item.sound.fail(error) }
            isStarted = false
            change(to: 0, .setRateFailed)
            return queue
        }
        for item in items { item.properties.changed() }
        changed()
    }

    /// A device that was in use is gone.
    func deviceLost() { rate = 0 }
}
