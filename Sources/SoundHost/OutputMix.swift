package import AudioRealtime
internal import PulseClient

/// The sound of all players on one route: a mixer, and the one stream that takes its frames to the server.
///
/// A corked stream is always empty. When the last voice pauses, the stream is corked, what the server had not played is
/// thrown away, and the voices step back by just that much. So they go on at the exact frame, whoever plays next.
///
/// All members are used with the main loop's lock held.
// SAFETY: everything mutable is only touched with the main loop's lock held.
package final class OutputMix: @unchecked Sendable {
    /// What the stream takes: the sink's own rate and channels.
    package struct Format: Hashable, Sendable {
        /// Frames per second, in Hz.
        package let rate: Int
        /// The loudspeakers, in the order of the interleaved channels.
        package let channels: [Channel]
    }

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

    /// What the stream takes.
    package let format: Format
    private(set) var stream: PlaybackStream
    private(set) var phase: Phase = .opening
    private let mixer: Mixer
    private var voices: [OutputVoice] = []
    /// Frames written and not taken back, since the stream was made.
    private var framesWritten = 0
    /// Whether the server knows that nothing follows what was written.
    private var isDraining = false
    private let buffer: OutputBuffer
    private var isReportedRunning = false

    /// Asked before a voice starts; true pauses it at once, because its session was interrupted in between.
    var isHeldBack: () -> Bool = { false }
    /// Asked before the stream starts; false keeps it corked and pauses the voices.
    var mayStart: () -> Bool = { true }
    /// Told what happens to the stream.
    var onEvent: (StreamEvent) -> Void = { _ in }
    /// Told when the first voice starts and when the last one stops.
    var onRunning: (Bool) -> Void = { _ in }

    init(stream: PlaybackStream, format: Format, buffer: OutputBuffer) {
        self.stream = stream
        self.format = format
        self.buffer = buffer
        mixer = Mixer(channels: format.channels.count, maximumVoices: 64, maximumFrames: format.rate / 100)
    }

    /// Moves the gain of everything that plays, as an amplitude, within so many seconds of sound.
    func setGain(_ gain: Float, seconds: Double) {
        mixer.setMasterGain(gain, rampFrames: Int(seconds * Double(format.rate)))
    }

    /// Connects the stream; ``becameReady()`` is to be called when it stands.
    func open(sink: String?) throws(PulseError) {
        try stream.sync { stream throws(PulseError) in
            stream.setHandlers(
                request: { [weak self] _, _ in self?.pump() },
                event: { [weak self] stream, event in
                    guard self?.stream === stream else { return }
                    self?.received(event)
                })
            try stream.connect(
                to: sink, attributes: buffer.attributes(for: stream.spec),
                flags: [.startCorked, .autoTimingUpdate, .interpolateTiming, .adjustLatency])
        }
    }

    /// Goes on with another stream of the same format, which is still to be opened.
    ///
    /// Voices should have been silenced and settled before; one that another thread started since then goes on as well.
    func replaceStream(_ new: PlaybackStream) {
        let old = stream
        let started = runningVoices
        stopAll()
        stream = new
        phase = .opening
        framesWritten = 0
        isDraining = false
        old.sync { $0.close() }
        for voice in started { _ = play(voice) }
    }

    func close() {
        stopAll()
        phase = .dead
        stream.sync { $0.close() }
    }

    private func received(_ event: StreamEvent) {
        switch event {
        case .stateChanged(.failed(let error)):
            // Killed from a mixer, which the session reports as an interruption.
            if error.code == .killed { for voice in runningVoices { voice.onInterrupted() } }
            stopAll()
            phase = .dead
        case .stateChanged(.closed):
            stopAll()
            phase = .dead
        default: break
        }
        onEvent(event)
    }

    /// The stream stands, and it is known whether the server silences it.
    func becameReady() {
        guard phase == .opening else { return }
        phase = .corked
        if !voices.isEmpty { start() }
        stream.mainloop.signal()
    }

    // MARK: Voices

    /// Whether any voice is playing.
    package var isRunning: Bool { voices.contains { $0.isRunning } }

    /// Lets a voice be heard from its position on; false if the stream is gone.
    ///
    /// A voice that the server silences is paused again at once, which its session is told as an interruption.
    package func play(_ voice: OutputVoice) -> Bool {
        guard phase != .dead else { return false }
        guard !voice.isRunning else { return true }
        guard !isHeldBack() else {
            voice.onInterrupted()
            return true
        }
        voice.state = .playing
        if !voices.contains(where: { $0 === voice }) { voices.append(voice) }
        switch phase {
        case .corked: start()
        case .running:
            mixer.add(voice.voice)
            pump()
        case .opening, .settling, .dead: break
        }
        reportRunning()
        return true
    }

    /// Stops a voice where it is heard now, if it is the only one.
    ///
    /// While others play, what is queued of it is heard as well, and it stops after that: frames that are mixed already
    /// cannot be taken back for one voice alone.
    package func pause(_ voice: OutputVoice) {
        guard voice.isRunning else { return }
        voice.state = .paused
        mixer.remove(voice.voice)
        if phase == .running {
            if isRunning {
                leave(voice)
            } else {
                settle()
            }
        } else if phase != .settling {
            leave(voice)
        }
        reportRunning()
    }

    /// Stops all voices where they are heard now; `interrupting` tells their players that this was not their wish.
    func silence(interrupting: Bool = false) {
        for voice in voices where voice.isRunning {
            voice.state = .paused
            mixer.remove(voice.voice)
            if interrupting { voice.onInterrupted() }
        }
        if phase == .running { settle() }
        reportRunning()
    }

    /// The voices that are on their way to the listener.
    var runningVoices: [OutputVoice] { voices.filter(\.isRunning) }

    /// Whether positions are exact: nothing is on its way back from the server.
    package var isSettled: Bool { phase != .settling }

    /// The voice's frame that is heard now.
    package func position(of voice: OutputVoice) -> Int {
        let rendered = voice.voice.framesRendered
        guard let joined = voice.joinedAt, phase == .running || phase == .settling else { return rendered }
        let latency = Int((stream.sync { $0.latency } ?? 0) * Double(format.rate))
        let heard = framesWritten - latency
        return rendered - min(max(0, (voice.endedAt ?? framesWritten) - max(heard, joined)), rendered)
    }

    /// The decoder has written to a voice.
    package func fed(_ voice: OutputVoice) {
        voice.isHungrySignalled = false
        guard phase == .running else { return }
        if voice.state == .finishing && !voice.voice.isFinished { revive(voice) }
        pump()
    }

    /// Takes up a voice again that got more loops just before its end was heard.
    private func revive(_ voice: OutputVoice) {
        // Where others have gone on since, its stretch of the queue has a hole, and begins anew behind it.
        if let end = voice.endedAt, end < framesWritten { voice.joinedAt = nil }
        voice.endedAt = nil
        voice.finishTimer = nil
        voice.state = .playing
        mixer.add(voice.voice)
    }

    /// A voice that does not run was emptied: it stands at its first frame.
    package func forget(_ voice: OutputVoice) {
        guard !voice.isRunning else { return }
        voice.state = .paused
        voice.isHungrySignalled = false
        leave(voice)
    }

    private func leave(_ voice: OutputVoice) {
        voices.removeAll { $0 === voice }
        voice.joinedAt = nil
        voice.endedAt = nil
        voice.finishTimer = nil
    }

    private func stopAll() {
        for voice in voices {
            mixer.remove(voice.voice)
            if voice.isRunning { voice.state = .paused }
            leave(voice)
        }
        reportRunning()
    }

    private func reportRunning() {
        guard isRunning != isReportedRunning else { return }
        isReportedRunning = isRunning
        onRunning(isReportedRunning)
    }

    // MARK: Starting and stopping the stream

    private func start() {
        guard mayStart() else { return silence(interrupting: true) }
        phase = .running
        for voice in voices where voice.state == .playing { mixer.add(voice.voice) }
        pump()
        stream.sync { $0.cork(false) }
    }

    /// Corks the stream, then takes back what was not played.
    private func settle() {
        phase = .settling
        stream.sync { $0.cork(true) { [weak self] _ in self?.takeBack(expecting: nil) } }
    }

    /// Waits until the server reports the same queue twice: PipeWire may take one more block after it was told to cork.
    private func takeBack(expecting expected: Int?) {
        guard phase == .settling else { return }
        stream.sync { stream in
            stream.updateTiming { [weak self] _ in
                guard let self, self.phase == .settling else { return }
                let queued = Int(self.stream.sync { $0.timing?.queued } ?? 0)
                guard queued == expected else { return self.takeBack(expecting: queued) }
                self.stepBack(queued / self.stream.spec.bytesPerFrame)
                self.stream.sync { $0.flush { [weak self] _ in self?.settled() } }
            }
        }
    }

    private func stepBack(_ unplayed: Int) {
        let played = framesWritten - unplayed
        for voice in voices { voice.stepBack(to: played, written: framesWritten) }
        framesWritten = played
        isDraining = false
    }

    private func settled() {
        guard phase == .settling else { return }
        phase = .corked
        for voice in voices where !voice.isRunning { leave(voice) }
        if !voices.isEmpty { start() }
        stream.mainloop.signal()
    }

    // MARK: Frames

    /// Writes what the server wants, as far as the voices have it.
    ///
    /// No silence is written for voices that all wait for their decoders: the server waits as well, and nothing is skipped.
    private func pump() {
        guard phase == .running else { return }
        let bytesPerFrame = stream.spec.bytesPerFrame
        var wanted = stream.sync { $0.writableBytes } / bytesPerFrame
        while wanted > 0 {
            let ready = mixer.voices.reduce(0) { max($0, $1.readableFrames) }
            let frames = min(wanted, ready)
            guard frames > 0 else { break }
            let written = write(frames)
            guard written > 0 else { break }
            wanted -= written
        }
        endVoices()
        for voice in voices where voice.state == .playing { signalHunger(voice) }
    }

    private func write(_ frames: Int) -> Int {
        let bytesPerFrame = stream.spec.bytesPerFrame
        for voice in voices where voice.state == .playing && voice.joinedAt == nil { voice.joinedAt = framesWritten }
        let before = voices.map(\.voice.readableFrames)
        let bytes = stream.sync { stream -> Int in
            let written = try? stream.write(frames * bytesPerFrame) { room in
                guard let output = room.baseAddress?.assumingMemoryBound(to: Float.self) else { return 0 }
                mixer.render(into: output, frames: room.count / bytesPerFrame)
                return room.count
            }
            return written ?? 0
        }
        let written = bytes / bytesPerFrame
        for (voice, readable) in zip(voices, before) where voice.state == .playing && voice.voice.isFinished {
            voice.endedAt = framesWritten + min(readable, written)
        }
        framesWritten += written
        isDraining = false
        return written
    }

    private func endVoices() {
        for voice in voices where voice.state == .playing && voice.voice.isFinished {
            voice.state = .finishing
            mixer.remove(voice.voice)
            if voice.joinedAt == nil { voice.joinedAt = framesWritten }
            if voice.endedAt == nil { voice.endedAt = framesWritten }
            awaitEnd(of: voice)
        }
        drainIfNothingFollows()
    }

    /// PipeWire keeps the last part of a block in its queue until more follows, or until it is told that nothing will.
    private func drainIfNothingFollows() {
        guard !isDraining, !voices.isEmpty, voices.allSatisfy({ $0.state == .finishing }) else { return }
        isDraining = true
        stream.sync { $0.drain { _ in } }
    }

    /// Finishes a voice when its last frame has been heard.
    ///
    /// The time until then is waited for once, counting the sink's own latency. If the server was late, and has not even
    /// taken the frame from the queue by then, it is waited for again.
    private func awaitEnd(of voice: OutputVoice, waited: Bool = false) {
        stream.sync { stream in
            stream.updateTiming { [weak self, weak voice] _ in
                guard let self, let voice, voice.state == .finishing, self.phase == .running else { return }
                let (queued, latency) = self.stream.sync { ($0.timing?.queued ?? 0, $0.latency ?? 0) }
                let taken = self.framesWritten - Int(queued) / self.stream.spec.bytesPerFrame
                let end = voice.endedAt ?? self.framesWritten
                if waited && taken >= end { return self.finish(voice) }
                let seconds = max(0.001, latency - Double(self.framesWritten - end) / Double(self.format.rate))
                let timer = MainloopTimer(mainloop: self.stream.mainloop) { [weak self, weak voice] in
                    guard let self, let voice else { return }
                    self.awaitEnd(of: voice, waited: true)
                }
                voice.finishTimer = timer
                timer.start(after: .microseconds(Int64(seconds * 1e6)))
            }
        }
    }

    private func finish(_ voice: OutputVoice) {
        voice.state = .finished
        leave(voice)
        if voices.isEmpty { settle() }
        voice.onFinished()
        reportRunning()
    }

    /// Asks a voice's decoder for more once a good part of its ring is free.
    private func signalHunger(_ voice: OutputVoice) {
        guard !voice.isHungrySignalled, voice.voice.writableFrames >= voice.hungerThreshold else { return }
        voice.isHungrySignalled = true
        voice.onHungry()
    }
}
