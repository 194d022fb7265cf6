internal import AudioHost
internal import PulseClient

/// The writer of an output: renders the voices into the server's stream, rewinds changes, and empties the stream when
/// it stops.
///
/// All members are used with the main loop's lock held.
// SAFETY: everything mutable is only touched with the main loop's lock held.
final class OutputWriter: @unchecked Sendable {
    /// The state of the stream.
    enum Phase: Hashable {
        /// The stream is being made. Can move to: corked, dead.
        case opening
        /// Silent and empty. Can move to: running, dead.
        case corked
        /// Playing. Can move to: settling, dead.
        case running
        /// Being corked and emptied. Can move to: corked, running, dead.
        case settling
        /// Over. Final.
        case dead
    }

    /// The questions and notifications of a writer to its output.
    struct Handlers {
        /// Whether a voice without a frame to join at is to begin with the next one.
        var mayJoin: (OutputVoice) -> Bool = { _ in true }
        /// Notified when a voice has been heard to its end.
        var onFinished: () -> Void = {}
        /// Notified when the stream is silent and empty again.
        var onSettled: () -> Void = {}
    }

    /// The state of the stream.
    private(set) var phase: Phase = .opening
    /// The server's stream, for the output's commands that are not about frames.
    let link: StreamLink
    /// The voices.
    let schedule: VoiceSchedule
    /// The output's answers; set before the stream is opened.
    var handlers = Handlers()
    /// The time of the output, which the host hands on to the next one.
    var clock: OutputClock

    private var cursor: WriteCursor
    /// A change of which nothing has been written yet, and the last one that the server has seen.
    private var unsentChange, lastChange: OutputChange?
    private var pumpTimer: MainloopTimer?

    init(stream: PlaybackStream, format: OutputMix.Format, buffer: OutputBuffer, tail: Double) {
        link = StreamLink(stream, spec: format.spec, buffer: buffer)
        schedule = VoiceSchedule(format: format, tail: tail)
        cursor = WriteCursor(rate: format.rate)
        clock = OutputClock(rate: format.rate)
    }

    private var rate: Int { schedule.format.rate }

    // MARK: Time

    /// The stream's frame that is heard now.
    var heardFrame: Int {
        guard phase == .running || phase == .settling else { return cursor.next }
        let latency = link.latency
        return cursor.heard(latency: latency, at: MonotonicClock.seconds)
    }

    /// The time of the output, in seconds.
    var deviceTime: Double { clock.now(heard: heardFrame) }

    /// The frame that is rendered next.
    var nextFrame: Int { cursor.next }

    // MARK: Starting and stopping

    /// Notes that the stream stands, corked.
    func opened() { phase = .corked }

    /// Begins with the next frame: voices can be given their frames then, and the first of them be written.
    func begin() {
        phase = .running
        schedule.endRampInTime()
        cursor.started(at: MonotonicClock.seconds)
        clock.start(frame: cursor.next)
    }

    /// Starts the stream.
    func start() {
        link.cork(false)
        // A voice that waited for its end when the stream stopped was not notified of it.
        for voice in schedule.voices where voice.state == .finishing { awaitEnd(of: voice) }
    }

    /// Corks the running stream, then rewinds to the last frame that was played.
    func settle() {
        // First of all: every fraction of a millisecond may be heard.
        link.cork(true) { [weak self] in self?.empty(expecting: nil) }
        clock.stop(heard: heardFrame)
        phase = .settling
        pumpTimer = nil
        cursor.forgetChange()
    }

    /// Waits until the server reports the same queue twice: PipeWire may take one more block after it was told to cork.
    private func empty(expecting expected: Int?) {
        guard phase == .settling, link.isAnswered else { return }
        link.updateTiming { [weak self] in
            guard let self, self.phase == .settling, self.link.isAnswered else { return }
            let queued = self.link.queuedFrames
            guard queued == expected else { return self.empty(expecting: queued) }
            self.rewound(self.cursor.corked(discarding: queued))
            self.unsentChange?.arrived(taken: self.cursor.next)
            self.lastChange?.stopped(at: self.cursor.next)
            (self.unsentChange, self.lastChange) = (nil, nil)
            self.link.flush { [weak self] in self?.settled() }
        }
    }

