internal import AudioFiles
internal import AudioHost
internal import AudioRealtime
internal import AudioSession
internal import Foundation
internal import SessionPolicy

// What there is to be played, and what becomes of it.
extension StreamPlayer {
    /// What a stream needs to start, in seconds: so much is always enough, and so much if it comes faster than it
    /// plays.
    private static let enough = (always: 5.0, live: 2.0, whenFast: 0.5)
    private static let fast = 1.3

    // MARK: What there is

    /// Seconds that are there beyond the listener's position.
    private func ahead(_ status: StreamLoader.Status) -> Double {
        guard let format = status.format, !status.isSeeking else { return 0 }
        let waiting = Double(status.frames.upperBound - max(frame, status.frames.lowerBound)) / format.sampleRate
        return max(0, waiting)
    }

    private func isLikelyToKeepUp(_ status: StreamLoader.Status) -> Bool {
        guard status.format != nil, !status.isSeeking else { return false }
        if status.isComplete || status.isFull { return true }
        let seconds = ahead(status)
        if seconds >= (status.format?.isLive == true ? Self.enough.live : Self.enough.always) { return true }
        if phase == .running { return seconds >= Self.enough.whenFast }
        return seconds >= Self.enough.whenFast && status.speed.rate >= Self.fast
    }

    /// Whether it will probably play without a stall.
    package var isLikelyToKeepUp: Bool { lock.withLock { isLikelyToKeepUp(loader.current) } }

    /// Whether it could be heard at once; with `lock` held.
    var isReadyToStart: Bool {
        let status = loader.current
        return !isSeeking && isLikelyToKeepUp(status) && ahead(status) > 0
    }

    /// Whether nothing is there to be played, though more should come.
    package var isBufferEmpty: Bool {
        lock.withLock {
            let status = loader.current
            return ahead(status) <= 0 && !status.isComplete
        }
    }

    /// Whether nothing more is loaded for now, or at all.
    package var isBufferFull: Bool {
        lock.withLock {
            let status = loader.current
            return status.isFull || status.isComplete
        }
    }

    /// What is there, in seconds; nil if nothing is.
    package var loadedSeconds: Range<Double>? {
        lock.withLock {
            let status = loader.current
            guard let rate = status.format?.sampleRate, !status.frames.isEmpty, !status.isSeeking else { return nil }
            return Double(status.frames.lowerBound) / rate..<Double(status.frames.upperBound) / rate
        }
    }

    // MARK: Position

    /// The frame that is heard now, or that playing goes on from; with `lock` held.
    var frame: Int64 {
        guard let binding, !isSeeking, phase != .ended else { return restingFrame }
        return binding.feed.streamFrame(at: binding.sound.status.frame)
    }

    /// The position that is heard now, or that playing goes on from, in seconds.
    package var currentTime: Double {
        lock.withLock { loader.current.format.map { Double(frame) / $0.sampleRate } ?? 0 }
    }

    /// Where it ends: by its length, which may have been reckoned too short or too long, until its end was found; nil if
    /// more than that is loaded already, but not all.
    private func endFrame(_ status: StreamLoader.Status) -> Int64? {
        guard let format = status.format, let duration = format.duration else { return nil }
        lookForEnd(status)
        // A stream may say anything of its length.
        let end = foundEnd ?? Int64(min((duration * format.sampleRate).rounded(), 0x1p60))
        guard !status.isSeeking, status.frames.upperBound > end else { return end }
        return status.isComplete ? status.frames.upperBound : nil
    }

    /// Keeps where the stream ends when its last frame has come: it may go again.
    private func lookForEnd(_ status: StreamLoader.Status) {
        guard status.format?.duration != nil, status.isComplete, status.error == nil, !status.isSeeking else { return }
        // A seek beyond the end gets nothing.
        if !status.frames.isEmpty { foundEnd = status.frames.upperBound }
    }

    /// The length in frames, where the end was found and the stream has one; nil before that.
    package var foundLength: Int64? {
        lock.withLock {
            lookForEnd(loader.current)
            return foundEnd
        }
    }

    /// Whether it was taken to its end.
    var isAtEnd: Bool {
        endFrame(loader.current).map { restingFrame == $0 && (binding == nil || frame >= $0) } ?? false
    }

    /// Goes to a position in seconds; tells, on any thread, whether it got there.
    ///
    /// What is loaded is played at once. Anything else is asked of the server, if it can give parts of the stream.
    package func seek(to seconds: Double, completion: @escaping @Sendable (Bool) -> Void) {
        let done: [(@Sendable (Bool) -> Void, Bool)] = lock.withLock {
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
            let isWanted = (phase == .running && standing == .running) || phase == .waiting
            if phase == .running { pauseVoice() }
            settle()
            isSeeking = !isLoaded
            phase = isWanted ? .waiting : .paused
            restart(at: target)
            if isLoaded {
                if isWanted && isEnd { finish(nil) }
                progress()
                return earlier + [(completion, true)]
            }
            seekCompletion = completion
            return earlier
        }
        for (completion, isDone) in done { completion(isDone) }
    }

