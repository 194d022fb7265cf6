internal import AudioRealtime

// Voices that begin where others end, to the frame; with the main loop's lock held.
extension OutputMix {
    /// Lets a voice begin with the frame after another's last one, or lets none do so any more.
    ///
    /// It may be mixed, and be on its way to the listener, long before the first one was heard to its end. What takes
    /// the end of the first one back, such as a pause, takes the second one back with it.
    ///
    /// - Parameters:
    ///   - voice: One that runs, and whose end is its real one.
    ///   - next: One that does not run, and is filled; kept as long as its owner keeps it.
    /// - Returns: False if it is too late: the first one was heard to its end, or was stopped.
    package func follow(_ voice: OutputVoice, with next: OutputVoice?) -> Bool {
        if let old = voice.follower, old !== next {
            voice.follower = nil
            pause(old)
        }
        guard let next else { return true }
        guard phase != .dead, voice.isRunning, !next.isRunning else { return false }
        voice.follower = next
        if voice.state == .finishing {
            beginFollower(of: voice)
            pump()
        }
        return true
    }

    /// A voice's end was mixed.
    func beginFollower(of voice: OutputVoice) {
        guard let next = voice.follower, !next.isRunning, let end = voice.endFrame else { return }
        next.state = .playing
        next.startTime = nil
        next.joinFrame = end
        if !voices.contains(where: { $0 === next }) { voices.append(next) }
        // Others may have gone on beyond it.
        if end < cursor.next { soundChanged(from: end) }
    }

    /// The ends of voices were taken back, and with them what followed.
    func retractFollowers() {
        for voice in voices where voice.state == .playing {
            retract(followerOf: voice)
        }
    }

    /// One without a frame may have a follower that has begun at the same frame.
    private func retract(followerOf voice: OutputVoice) {
        guard let next = voice.follower, next.isRunning else { return }
        next.state = .paused
        mixer.remove(next.voice)
        leave(next)
        retract(followerOf: next)
    }

    /// Frames that can be rendered before somebody has to follow.
    var framesBeforeFollower: Int {
        let leading = voices.lazy.filter { $0.state == .playing && $0.follower != nil && $0.voice.isEnded }
        return leading.map(\.voice.readableFrames).filter { $0 > 0 }.min() ?? .max
    }
}
