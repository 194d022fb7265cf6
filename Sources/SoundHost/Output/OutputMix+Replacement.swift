internal import AudioRealtime
internal import PulseClient

// The output as a whole is silenced for a while, or gets another stream; with the main loop's lock held.
extension OutputMix {
    /// Silences the output at once, as no app asked for; voices stand where they were heard last, and go on there.
    ///
    /// What is about to go on, as after a seek or with another stream, waits too.
    func silenceForRouteChange() {
        guard !isSilencedForRoute, phase == .running || phase != .dead && isInUse else { return }
        isSilencedForRoute = true
        if phase == .running { settle() }
    }

    /// Lets go on what was held.
    func resumeAfterRouteChange() {
        guard isSilencedForRoute else { return }
        isSilencedForRoute = false
        if phase == .corked { start() }
    }

    /// Goes on with another stream of the same format, or of one with other channels, which is still to be opened.
    ///
    /// ``awaitReplacement()`` and the settling that follows come before it; what runs then goes on.
    func replaceStream(_ new: PlaybackStream, format: Format? = nil) {
        let old = stream
        let started = runningVoices.map { ($0, $0.startTime) }
        suspensions += 1
        // A server that hangs has not said what it played.
        stepBackToHeard()
        stopAll()
        stream = new
        phase = .opening
        isBeingReplaced = false
        whenReplaceable = nil
        if successor !== new { forgetSuccessor() }
        successor = nil
        cursor.streamReplaced()
        if let format { refit(format) }
        old.sync { $0.close() }
        for (voice, time) in started { _ = play(voice, at: time) }
        suspensions -= 1
        reportRunning()
    }

    /// Takes another format of the same rate; nothing is in the mixer.
    private func refit(_ new: Format) {
        guard new.positions != format.positions else { return }
        format = new
        isRefitted = true
        mixer = Mixer(channels: new.channels.count, maximumVoices: 64, maximumFrames: mixer.maximumFrames)
        mixer.setMasterGain(gain.target, rampFrames: 0)
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
        // Another one may be on its way all the same.
        isBeingReplaced = whenReplaceable != nil
        if phase == .corked { start() }
    }

    // MARK: Another sink

    /// Goes on with a stream on another sink as soon as that stands; stays with this one if it cannot be had.
    ///
    /// It is not the stream that is moved: servers remember that, and send the next streams of its kind there, on
    /// PipeWire those of other programs as well. And it is there before this one goes: what ends with the last stream of
    /// a role would begin anew.
    func relocate(to sink: String?, with new: PlaybackStream) {
        forgetSuccessor()
        successor = new
        new.sync { new in
            new.setHandlers(
                request: nil,
                event: { [weak self] new, event in
                    guard let self, self.successor === new, case .stateChanged(let state) = event else { return }
                    switch state {
                    case .ready: self.awaitReplacement { [weak self] in self?.succeed(on: sink) }
                    case .failed, .closed: self.forgetSuccessor()
                    case .unconnected, .creating: break
                    }
                })
            do { try connect(new, to: sink) } catch { successor = nil }
        }
    }

    private func awaitReplacement(then next: @escaping () -> Void) {
        whenReplaceable = next
        awaitReplacement()
        if phase == .corked { start() }
    }

    private func succeed(on sink: String?) {
        guard let new = successor else { return keepStream() }
        replaceStream(new)
        new.sync { listen(to: $0) }
        requestedSink = sink
        onEvent(.stateChanged(.ready))
    }

    func forgetSuccessor() {
        guard let old = successor else { return }
        successor = nil
        old.sync { $0.close() }
        guard whenReplaceable != nil else { return }
        whenReplaceable = nil
        keepStream()
    }
}