    private func settled() {
        guard phase == .settling, link.isAnswered else { return }
        phase = .corked
        schedule.leavePaused()
        for voice in schedule.voices { voice.notifyRedecode() }
        handlers.onSettled()
    }

    /// Ends the stream; voices stand where they were heard last, and have left.
    func die() {
        leaveAll()
        phase = .dead
    }

    /// Goes on with another stream, which is still to be opened; voices stand where they were heard last, and have
    /// left.
    func replaceStream(_ new: PlaybackStream, format: OutputMix.Format) {
        // A server that hangs has not said what it played.
        leaveAll()
        phase = .opening
        cursor.streamReplaced()
        schedule.refit(format)
        link.replace(with: new, spec: format.spec)
    }

    /// Has all voices leave where they were heard last, as the stream goes with its queue.
    private func leaveAll() {
        rewindToHeard()
        schedule.leaveAll()
        pumpTimer = nil
        cursor.forgetChange()
        (unsentChange, lastChange) = (nil, nil)
        clock.stop(heard: heardFrame)
    }

    /// Rewinds to the frame heard last, as the stream goes with its queue.
    private func rewindToHeard() {
        guard phase == .running || phase == .settling else { return }
        let heard = phase == .running ? cursor.heardByClock(at: MonotonicClock.seconds) : cursor.lastHeardFrame
        rewound(cursor.rewind(to: heard))
    }

    // MARK: Changes

    /// Notes that the sound is another one from now on: the gain or the pan of a voice has been set.
    ///
    /// It is heard as soon as the server allows: the frames that it has not played yet are rendered again.
    func soundChanged() { soundChanged(from: 0) }

    /// As ``soundChanged()``, but everything before a frame of the stream stays as it is.
    func soundChanged(from frame: Int) {
        guard phase == .running, cursor.change(from: frame) else { return }
        link.updateTiming { [weak self] in self?.renderChange() }
    }

    /// Moves the gain of everything that plays, as an amplitude, within so many seconds of sound; at once while nothing
    /// is heard.
    func setGain(_ target: Float, seconds: Double) {
        schedule.setGain(target, seconds: seconds, isHeard: phase == .running || phase == .settling)
        soundChanged()
    }

    private func renderChange() {
        guard phase == .running, link.isAnswered else { return }
        let queued = link.queuedFrames
        guard let frames = cursor.rewindForChange(queued: queued, at: MonotonicClock.seconds) else { return }
        var change = OutputChange(leaving: unsentChange?.leaving ?? [])
        change.add(schedule.voices.filter { $0.state == .paused })
        rewound(frames)
        change.begun = cursor.next
        unsentChange = change
        for voice in schedule.voices {
            voice.notifyRedecode()
            guard voice.state == .playing, voice.joinFrame == nil, handlers.mayJoin(voice) else { continue }
            voice.joinFrame = cursor.next
        }
        pumpSoon()
        // A mix that waits for a decoder sends the change later.
        if cursor.isFresh { changeSent() }
    }

    /// The first of a change has been written: the server says just after it has seen it whether it came in time.
    private func changeSent() {
        guard let change = unsentChange else { return }
        unsentChange = nil
        link.updateTiming { [weak self] in self?.changeArrived(change) }
    }

    private func changeArrived(_ change: OutputChange) {
        guard phase == .running, link.isAnswered else { return }
        let queued = link.queuedFrames
        let taken = cursor.changeArrived(begun: change.begun, queued: queued, at: MonotonicClock.seconds)
        for voice in change.arrived(taken: taken) { schedule.leave(voice) }
        lastChange = change
        if !schedule.isRunning { settle() }
        link.current.mainloop.signal()
    }

    /// Notes the server's position, of which each report says something of its blocks.
    func observePosition() {
        guard phase == .running else { return }
        let queued = link.queuedFrames
        cursor.serverTook(cursor.taken(queued: queued), at: MonotonicClock.seconds)
    }

    /// The cursor was rewound by so many frames, and the voices follow.
    private func rewound(_ frames: Int) { schedule.rewound(to: cursor.next, by: frames) }

    // MARK: Frames

