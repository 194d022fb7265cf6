internal import AudioHost
internal import AudioRealtime
internal import PulseClient

// What is written to the server, and what of it is written anew.
extension OutputMix {
    /// The voice's frame that is heard now; nil for one that is silent, as while it waits for its time.
    package func frameHeard(of voice: OutputVoice) -> Int? {
        let heard = heardFrame
        guard phase == .running, voice.isRunning, let joined = voice.joinFrame, joined <= heard else { return nil }
        return voice.timeline.voiceFrame(at: heard)
    }

    // MARK: Changes

    /// What plays sounds different from now on: the gain or the pan of a voice has been set.
    ///
    /// It is heard as soon as the server allows: what it has not played yet is rendered again.
    package func soundChanged() { soundChanged(from: 0) }

    /// Moves the gain of everything that plays, as an amplitude, within so many seconds of sound; at once while nothing
    /// is heard.
    func setGain(_ target: Float, seconds: Double) {
        let isHeard = phase == .running || phase == .settling
        gain = (target, MonotonicClock.seconds + seconds)
        mixer.setMasterGain(target, rampFrames: isHeard ? Int(seconds * Double(format.rate)) : 0)
        soundChanged()
    }

    /// As ``soundChanged()``, but everything before a frame of the stream stays as it is.
    func soundChanged(from frame: Int) {
        guard phase == .running else { return }
        guard cursor.change(from: frame) else { return }
        stream.sync { $0.updateTiming { [weak self] _ in self?.renderChange() } }
    }

