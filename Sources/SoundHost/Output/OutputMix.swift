internal import AudioHost
internal import AudioRealtime
internal import PulseClient

/// The sound of all players on one route: the voices, and the one stream that takes their frames to the server.
///
/// A corked stream is always empty. When the last voice pauses, the stream is corked, the frames that the server has
/// not played are thrown away, and the voices are rewound by just as many: they go on at the exact frame, whoever plays
/// next. While the stream runs, a second of sound is queued on the server, so that it rarely wakes this process. A change
/// of the sound rewinds the queue up to a moment before the listener, and renders it again: see ``soundChanged()``.
///
/// Use it with the main loop's lock held.
// SAFETY: everything mutable is only touched with the main loop's lock held.
package final class OutputMix: @unchecked Sendable {
    /// The questions and notifications of an output to its host.
    struct Handlers {
        /// Asked before a voice starts; the answer true pauses the voice at once, as its session was interrupted meanwhile.
        var isSessionInterrupted: () -> Bool = { false }
        /// Asked before the stream starts; false keeps it corked and pauses the voices.
        var mayStart: () -> Bool = { true }
        /// The device time of the output that keeps it, if that is another one; nil while that output does not exist.
        var mainTime: (() -> Double?)?
        /// Notified of events of the stream.
        var onEvent: (StreamEvent) -> Void = { _ in }
        /// Notified when the first voice starts and when the last one stops.
        var onRunning: (Bool) -> Void = { _ in }
        /// Notified when the stream is silent and empty again.
        var onSettled: () -> Void = {}
    }

    /// How long a voice's start waits for its decoder, in seconds: a decoder needs some milliseconds, and one that
    /// hangs must not keep a player silent.
    private static let redecodeTimeout = 0.25
    /// The number of retries for a stream that PipeWire refuses, and the pause before each, in seconds.
    private static let renewals = (count: 10, pause: 0.1)
    /// How often waiting voices are aligned, in seconds.
    private static let alignmentInterval = 0.02

    /// The output's number, unique within its host; set by the host.
    var number = 0
    /// The number of underruns, for the host.
    private(set) var underruns = 0
    /// The voices that ran when the stream went, which the host notifies.
    private(set) var voicesLostWithStream: [OutputVoice] = []
    /// Whether all voices are silent until ``resumeAfterRouteChange()``: the stream has lost its sink.
    private(set) var isSilencedForRoute = false
    /// The host's answers; set before the stream is opened.
    var handlers = Handlers()
    /// For how many seconds the host has waited for ``isSettled`` in vain, since the server answered last.
    var waitedInVain = 0.0
    /// For one of several outputs: how often the default sink had changed when its stream was last on its own sink.
    var placedAt = 0
    /// The host's timer for a stream that is on its way back to its sink.
    var returnTimer: MainloopTimer?

    private let writer: OutputWriter
    private var alignment = OutputAlignment()
    private var alignTimer: MainloopTimer?
    /// Runs while a voice's start waits for its decoder.
    private var redecodeTimer: MainloopTimer?
    /// Runs until a stream that was refused is asked for again.
    private var renewalTimer: MainloopTimer?
    private var renewals = 0
    private var isReportedRunning = false
    /// The number of suspended voices, see ``suspend(_:)``.
    private var suspensions = 0
    /// Whether the stream is about to be replaced: it stays corked, and running voices go on with the next one.
    private var isBeingReplaced = false
    /// Called when the stream that is being replaced is silent.
    private var whenReplaceable: (() -> Void)?
    private(set) lazy var cycles = makeCycleMeter()

    init(stream: PlaybackStream, format: Format, buffer: OutputBuffer, tail: Double) {
        writer = OutputWriter(stream: stream, format: format, buffer: buffer, tail: tail)
        writer.handlers.mayJoin = { [weak self] voice in self?.awaitsDecoder(voice) != true }
        writer.handlers.onFinished = { [weak self] in self?.reportRunning() }
        writer.handlers.onSettled = { [weak self] in self?.settled() }
    }

    private var schedule: VoiceSchedule { writer.schedule }
    private var link: StreamLink { writer.link }

    /// The stream's sample rate and channels.
    package var format: Format { schedule.format }

    // MARK: The stream

    /// The state of the stream.
    var phase: OutputWriter.Phase { writer.phase }
    /// The server's stream.
    var stream: PlaybackStream { link.current }
    /// The name of the sink that the stream was made for; nil for the default one.
    var requestedSink: String? { link.requestedSink }
    /// The name of the sink that the stream is on; nil without a stream.
    package var deviceName: String? { link.deviceName }
    /// The amount of sound ahead of the listener that was asked for.
    var buffer: OutputBuffer { link.buffer }
    /// The amount of sound ahead of the listener that the device was granted, in seconds; nil before the server has
    /// said.
    var grantedBuffer: Double? { link.grantedBuffer }
    /// The time from the server to the listener, in seconds, while the stream runs.
    var sinkLatency: Double? { phase == .running ? link.sinkLatency : nil }

    /// Asks for another amount of sound ahead of the listener.
    func setBuffer(_ new: OutputBuffer) {
        cycles.forget()
        link.setBuffer(new, isOpening: phase == .opening)
    }

    /// Connects the stream; ``becameReady(_:)`` is to be called when it stands.
    func open(sink: String?) throws(PulseError) {
        listen()
        try link.open(sink: sink)
    }

    private func listen() {
        link.current.sync { stream in
            stream.setHandlers(
                request: { [weak self] _, _ in self?.writer.pump() },
                event: { [weak self] stream, event in
                    guard self?.stream === stream else { return }
                    self?.received(event)
                })
        }
    }

    /// Notes that the stream stands, and that it is known whether the server silences it.
    ///
    /// - Parameter stream: The stream of which this is said: another may have taken its place meanwhile.
    func becameReady(_ stream: PlaybackStream) {
        guard phase == .opening, self.stream === stream else { return }
        renewals = 0
        writer.opened()
        link.updateBuffer()
        start()
        stream.mainloop.signal()
    }

    /// Ends the output and its stream; voices stand where they were heard last.
    func close() {
        voicesLostWithStream = schedule.runningVoices
        die()
        link.close()
    }

    private func received(_ event: StreamEvent) {
        switch event {
        case .stateChanged(.failed(let error)):
            if error.code == .inputOutput, renewSoon() { return }
            // Killed from a mixer, which the session reports as an interruption.
            if error.code == .killed {
                for voice in schedule.runningVoices { voice.onInterrupted() }
            } else {
                voicesLostWithStream = schedule.runningVoices
            }
            die()
        case .stateChanged(.closed): die()
        // Silent first: whether the new sink is the expected one is found out in the silence.
        case .moved: silenceForRouteChange()
        case .underflow: underruns += 1
        case .timingUpdated:
            waitedInVain = 0
            return writer.observePosition()
        default: break
        }
        handlers.onEvent(event)
    }

    /// Schedules a retry of a stream that was refused with an input/output error; false after the last retry.
    ///
    /// PipeWire's session manager refuses a stream while it has no sink to link it to, as just after its own start or
    /// the arrival of a sink.
    private func renewSoon() -> Bool {
        guard phase == .opening, renewals < Self.renewals.count else { return false }
        renewals += 1
        renewalTimer = link.timer(after: Self.renewals.pause) { [weak self] in self?.renew() }
        return true
    }

    private func renew() {
        renewalTimer = nil
        guard phase == .opening else { return }
        link.renew()
        do { try open(sink: link.requestedSink) } catch { received(.stateChanged(.failed(error))) }
    }

    private func die() {
        writer.die()
        redecodeTimer = nil
        renewalTimer = nil
        reportRunning()
        forgetSuccessor()
    }

    // MARK: Time

    /// The time of the output in seconds, for ``play(_:at:)``: it counts the frames that are heard while any voice
    /// runs, and goes on meanwhile; it starts at 0 when the first output is made.
    package var deviceTime: Double { writer.deviceTime }

    /// The clock behind ``deviceTime``, which the host hands on to the next output.
    var clock: OutputClock {
        get { writer.clock }
        set { writer.clock = newValue }
    }

    /// The voice's frame that is heard now.
    package func position(of voice: OutputVoice) -> Int {
        guard phase == .running || phase == .settling else { return voice.voice.framesRendered }
        return voice.timeline.voiceFrame(at: writer.heardFrame) ?? voice.voice.framesRendered
    }

    /// The voice's frame that is heard now; nil for one that is silent, as while it waits for its time.
    package func frameHeard(of voice: OutputVoice) -> Int? {
        let heard = writer.heardFrame
        guard phase == .running, voice.isRunning, let joined = voice.joinFrame, joined <= heard else { return nil }
        return voice.timeline.voiceFrame(at: heard)
    }

    /// The stream's frame that is heard at a time; nil while the stream does not run.
    private func frame(at time: Double) -> Int? {
        guard let mainTime = handlers.mainTime else { return writer.clock.frame(at: time) }
        let difference = alignment.difference ?? mainTime().map { deviceTime - $0 } ?? 0
        return writer.clock.frame(at: time + difference)
    }

    /// Moves the joins of waiting voices to the right frames, for as long as there are any.
    ///
    /// A time that an app gives is that of the main output. On another one it is the frame that is heard at that
    /// moment, which is known well only some time after both have started.
    private func align() {
        guard let mainTime = handlers.mainTime else { return }
        alignTimer = nil
        guard phase == .running else { return alignment.reset() }
        let heard = writer.heardFrame
        let first = heard + Int(OutputAlignment.notice * Double(format.rate))
        let waiting = schedule.waiting(after: first)
        guard !waiting.isEmpty else { return alignment.reset() }
        if let main = mainTime() { alignment.add(writer.clock.now(heard: heard) - main) }
        let tolerance = Int(OutputAlignment.tolerance * Double(format.rate))
        let changed = schedule.realign(waiting, after: first, tolerance: tolerance) { frame(at: $0) }
        if let changed, changed < writer.nextFrame { writer.soundChanged(from: changed) }
        alignTimer = link.timer(after: Self.alignmentInterval) { [weak self] in self?.align() }
    }

    // MARK: Voices

    /// Whether any voice is playing.
    package var isRunning: Bool { schedule.isRunning }

    /// Whether any voice is playing or suspended.
    var isInUse: Bool { isRunning || suspensions > 0 }

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
        guard !handlers.isSessionInterrupted() else {
            voice.onInterrupted()
            return true
        }
        voice.state = .playing
        voice.startTime = time
        voice.joinFrame = nil
        voice.latestStart = MonotonicClock.seconds + Self.redecodeTimeout
        schedule.add(voice)
        switch phase {
        case .corked: start()
        case .running: join(voice)
        case .opening, .settling, .dead: break
        }
        reportRunning()
        return true
    }

    private func join(_ voice: OutputVoice) {
        guard !awaitsDecoder(voice) else { return }
        voice.joinFrame = voice.startTime.flatMap { frame(at: $0) }
        align()
        if let frame = voice.joinFrame, frame >= writer.nextFrame {
            // The mix may have waited for this voice with nothing else to play.
            writer.pump()
        } else {
            writer.soundChanged(from: voice.joinFrame ?? 0)
        }
    }

    /// Stops a voice at the frame that is heard next, when the server has said which that is; see ``isSettled``.
    package func pause(_ voice: OutputVoice) {
        guard voice.isRunning else { return }
        schedule.pause(voice)
        if let follower = voice.follower { pause(follower) }
        if phase == .running && !isRunning {
            writer.settle()
        } else if phase == .running && voice.timeline.end != nil {
            writer.soundChanged()
        } else if phase != .settling {
            schedule.leave(voice)
        }
        reportRunning()
    }

    /// Stops all voices at the frame that is heard now; `interrupting` notifies their players of an interruption.
    func silence(interrupting: Bool = false) {
        for voice in schedule.voices where voice.isRunning {
            schedule.pause(voice)
            if interrupting { voice.onInterrupted() }
        }
        if phase == .running { writer.settle() }
        reportRunning()
    }

    /// Whether the positions of paused voices are exact: nothing of them is on its way back from the server.
    package var isSettled: Bool {
        phase != .settling && (phase != .running || schedule.voices.allSatisfy { $0.isRunning })
    }

    /// Notes that the decoder has written to a voice.
    package func didWrite(to voice: OutputVoice) {
        voice.isRefillRequested = false
        guard phase == .running else { return }
        if voice.state == .finishing && !voice.voice.isFinished {
            let end = schedule.revive(voice)
            if let end, end < writer.nextFrame { writer.soundChanged(from: end) }
        }
        writer.pump()
    }

    /// Notes that a voice that does not run was emptied, and stands at its first frame.
    package func forget(_ voice: OutputVoice) {
        guard !voice.isRunning else { return }
        voice.state = .paused
        voice.isRefillRequested = false
        schedule.leave(voice)
    }

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
            let frame = schedule.beginFollower(of: voice)
            if let frame, frame < writer.nextFrame { writer.soundChanged(from: frame) }
            writer.pump()
        }
        return true
    }

    private func reportRunning() {
        guard isInUse != isReportedRunning else { return }
        isReportedRunning = isInUse
        handlers.onRunning(isReportedRunning)
    }

    // MARK: Suspension

    /// A voice that left the mix to continue elsewhere, as at another frame of its file.
    ///
    /// Its players are not notified of a stop.
    package struct Suspension {
        fileprivate let mix: OutputMix
        /// The time at which the voice begins, if it waits for one.
        fileprivate let time: Double?

        /// Continues with a voice, which may be another one in another mix, or with none.
        package func end(with voice: OutputVoice?, in other: OutputMix) {
            if let voice { _ = other.play(voice, at: time) }
            mix.suspensions -= 1
            mix.reportRunning()
        }
    }

    /// Takes a voice out at the frame that is heard next, as ``pause(_:)`` does; nil if it does not run.
    package func suspend(_ voice: OutputVoice) -> Suspension? {
        guard voice.isRunning else { return nil }
        let suspension = Suspension(mix: self, time: voice.startTime)
        suspensions += 1
        pause(voice)
        return suspension
    }

    // MARK: Decoding again

    /// Rewinds a voice to what the server has not played of it, so that its decoder can write other frames, as for
    /// another rate.
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
        writer.soundChanged()
    }

    /// Notes that the decoder has done what ``requestRedecode(of:ready:)`` asked for; once for each time.
    package func redecoded(_ voice: OutputVoice) {
        voice.pendingRedecodes -= 1
        if !voice.awaitsRedecode && redecodeTimer != nil { joinAwaited() }
        didWrite(to: voice)
    }

    /// Whether a voice that is to begin now waits for its decoder; one that begins later is rendered up to there
    /// meanwhile.
    private func awaitsDecoder(_ voice: OutputVoice) -> Bool {
        guard voice.state == .playing, voice.awaitsRedecode, MonotonicClock.seconds < voice.latestStart else {
            return false
        }
        let now = handlers.mainTime.map { $0() } ?? deviceTime
        guard voice.startTime ?? 0 <= now ?? .infinity else { return false }
        if redecodeTimer == nil {
            redecodeTimer = link.timer(after: Self.redecodeTimeout) { [weak self] in self?.joinAwaited() }
        }
        return true
    }

    /// Lets voices begin that have waited for their decoders, or have waited too long.
    private func joinAwaited() {
        redecodeTimer = nil
        switch phase {
        case .corked: start()
        case .running: for voice in schedule.playing where voice.joinFrame == nil { join(voice) }
        case .opening, .settling, .dead: break
        }
    }

    // MARK: Starting and stopping the stream

    private func start() {
        if isBeingReplaced, let next = whenReplaceable {
            whenReplaceable = nil
            return next()
        }
        guard !isSilencedForRoute, !isBeingReplaced else { return }
        // Voices that were paused while the stream was silent.
        schedule.leavePaused()
        guard !schedule.voices.isEmpty else { return }
        guard handlers.mayStart() else { return silence(interrupting: true) }
        let awaited = schedule.voices.filter { awaitsDecoder($0) }
        guard awaited.count < schedule.voices.count else { return }
        writer.begin()
        for voice in schedule.playing {
            let isAwaited = awaited.contains { $0 === voice }
            let frame = voice.startTime.flatMap { self.frame(at: $0) } ?? writer.nextFrame
            voice.joinFrame = isAwaited ? nil : max(writer.nextFrame, frame)
        }
        align()
        writer.pumpSoon()
        writer.start()
    }

    private func settled() {
        start()
        stream.mainloop.signal()
        handlers.onSettled()
    }

    // MARK: Changes

    /// Notes a change of a voice's gain or pan.
    ///
    /// The change is heard as soon as the server allows: frames that it has not played yet are rendered again.
    package func soundChanged() { writer.soundChanged() }

    /// Moves the gain of everything that plays, as an amplitude, within so many seconds of sound; at once while nothing
    /// is heard.
    func setGain(_ target: Float, seconds: Double) { writer.setGain(target, seconds: seconds) }

    /// Writes what the server wants, as far as the voices have it.
    func pump() { writer.pump() }

    // MARK: Silence and replacement

    /// Silences the output at once, for a reason of the server's; voices continue at the frame that was heard last.
    ///
    /// A voice that is about to go on, as after a seek or with another stream, waits too.
    func silenceForRouteChange() {
        guard !isSilencedForRoute, phase == .running || phase != .dead && isInUse else { return }
        isSilencedForRoute = true
        if phase == .running { writer.settle() }
    }

    /// Ends the silence of ``silenceForRouteChange()``.
    func resumeAfterRouteChange() {
        guard isSilencedForRoute else { return }
        isSilencedForRoute = false
        if phase == .corked { start() }
    }

    /// Silences the stream before its replacement; voices stand at the frame that was heard last, and count as running.
    ///
    /// A pause meanwhile is a real one.
    func awaitReplacement() {
        isBeingReplaced = true
        if phase == .running { writer.settle() }
    }

    /// Continues with this stream, as there is no replacement.
    func keepStream() {
        guard isBeingReplaced else { return }
        // A replacement may still be opening.
        isBeingReplaced = whenReplaceable != nil
        if phase == .corked { start() }
    }

    /// Continues with another stream of the same rate, which is not connected yet.
    ///
    /// ``awaitReplacement()`` and the settling that follows come before it; what runs then goes on.
    func replaceStream(_ new: PlaybackStream, format: Format? = nil) {
        let started = schedule.runningVoices.map { ($0, $0.startTime) }
        suspensions += 1
        isBeingReplaced = false
        whenReplaceable = nil
        if link.successor !== new { forgetSuccessor() }
        writer.replaceStream(new, format: format ?? self.format)
        (redecodeTimer, renewalTimer) = (nil, nil)
        for (voice, time) in started { _ = play(voice, at: time) }
        suspensions -= 1
        reportRunning()
    }

    /// Continues with a stream on another sink as soon as that is ready; stays with this one if the other fails.
    ///
    /// The stream is not moved: servers remember a move, and send the next streams of its kind there, on PipeWire those
    /// of other programs too. The new stream exists before the old one goes: policies that end with the last stream of a
    /// role would begin anew.
    func relocate(to sink: String?, with new: PlaybackStream) {
        forgetSuccessor()
        new.sync { new in
            new.setHandlers(
                request: nil,
                event: { [weak self] new, event in
                    guard let self, self.link.successor === new, case .stateChanged(let state) = event else { return }
                    switch state {
                    case .ready: self.succeed(on: sink)
                    case .failed, .closed: self.forgetSuccessor()
                    case .unconnected, .creating: break
                    }
                })
        }
        link.prepare(new, on: sink)
    }

    /// Replaces the stream by the ready one on another sink, as soon as this one is silent.
    private func succeed(on sink: String?) {
        whenReplaceable = { [weak self] in
            guard let self else { return }
            guard let new = self.link.successor else { return self.keepStream() }
            self.replaceStream(new)
            self.listen()
            self.link.succeeded(on: sink)
            self.handlers.onEvent(.stateChanged(.ready))
        }
        awaitReplacement()
        if phase == .corked { start() }
    }

    /// Gives up the replacement.
    func forgetSuccessor() {
        guard link.forgetSuccessor(), whenReplaceable != nil else { return }
        whenReplaceable = nil
        keepStream()
    }
}
