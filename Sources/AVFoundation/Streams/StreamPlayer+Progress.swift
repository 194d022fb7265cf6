internal import AudioFiles
internal import AudioHost
internal import AudioRealtime
internal import AudioSession
internal import Foundation
internal import SessionPolicy

// The loaded part, the position, and the progress of playing.
extension StreamPlayer {
    // MARK: Loaded part

    /// The loaded part, seen from the listener's position.
    var outlook: StreamOutlook {
        facts.read { StreamOutlook(status: loader.current, moment: $0.moment) }
    }

    /// Whether the sound could be heard at once; within a command.
    var isReadyToStart: Bool {
        let outlook = outlook
        return !isSeeking && outlook.isLikelyToKeepUp && outlook.ahead > 0
    }

    // MARK: Position

    /// The position that is heard now, or that playing goes on from, in seconds; just after a pause an estimate.
    package var currentTime: Double {
        guard let format = loader.current.format else { return 0 }
        return Double(facts.read { $0.moment.frame }) / format.sampleRate
    }

    /// The frame after the last one, within a command.
    ///
    /// Estimated from the stream's length until the end was loaded; nil where more than that length is loaded, but not
    /// all.
    private func endFrame(_ status: StreamLoader.Status) -> Int64? {
        guard let format = status.format, let duration = format.duration else { return nil }
        keepEnd(status)
        // A stream may claim any length.
        let end = facts.value.foundEnd ?? Int64(min((duration * format.sampleRate).rounded(), 0x1p60))
        guard !status.isSeeking, status.frames.upperBound > end else { return end }
        return status.isComplete ? status.frames.upperBound : nil
    }

    /// Keeps the stream's end when it was loaded, since the buffer drops it at a later seek.
    private func keepEnd(_ status: StreamLoader.Status) {
        if let end = status.endFound { facts.change { $0.foundEnd = end } }
    }

    /// The length in frames; nil for a stream without a length, and until its end was loaded.
    package var foundLength: Int64? { loader.current.endFound ?? facts.value.foundEnd }

    /// Whether the position is the stream's end; within a command.
    var isAtEnd: Bool {
        let resting = facts.value.restingFrame
        return endFrame(loader.current).map { resting == $0 && (binding == nil || frame >= $0) } ?? false
    }

    /// Goes to a position in seconds, and reports on any thread whether it got there.
    ///
    /// Loaded frames are played at once. Others are requested from the web server, if it serves parts of the stream;
    /// the call does not wait for it. Waits for the sound server, for 2 s at most.
    package func seek(to seconds: Double, completion: @escaping @Sendable (Bool) -> Void) {
        let done: [(@Sendable (Bool) -> Void, Bool)] = facts.run {
            let status = loader.current
            guard let format = status.format, status.error == nil || !status.frames.isEmpty else {
                return [(completion, false)]
            }
            let earlier = takeCompletion().map { [($0, false)] } ?? []
            let end = endFrame(status)
            let limit = end ?? (format.duration == nil ? .max : status.frames.upperBound - 1)
            let wanted = max(0, seconds) * format.sampleRate
            let target = wanted >= Double(limit) ? limit : Int64(wanted.rounded())
            let isEnd = target == end
            let isLoaded = !status.isSeeking && (status.frames.contains(target) || isEnd)
            // The loader may have met its end since it was asked.
            let isPossible = isLoaded || format.isSeekable && loader.seek(to: target)
            guard isPossible else { return earlier + [(completion, false)] }
            go(to: target, isLoaded: isLoaded, isEnd: isEnd)
            if isLoaded { return earlier + [(completion, true)] }
            seekCompletion = completion
            return earlier
        }
        for (completion, isDone) in done { completion(isDone) }
    }

    private func go(to target: Int64, isLoaded: Bool, isEnd: Bool) {
        hold()
        let isWanted = (phase == .running && standing == .running) || phase == .waiting
        if phase == .running { pauseVoice() }
        settle()
        isSeeking = !isLoaded
        phase = isWanted ? .waiting : .paused
        restart(at: target)
        guard isLoaded else { return }
        if isWanted && isEnd { finish(nil) }
        progress()
    }

    /// Completes a pending seek with false; the stream goes to its target all the same.
    package func cancelSeek() { facts.run { takeCompletion() }?(false) }

    func takeCompletion() -> (@Sendable (Bool) -> Void)? {
        defer { seekCompletion = nil }
        return seekCompletion
    }

    /// Ends a seek that the web server has answered, or failed to answer.
    private func endSeek(_ status: StreamLoader.Status) {
        isSeeking = false
        let isDone = status.error == nil || !status.frames.isEmpty
        restart(at: status.frames.lowerBound)
        guard let completion = takeCompletion() else { return }
        facts.afterwards { [queue] in queue.async { completion(isDone) } }
    }