    private func renderChange() {
        guard phase == .running, isAnswered else { return }
        guard let frames = cursor.rewindForChange(queued: queuedFrames, at: MonotonicClock.seconds) else { return }
        var change = OutputChange(leaving: unsentChange?.leaving ?? [])
        change.add(voices.filter { $0.state == .paused })
        rewound(frames)
        change.begun = cursor.next
        unsentChange = change
        for voice in voices {
            voice.notifyRedecode()
            guard voice.state == .playing, voice.joinFrame == nil, !awaitsDecoder(voice) else { continue }
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
        stream.sync { $0.updateTiming { [weak self] _ in self?.changeArrived(change) } }
    }

    /// The number of frames that the server has not taken, as of its last answer.
    private var queuedFrames: Int { Int(stream.sync { $0.timing?.queued } ?? 0) / format.spec.bytesPerFrame }

    /// The server has said how far it is, which tells something of its blocks, and that it does not hang.
    func observePace() {
        waitedInVain = 0
        guard phase == .running else { return }
        cursor.serverTook(cursor.taken(queued: queuedFrames), at: MonotonicClock.seconds)
    }

    /// The server has seen a change.
    ///
    /// If it came late, its beginning is lost, and the next one gets more time.
    private func changeArrived(_ change: OutputChange) {
        guard phase == .running, isAnswered else { return }
        let taken = cursor.changeArrived(begun: change.begun, queued: queuedFrames, at: MonotonicClock.seconds)
        for voice in change.arrived(taken: taken) { leave(voice) }
        lastChange = change
        if !isRunning { settle() }
        stream.mainloop.signal()
    }

    /// Takes back what was rendered from a frame of the stream on.
    func stepBack(to first: Int) { rewound(cursor.rewind(to: first)) }

    /// The cursor was rewound by so many frames, and the voices follow.
    func rewound(_ frames: Int) {
        let first = cursor.next
        for voice in voices {
            voice.stepBack(to: first)
            // It joins again when its time comes.
            if let frame = voice.joinFrame, frame > first { mixer.remove(voice.voice) }
        }
        retractFollowers()
        mixer.rewindMasterGain(frames: frames)
    }

    // MARK: Frames

    /// Writes what the server wants, as far as the voices have it.
    ///
    /// A deep buffer of many voices is filled in several steps: claims and interruptions have to get through.
    func pump() { pump(atMost: max(format.rate / 50, 4 * format.rate / max(1, voices.count))) }

    /// As ``pump()``, where the listener waits: what comes first is written now, the rest in the loop's next turn.
    func pumpSoon() { pump(atMost: format.rate / 20) }

    /// Writes at most so many frames now, and the rest soon.
    private func pump(atMost frames: Int) {
        guard phase == .running else { return }
        var budget = frames
        pumpTimer = nil
        // A gain that was set for a change which is about to be rendered would be taken up here, behind all that is queued.
        if cursor.changedFrom != nil, queued > buffer.reserve { return pump(after: queued - buffer.reserve) }
        while budget > 0 {
            joinVoices()
            let frames = min(budget, framesToRender())
            let written = frames > 0 ? write(frames) : 0
            budget -= written
            // One whose last frame was mixed before may end only now, and another one begin there.
            guard endVoices() || written > 0 else { break }
        }
        drainIfNothingFollows()
        for voice in voices where voice.state == .playing { requestRefill(of: voice) }
        if budget <= 0 { pump(after: 0) }
    }

    private func pump(after seconds: Double) {
        let timer = MainloopTimer(mainloop: stream.mainloop) { [weak self] in self?.pump() }
        pumpTimer = timer
        timer.start(after: .microseconds(Int64(seconds * 1e6)))
    }

    /// The voices whose time has come.
    private func joinVoices() {
        for voice in voices where voice.state == .playing {
            guard let frame = voice.joinFrame, frame <= cursor.next else { continue }
            if isRefitted { voice.fit(format) }
            mixer.add(voice.voice)
        }
    }

    /// When the next voice joins; a loop, as the types of lazy sequences are made at run time, while somebody waits for
    /// the first sample.
    private var nextJoin: Int? {
        var next: Int?
        for voice in voices where voice.state == .playing {
            if let frame = voice.joinFrame, frame > cursor.next { next = min(next ?? frame, frame) }
        }
        return next
    }

    /// How many frames can be rendered in one piece.
    private func framesToRender() -> Int {
        let room = cursor.room(writable: stream.sync { $0.writableBytes } / format.spec.bytesPerFrame)
        let nextJoin = nextJoin
        let limit = min(room, (nextJoin ?? Int.max) - cursor.next)
        guard !mixer.voices.isEmpty else {
            // Silence, until a voice joins or over what was taken back; else nothing follows.
            return nextJoin != nil ? limit : min(limit, cursor.staleFrames)
        }
        let most = mixer.voices.reduce(0) { max($0, $1.readableFrames) }
        let least = mixer.voices.reduce(Int.max) { $1.isEnded ? $0 : min($0, $1.readableFrames) }
        let awaitsRedecode = voices.contains {
            $0.awaitsRedecode && $0.state == .playing && $0.joinFrame ?? .max <= cursor.next
        }
        if least > 0 && !awaitsRedecode { return min(limit, most, least, framesBeforeFollower) }
        // A voice waits for its decoder. As long as enough is queued the others wait with it; then they go on alone. If
        // all of them wait, the server does as well, and nothing is skipped.
        let reserve = queued - buffer.reserve
        // What was taken back for a revision is still queued, but sounds as before.
        guard reserve <= 0 || most == 0 else {
            pump(after: reserve)
            return 0
        }
        return min(limit, most, mixer.maximumFrames)
    }

    /// How much the server has left to give to the sink, in seconds.
    private var queued: Double {
        let heard = heardFrame
        return cursor.queued(heard: heard, sinkLatency: sinkLatency ?? 0, at: MonotonicClock.seconds)
    }

    private func write(_ frames: Int) -> Int {
        let bytesPerFrame = format.spec.bytesPerFrame
        let before = voices.map { $0.voice.framesRendered }
        let bytes = stream.sync { stream -> Int in
            let offset = cursor.offset * bytesPerFrame
            let written = try? stream.write(frames * bytesPerFrame, offset: offset) { room in
                guard let output = room.baseAddress?.assumingMemoryBound(to: Float.self) else { return 0 }
                mixer.render(into: output, frames: room.count / bytesPerFrame)
                return room.count
            }
            return written ?? 0
        }
        for (voice, frame) in zip(voices, before) {
            voice.timeline.append(stream: cursor.next, voice: frame, count: voice.voice.framesRendered - frame)
        }
        guard bytes > 0 else { return 0 }
        changeSent()
        cursor.wrote(bytes / bytesPerFrame)
        return bytes / bytesPerFrame
    }

    // MARK: Ends

    /// Ends what has nothing left; returns whether anything has.
    private func endVoices() -> Bool {
        func isOver(_ voice: OutputVoice) -> Bool {
            voice.state == .playing && voice.voice.isFinished && voice.joinFrame ?? .max <= cursor.next
        }
        var hasEnded = false
        // One by one: what follows one of them may have no frame, and is over before others go on.
        while let voice = voices.first(where: isOver) {
            hasEnded = true
            voice.state = .finishing
            mixer.remove(voice.voice)
            voice.endFrame = voice.timeline.end ?? voice.joinFrame ?? cursor.next
            voice.endNumber = (voices.map(\.endNumber).max() ?? 0) + 1
            awaitEnd(of: voice)
            beginFollower(of: voice)
        }
        return hasEnded
    }

    /// PipeWire keeps the last part of a block in its queue until more follows, or until it is told that nothing will.
    private func drainIfNothingFollows() {
        guard !cursor.isDraining, cursor.isFresh, !voices.isEmpty else { return }
        guard voices.allSatisfy({ $0.state == .finishing }) else { return }
        cursor.drained()
        stream.sync { $0.drain { _ in } }
    }

    /// Finishes a voice when its last frame has been heard.
    ///
    /// The time until then is waited for once, counting the sink's own latency. If the server was late, and has not
    /// even taken the frame from the queue by then, it is waited for again.
    func awaitEnd(of voice: OutputVoice, waited: Bool = false) {
        stream.sync { stream in
            stream.updateTiming { [weak self, weak voice] _ in
                guard let self, let voice, voice.state == .finishing, self.phase == .running, self.isAnswered
                else { return }
                let latency = self.stream.sync { $0.latency ?? 0 }
                let end = voice.endFrame ?? self.cursor.server
                if waited && self.cursor.taken(queued: self.queuedFrames) >= end { return self.finish(voice, at: end) }
                let seconds = max(0.001, self.cursor.secondsUntilHeard(end, latency: latency))
                let timer = MainloopTimer(mainloop: self.stream.mainloop) { [weak self, weak voice] in
                    guard let self, let voice else { return }
                    self.awaitEnd(of: voice, waited: true)
                }
                voice.finishTimer = timer
                timer.start(after: .microseconds(Int64(seconds * 1e6)))
            }
        }
    }

    /// Finishes a voice whose end has been heard, and before it those with an earlier end, or with the same one if they
    /// lead to it, though they are to look later: who plays a queue hears of its sounds one after the other.
    private func finish(_ voice: OutputVoice, at end: Int) {
        func place(of other: OutputVoice) -> (Int, Int) { (other.endFrame ?? .max, other.endNumber) }
        let last = (end, voice.endNumber)
        let earlier = voices.filter { $0.state == .finishing && place(of: $0) < last }
        for ended in earlier.sorted(by: { place(of: $0) < place(of: $1) }) + [voice] { finish(ended) }
    }

    private func finish(_ voice: OutputVoice) {
        voice.state = .finished
        voice.follower = nil
        leave(voice)
        // One that has been paused may still be on its way.
        if !isRunning { settle() }
        voice.onFinished()
        reportRunning()
    }

    /// Asks a voice's decoder for more once a good part of its ring is free.
    private func requestRefill(of voice: OutputVoice) {
        guard !voice.isRefillRequested, voice.voice.writableFrames >= voice.refillThreshold else { return }
        voice.isRefillRequested = true
        voice.onRefillNeeded()
    }
}