    /// Tells whoever waits for a seek that it did not get there; the stream goes there all the same.
    package func cancelSeek() { lock.withLock { takeCompletion() }?(false) }

    func takeCompletion() -> (@Sendable (Bool) -> Void)? {
        defer { seekCompletion = nil }
        return seekCompletion
    }

    /// The server has given the place that was asked for, or has failed.
    private func endSeek(_ status: StreamLoader.Status) {
        isSeeking = false
        let isDone = status.error == nil || !status.frames.isEmpty
        restart(at: status.frames.lowerBound)
        guard let completion = takeCompletion() else { return }
        queue.async { completion(isDone) }
    }

    // MARK: What becomes of it

    /// Does what can be done with what there is; with `lock` held.
    func progress() {
        let status = loader.current
        guard status.format != nil else { return }
        for failure in loader.takeFailures() { tell(.failed(failure)) }
        lookForEnd(status)
        if isSeeking && !status.isSeeking { endSeek(status) }
        guard !isSeeking else { return show() }
        fill()
        if phase == .waiting { startIfPossible(status) }
        announce()
        show()
    }

    private func fill() {
        guard let binding, phase == .running || phase == .waiting else { return }
        // Heard to where nothing more was there: it has to begin anew.
        let isOver = binding.sound.status.state == .finished
        if !isOver && binding.feed.fill() { binding.sound.didWrite() }
    }

    private func startIfPossible(_ status: StreamLoader.Status) {
        let isEnough = isLikelyToKeepUp(status) || ((!waits || isImpatient) && ahead(status) > 0)
        guard isEnough else { return }
        if status.isComplete && ahead(status) <= 0 { return finish(status.error) }
        start()
    }

    /// Lets the voice be heard if the session is active still; with `lock` held.
    func start() {
        guard isAllowed, let bound = try? bind() else { return giveWay() }
        if bound.sound.status.state == .finished { restart(at: frame) }
        _ = bound.feed.fill()
        guard bound.sound.play(at: nil, fade: nil) != .refused else { return giveWay() }
        // The session may have ended, and be active again: this start was not meant for that.
        guard isAllowed else {
            bound.sound.pause()
            return giveWay()
        }
        // Not before: a session with neither sound nor anybody who waits for some may end.
        phase = .running
        isImpatient = false
        tell(.changed)
    }

    /// Waits no longer than the session lets it; with `lock` held.
    func waitIfAllowed() { if phase == .waiting && !isAllowed { giveWay() } }

    /// The session lets nothing be heard, which the main queue may still have to tell.
    private func giveWay() {
        phase = .paused
        if session.core.standing == .interrupted { interrupted.set() }
        tell(.changed)
    }

    /// All that the voice had was heard; with the host's lock held.
    func heardToEnd() { queue.async { [weak self] in self?.voiceEnded() } }

    private func voiceEnded() {
        lock.withLock {
            guard let binding, phase == .running, binding.sound.status.state == .finished else { return }
            let status = loader.current
            // What came just too late for the voice to go on with it is still to be heard.
            if binding.feed.isFinished && binding.feed.ring.readableFrames == 0 { return finish(status.error) }
            restingFrame = frame
            phase = waits ? .waiting : .paused
            stalls += 1
            loader.measure()
            tell(.stalled)
            progress()
        }
    }

    /// It was heard to its end, or to where it broke off; with `lock` held.
    func finish(_ error: StreamError?) {
        restingFrame = error == nil ? max(frame, endFrame(loader.current) ?? 0) : frame
        phase = .ended
        tell(.ended(error))
    }

    /// Tells what a radio said of the sound that is heard now.
    private func announce() {
        guard let next = loader.nextAnnouncement, let format = loader.current.format else { return }
        let now = frame
        for text in loader.announcements(upTo: now) { tell(.announced(text, Double(now) / format.sampleRate)) }
        guard next > now, phase == .running, !isAnnouncementDue else { return }
        isAnnouncementDue = true
        queue.asyncAfter(deadline: .now() + Double(next - now) / format.sampleRate + 0.01) { [weak self] in
            guard let self else { return }
            lock.withLock {
                self.isAnnouncementDue = false
                self.announce()
            }
        }
    }

    /// Tells when what there is has changed in the eyes of an app.
    private func show() {
        let isWritten = binding.map { $0.feed.isFinished && $0.feed.isWritten } ?? false
        let shown = [
            isBufferEmpty, isBufferFull, isLikelyToKeepUp, phase == .waiting, isSeeking, isWritten, foundEnd != nil,
        ]
        let seconds = Int(loadedSeconds?.upperBound ?? 0)
        guard shown != lastShown || seconds != lastShownSeconds else { return }
        (lastShown, lastShownSeconds) = (shown, seconds)
        tell(.changed)
    }
}