    // MARK: Progress, within a command

    /// Fills the voice, and starts and ends playing, by what is loaded.
    func progress() {
        let status = loader.current
        guard status.format != nil else { return }
        for failure in loader.takeFailures() { tell(.failed(failure)) }
        keepEnd(status)
        if isSeeking && !status.isSeeking { endSeek(status) }
        guard !isSeeking else { return show() }
        fill()
        if phase == .waiting { startIfPossible(status) }
        announce()
        show()
    }

    private func fill() {
        guard let binding, phase == .running || phase == .waiting else { return }
        // A voice that was heard to the end of the loaded part has to begin anew.
        let isOver = binding.sound.status.state == .finished
        if !isOver && binding.feed.fill() { binding.sound.didWrite() }
    }

    private func startIfPossible(_ status: StreamLoader.Status) {
        let outlook = StreamOutlook(status: status, moment: facts.value.moment)
        let isModest = !facts.value.waits || isImpatient
        guard outlook.isLikelyToKeepUp || (isModest && outlook.ahead > 0) else { return }
        if status.isComplete && outlook.ahead <= 0 { return finish(status.error) }
        start()
    }

    /// Starts the voice if the session is still active; waits for the server where the output has to be made anew.
    func start() {
        guard isAllowed, let bound = try? bind() else { return giveWay() }
        if bound.sound.status.state == .finished { restart(at: frame) }
        _ = bound.feed.fill()
        guard bound.sound.play(at: nil, fade: nil) != .refused else { return giveWay() }
        // The session may have ended and be active again; the app did not ask to play in that activation.
        guard isAllowed else {
            bound.sound.pause()
            return giveWay()
        }
        // Not earlier: a session without sounds and without waiting players may end.
        phase = .running
        isImpatient = false
        tell(.changed)
    }

    /// Ends waiting if the session was stopped.
    func waitIfAllowed() { if phase == .waiting && !isAllowed { giveWay() } }

    /// Stops since the session does not play; the session's own notification may still be on its way.
    private func giveWay() {
        phase = .paused
        if session.core.standing == .interrupted { interrupted.set() }
        tell(.changed)
    }

    /// The last frame of the voice was heard; called with the host's lock held.
    func heardToEnd() { queue.async { [weak self] in self?.voiceEnded() } }

    private func voiceEnded() {
        facts.run {
            guard let binding, phase == .running, binding.sound.status.state == .finished else { return }
            let status = loader.current
            // Frames that were written too late for the voice to go on are still to be heard.
            if binding.feed.isFinished && binding.feed.ring.readableFrames == 0 { return finish(status.error) }
            let frame = frame
            facts.change {
                $0.restingFrame = frame
                $0.stalls += 1
            }
            phase = facts.value.waits ? .waiting : .paused
            loader.measure()
            tell(.stalled)
            progress()
        }
    }

    /// Ends playing: the stream was heard to its end, or to where it broke off.
    func finish(_ error: StreamError?) {
        let frame = frame
        let end = error == nil ? max(frame, endFrame(loader.current) ?? 0) : frame
        facts.change { $0.restingFrame = end }
        phase = .ended
        tell(.ended(error))
    }

    /// Reports the titles of a radio as far as their sound is heard.
    private func announce() {
        guard let next = loader.nextAnnouncement, let format = loader.current.format else { return }
        let now = frame
        for text in loader.announcements(upTo: now) { tell(.announced(text, Double(now) / format.sampleRate)) }
        guard next > now, phase == .running, !isAnnouncementDue else { return }
        isAnnouncementDue = true
        queue.asyncAfter(deadline: .now() + Double(next - now) / format.sampleRate + 0.01) { [weak self] in
            guard let self else { return }
            facts.run {
                self.isAnnouncementDue = false
                self.announce()
            }
        }
    }

    /// Reports a change of the properties that apps observe.
    private func show() {
        let isWritten = binding.map { $0.feed.isFinished && $0.feed.isWritten } ?? false
        let (outlook, facts) = (outlook, facts.value)
        let shown = [
            outlook.isEmpty, outlook.isFull, outlook.isLikelyToKeepUp, facts.phase == .waiting, facts.isSeeking,
            isWritten, facts.foundEnd != nil,
        ]
        let seconds = Int(outlook.loadedSeconds?.upperBound ?? 0)
        guard shown != lastShown || seconds != lastShownSeconds else { return }
        (lastShown, lastShownSeconds) = (shown, seconds)
        tell(.changed)
    }
}
