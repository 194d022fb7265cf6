internal import AudioHost
internal import PulseClient
internal import SessionPolicy

/// A stream that records: exactly the frames that were heard while it was to run, in their time.
///
/// A capture that pauses listens on for ``linger``, so that one that goes on soon does so at the right frame. Then it
/// corks its stream, which lets go of the microphone, and sees to it that what the server had not sent yet does not
/// come later. Where the server's source is gone for a while, silence stands for it.
// SAFETY: everything mutable is only touched with the main loop's lock held.
package final class Capture: @unchecked Sendable {
    /// How long an input may be dead or flat before that is news, in seconds.
    package static let patience = 2.0
    /// How long before its time a capture begins to listen, so that it knows the device's clock by then, in seconds.
    private static let lead = 10.0
    /// How long a capture listens on after it has paused, in seconds: who goes on soon loses nothing.
    private static let linger = 2.0
    /// How long the last frames are waited for when a capture ends, in seconds.
    private static let tail = 0.5
    /// How long frames are wanted before an input that has given none has failed, in seconds; others begin far sooner.
    private static let grace = 1.0

    let stream: RecordStream
    let rate: Double
    let bytesPerFrame: Int
    let handlers: Handlers
    private(set) var isClosed = false
    /// Whether the stream is still there.
    package var isOpen: Bool { !isClosed }
    /// Whether frames are wanted.
    package private(set) var isRunning = false
    /// Whether frames are wanted, or some from before the session's pause are still to come.
    package var isUnderWay: Bool { isRunning || isDraining }
    /// What is handed over as silence.
    var secrecy = CaptureSecrecy()
    var zeros: [UInt8] = []
    /// Asked before frames flow; true keeps them away, because the session was interrupted in between.
    var isHeldBack: () -> Bool = { false }
    var onRunning: () -> Void = {}
    /// What servers are told of the sound.
    var role: StreamRole?
    /// The source that it asked for by itself, as one without echo; nil where it goes along with the session.
    var home: String?
    /// Takes back what servers would remember of the stream.
    var beforeEnd: () -> Void = {}
    var onEnd: () -> Void = {}

    /// Whether the session has paused the capture, and frames from before that are still to come.
    private(set) var isDraining = false
    /// Whether the server was told to let frames flow.
    private(set) var isFlowing = false
    /// Whether the server throws away what it has not sent yet when it is told to.
    ///
    /// On PipeWire that concerns buffers of the graph too, which still wait for sound; there it is counted what is old.
    let flushes: Bool
    /// How many times the server has still to say that what is old is thrown away, or counted.
    private var unsettled = 0
    /// Frames to come that were heard before the last pause.
    var stale = 0
    var timeline: CaptureTimeline
    /// Frames heard before are not wanted; nil once there were some that are.
    var start: Double?
    /// Frames heard later are not wanted; and where that is in the timeline, unless something may be missing before it.
    private(set) var end: Double?
    private(set) var endFrame: Int?
    var hasEnded = false
    /// Whether the source was put to sleep while it was listened to.
    private var isAsleep = false
    /// Whether the input had given nothing when it was let go of, though it was time, or because it was put to sleep.
    package private(set) var isFruitless = false
    /// Frames that wait until it is known how many are missing before them.
    var held: [UInt8] = []
    var silence = SilenceWatch()
    var isLost = false
    /// What the last arrival was at the server's last answer during a loss.
    private var lastAnswered: Double?
    /// Silence since the input was lost, in frames.
    var missing = 0
    var delivery: CaptureDelivery
    /// When the timer was last put off because frames came, in seconds of ``clock``.
    var lookedAfter = -Double.infinity
    private(set) lazy var cycles = makeCycleMeter()
    private(set) lazy var timer = MainloopTimer(mainloop: stream.mainloop) { [weak self] in self?.tick() }

    init(_ stream: RecordStream, isPipeWire: Bool, pace: CaptureRequest.Pace, handlers: Handlers) {
        self.stream = stream
        flushes = !isPipeWire
        delivery = CaptureDelivery(isPipeWire ? .pipeWire : .pulseAudio, pace: pace, canHurry: isPipeWire)
        self.handlers = handlers
        rate = Double(stream.spec.rate)
        bytesPerFrame = stream.spec.bytesPerFrame
        timeline = CaptureTimeline(rate: rate, at: 0)
    }

    /// The time by which captures begin and end, in seconds; it never goes back.
    package static var clock: Double { MonotonicClock.seconds }

    func open(source: String?, flags: StreamFlags) throws(PulseError) {
        try stream.sync { stream throws(PulseError) in
            stream.setHandlers(
                data: { [weak self] _, bytes, count in self?.received(bytes, count) },
                event: { [weak self] stream, event in self?.happened(event, to: stream) })
            try stream.connect(
                to: source, attributes: beginDelivery(), flags: flags)
            let mainloop = stream.mainloop
            _ = mainloop.wait(timeout: .milliseconds(1500)) { stream.state != .creating }
            if case .failed(let error) = stream.state { throw error }
            guard stream.state == .ready else {
                stream.close()
                throw PulseError(.timeout, in: "pa_stream_connect_record")
            }
        }
    }

    /// The number of our source output; nil without one.
    var index: UInt32? { stream.sync { $0.index } }

    /// The name of the source that the stream is on.
    var source: String? { stream.sync { $0.device?.name } }

    // MARK: Running

    /// Lets frames flow, from those on that are heard at a time of ``clock``; nil is now.
    ///
    /// With the main loop's lock held.
    package func resume(at time: Double? = nil) {
        guard !isRunning else { return }
        awaitDrain()
        guard !isClosed else { return }
        guard !isHeldBack() else { return handlers.interrupted(true) }
        isRunning = true
        start = max(time ?? 0, MonotonicClock.seconds)
        end = nil
        endFrame = nil
        hasEnded = false
        hurry()
        // What still listens after a pause need not until its time is near.
        if isFlowing, earliness > 0 { quiet() }
        if isFlowing {
            timer.start(after: .seconds(1))
        } else {
            isLost = false
            flowWhenDue()
        }
        onRunning()
    }

    /// Stops the flow at once, and lets go of the microphone.
    ///
    /// With the main loop's lock held.
    package func pause() {
        guard isRunning || isFlowing else { return }
        if isRunning { judge(after: patienceSoFar) }
        if isRunning || isDraining, timeline.isAssessing { release() }
        if isRunning, isLost, !isFlowing {
            endNow()
            complete()
        }
        isRunning = false
        isDraining = false
        quiet()
        // A thread may wait for the last frames.
        stream.mainloop.signal()
        onRunning()
    }

    /// Stops the flow after the frames that are heard now, for which it waits a moment; soon after that it lets go of
    /// the microphone.
    ///
    /// With the main loop's lock held, on a thread that may wait.
    package func finish() {
        guard isRunning else { return awaitDrain() }
        guard isFlowing, !stream.mainloop.isOnLoop else { return pause() }
        let patience = patienceSoFar
        endNow()
        _ = stream.mainloop.wait(timeout: .seconds(Self.tail)) { hasEnded || !isRunning }
        guard isRunning else { return awaitDrain() }
        judge(after: patience)
        complete()
        isRunning = false
        timer.start(after: .seconds(Self.linger))
        onRunning()
    }

    /// For how long frames have been wanted, if none of those has come, in seconds.
    private var patienceSoFar: Double { start.map { MonotonicClock.seconds - $0 } ?? 0 }

    /// Notes whether an input that is let go of has failed from the beginning.
    private func judge(after patience: Double) {
        if !timeline.hasBegun, isAsleep || patience >= Self.grace { isFruitless = true }
    }

    /// Frames heard from now on are not wanted, and those heard before are wanted soon.
    private func endNow() {
        let now = MonotonicClock.seconds
        end = min(end ?? now, now)
        endFrame = timeline.isAssessing ? nil : end.flatMap(timeline.frame)
        hurry()
    }

    /// Sees to frames from before the end that have not come, and will not.
    private func complete() {
        guard !hasEnded else { return }
        if timeline.isAssessing { release() }
        if let end { fill(until: end) }
    }

    /// Ends the stream.
    ///
    /// With the main loop's lock held.
    package func close() {
        guard !isClosed else { return }
        if isRunning || isDraining, timeline.isAssessing { release() }
        isRunning = false
        isDraining = false
        isFlowing = false
        isClosed = true
        timer.cancel()
        beforeEnd()
        stream.sync { $0.close() }
        onEnd()
    }

    // MARK: The session's pauses

    /// Pauses at the session's wish; `interrupting` if the app did not ask for it.
    ///
    /// What is heard from now on is not wanted, but what was heard before is: until that has come the microphone is
    /// kept.
    func stop(interrupting: Bool) {
        let wasRunning = isRunning
        if isRunning, isFlowing, timeline.hasBegun { drain() } else if !isDraining { pause() }
        // An interruption may come in two steps, and the second one finds nothing that runs.
        if wasRunning || !interrupting { handlers.interrupted(wasRunning && interrupting) }
        if wasRunning, !isDraining { handlers.rested() }
    }

    private func drain() {
        endNow()
        isRunning = false
        isDraining = true
        timer.start(after: .seconds(Self.tail))
        // A thread may wait for the end that it has asked for.
        stream.mainloop.signal()
        onRunning()
    }

    /// The last frames from before the session's pause have come, or will not.
    func drained() {
        guard isDraining else { return }
        complete()
        isDraining = false
        quiet()
        handlers.rested()
        stream.mainloop.signal()
    }

    /// Lets the frames from before the session's pause come first; on the loop's thread they are given up.
    ///
    /// With the main loop's lock held, except while it waits.
    package func awaitDrain() {
        guard isDraining else { return }
        if !stream.mainloop.isOnLoop { _ = stream.mainloop.wait(timeout: .seconds(Self.tail)) { !isDraining } }
        drained()
    }

    // MARK: The server

    /// Has the server stop, and sees to what it has not sent yet.
    private func quiet() {
        timer.cancel()
        guard isFlowing else { return }
        isFlowing = false
        unsettled += 1
        stream.sync { stream in
            stream.cork(true)
            if flushes {
                stream.flush { [weak self] _ in self?.settled() }
            } else {
                stream.updateTiming { [weak self] _ in self?.settled() }
            }
        }
    }

    private func settled() {
        unsettled -= 1
        if !flushes { stale = Int(stream.sync { $0.timing?.queued } ?? 0) / bytesPerFrame }
        if isRunning, !isFlowing { flowWhenDue() }
    }

    /// How long it is too early to listen, in seconds; 0 or less when it is not.
    private var earliness: Double {
        let now = MonotonicClock.seconds
        return (start ?? now) - now - Self.lead
    }

    private func flowWhenDue() {
        guard !isClosed else { return }
        let wait = earliness
        guard wait <= 0 else { return timer.start(after: .seconds(min(wait, 1e6))) }
        guard unsettled == 0 else { return awaitAnswer() }
        isFlowing = true
        isAsleep = false
        if !isLost { restart(at: MonotonicClock.seconds) }
        stream.sync { stream in
            // What the device's thread was about to hand over when the last flush came.
            if flushes { stream.flush() }
            stream.cork(false)
        }
        timer.start(after: .seconds(1))
    }

    private func restart(at time: Double) {
        timeline = CaptureTimeline(rate: rate, at: time)
        secrecy.restart()
        silence = SilenceWatch()
    }

    /// The server has not said yet that it has stopped, and nothing can flow before that: from one that hangs nothing has
    /// come when ``patience`` is over.
    private func awaitAnswer() {
        guard !isLost else { return }
        let now = MonotonicClock.seconds
        let rest = (start ?? now) + Self.patience - now
        guard rest <= 0 else { return timer.start(after: .seconds(min(rest, 1e6))) }
        restart(at: start ?? now)
        timeline.begin()
        lose()
    }

    private func tick() {
        guard !isDraining else { return drained() }
        guard isRunning else { return quiet() }
        guard isFlowing else { return flowWhenDue() }
        let rest = timeline.lastArrival + Self.patience - MonotonicClock.seconds
        timer.start(after: .seconds(rest > 0 ? rest : 1))
        guard rest <= 0 else { return }
        // What waits to be placed is older than the silence that may stand for what does not come.
        if timeline.isAssessing { release() }
        if !isLost {
            // What has never given a frame is silent from the beginning.
            timeline.begin()
            lose()
        }
        let last = timeline.lastArrival
        stream.sync { $0.updateTiming { [weak self] result in self?.answered(result, since: last) } }
    }

    private func lose() {
        isLost = true
        missing = 0
        handlers.news(.lost)
    }

    /// The server has answered, and has given nothing since `last`.
    ///
    /// Frames of a server that stood still may come right after its first answer; one that answers again a second later
    /// has nothing for us.
    private func answered(_ result: Result<Void, PulseError>, since last: Double) {
        guard case .success = result, isLost, timeline.lastArrival == last else { return }
        if lastAnswered == last { fill(until: MonotonicClock.seconds - 1) }
        lastAnswered = last
    }

    private func happened(_ event: StreamEvent, to stream: isolated RecordStream) {
        switch event {
        case .stateChanged(let state):
            stream.mainloop.signal()
            if case .failed = state { failed() }
        case .suspended(let isAsleep): self.isAsleep = isAsleep && isFlowing
        case .moved:
            guard isFlowing, let name = stream.device?.name else { return }
            timeline.deviceChanged()
            hurry()
            handlers.news(.moved(source: name))
        default: break
        }
    }

    private func failed() {
        guard !isClosed else { return }
        if timeline.isAssessing { release() }
        isClosed = true
        isRunning = false
        isDraining = false
        isFlowing = false
        timer.cancel()
        stream.mainloop.signal()
        onEnd()
        handlers.ended()
    }
}
