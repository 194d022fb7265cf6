internal import AudioHost
package import AudioRealtime
internal import PulseClient

/// The sound of all players on one route: a mixer, and the one stream that takes its frames to the server.
///
/// A corked stream is always empty. When the last voice pauses, the stream is corked, what the server had not played is
/// thrown away, and the voices step back by just that much. So they go on at the exact frame, whoever plays next.
///
/// While it runs, much is queued on the server, so that it wakes us rarely. Whatever changes the sound meanwhile takes
/// that back up to a moment before the listener, and renders it again: see ``soundChanged()``.
///
/// All members are used with the main loop's lock held.
// SAFETY: everything mutable is only touched with the main loop's lock held.
package final class OutputMix: @unchecked Sendable {
    /// What the stream takes: the sink's own rate and channels.
    package struct Format: Hashable, Sendable {
        /// Frames per second, in Hz.
        package let rate: Int
        /// The loudspeakers in the server's words, in the order of the interleaved channels.
        let positions: [ChannelMap.Position]
        /// The same in the mixer's words.
        package var channels: [Channel] { positions.map(Channel.init) }
        /// The same for the server.
        var spec: SampleSpec { SampleSpec(format: .float32, rate: UInt32(rate), channels: UInt8(positions.count)) }
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

    /// Tells this output from its host's others, those before it included.
    var number = 0
    /// What the stream takes; its channels can change, see ``refit(_:)``.
    package internal(set) var format: Format
    /// Whether its channels are not those that it was made with.
    var isRefitted = false
    var stream: PlaybackStream
    var phase: Phase = .opening
    var mixer: Mixer
    var voices: [OutputVoice] = []
    /// What was written, taken, heard and rewound, in frames of the stream.
    var cursor: WriteCursor
    /// A change of which nothing has been written yet, and the last one that the server has seen.
    var unsentChange, lastChange: OutputChange?
    var buffer: OutputBuffer
    /// Whether ``buffer`` has changed since the stream, or the next one, was asked for.
    var isBufferOutdated = false
    private(set) lazy var cycles = makeCycleMeter()
    var pumpTimer: MainloopTimer?
    var clock: OutputClock
    /// The time that voices are given, where another mix keeps it; nil while that is not there.
    var mainTime: (() -> Double?)?
    var alignment = OutputAlignment()
    var alignTimer: MainloopTimer?
    /// For one of several outputs: how often the default sink had changed when its stream was last where it is to be.
    var placedAt = 0
    /// Runs while a stream that was taken along to another sink is on its way back.
    var returnTimer: MainloopTimer?
    /// Runs while a voice's start waits for its decoder.
    var redecodeTimer: MainloopTimer?
    private var isReportedRunning = false
    /// How many voices are out for a moment, see ``suspend(_:)``.
    var suspensions = 0
    /// Whether the stream is about to be replaced: it stays corked, and what runs goes on with the other.
    var isBeingReplaced = false
    /// How often the server ran out of data.
    private(set) var underruns = 0
    /// What ran when the stream went, and has not been told.
    private(set) var voicesLostWithStream: [OutputVoice] = []
    /// What is to be done when the stream that is being replaced is silent.
    var whenReplaceable: (() -> Void)?
    /// The stream that will take this one's place when it stands.
    var successor: PlaybackStream?
    /// The sink that the stream was made for; nil for the default one.
    var requestedSink: String?
    /// Whether everything is silent until ``resumeAfterRouteChange()``, since the stream has lost its sink.
    var isSilencedForRoute = false
    /// The gain of everything, and when it is to have come to that, in seconds of ``MonotonicClock``.
    var gain = (target: Float(1), due: 0.0)

    /// Asked before a voice starts; true pauses it at once, because its session was interrupted in between.
    var isSessionInterrupted: () -> Bool = { false }
    /// Asked before the stream starts; false keeps it corked and pauses the voices.
    var mayStart: () -> Bool = { true }
    /// Told what happens to the stream.
    var onEvent: (StreamEvent) -> Void = { _ in }
    /// Told when the first voice starts and when the last one stops.
    var onRunning: (Bool) -> Void = { _ in }
    /// Told when the stream is silent and empty again.
    var onSettled: () -> Void = {}

    init(stream: PlaybackStream, format: Format, buffer: OutputBuffer) {
        self.stream = stream
        self.format = format
        self.buffer = buffer
        cursor = WriteCursor(rate: format.rate)
        mixer = Mixer(channels: format.channels.count, maximumVoices: 64, maximumFrames: format.rate / 100)
        clock = OutputClock(rate: format.rate)
    }

    /// Connects the stream; ``becameReady(_:)`` is to be called when it stands.
    func open(sink: String?) throws(PulseError) {
        try stream.sync { stream throws(PulseError) in
            listen(to: stream)
            try connect(stream, to: sink)
        }
        requestedSink = sink
    }

    func close() {
        voicesLostWithStream = runningVoices
        stepBackToHeard()
        stopAll()
        phase = .dead
        forgetSuccessor()
        stream.sync { $0.close() }
    }

    func received(_ event: StreamEvent) {
        switch event {
        case .stateChanged(.failed(let error)):
            // Killed from a mixer, which the session reports as an interruption.
            if error.code == .killed {
                for voice in runningVoices { voice.onInterrupted() }
            } else {
                voicesLostWithStream = runningVoices
            }
            die()
        case .stateChanged(.closed): die()
        // Nothing may be heard where nobody expects it: whether that is so is found out in the silence.
        case .moved: silenceForRouteChange()
        case .underflow: underruns += 1
        case .timingUpdated: return observePace()
        default: break
        }
        onEvent(event)
    }

    private func die() {
        stepBackToHeard()
        stopAll()
        phase = .dead
        forgetSuccessor()
    }

    /// The stream goes, and with it what was queued: voices stand where they were heard last.
    func stepBackToHeard() {
        guard phase == .running || phase == .settling else { return }
        let heard = phase == .running ? cursor.heardByClock(at: MonotonicClock.seconds) : cursor.lastHeardFrame
        stepBack(to: heard)
    }

    // MARK: Time

    /// The time of the output in seconds, for ``play(_:at:)``: it counts the frames that are heard while any voice
    /// runs, and goes on meanwhile; it starts at 0 when the first output is made.
    package var deviceTime: Double { clock.now(heard: heardFrame) }

    /// The stream's frame that is heard now.
    var heardFrame: Int {
        guard phase == .running || phase == .settling else { return cursor.next }
        return cursor.heard(latency: stream.sync { $0.latency }, at: MonotonicClock.seconds)
    }

    /// The voice's frame that is heard now.
    package func position(of voice: OutputVoice) -> Int {
        guard phase == .running || phase == .settling else { return voice.voice.framesRendered }
        return voice.timeline.voiceFrame(at: heardFrame) ?? voice.voice.framesRendered
    }

    // MARK: Voices

    /// Whether any voice is playing.
    package var isRunning: Bool { voices.contains { $0.isRunning } }

    /// Lets a voice be heard from its position on; false if the stream is gone.
    ///
    /// Voices of one time begin with the same frame; a time that has passed, or is too close for the server, is now. A
    /// voice that the server silences is paused again at once, which its session is told as an interruption.
    ///
    /// - Parameters:
    ///   - voice: Runs until it is paused or heard to its end, the time of waiting included.
    ///   - time: When its first frame is to be heard, in seconds of ``deviceTime``; nil for as soon as possible.
    package func play(_ voice: OutputVoice, at time: Double? = nil) -> Bool {
        guard phase != .dead else { return false }
        guard !voice.isRunning else { return true }
        guard !isSessionInterrupted() else {
            voice.onInterrupted()
            return true
        }
        voice.state = .playing
        voice.startTime = time
        voice.joinFrame = nil
        beginWaiting(voice)
        if !voices.contains(where: { $0 === voice }) { voices.append(voice) }
        switch phase {
        case .corked: start()
        case .running: join(voice)
        case .opening, .settling, .dead: break
        }
        reportRunning()
        return true
    }

    func join(_ voice: OutputVoice) {
        guard !awaitsDecoder(voice) else { return }
        voice.joinFrame = voice.startTime.flatMap { frame(at: $0) }
        align()
        if let frame = voice.joinFrame, frame >= cursor.next {
            // The mix may have waited for this voice with nothing else to play.
            pump()
        } else {
            soundChanged(from: voice.joinFrame ?? 0)
        }
    }

    /// Stops a voice at the frame that is heard next, when the server has said which that is; see ``isSettled``.
    package func pause(_ voice: OutputVoice) {
        guard voice.isRunning else { return }
        voice.state = .paused
        mixer.remove(voice.voice)
        if let follower = voice.follower { pause(follower) }
        if phase == .running && !isRunning {
            settle()
        } else if phase == .running && voice.timeline.end != nil {
            soundChanged()
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

    /// The voices that are on their way to the listener, but for those that begin by themselves after another one.
    var runningVoices: [OutputVoice] {
        let running = voices.filter { $0.isRunning }
        return running.filter { voice in !running.contains { $0.follower === voice } }
    }

    /// For how many seconds somebody has waited for ``isSettled`` in vain, since the server answered last.
    var waitedInVain = 0.0
    /// Whether the positions of paused voices are exact: nothing of them is on its way back from the server.
    package var isSettled: Bool {
        phase != .settling && (phase != .running || voices.allSatisfy { $0.isRunning })
    }

    /// The decoder has written to a voice.
    package func didWrite(to voice: OutputVoice) {
        voice.isRefillRequested = false
        guard phase == .running else { return }
        if voice.state == .finishing && !voice.voice.isFinished { revive(voice) }
        pump()
    }

    /// Takes up a voice again that got more loops just before its end was heard.
    private func revive(_ voice: OutputVoice) {
        voice.state = .playing
        voice.startTime = nil
        // It joined before, and does not join at its end: what a change takes back from before that is its sound too.
        if let end = voice.endFrame, end < cursor.next { soundChanged(from: end) }
        voice.endFrame = nil
        voice.finishTimer = nil
    }

    func leave(_ voice: OutputVoice) {
        voices.removeAll { $0 === voice }
        voice.leave()
    }

    func stopAll() {
        for voice in voices {
            mixer.remove(voice.voice)
            if voice.isRunning { voice.state = .paused }
            leave(voice)
        }
        pumpTimer = nil
        redecodeTimer = nil
        cursor.forgetChange()
        (unsentChange, lastChange) = (nil, nil)
        clock.stop(heard: heardFrame)
        reportRunning()
    }

    func reportRunning() {
        let isRunning = isInUse
        guard isRunning != isReportedRunning else { return }
        isReportedRunning = isRunning
        onRunning(isReportedRunning)
    }

    /// Whether any voice is playing, or out for a moment.
    var isInUse: Bool { isRunning || suspensions > 0 }

    // MARK: Starting and stopping the stream

    func start() {
        if isBeingReplaced, let next = whenReplaceable {
            whenReplaceable = nil
            return next()
        }
        guard !isSilencedForRoute, !isBeingReplaced else { return }
        // Those that were paused while the stream was silent anyway.
        for voice in voices where !voice.isRunning { leave(voice) }
        guard !voices.isEmpty else { return }
        guard mayStart() else { return silence(interrupting: true) }
        let awaited = voices.filter { awaitsDecoder($0) }
        guard awaited.count < voices.count else { return }
        phase = .running
        // A pause in the middle of a ramp was longer than its rest.
        if MonotonicClock.seconds >= gain.due { mixer.setMasterGain(gain.target, rampFrames: 0) }
        cursor.started(at: MonotonicClock.seconds)
        clock.start(frame: cursor.next)
        for voice in voices where voice.state == .playing {
            let isAwaited = awaited.contains { $0 === voice }
            voice.joinFrame = isAwaited ? nil : max(cursor.next, voice.startTime.flatMap { frame(at: $0) } ?? 0)
        }
        align()
        pumpSoon()
        stream.sync { $0.cork(false) }
        // What waited for its end when the stream stopped was not told of it.
        for voice in voices where voice.state == .finishing { awaitEnd(of: voice) }
    }

    /// Corks the stream, then takes back what was not played.
    func settle() {
        // First of all: every fraction of a millisecond may be heard.
        stream.sync { $0.cork(true) { [weak self] _ in self?.empty(expecting: nil) } }
        clock.stop(heard: heardFrame)
        phase = .settling
        pumpTimer = nil
        cursor.forgetChange()
    }

    /// Waits until the server reports the same queue twice: PipeWire may take one more block after it was told to cork.
    private func empty(expecting expected: Int?) {
        guard phase == .settling, isAnswered else { return }
        stream.sync { stream in
            stream.updateTiming { [weak self] _ in
                guard let self, self.phase == .settling, self.isAnswered else { return }
                let queued = Int(self.stream.sync { $0.timing?.queued } ?? 0)
                guard queued == expected else { return self.empty(expecting: queued) }
                self.rewound(self.cursor.corked(discarding: queued / self.format.spec.bytesPerFrame))
                self.unsentChange?.arrived(taken: self.cursor.next)
                self.lastChange?.stopped(at: self.cursor.next)
                (self.unsentChange, self.lastChange) = (nil, nil)
                self.stream.sync { $0.flush { [weak self] _ in self?.settled() } }
            }
        }
    }

    private func settled() {
        guard phase == .settling, isAnswered else { return }
        phase = .corked
        for voice in voices where !voice.isRunning { leave(voice) }
        for voice in voices { voice.notifyRedecode() }
        start()
        stream.mainloop.signal()
        onSettled()
    }
}
