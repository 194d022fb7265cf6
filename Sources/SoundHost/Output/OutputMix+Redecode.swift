internal import AudioHost
internal import PulseClient

// A voice's decoder writes something else in the place of what was decoded, as for another rate; with the main loop's
// lock held.
extension OutputMix {
    /// How long a voice's start waits for that, in seconds.
    ///
    /// A decoder needs a few milliseconds; one that hangs must not keep a player silent.
    private static let patience = 0.25

    /// Takes back what the server has not played of a voice, so that its decoder can write something else in its place.
    ///
    /// - Parameters:
    ///   - voice: Its ``Voice/framesRendered`` is where the new frames are to begin. The mix waits for them until
    ///     ``redecoded(_:)``, as long as the server has something to play; a voice that is played meanwhile begins with
    ///     them, unless they take too long.
    ///   - ready: Called with the main loop's lock held; at once if nothing of the voice is queued, else on the loop's
    ///     thread.
    package func requestRedecode(of voice: OutputVoice, ready: @escaping () -> Void) {
        guard phase == .running || phase == .settling, voice.timeline.end != nil else {
            // It may be played before the decoder is done.
            voice.pendingRedecodes += 1
            return ready()
        }
        // One that was just paused is still ahead of where it is going to stand.
        let others = voice.onRedecode
        voice.onRedecode = { [unowned voice] in
            others?()
            voice.pendingRedecodes += 1
            ready()
        }
        soundChanged()
    }

    /// The decoder has done what it was called for by ``requestRedecode(of:ready:)``; to be said once for each time.
    package func redecoded(_ voice: OutputVoice) {
        voice.pendingRedecodes -= 1
        if !voice.awaitsRedecode && redecodeTimer != nil { beginAwaited() }
        didWrite(to: voice)
    }

    /// A voice is to begin: its start waits so long for its decoder, and not longer.
    func beginWaiting(_ voice: OutputVoice) { voice.latestStart = MonotonicClock.seconds + Self.patience }

    /// Whether a voice that is to begin now waits for its decoder: what it has is not what is to be heard.
    ///
    /// One that begins later is rendered up to there meanwhile.
    func awaitsDecoder(_ voice: OutputVoice) -> Bool {
        guard voice.state == .playing, voice.awaitsRedecode, MonotonicClock.seconds < voice.latestStart else {
            return false
        }
        let now = mainTime.map { $0() } ?? deviceTime
        guard voice.startTime ?? 0 <= now ?? .infinity else { return false }
        if redecodeTimer == nil {
            let timer = MainloopTimer(mainloop: stream.mainloop) { [weak self] in self?.beginAwaited() }
            redecodeTimer = timer
            timer.start(after: .microseconds(Int64(Self.patience * 1e6)))
        }
        return true
    }

    /// Lets those begin that have waited for their decoders, or have waited too long.
    private func beginAwaited() {
        redecodeTimer = nil
        switch phase {
        case .corked: start()
        case .running: for voice in voices where voice.state == .playing && voice.joinFrame == nil { join(voice) }
        case .opening, .settling, .dead: break
        }
    }
}
