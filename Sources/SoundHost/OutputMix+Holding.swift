internal import PulseClient

// The output as a whole is silenced for a while, or gets another stream; with the main loop's lock held.
extension OutputMix {
    /// Silences the output at once, as no app asked for; voices stand where they were heard last, and go on there.
    func hold() {
        guard !isHeld, phase == .running else { return }
        isHeld = true
        settle()
    }

    /// Lets go on what was held.
    func release() {
        guard isHeld else { return }
        isHeld = false
        if phase == .corked { start() }
    }

    /// Goes on with another stream of the same format, which is still to be opened.
    ///
    /// ``awaitReplacement()`` and the settling that follows come before it; what runs then goes on.
    func replaceStream(_ new: PlaybackStream) {
        let old = stream
        let started = runningVoices.map { ($0, $0.startTime) }
        suspensions += 1
        stopAll()
        stream = new
        phase = .opening
        isBeingReplaced = false
        stepBack(to: nextFrame)
        old.sync { $0.close() }
        for (voice, time) in started { _ = play(voice, at: time) }
        suspensions -= 1
        reportRunning()
    }

    /// Silences the stream that is going to be replaced; voices stand where they were heard last, and still run: who
    /// pauses one of them meanwhile pauses it for good.
    func awaitReplacement() {
        isBeingReplaced = true
        if phase == .running { settle() }
    }

    /// There is no other stream: goes on with this one.
    func keepStream() {
        guard isBeingReplaced else { return }
        isBeingReplaced = false
        if phase == .corked { start() }
    }
}