    /// Writes what the server wants, as far as the voices have it.
    ///
    /// A deep buffer of many voices is filled in several steps: claims and interruptions have to get through.
    func pump() { pump(atMost: max(rate / 50, 4 * rate / max(1, schedule.voices.count))) }

    /// As ``pump()``, where the listener waits: the beginning is written now, the rest in the loop's next turn.
    func pumpSoon() { pump(atMost: rate / 20) }

    private func pump(atMost frames: Int) {
        guard phase == .running else { return }
        var budget = frames
        pumpTimer = nil
        // A gain that was set for a change which is about to be rendered would be taken up behind the queue.
        let reserve = cursor.changedFrom == nil ? 0 : queued - link.buffer.reserve
        guard reserve <= 0 else { return pump(after: reserve) }
        while budget > 0 {
            schedule.join(at: cursor.next)
            let frames = min(budget, framesToRender())
            let written = frames > 0 ? write(frames) : 0
            budget -= written
            // A voice whose last frame was mixed before may end only now, and another one begin there.
            guard endVoices() || written > 0 else { break }
        }
        schedule.requestRefills()
        if budget <= 0 { pump(after: 0) }
    }

    private func pump(after seconds: Double) {
        pumpTimer = link.timer(after: seconds) { [weak self] in self?.pump() }
    }

    /// The number of frames that can be rendered in one piece.
    private func framesToRender() -> Int {
        let room = cursor.room(writable: link.writableFrames)
        switch schedule.nextPiece(at: cursor.next, room: room, staleFrames: cursor.staleFrames) {
        case .frames(let frames): return frames
        case .awaitingDecoder(let hasOthers, let frames):
            // As long as enough is queued the other voices wait too; then they go on alone. If all of them wait, the
            // server does as well, and nothing is skipped. Stale frames count: they are still queued.
            let reserve = queued - link.buffer.reserve
            guard hasOthers, reserve > 0 else { return frames }
            pump(after: reserve)
            return 0
        }
    }

    /// How much the server has left to give to the sink, in seconds.
    private var queued: Double {
        let heard = heardFrame
        return cursor.queued(heard: heard, sinkLatency: link.sinkLatency ?? 0, at: MonotonicClock.seconds)
    }

    private func write(_ frames: Int) -> Int {
        let offset = cursor.offset
        let written = schedule.render(at: cursor.next) { fill in link.write(frames, offset: offset, fill: fill) }
        guard written > 0 else { return 0 }
        changeSent()
        cursor.wrote(written)
        return written
    }

    // MARK: Ends

    /// Ends the voices that have nothing left; returns whether any has.
    private func endVoices() -> Bool {
        let (ended, changedFrom) = schedule.endVoices(at: cursor.next)
        for voice in ended { awaitEnd(of: voice) }
        if let changedFrom { soundChanged(from: changedFrom) }
        return !ended.isEmpty
    }

    /// Finishes a voice when its last frame has been heard.
    ///
    /// The time until then is waited for once, counting the sink's own latency. If the server was late, and has not
    /// even taken the frame from the queue by then, it is waited for again.
    private func awaitEnd(of voice: OutputVoice, waited: Bool = false) {
        link.updateTiming { [weak self, weak voice] in
            guard let self, let voice, voice.state == .finishing, self.phase == .running, self.link.isAnswered
            else { return }
            let end = voice.endFrame ?? self.cursor.server
            let queued = self.link.queuedFrames
            if waited && self.cursor.taken(queued: queued) >= end {
                for ended in self.schedule.finishing(with: voice, at: end) { self.finish(ended) }
                return
            }
            let seconds = self.cursor.secondsUntilHeard(end, latency: self.link.latency ?? 0)
            voice.finishTimer = self.link.timer(after: max(0.001, seconds)) { [weak self, weak voice] in
                guard let self, let voice else { return }
                self.awaitEnd(of: voice, waited: true)
            }
        }
    }

    private func finish(_ voice: OutputVoice) {
        voice.state = .finished
        voice.follower = nil
        schedule.leave(voice)
        // One that has been paused may still be on its way.
        if !schedule.isRunning { settle() }
        voice.onFinished()
        handlers.onFinished()
    }
}
