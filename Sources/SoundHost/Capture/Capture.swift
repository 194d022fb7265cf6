package import AudioHost
internal import PulseClient
internal import SessionPolicy

/// A record stream that delivers exactly the frames heard while the capture was to run, in their time.
///
/// A capture that pauses keeps the stream running for ``linger``, so that one that goes on soon does so at the right
/// frame. Then it corks the stream, which lets go of the microphone, and drops frames that the server had not sent yet.
/// Where the server's source is gone for a while, silence stands for it.
// SAFETY: everything mutable is only touched with the main loop's lock held.
package final class Capture: @unchecked Sendable {
    /// The time after which a dead or flat input is news, in seconds.
    package static let lossTimeout = 2.0
    /// The time before its start at which a capture uncorks, so that it knows the device's clock by then, in seconds.
    private static let lead = 10.0
    /// The time for which the stream of a paused capture goes on, in seconds.
    private static let linger = 2.0
    /// The longest wait for the last frames of a capture, in seconds.
    private static let tail = 0.5
    /// The time after which an input that has given no frame has failed, in seconds; others begin far sooner.
    private static let firstFrameTimeout = 1.0

    /// The server's stream, for the host's commands about its place.
    let stream: RecordStream
    /// What servers are told of the sound; the host's.
    var role: StreamRole?
    /// The source that it asked for by itself, as one without echo; nil where it goes along with the session.
    var home: String?
    /// Asked before frames flow; true keeps them away, because the session was interrupted in between.
    var isSessionInterrupted: () -> Bool = { false }
    /// Notified when frames are wanted from now on, or not any more.
    var onRunning: () -> Void = {}
    /// Takes back what servers would remember of the stream.
    var beforeEnd: () -> Void = {}
    /// The last move to another source; nil for none.
    var move: CaptureMove?
    /// Notified when the stream is gone.
    var onEnd: () -> Void = {}
    /// Whether the input had delivered nothing when it was released, although it was due, or because it was suspended.
    package private(set) var deliveredNothing = false

    private let rate: Double
    private let bytesPerFrame: Int
    private let handlers: Handlers
    private var phase = CapturePhase.paused
    private var muting = CaptureMuteSchedule()
    private var zeros: [UInt8] = []
    /// Whether the server drops undelivered frames on a flush.
    ///
    /// On PipeWire a flush also drops buffers of the graph that are waiting for sound, so the stale frames are counted
    /// there.
    private let flushes: Bool
    /// The number of corks after which the server has not yet confirmed that old frames are dropped, or counted.
    private var pendingCorks = 0
    /// Frames to come that were heard before the last pause.
    private var stale = 0
    private var timeline: CaptureTimeline
    /// The time before which frames are not wanted; nil once wanted frames have come.
    private var start: Double?
    /// The time after which frames are not wanted, and its frame in the timeline, unless frames may be missing before
    /// it.
    private var end: Double?
    private var endFrame: Int?
    /// The frames that wait until the number of missing frames before them is known.
    private var held: [UInt8] = []
    private var silence = SilenceWatch()
    /// The arrival of the last frames at the server's last answer during a loss.
    private var lastAnswered: Double?
    /// Silence since the input was lost, in frames.
    private var missing = 0
    private var delivery: CaptureDelivery
    /// The time of the timer's last restart because frames came, in seconds of ``clock``.
    private var lookedAfter = -Double.infinity
    private(set) lazy var cycles = makeCycleMeter()
    private lazy var timer = MainloopTimer(mainloop: stream.mainloop) { [weak self] in self?.tick() }

    /// Whether the stream is still there.
    package var isOpen: Bool { phase != .closed }
    /// Whether frames are wanted.
    package var isRunning: Bool { phase.isRunning }
    /// Whether frames are wanted, or some from before the session's pause are still to come.
    package var isUnderWay: Bool { isRunning || phase.isDraining }
    /// Whether the server was told to let frames flow.
    var isFlowing: Bool { phase.isFlowing }

    init(_ stream: RecordStream, isPipeWire: Bool, pace: CaptureRequest.Pace, handlers: Handlers) {
        self.stream = stream
        flushes = !isPipeWire
        delivery = CaptureDelivery(isPipeWire ? .pipeWire : .pulseAudio, pace: pace, canShorten: isPipeWire)
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

    /// Delivers frames from those on that are heard at a time of ``clock``; nil is now.
    ///
    /// With the main loop's lock held.
    package func resume(at time: Double? = nil) {
        guard !isRunning else { return }
        awaitDrain()
        guard isOpen else { return }
        guard !isSessionInterrupted() else { return handlers.interrupted(true) }
        phase.apply(.resume)
        start = max(time ?? 0, MonotonicClock.seconds)
        end = nil
        endFrame = nil
        shortenFragments()
        // A stream that still listens after a pause need not until its time is near.
        if isFlowing, earliness > 0 { cork(by: .cork) }
        if isFlowing { timer.start(after: .seconds(1)) } else { flowWhenDue() }
        onRunning()
    }

    /// Stops the flow at once, and releases the microphone.
    ///
    /// With the main loop's lock held.
    package func pause() {
        guard isRunning || isFlowing else { return }
        if isRunning { judge(after: secondsWithoutFrames) }
        if isUnderWay, timeline.isAssessing { release() }
        if case .due(isLost: true) = phase {
            endNow()
            complete()
        }
        cork(by: .pause)
        // A thread may wait for the last frames.
        stream.mainloop.signal()
        onRunning()
    }

    /// Stops the flow after the frames that are heard now, for which it waits a moment, and then releases the
    /// microphone.
    ///
    /// With the main loop's lock held, on a thread that may wait.
    package func finish() {
        guard isRunning else { return awaitDrain() }
        guard isFlowing, !stream.mainloop.isOnLoop else { return pause() }
        let seconds = secondsWithoutFrames
        endNow()
        _ = stream.mainloop.wait(timeout: .seconds(Self.tail)) { phase.hasEnded || !isRunning }
        guard isRunning else { return awaitDrain() }
        judge(after: seconds)
        complete()
        phase.apply(.finish)
        timer.start(after: .seconds(Self.linger))
        onRunning()
    }

    /// For how long frames have been wanted, if none of those has come, in seconds.
    private var secondsWithoutFrames: Double { start.map { MonotonicClock.seconds - $0 } ?? 0 }

    /// Notes whether an input that is let go of has failed from the beginning.
    private func judge(after seconds: Double) {
        if !timeline.hasBegun, phase.isAsleep || seconds >= Self.firstFrameTimeout { deliveredNothing = true }
    }

    /// Frames heard from now on are not wanted, and those heard before are wanted soon.
    private func endNow() {
        let now = MonotonicClock.seconds
        end = min(end ?? now, now)
        endFrame = timeline.isAssessing ? nil : end.flatMap(timeline.frame)
        shortenFragments()
    }

    /// Sees to frames from before the end that have not come, and will not.
    private func complete() {
        guard !phase.hasEnded else { return }
        if timeline.isAssessing { release() }
        if let end { fill(until: end) }
    }

    /// Ends the stream.
    ///
    /// With the main loop's lock held.
    package func close() {
        guard isOpen else { return }
        if isUnderWay, timeline.isAssessing { release() }
        phase.apply(.close)
        timer.cancel()
        move = nil
        beforeEnd()
        stream.sync { $0.close() }
        onEnd()
    }

    // MARK: The session's pauses

    /// Pauses for the session; `interrupting` if the app did not ask for it.
    ///
    /// Frames heard from now on are not wanted, but those heard before are: until they have come the stream goes on.
    func stop(interrupting: Bool) {
        let wasRunning = isRunning
        if isRunning, isFlowing, timeline.hasBegun { drain() } else if !phase.isDraining { pause() }
        // An interruption may come in two steps, and the second one finds nothing that runs.
        if wasRunning || !interrupting { handlers.interrupted(wasRunning && interrupting) }
        if wasRunning, !phase.isDraining { handlers.rested() }
    }

    private func drain() {
        endNow()
        phase.apply(.drain)
        timer.start(after: .seconds(Self.tail))
        // A thread may wait for the end that it has asked for.
        stream.mainloop.signal()
        onRunning()
    }

    /// Ends the wait for frames from before the session's pause: they have come, or will not.
    private func drained() {
        guard phase.isDraining else { return }
        complete()
        cork(by: .cork)
        handlers.rested()
        stream.mainloop.signal()
    }

    /// Lets the frames from before the session's pause come first; on the loop's thread they are given up.
    ///
    /// With the main loop's lock held, except while it waits.
    package func awaitDrain() {
        guard phase.isDraining else { return }
        if !stream.mainloop.isOnLoop { _ = stream.mainloop.wait(timeout: .seconds(Self.tail)) { !phase.isDraining } }
        drained()
    }

    // MARK: The server

    /// Moves to a phase without a flow: corks the stream, and handles its undelivered frames.
    private func cork(by event: CapturePhase.Event) {
        timer.cancel()
        let wasFlowing = isFlowing
        phase.apply(event)
        guard wasFlowing else { return }
        pendingCorks += 1
        stream.sync { stream in
            stream.cork(true)
            if flushes {
                stream.flush { [weak self] _ in self?.corked() }
            } else {
                stream.updateTiming { [weak self] _ in self?.corked() }
            }
        }
    }

    private func corked() {
        pendingCorks -= 1
        if !flushes { stale = Int(stream.sync { $0.timing?.queued } ?? 0) / bytesPerFrame }
        if isRunning, !isFlowing { flowWhenDue() }
    }

    /// The time until the stream is to be uncorked, in seconds; 0 or less when that has come.
    private var earliness: Double {
        let now = MonotonicClock.seconds
        return (start ?? now) - now - Self.lead
    }

    private func flowWhenDue() {
        guard isOpen else { return }
        let wait = earliness
        guard wait <= 0 else { return timer.start(after: .seconds(min(wait, 1e6))) }
        guard pendingCorks == 0 else { return awaitAnswer() }
        phase.apply(.flow)
        if !phase.isLost { restart(at: MonotonicClock.seconds) }
        stream.sync { stream in
            // Drops the frames that the device's thread delivered after the last flush.
            if flushes { stream.flush() }
            stream.cork(false)
        }
        timer.start(after: .seconds(1))
    }

    private func restart(at time: Double) {
        timeline = CaptureTimeline(rate: rate, at: time)
        muting.restart()
        silence = SilenceWatch()
    }

    /// The server has not said yet that it has stopped, and nothing can flow before that: from one that hangs nothing
    /// has come when ``lossTimeout`` is over.
    private func awaitAnswer() {
        guard !phase.isLost else { return }
        let now = MonotonicClock.seconds
        let rest = (start ?? now) + Self.lossTimeout - now
        guard rest <= 0 else { return timer.start(after: .seconds(min(rest, 1e6))) }
        restart(at: start ?? now)
        timeline.begin()
        lose()
    }

    private func tick() {
        guard !phase.isDraining else { return drained() }
        guard isRunning else { return cork(by: .cork) }
        guard isFlowing else { return flowWhenDue() }
        let rest = timeline.lastArrival + Self.lossTimeout - MonotonicClock.seconds
        timer.start(after: .seconds(rest > 0 ? rest : 1))
        guard rest <= 0 else { return }
        // Held frames are older than the silence that may replace missing ones.
        if timeline.isAssessing { release() }
        if !phase.isLost {
            // An input that has never given a frame is silent from the beginning.
            timeline.begin()
            lose()
        }
        let last = timeline.lastArrival
        stream.sync { $0.updateTiming { [weak self] result in self?.answered(result, since: last) } }
    }

    private func lose() {
        phase.apply(.lose)
        missing = 0
        handlers.news(.lost)
    }

    /// The server has answered, and has given nothing since `last`.
    ///
    /// Frames of a server that stood still may come right after its first answer; one that answers again a second later
    /// has nothing for us.
    private func answered(_ result: Result<Void, PulseError>, since last: Double) {
        guard case .success = result, phase.isLost, timeline.lastArrival == last else { return }
        if lastAnswered == last { fill(until: MonotonicClock.seconds - 1) }
        lastAnswered = last
    }

    private func happened(_ event: StreamEvent, to stream: isolated RecordStream) {
        switch event {
        case .stateChanged(let state):
            stream.mainloop.signal()
            if case .failed = state { failed() }
        case .suspended(let isAsleep): phase.apply(isAsleep ? .sleep : .wake)
        case .moved:
            guard isFlowing, let name = stream.device?.name else { return }
            timeline.deviceChanged()
            shortenFragments()
            handlers.news(.moved(source: name))
        default: break
        }
    }

    private func failed() {
        guard isOpen else { return }
        if timeline.isAssessing { release() }
        phase.apply(.close)
        timer.cancel()
        stream.mainloop.signal()
        onEnd()
        handlers.ended()
    }

    // MARK: Frames

    private func received(_ bytes: UnsafeRawBufferPointer?, _ count: Int) {
        var bytes = bytes
        var count = count
        let old = min(stale, count / bytesPerFrame)
        stale -= old
        guard isFlowing, count > old * bytesPerFrame else { return }
        bytes = bytes.map { UnsafeRawBufferPointer(rebasing: $0.dropFirst(old * bytesPerFrame)) }
        count -= old * bytesPerFrame
        let frames = count / bytesPerFrame
        let now = MonotonicClock.seconds
        let isSettled = timeline.received(frames, at: now)
        muting.place(timeline.frame)
        adaptDelivery()
        // While frames come, the check for missing ones is postponed.
        if isRunning, now - lookedAfter > Self.lossTimeout / 2 {
            lookedAfter = now
            timer.start(after: .seconds(Self.lossTimeout))
        }
        guard isUnderWay else {
            // Frames are dropped during a pause, but the clock continues.
            if timeline.isAssessing { _ = timeline.assess() }
            return
        }
        defer { if phase.hasEnded { drained() } }
        guard timeline.isAssessing else {
            if phase.isLost { found(silence: 0) }
            return deliver(bytes, frames, before: timeline.frames)
        }
        if let bytes { held += bytes.prefix(count) } else { held.append(contentsOf: repeatElement(0, count: count)) }
        if isSettled { release() }
    }

    /// Delivers the frames that were held back, after the silence that belongs before them.
    private func release() {
        let gap = timeline.assess()
        let bytes = held
        held = []
        let frames = bytes.count / bytesPerFrame
        if gap > 0 { deliver(nil, gap, before: timeline.frames - frames) }
        if phase.isLost || gap > 0 { found(silence: gap) }
        bytes.withUnsafeBytes { deliver($0, frames, before: timeline.frames) }
    }

    private func found(silence gap: Int) {
        let total = gap + (phase.isLost ? missing : 0)
        phase.apply(.restore)
        handlers.news(.restored(silence: Double(total) / rate))
    }

    private func fill(until time: Double) {
        let count = timeline.fill(until: time)
        guard count > 0 else { return }
        missing += count
        deliver(nil, count, before: timeline.frames)
    }

    /// Delivers those of the frames before `last` that were heard in time.
    private func deliver(_ bytes: UnsafeRawBufferPointer?, _ frames: Int, before last: Int) {
        var wanted = 0..<frames
        let first = last - frames
        if let start, let frame = timeline.frame(at: start) {
            wanted = wanted.clamped(to: max(0, min(frame - first, frames))..<frames)
        }
        if let frame = endFrame ?? end.flatMap(timeline.frame), frame <= last {
            wanted = wanted.clamped(to: 0..<max(0, frame - first))
            phase.apply(.end)
            stream.mainloop.signal()
        }
        guard !wanted.isEmpty else { return }
        start = nil
        let range = wanted.lowerBound * bytesPerFrame..<wanted.upperBound * bytesPerFrame
        let part = bytes.map { UnsafeRawBufferPointer(rebasing: $0[range]) }
        handOver(part, wanted.count, from: first + wanted.lowerBound)
    }

    // MARK: Muting

    /// Mutes or unmutes the sound heard from now on.
    ///
    /// With the main loop's lock held.
    func setMuted(byApp isMuted: Bool, byPermission isDenied: Bool) {
        let reason: CaptureMuteSchedule.Reason? = isDenied ? .permission : isMuted ? .app : nil
        let now = MonotonicClock.seconds
        guard isFlowing else { return muting.set(reason) }
        guard let frame = timeline.frame(at: now) else { return muting.set(reason, at: now) }
        if muting.set(reason, from: frame) { shortenFragments() }
    }

    /// Delivers frames, from the timeline's `first` on; muted ones as zeros, so that levels fall.
    func handOver(_ bytes: UnsafeRawBufferPointer?, _ frames: Int, from first: Int) {
        var done = 0
        while done < frames {
            let (reason, end) = muting.reason(at: first + done)
            let count = min(frames - done, max(1, end - (first + done)))
            let range = done * bytesPerFrame..<(done + count) * bytesPerFrame
            handOver(bytes.map { UnsafeRawBufferPointer(rebasing: $0[range]) }, range.count, reason)
            done += count
        }
    }

    private func handOver(_ bytes: UnsafeRawBufferPointer?, _ size: Int, _ reason: CaptureMuteSchedule.Reason?) {
        let seconds = Double(size / bytesPerFrame) / rate
        // Lost frames have no data to mute, and may be hours.
        guard reason == nil || bytes == nil else {
            if zeros.count < size { zeros = [UInt8](repeating: 0, count: size) }
            return zeros.withUnsafeBytes { all in
                let part = UnsafeRawBufferPointer(rebasing: all.prefix(size))
                if reason == .permission, let news = silence.received(part, seconds: seconds) { handlers.news(news) }
                handlers.data(part, size)
            }
        }
        if let bytes, let news = silence.received(bytes, seconds: seconds) { handlers.news(news) }
        handlers.data(bytes, size)
    }

    // MARK: Fragments

    /// Changes the size of the fragments.
    ///
    /// With the main loop's lock held.
    package func setPace(_ pace: CaptureRequest.Pace) {
        delivery.pace = pace
        updateFragments()
    }

    /// Requests the available frames at once, and short fragments for a moment.
    ///
    /// With the main loop's lock held.
    package func shortenFragments() {
        delivery.shorten(at: MonotonicClock.seconds)
        updateFragments()
    }

    /// Frames that were heard and are wanted, but have not been delivered yet.
    ///
    /// With the main loop's lock held.
    package var undelivered: Int {
        guard isUnderWay, isFlowing, !phase.isLost, !timeline.isAssessing else { return 0 }
        guard let heard = endFrame ?? timeline.frame(at: MonotonicClock.seconds) else { return 0 }
        let first = max(start.flatMap(timeline.frame) ?? 0, timeline.frames)
        return min(max(0, heard - first), Int(delivery.most * rate))
    }

    /// The buffer for a stream that is about to begin.
    private func beginDelivery() -> BufferAttributes {
        delivery.shorten(at: MonotonicClock.seconds)
        return attributes(delivery.change(at: MonotonicClock.seconds) ?? 0)
    }

    /// Lengthens the fragments again when frames have come, unless there is a reason for short ones.
    private func adaptDelivery() {
        let now = MonotonicClock.seconds
        if !isRunning || start != nil || timeline.isAssessing || handlers.isUrgent() { delivery.shorten(at: now) }
        updateFragments()
    }

    private func updateFragments() {
        guard isOpen, let seconds = delivery.change(at: MonotonicClock.seconds) else { return }
        stream.sync { $0.setBufferAttributes(attributes(seconds)) }
    }

    private func attributes(_ seconds: Double) -> BufferAttributes {
        BufferAttributes(fragmentSize: UInt32(stream.spec.bytes(seconds)))
    }
}

// What the server says of the device, with the main loop's lock held.
extension Capture {
    /// How much PipeWire's graph gives at a time now, in seconds; nil while nobody knows.
    ///
    /// May wait some cycles, see ``CycleMeter/seconds``.
    var cycle: Double? { cycles.seconds }

    /// The time from the microphone to the server, in seconds, as of its last answer; nil while nothing is recorded.
    var sourceLatency: Double? { isFlowing ? stream.sync { $0.timing?.sourceLatency } : nil }

    func makeCycleMeter() -> CycleMeter {
        CycleMeter(mainloop: stream.mainloop, rate: Double(stream.spec.rate)) { [weak self] answered in
            guard let self, self.isOpen else { return answered() }
            self.stream.sync { $0.updateTiming { _ in answered() } }
        } place: { [weak self] in
            guard let self, self.isOpen else { return nil }
            let isFlowing = self.isFlowing
            return self.stream.sync { stream in
                guard let device = stream.device?.index else { return nil }
                let frame = stream.timing.map { Int($0.writeIndex) / stream.spec.bytesPerFrame }
                return CycleMeter.Place(device: device, isMoving: isFlowing, frame: frame)
            }
        }
    }
}
