internal import SessionPolicy
internal import SoundHost

/// A sound that is filled, stands in its session's output, and can begin where another one ends.
package struct QueuedVoice: Sendable {
    let mix: OutputMix
    let voice: OutputVoice
}

extension PlayerCore {
    /// Makes what is needed to begin where another sound ends; nil where the session does not play.
    ///
    /// Never activates the session.
    func readyToFollow() -> QueuedVoice? {
        lock.withLock {
            guard session.shell.state == .active, let binding = try? bind(activating: false) else { return nil }
            guard binding.host.withLock({ binding.voice.state }) == .paused else { return nil }
            _ = interrupted.clear()
            return QueuedVoice(mix: binding.mix, voice: binding.voice)
        }
    }

    /// Lets a sound begin with the frame after the last one of this one, or none; false if it has to be started then.
    func lead(_ next: QueuedVoice?) -> Bool {
        lock.withLock {
            guard let binding, next.map({ $0.mix === binding.mix }) ?? true else { return false }
            return binding.host.withLock { binding.mix.follow(binding.voice, with: next?.voice) }
        }
    }
}

extension AVAudioPlayer {
    /// Prepares to begin where another sound ends; nil where the session does not play, or it plays already.
    package func readyToFollow() -> QueuedVoice? { core.readyToFollow() }

    /// Whether another sound could begin by itself where this one ends.
    package var canLead: Bool { standing == .running }

    /// Lets a sound begin with the frame after the last one of this one, or none; false if it has to be started then.
    package func lead(_ next: QueuedVoice?) -> Bool { core.lead(next) }
}

extension StreamPlayer {
    /// Prepares to begin where another sound ends; nil where the session does not play, or too little is loaded.
    package func readyToFollow() -> QueuedVoice? {
        lock.withLock {
            guard phase == .paused || isCutOff, isReadyToStart, let now = session.shell.activation,
                let bound = try? bind(), bound.host.withLock({ bound.voice.state }) == .paused
            else { return nil }
            activation = now
            _ = interrupted.clear()
            _ = bound.feed.fill()
            // It is stopped until its voice begins, which nobody has to tell it.
            phase = .running
            return QueuedVoice(mix: bound.mix, voice: bound.voice)
        }
    }

    /// Whether another sound could begin by itself where this one ends: not before this one's end has been loaded.
    package var canLead: Bool {
        lock.withLock { phase == .running && binding.map { $0.feed.isFinished && $0.feed.isWritten } ?? false }
    }

    /// Lets a sound begin with the frame after the last one of this one, or none; false if it has to be started then,
    /// or as long as this one's end has not been loaded.
    package func lead(_ next: QueuedVoice?) -> Bool {
        lock.withLock {
            guard let binding else { return false }
            guard let next else { return binding.host.withLock { binding.mix.follow(binding.voice, with: nil) } }
            guard canLead, next.mix === binding.mix else { return false }
            return binding.host.withLock { binding.mix.follow(binding.voice, with: next.voice) }
        }
    }
}
